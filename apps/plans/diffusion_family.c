/* The family of diffusion with jumping coefficients: kinds diffusion3d and diffusion2d. */
#include "apps/files/json.h"
#include "apps/plans/diffusion_run.h"
#include "apps/plans/family.h"
#include "apps/recorded/simulate.h"
#include "diffusion/options.h"
#include "solver/accept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static starfish_status choose(struct problem_run *run)
{
    struct starfish_diffusion_options *library = run->library;
    struct problem_options *o = &run->options;

    if (library->deflation == STARFISH_DEFLATION_REGIONS &&
        !((const struct starfish_diffusion_problem *)run->problem.data)->regions)
        return starfish_json_fail(run->problem.path, "regions", "missing, and --deflation is by regions");
    if (SIMULATED && o->cycles == 0)
        o->cycles = PROBLEM_SIMULATED_CYCLES;
    run->precision = o->precision == STARFISH_F32 ? STARFISH_F32 : STARFISH_F64;
    return STARFISH_SUCCESS;
}

static starfish_status create(struct problem_run *run, int check)
{
    struct starfish_diffusion_options options = *(const struct starfish_diffusion_options *)run->library;
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    starfish_plan *plan;

    (void)check;
    options.precision = run->precision;
    options.mixed = run->options.precision == STARFISH_PRECISION_MIXED;
    if (run->options.cycles > 0) {
        options.fixed = 1;
        options.max_iterations = (int)run->options.cycles;
    }
    STARFISH_TRY(run->problem.row->create(run->context, run->problem.data, &options, &plan));
    run->plan = plan;
    STARFISH_TRY(starfish_plan_about(plan, &about));
    run->about = (struct problem_about){about.method, about.reason, about.seconds, about.singular, about.owners};
    return STARFISH_SUCCESS;
}

static void destroy(void *plan)
{
    starfish_plan_destroy(plan);
}

static starfish_status submit(struct problem_run *run, void *solution, void **job)
{
    starfish_job *submitted = NULL;
    const starfish_status status =
        starfish_plan_submit(run->plan, &run->boundary, run->problem.rhs.array.data, solution, &submitted);

    *job = submitted;
    return status;
}

/* What a solve has not found is told as 0. */
static double known(double value)
{
    return isnan(value) ? 0 : value;
}

static starfish_status wait(struct problem_run *run, void *job)
{
    const struct starfish_diffusion_options *options = run->library;
    struct problem_result *result = &run->result;
    struct starfish_result *info = &result->info;

    *result = (struct problem_result){.info = STARFISH_RESULT_DEFAULTS, .tolerated = (double)NAN, .iterates = 1};
    const starfish_status status = starfish_job_finish(job, info);
    info->residual = known(info->residual);
    info->residual_max = known(info->residual_max);
    info->residual_bound = known(info->residual_bound);
    info->correction = (double)NAN;
    const double asked = options->tolerance > 0 ? options->tolerance : starfish_default_tolerance(run->precision);
    if (status == STARFISH_SUCCESS && info->tolerance != asked)
        result->tolerated = known(info->tolerance);
    return status;
}

static void progress(const void *job, size_t *finished, size_t *total)
{
    (void)starfish_job_state(job, finished, total);
}

static starfish_status memory(const struct problem_run *run, struct starfish_memory *told)
{
    return starfish_plan_memory(run->plan, told);
}

const struct problem_family problem_diffusion_family = {
    .options = &starfish_diffusion_option_table,
    .choose = choose,
    .prepare = problem_prepare_boundary,
    .create = create,
    .destroy = destroy,
    .submit = submit,
    .wait = wait,
    .progress = progress,
    .memory = memory,
    .one_team = 1,
};
