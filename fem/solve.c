/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves: cycles alone; if they are slow or stall, flexible conjugate gradients preconditioned by cycles; if cycles are
 * too far from symmetric for these, BiCGStab. */
#include "fem/plan.h"

#include "base/precision.h"
#include "base/real.h"
#include "fem/ranks.h"
#include "multigrid/solve.h"
#include "scheduler/runtime/host_loop.h"
#include "scheduler/runtime/ranks.h"
#include "solver/retry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct solving {
    struct starfish_job job; /* the first member */
    struct starfish_multigrid_solve last;
    struct starfish_result last_result;
    struct starfish_retry retry;
    starfish_status judged; /* acceptance status of the last pass */
};

static struct starfish_fem_plan *plan_of(const struct solving *s)
{
    return (struct starfish_fem_plan *)s->job.plan;
}

/* Loops over nodes are by all cores: one would take as long as some cycles of a GPU. */
enum { RUN = 1 << 16 };

/* ---- Iterations -------------------------------------------------------------------------------------------------- */

/* The unknowns that this rank owns. */
static void *own(const struct solving *s, void *array)
{
    return (char *)array + plan_of(s)->own[0] * starfish_real_size(plan_of(s)->options.precision);
}

/* What a run is to come to: from u where that is any good. */
static struct starfish_pass pass_of(const struct solving *s)
{
    const struct starfish_fem_plan *plan = plan_of(s);
    const double tolerance = plan->options.fixed ? 0 : plan->options.tolerance;

    return (struct starfish_pass){.variant = s->retry.rung->variant,
                                  .most = s->retry.steps,
                                  .from_guess = s->job.result.iterations > 0 && s->job.result.residual < 1,
                                  .tolerance = tolerance,
                                  .absolute = plan->volume ? tolerance * plan->load_norm : 0};
}

/* Of all runs together. */
static void tell(void *data, const struct starfish_result *last)
{
    struct solving *s = data;
    struct starfish_result told = *last;

    told.iterations += s->job.result.iterations;
    starfish_job_look(&s->job, &told);
}

/* What the last run has come to is a part of the result. */
static void add_run(struct solving *s)
{
    const struct starfish_result *last = &s->last_result;
    struct starfish_result *result = &s->job.result;

    result->iterations += s->last.pass.steps;
    result->accelerated += s->last.pass.variant != STARFISH_KRYLOV_NONE ? s->last.pass.steps : 0;
    result->corrections += last->corrections;
    result->residual = last->residual * last->rhs_norm / plan_of(s)->load_norm;
    atomic_store(&s->job.iterations, result->iterations);
}

const struct starfish_acceptance starfish_fem_acceptance = {.excused = 1 << STARFISH_ENDED_STALLED |
                                                                       1 << STARFISH_ENDED_EXHAUSTED,
                                                            .diverged_above = 1,
                                                            .of_nan = STARFISH_DIVERGED,
                                                            .tells_rounding = 1};

/* What cycles that ended with `status` came to. */
static starfish_status accept(struct solving *s, starfish_status status)
{
    struct starfish_result *result = &s->job.result;
    struct starfish_failure failure = {STARFISH_SUCCESS, ""};
    struct starfish_evidence evidence = {.end = starfish_ending_of_outcome(s->last_result.outcome),
                                         .iterations = result->iterations,
                                         .asked = plan_of(s)->options.tolerance,
                                         .reached = result->residual,
                                         .rounding = (double)NAN,
                                         .failure = &failure};

    result->outcome = s->last_result.outcome;
    if (result->outcome == STARFISH_CANCELLED || (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL))
        return status;
    starfish_failure_keep(&failure, status);
    if (starfish_needs_rounding(&starfish_fem_acceptance, &evidence))
        STARFISH_TRY(starfish_fem_rounding(plan_of(s), plan_of(s)->u, &evidence.rounding));
    return starfish_accept(&starfish_fem_acceptance, &evidence, result);
}

/* Some cycles, alone or as a preconditioner. */
static starfish_status pass(struct solving *s)
{
    struct starfish_fem_plan *plan = plan_of(s);

    s->last_result = (struct starfish_result){.size = sizeof s->last_result};
    s->last = (struct starfish_multigrid_solve){.engine = plan->multigrid,
                                                .pass = pass_of(s),
                                                .watch = {&s->job.cancelled, tell, s},
                                                .progress = &s->job.progress,
                                                .result = &s->last_result};
    STARFISH_TRY(starfish_multigrid_solve_arrays(&s->last, own(s, plan->f), own(s, plan->u)));
    const starfish_status status = starfish_multigrid_solve_run(&s->last);
    if (status == STARFISH_SUCCESS || status == STARFISH_ERROR_NUMERICAL)
        add_run(s);
    s->judged = accept(s, status);
    if (s->judged != STARFISH_SUCCESS && s->judged != STARFISH_ERROR_NUMERICAL)
        return s->judged;
    s->retry.taken = s->job.result.iterations;
    s->retry.norm = s->job.result.residual;
    s->retry.end = starfish_ending_of_outcome(s->job.result.outcome);
    return STARFISH_SUCCESS;
}

/* Cycles alone, which should need some tens, conjugate gradients, BiCGStab, which begins anew with another shadow
 * residual; or the one that is asked for. */
