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

/* What a solve has not found is told as 0. */
static double known(double value)
{
    return isnan(value) ? 0 : value;
}

static starfish_status wait(struct problem_run *run, void *job)
{
    struct problem_result *result = &run->result;
    struct starfish_result *info = &result->info;

    *result = (struct problem_result){.info = STARFISH_RESULT_DEFAULTS, .tolerated = (double)NAN, .iterates = 1};
    const starfish_status status = starfish_job_finish(job, info);
    info->residual = known(info->residual);
    info->residual_max = known(info->residual_max);
    info->residual_bound = known(info->residual_bound);
    info->correction = (double)NAN;
    if (status == STARFISH_SUCCESS && info->tolerance != problem_any_tolerance(run))
        result->tolerated = known(info->tolerance);
    return status;
}

const struct problem_family problem_diffusion_family = {
    .choose = choose,
    .prepare = problem_prepare_boundary,
    .create = problem_any_create,
    .destroy = problem_any_destroy,
    .submit = problem_any_submit,
    .wait = wait,
    .progress = problem_any_progress,
    .memory = problem_any_memory,
    .one_team = 1,
};
