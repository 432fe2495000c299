/* The family of flat domains: kind atmosphere3d, by multigrid and conjugate gradients. */
#include "apps/plans/family.h"
#include "apps/recorded/simulate.h"
#include "atmosphere/options.h"
#include "solver/accept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static starfish_status choose(struct problem_run *run)
{
    struct problem_options *o = &run->options;

    if (SIMULATED && o->cycles == 0)
        o->cycles = PROBLEM_SIMULATED_CYCLES;
    run->precision = o->precision == STARFISH_F32 ? STARFISH_F32 : STARFISH_F64;
    return STARFISH_SUCCESS;
}

/* The plan, and whether its solutions are looked at. */
struct checked_plan {
    starfish_plan *plan;
    int check;
};

static starfish_status create_plan(struct problem_run *run, starfish_plan **plan)
{
    struct starfish_atmosphere_options options = *(const struct starfish_atmosphere_options *)run->library;

    options.precision = run->precision;
    options.mixed = run->options.precision == STARFISH_PRECISION_MIXED;
    if (run->options.cycles > 0) {
        options.fixed = 1;
        options.max_iterations = (int)run->options.cycles;
    }
    return run->problem.row->create(run->context, run->problem.data, &options, plan);
}

static starfish_status create(struct problem_run *run, int check)
{
    struct checked_plan *made = calloc(1, sizeof *made);
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;

    if (!made)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");
    const starfish_status status = create_plan(run, &made->plan);
    if (status != STARFISH_SUCCESS) {
        free(made);
        return status;
    }
    made->check = check && !SIMULATED;
    run->plan = made;
    STARFISH_TRY(starfish_plan_about(made->plan, &about));
    run->about = (struct problem_about){about.method, about.reason, about.seconds, 0, about.owners};
    return STARFISH_SUCCESS;
}

static void destroy(void *plan)
{
    struct checked_plan *made = plan;

    if (made)
        starfish_plan_destroy(made->plan);
    free(made);
}

/* A job, and where its solution goes, for the check. */
struct checked_job {
    starfish_job *job;
    const void *solution;
};

static starfish_status submit(struct problem_run *run, void *solution, void **job)
{
    const struct checked_plan *made = run->plan;
    struct checked_job *submitted = calloc(1, sizeof *submitted);

    *job = NULL;
    if (!submitted)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a job");
    submitted->solution = solution;
    const starfish_status status =
        starfish_plan_submit(made->plan, NULL, run->problem.rhs.array.data, solution, &submitted->job);
    if (status != STARFISH_SUCCESS) {
        free(submitted);
        return status;
    }
    *job = submitted;
    return STARFISH_SUCCESS;
}

/* `tolerance`: the one that counts, of the Euclidean norm. */
static starfish_status check_solution(struct problem_run *run, const void *solution, double tolerance)
{
    const struct checked_plan *made = run->plan;
    struct starfish_atmosphere_check check;

    STARFISH_TRY(starfish_atmosphere_check(made->plan, run->problem.rhs.array.data, solution, &check));
    run->result.info.residual_max = check.residual;
    run->result.info.residual_bound = tolerance * check.residual_scale;
    return STARFISH_SUCCESS;
}

static starfish_status wait(struct problem_run *run, void *job)
{
    const struct checked_plan *made = run->plan;
    struct starfish_result *info = &run->result.info;
    struct checked_job *submitted = job;
    const double tolerance = ((const struct starfish_atmosphere_options *)run->library)->tolerance;
    const double wanted = tolerance > 0 ? tolerance : starfish_default_tolerance(run->precision);

    run->result = (struct problem_result){.info = STARFISH_RESULT_DEFAULTS, .iterates = 1, .tolerated = (double)NAN};
    const starfish_status status = starfish_job_finish(submitted->job, info);
    info->correction = 0;
    if (status == STARFISH_SUCCESS || status == STARFISH_ERROR_NUMERICAL) {
        if (status == STARFISH_SUCCESS && info->tolerance != wanted)
            run->result.tolerated = info->tolerance;
        if (made->check)
            check_solution(run, submitted->solution, info->tolerance);
    }
    free(submitted);
    return status;
}

/* How many iterations it takes is not known before they are done. */
static void progress(const void *job, size_t *finished, size_t *total)
{
    (void)job;
    *finished = 0;
    *total = 0;
}

static starfish_status memory(const struct problem_run *run, struct starfish_memory *told)
{
    const struct checked_plan *made = run->plan;

    return starfish_plan_memory(made->plan, told);
}

const struct problem_family problem_atmosphere_family = {
    .choose = choose,
    .create = create,
    .destroy = destroy,
    .submit = submit,
    .wait = wait,
    .progress = progress,
    .memory = memory,
};