static starfish_status iterate(struct solving *s)
{
    static const struct starfish_rung ladder[] = {
        {.variant = STARFISH_KRYLOV_NONE, .enough = 60},
        {.variant = STARFISH_KRYLOV_CG},
        {.variant = STARFISH_KRYLOV_BICGSTAB, .misses = 1},
    };
    const struct starfish_fem_options *o = &plan_of(s)->options;
    const int is_auto = o->krylov == STARFISH_KRYLOV_AUTO;

    s->retry = (struct starfish_retry){.rung = is_auto ? ladder : &ladder[o->krylov - STARFISH_KRYLOV_NONE],
                                       .rungs = is_auto && !o->fixed ? 3 : 1,
                                       .most = s->job.most,
                                       .stops = 1 << STARFISH_ENDED_REACHED | 1 << STARFISH_ENDED_CANCELLED,
                                       .norm = HUGE_VAL};
    STARFISH_TRY(starfish_retry_next(&s->retry));
    while (s->retry.steps > 0) {
        STARFISH_TRY(pass(s));
        STARFISH_TRY(starfish_retry_next(&s->retry));
    }
    return s->judged;
}

/* ---- The solution ------------------------------------------------------------------------------------------------ */

static double integral_at(const void *data, size_t i)
{
    const struct starfish_fem_plan *plan = data;

    return plan->volume[i] * starfish_element(plan->u, plan->options.precision, i);
}

/* Unknowns on their way to the user's array. */
struct spreading {
    const struct starfish_fem_plan *plan;
    const void *all;    /* unknowns */
    const double *mean; /* by floating component, NULL: there are none */
    void *u;
};

static void spread_nodes(void *data, size_t first, size_t last)
{
    const struct spreading *spreading = data;
    const struct starfish_fem_plan *plan = spreading->plan;
    const struct starfish_fem_space *space = &plan->space;
    const starfish_precision precision = plan->options.precision;

    for (size_t n = first; n < last; n++) {
        const int unknown = space->unknown[n];
        const int component = spreading->mean && unknown >= 0 ? plan->floating.of[unknown] : -1;
        const double constant = component >= 0 ? spreading->mean[component] : 0;
        starfish_element_set(spreading->u, precision, n,
                             unknown < 0 ? space->given[n]
                                         : starfish_element(spreading->all, precision, (size_t)unknown) - constant);
    }
}

/* All unknowns to the user's array; NULL: to none. */
static starfish_status spread(const struct starfish_fem_plan *plan, void *u)
{
    void *together = NULL;
    double *mean;

    STARFISH_TRY(starfish_fem_means(plan, integral_at, plan, &mean));
    const starfish_status status =
        plan->is_dealt ? starfish_fem_bring_together(plan, plan->u, u != NULL, &together) : STARFISH_SUCCESS;
    struct spreading spreading = {plan, together ? together : plan->u, mean, u};
    if (u && status == STARFISH_SUCCESS)
        starfish_host_loop_in_call(plan->space.nodes, RUN, spread_nodes, &spreading);
    free(mean);
    free(together);
    return status;
}

/* ---- The kind ---------------------------------------------------------------------------------------------------- */

/* Requires host memory, since the host writes all nodes. Only the first of several ranks must pass an array. */
static starfish_status check_array(const struct starfish_context *context, const void *u)
{
    enum starfish_residence residence;
    int node;

    if (!u && starfish_context_rank(context) > 0)
        return STARFISH_SUCCESS;
    STARFISH_NEED(u, "solution");
    STARFISH_TRY(starfish_memory_place(context, "solution", u, &node, &residence));
    return STARFISH_OR_FAIL(node == STARFISH_MAIN_MEMORY, STARFISH_ERROR_ARGUMENT, "solution must be in host memory");
}

static starfish_status take(struct starfish_job *job)
{
    const struct starfish_fem_plan *plan = (const struct starfish_fem_plan *)job->plan;
    struct starfish_result *result = &job->result;

    job->most = plan->options.max_iterations;
    result->pertrb = plan->removed;
    result->rhs_norm = plan->load_norm;
    result->tolerance = plan->options.tolerance;
    return starfish_ranks_agree(plan->plan.context, check_array(plan->plan.context, job->request.solution));
}

static starfish_status solve(struct starfish_job *job)
{
    struct solving *s = (struct solving *)job;
    const struct starfish_fem_plan *plan = plan_of(s);
    starfish_status status = STARFISH_SUCCESS;
    struct starfish_failure failure = {STARFISH_SUCCESS, ""};

    if (plan->has_load)
        status = starfish_ranks_agree(plan->plan.context, iterate(s));
    else
        job->result.residual = 0;
    if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
        return status;
    starfish_failure_keep(&failure, status);
    if (job->result.iterations == 0) /* the last solve's is there */
        memset(own(s, plan->u), 0, (plan->own[1] - plan->own[0]) * starfish_real_size(plan->options.precision));
    STARFISH_TRY(spread(plan, job->request.solution));
    return starfish_failure_repeat(&failure);
}

const struct starfish_kind starfish_kind_fem = {.name = "fem",
                                                .options = &starfish_fem_option_table,
                                                .plan_bytes = sizeof(struct starfish_fem_plan),
                                                .job_bytes = sizeof(struct solving),
                                                .options_at = offsetof(struct starfish_fem_plan, options),
                                                .one_team = 1,
                                                .on_ranks = 1,
                                                .has_rhs = 1,
                                                .check = starfish_fem_check_plan,
                                                .create = starfish_fem_create_plan,
                                                .release = starfish_fem_release,
                                                .take = take,
                                                .run = solve};
