/* The family of separable problems: kinds poisson3d, separable3d and separable2d, by the direct methods and multigrid.
 */
#include "apps/plans/family.h"
#include "apps/recorded/simulate.h"
#include "poisson/methods.h"
#include "poisson/options.h"
#include "solver/accept.h"

#include <math.h>

static starfish_status choose(struct problem_run *run)
{
    const struct starfish_poisson_options *library = run->library;
    struct problem_options *o = &run->options;
    const int multigrid = library->method == STARFISH_METHOD_MULTIGRID;

    if (o->precision == STARFISH_PRECISION_MIXED && !multigrid)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                             "--precision: the direct methods have no mixed mode; choose f64 or f32");
    if (o->cycles > 0 && !multigrid)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--cycles: is for iterative methods, as --method multigrid");
    if (library->max_iterations < 1) /* which the library takes for its default */
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--max-iterations is %d, must be 1 or more",
                             library->max_iterations);
    if (SIMULATED && multigrid && o->cycles == 0)
        o->cycles = PROBLEM_SIMULATED_CYCLES;
    run->precision = o->precision == STARFISH_F32 ? STARFISH_F32 : STARFISH_F64;
    return STARFISH_SUCCESS;
}

static starfish_status make_fields(struct problem_run *run)
{
    for (int f = 0; f < 2; f++)
        STARFISH_TRY(starfish_poisson_field_spread(run->plan, 0, NULL, &run->field[f]));
    return STARFISH_SUCCESS;
}

static starfish_status submit_fields(struct problem_run *run, void **job)
{
    starfish_job *submitted = NULL;
    const starfish_status status =
        starfish_poisson_submit_field(run->plan, &run->boundary, run->field[0], run->field[1], &submitted);

    *job = submitted;
    return status;
}

static starfish_status wait(struct problem_run *run, void *job)
{
    struct problem_result *result = &run->result;

    *result = (struct problem_result){
        .info = STARFISH_RESULT_DEFAULTS, .phases = STARFISH_POISSON_PHASES_DEFAULTS, .tolerated = (double)NAN};
    STARFISH_TRY(starfish_poisson_tell_phases(job, &result->phases));
    const starfish_status status = starfish_job_finish(job, &result->info);
    result->iterates = result->info.iterations > 0;
    if (status == STARFISH_SUCCESS && result->info.residual > problem_any_tolerance(run))
        result->tolerated = result->info.tolerance;
    return status;
}

const struct problem_family problem_poisson_family = {
    .choose = choose,
    .prepare = problem_prepare_boundary,
    .create = problem_any_create,
    .destroy = problem_any_destroy,
    .submit = problem_any_submit,
    .wait = wait,
    .progress = problem_any_progress,
    .make_fields = make_fields,
    .submit_fields = submit_fields,
    .memory = problem_any_memory,
};
