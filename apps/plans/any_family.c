/* What families of problems have in common, and the family of kinds that need none of their own: all by the tables of
 * the kind (solver/solver.h). */
#include "apps/plans/family.h"
#include "solver/accept.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct starfish_option *option_of(const struct problem_run *run, const char *name)
{
    return starfish_option_named(run->problem.plans->options, name);
}

/* ---- Of all families --------------------------------------------------------------------------------------------- */

/* Of an option that the kind has. */
static void set(const struct problem_run *run, void *options, const char *name, size_t value)
{
    const struct starfish_option *option = option_of(run, name);
    if (!option)
        return;
    if (option->type == STARFISH_OPTION_SIZE)
        *(size_t *)(void *)((char *)options + option->offset) = value;
    else
        *(int *)(void *)((char *)options + option->offset) = (int)value;
}

static starfish_status create_with(struct problem_run *run, int check, void *options)
{
    const size_t cycles = run->options.cycles;
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    starfish_plan *plan;
    memcpy(options, run->library, run->problem.plans->options->size);
    set(run, options, "precision", run->precision);
    set(run, options, "mixed", run->options.precision == STARFISH_PRECISION_MIXED);
    set(run, options, "check_residual", check != 0);
    set(run, options, "right_hand_sides", run->options.repeat);
    if (cycles > 0) {
        set(run, options, "fixed", 1);
        set(run, options, "max_iterations", cycles);
    }
    STARFISH_TRY(run->problem.row->create(run->context, run->problem.data, options, &plan));
    run->plan = plan;
    STARFISH_TRY(starfish_plan_about(plan, &about));
    run->about = (struct problem_about){about.method, about.reason, about.seconds, about.singular, about.owners};
    return STARFISH_SUCCESS;
}

starfish_status problem_any_create(struct problem_run *run, int check)
{
    void *options = malloc(run->problem.plans->options->size);
    const starfish_status status =
        options ? create_with(run, check, options) : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for options");
    free(options);
    return status;
}

void problem_any_destroy(void *plan)
{
    starfish_plan_destroy(plan);
}

starfish_status problem_any_submit(struct problem_run *run, void *solution, void **job)
{
    starfish_job *submitted = NULL;
    const starfish_status status =
        starfish_plan_submit(run->plan, run->problem.plans->has_boundary ? &run->boundary : NULL,
                             run->problem.rhs.array.data, solution, &submitted);
    *job = submitted;
    return status;
}

void problem_any_progress(const void *job, size_t *finished, size_t *total)
{
    (void)starfish_job_state(job, finished, total);
}

starfish_status problem_any_memory(const struct problem_run *run, struct starfish_memory *memory)
{
    return starfish_plan_memory(run->plan, memory);
}

double problem_any_tolerance(const struct problem_run *run)
{
    const struct starfish_option *option = option_of(run, "tolerance");
    double asked = 0;
    if (option)
        memcpy(&asked, (const char *)run->library + option->offset, sizeof asked);
    return asked > 0 ? asked : starfish_default_tolerance(run->precision);
}

/* ---- Of kinds without a family ----------------------------------------------------------------------------------- */

static starfish_status choose(struct problem_run *run)
{
    const struct problem_options *o = &run->options;
    if (o->precision == STARFISH_PRECISION_MIXED && !option_of(run, "mixed"))
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "--precision: problems of kind %s have no mixed mode",
                             run->problem.row->name);
    if (o->cycles > 0 && !option_of(run, "fixed"))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--cycles: is for iterative methods");
    run->precision = o->precision == STARFISH_F32 ? STARFISH_F32 : STARFISH_F64;
    return STARFISH_SUCCESS;
}

static starfish_status prepare(struct problem_run *run)
{
    return run->problem.plans->has_boundary ? problem_prepare_boundary(run) : STARFISH_SUCCESS;
}

static starfish_status wait(struct problem_run *run, void *job)
{
    struct problem_result *result = &run->result;
    *result = (struct problem_result){.info = STARFISH_RESULT_DEFAULTS, .tolerated = (double)NAN};
    const starfish_status status = starfish_job_finish(job, &result->info);
    result->iterates = result->info.iterations > 0;
    if (status == STARFISH_SUCCESS && result->info.residual > problem_any_tolerance(run))
        result->tolerated = result->info.tolerance;
    return status;
}

const struct problem_family problem_any_family = {
    .choose = choose,
    .prepare = prepare,
    .create = problem_any_create,
    .destroy = problem_any_destroy,
    .submit = problem_any_submit,
    .wait = wait,
    .progress = problem_any_progress,
    .memory = problem_any_memory,
};
