/* One solve of a flat domain, by the plan's engine. */
#include "atmosphere/plan.h"

#include "base/precision.h"
#include "multigrid/solve.h"

#include <math.h>
#include <string.h>

struct starfish_atmosphere_job {
    struct starfish_job job; /* the first member */
    struct starfish_multigrid_solve solve;
};

const struct starfish_acceptance starfish_atmosphere_acceptance = {.excused = 1 << STARFISH_ENDED_STALLED |
                                                                              1 << STARFISH_ENDED_CANCELLED,
                                                                   .diverged_above = 1,
                                                                   .of_nan = STARFISH_DIVERGED,
                                                                   .explains_divergence = 1};

static void count_iterations(void *data, const struct starfish_multigrid_info *info)
{
    struct starfish_job *job = data;

    atomic_store(&job->iterations, info->cycles);
}

static starfish_status take(struct starfish_job *base)
{
    struct starfish_atmosphere_job *job = (struct starfish_atmosphere_job *)base;
    struct starfish_atmosphere_plan *plan = (struct starfish_atmosphere_plan *)base->plan;

    base->most = plan->options.max_iterations;
    job->solve = (struct starfish_multigrid_solve){.engine = plan->engine,
                                                   .pass = starfish_multigrid_pass(&plan->engine->options),
                                                   .watch = {&base->cancelled, count_iterations, base}};
    return starfish_multigrid_solve_arrays(&job->solve, base->request.rhs, base->request.solution);
}

static void fill_result(struct starfish_job *job, const struct starfish_multigrid_info *info)
{
    struct starfish_result *result = &job->result;

    memcpy(result->worker, info->worker, sizeof info->worker);
    result->outcome = info->outcome;
    result->iterations = info->cycles;
    result->corrections = info->defects;
    result->residual = info->residual;
    result->rhs_norm = info->rhs_norm;
    result->factor = info->factor;
    result->count = info->count;
    memcpy(result->history, info->history, sizeof info->history);
}

/* What an iteration that ended with `status` came to. */
static starfish_status accept(const struct starfish_atmosphere_plan *plan, starfish_status status, double rounding,
                              struct starfish_result *result)
{
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};
    const struct starfish_evidence evidence = {.end = starfish_ending_of_outcome(result->outcome),
                                               .iterations = result->iterations,
                                               .asked = plan->options.tolerance,
                                               .reached = result->residual,
                                               .rounding = rounding,
                                               .failure = &failure};
    struct starfish_judgement judgement;

    if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
        return status;
    starfish_failure_keep(&failure, status);
    status = starfish_accept(&starfish_atmosphere_acceptance, &evidence, &judgement);
    result->outcome = judgement.outcome;
    result->tolerance = judgement.tolerance;
    return status;
}

static starfish_status run(struct starfish_job *base)
{
    struct starfish_atmosphere_job *job = (struct starfish_atmosphere_job *)base;
    const struct starfish_atmosphere_plan *plan = (const struct starfish_atmosphere_plan *)base->plan;
    const struct starfish_multigrid_solve *solve = &job->solve;

    starfish_multigrid_drive(&job->solve);
    const double rounding = starfish_rounding(plan->options.precision, solve->size, solve->info.rhs_norm);
    fill_result(base, &solve->info);
    base->result.rounding = solve->size > 0 ? rounding : (double)NAN;
    return accept(plan, starfish_failure_repeat(&solve->failure), rounding, &base->result);
}

const struct starfish_kind starfish_atmosphere_kind = {.name = "atmosphere3d",
                                                       .job_bytes = sizeof(struct starfish_atmosphere_job),
                                                       .on_ranks = 1,
                                                       .release = starfish_atmosphere_release,
                                                       .memory = starfish_atmosphere_tell_memory,
                                                       .take = take,
                                                       .run = run};
