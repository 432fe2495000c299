/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A problem file's data in the precision of the solve, its plan, and the check of its solution. */
#include "apps/plans/problem.h"

#include "apps/plans/elements.h"

#include "apps/files/json.h"
#include "apps/options.h"
#include "apps/recorded/simulate.h"
#include "base/failure.h"
#include "scheduler/runtime/transport.h"
#include "solver/accept.h"
#include "solver/solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

int problem_rank(const struct problem_run *run)
{
    return run->transport ? run->transport->rank : 0;
}

int problem_ranks(const struct problem_run *run)
{
    return run->transport ? run->transport->ranks : 1;
}

/* ---- Data -------------------------------------------------------------------------------------------------------- */

static const struct starfish_option_table *table_of(const struct problem_run *run)
{
    return run->problem.plans->options;
}

/* Where a member of an option struct lies, NULL if the kind has none. */
static void *member(const struct problem_run *run, void *library, const char *name)
{
    const struct starfish_option *row = starfish_option_named(table_of(run), name);
    return row ? (char *)library + row->offset : NULL;
}

/* Of members that are ints. */
static void put(const struct problem_run *run, void *library, const char *name, int value)
{
    int *at = member(run, library, name);
    if (at)
        *at = value;
}

static starfish_status check_options(const struct problem_run *run)
{
    const struct problem_options *o = &run->options;
    const int *most = member(run, run->library, "max_iterations");
    STARFISH_FAIL_IF(o->precision == STARFISH_PRECISION_MIXED && !(run->iterates && member(run, run->library, "mixed")),
                     STARFISH_ERROR_UNSUPPORTED,
                     "--precision: the direct methods have no mixed mode; choose f64 or f32");
    STARFISH_FAIL_IF(o->cycles > 0 && !(run->iterates && member(run, run->library, "fixed")), STARFISH_ERROR_ARGUMENT,
                     "--cycles: is for iterative methods, as --method multigrid");
    if (most && *most < 1) /* which the library may take for its default */
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--max-iterations is %d, must be 1 or more", *most);
    return STARFISH_SUCCESS;
}

static starfish_status choose(struct problem_run *run)
{
    const struct starfish_kind *kind = run->problem.plans;
    struct problem_options *o = &run->options;
    run->library = malloc(kind->options->size);
    STARFISH_FAIL_IF(!run->library, STARFISH_ERROR_MEMORY, "out of memory for options");
    if (o->library)
        memcpy(run->library, o->library, kind->options->size);
    else
        starfish_options_set_defaults(kind->options, run->library);
    STARFISH_TRY(options_set_words(&o->words, run->problem.row->name, kind->options, run->library));
    run->iterates = kind->iterates ? kind->iterates(run->library) : kind->run != NULL;
    STARFISH_TRY(check_options(run));
    if (SIMULATED && run->iterates && o->cycles == 0)
        o->cycles = PROBLEM_SIMULATED_CYCLES;
    run->precision = o->precision == STARFISH_F32 ? STARFISH_F32 : STARFISH_F64;
    return STARFISH_SUCCESS;
}

static starfish_status read_file(struct problem_run *run)
{
    const struct problem_options *o = &run->options;
    if (o->elements)
        return elements_read(o->path, o->elements, &run->problem);
    if (run->transport)
        return starfish_problem_read_part(o->path, o->rhs, problem_rank(run), problem_ranks(run), &run->problem);
    return (SIMULATED ? starfish_problem_read_shapes : starfish_problem_read)(o->path, o->rhs, &run->problem);
}

starfish_status problem_read(struct problem_run *run)
{
    STARFISH_TRY(read_file(run));
    return choose(run);
}

/* Memory for an array, filled so that its pages exist before a solve is measured. In a simulation there is no memory
 * behind the addresses. */
static starfish_status make_array(struct starfish_array *array, starfish_precision precision, size_t rank,
                                  const size_t *shape, double value)
{
    if (SIMULATED)
        return starfish_array_reserve(array, precision, rank, shape);
    STARFISH_TRY(starfish_array_create(array, precision, rank, shape));
    starfish_array_fill(array, value);
    return STARFISH_SUCCESS;
}

/* The values of a key in the precision of the solve; a number that the precision does not have is an error (ARGUMENT).
 */
static starfish_status convert(const struct problem_run *run, const char *key, struct starfish_values *values)
{
    const starfish_status status = values->array.data ? starfish_array_convert(&values->array, run->precision)
                                                      : starfish_array_check_number(run->precision, values->constant);
    return status == STARFISH_SUCCESS ? status : starfish_json_wrap(run->problem.path, key, status);
}

/* The library copies boundary data at submission, in a simulation too: they need memory. */
static starfish_status prepare_face(const struct problem_run *run, const char *key, struct starfish_values *values)
{
    if (SIMULATED && values->array.rank > 0) {
        const struct starfish_array named = values->array;
        STARFISH_TRY(starfish_array_create(&values->array, run->precision, named.rank, named.shape));
        starfish_array_fill(&values->array, 0);
        return STARFISH_SUCCESS;
    }
    return convert(run, key, values);
}

static starfish_status prepare_boundary(struct problem_run *run)
{
    for (size_t face = 0; face < 2 * run->problem.row->dimensions; ++face) {
        struct starfish_values *values = &run->problem.boundary[face / 2][face % 2];
        char key[24];
        snprintf(key, sizeof key, "boundary.%s%zu", starfish_problem_direction(run->problem.row, face / 2), face % 2);
        STARFISH_TRY(prepare_face(run, key, values));
        run->boundary.array[face / 2][face % 2] = values->array.data;
        run->boundary.constant[face / 2][face % 2] = values->constant;
    }
    return STARFISH_SUCCESS;
}

/* A constant right-hand side becomes an array too. */
static starfish_status prepare_rhs(struct problem_run *run)
{
    struct starfish_values *rhs = &run->problem.rhs;
    size_t shape[3], rank = starfish_problem_shape_here(&run->problem, shape);
    STARFISH_TRY(convert(run, "rhs", rhs));
    return rhs->array.data ? STARFISH_SUCCESS : make_array(&rhs->array, run->precision, rank, shape, rhs->constant);
}

starfish_status problem_prepare(struct problem_run *run)
{
    if (run->problem.plans->has_rhs)
        return STARFISH_SUCCESS;
    size_t shape[3], rank = starfish_problem_shape_here(&run->problem, shape);
    STARFISH_TRY(prepare_rhs(run));
    if (run->problem.plans->has_boundary)
        STARFISH_TRY(prepare_boundary(run));
    STARFISH_TRY(make_array(&run->solution, run->precision, rank, shape, 0));
    return run->options.repeat > 1 ? make_array(&run->second_solution, run->precision, rank, shape, 0)
                                   : STARFISH_SUCCESS;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

/* A member of the problem that is missing is a key of its file; other errors of arguments are a mesh's. */
static starfish_status name_key(const struct problem_run *run, starfish_status status)
{
    char message[STARFISH_MESSAGE], key[64];
    int end = 0;
    snprintf(message, sizeof message, "%s", starfish_error_message());
    STARFISH_FAIL_IF(status == STARFISH_ERROR_ARGUMENT && run->options.elements, status, "%s: %s", run->problem.path,
                     message);
    if (status != STARFISH_ERROR_ARGUMENT || sscanf(message, "problem.%63[a-z_] is NULL%n", key, &end) != 1 || end == 0)
        return status;
    return starfish_json_fail(run->problem.path, key, "missing%s", message + end);
}

static void set_options(const struct problem_run *run, void *options, int check)
{
    size_t *const count = member(run, options, "right_hand_sides");
    put(run, options, "precision", (int)run->precision);
    put(run, options, "mixed", run->options.precision == STARFISH_PRECISION_MIXED);
    put(run, options, "check_residual", check);
    if (count)
        *count = run->options.repeat;
    if (run->options.cycles == 0)
        return;
    put(run, options, "fixed", 1);
    put(run, options, "max_iterations", (int)run->options.cycles);
}

starfish_status problem_make_plan(struct problem_run *run, int check)
{
    const struct starfish_option_table *table = table_of(run);
    const struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    void *options = malloc(table->size);
    STARFISH_FAIL_IF(!options, STARFISH_ERROR_MEMORY, "out of memory for options");
    memcpy(options, run->library, table->size);
    set_options(run, options, check);
    const starfish_status status = starfish_plan_make(run->context, run->problem.plans, run->problem.row->members,
                                                      run->problem.data, options, &run->plan);
    free(options);
    run->checks = check && !SIMULATED;
    run->about = about;
    if (status != STARFISH_SUCCESS)
        return name_key(run, options_name_flags(table, status));
    STARFISH_TRY(starfish_plan_about(run->plan, &run->about));
    /* A solution whose size only the plan knows is the first rank's alone. */
    if (!run->problem.reals || problem_rank(run) > 0)
        return STARFISH_SUCCESS;
    const size_t count = run->problem.reals(run->plan);
    starfish_array_free(&run->solution);
    return starfish_array_create(&run->solution, run->precision, 1, &count);
}

void problem_destroy_plan(struct problem_run *run)
{
    for (int f = 0; f < 2; ++f) {
        starfish_field_destroy(run->field[f]);
        run->field[f] = NULL;
    }
    starfish_plan_destroy(run->plan);
    run->plan = NULL;
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

starfish_status problem_submit(struct problem_run *run, void *solution, starfish_job **job)
{
    const struct starfish_boundary *boundary = run->problem.plans->has_boundary ? &run->boundary : NULL;
    return starfish_plan_submit(run->plan, boundary, run->problem.rhs.array.data, solution, job);
}

static double tolerance_of(const struct problem_run *run)
{
    const double *tolerance = member(run, run->library, "tolerance");
    return tolerance && *tolerance > 0 ? *tolerance : starfish_default_tolerance(run->precision);
}

/* Plans of flat domains leave the largest residual to a function of their own. */
static void look_at_residual(struct problem_run *run)
{
    struct starfish_result *info = &run->result.info;
    struct starfish_atmosphere_check check;
    if (starfish_atmosphere_check(run->plan, run->problem.rhs.array.data, run->solution.data, &check) !=
        STARFISH_SUCCESS)
        return;
    info->residual_max = check.residual;
    info->residual_bound = info->tolerance * check.residual_scale;
}

starfish_status problem_wait(struct problem_run *run, starfish_job *job)
{
    struct problem_result *result = &run->result;
    struct starfish_failure failure = {STARFISH_SUCCESS};
    *result = (struct problem_result){
        .info = STARFISH_RESULT_DEFAULTS, .phases = STARFISH_POISSON_PHASES_DEFAULTS, .tolerated = (double)NAN};
    (void)starfish_poisson_tell_phases(job, &result->phases); /* of other kinds there are none */
    const starfish_status status = starfish_job_finish(job, &result->info);
    (void)starfish_plan_about(run->plan, &run->about); /* another method may have solved */
    if (status == STARFISH_SUCCESS && result->info.residual > tolerance_of(run))
        result->tolerated = result->info.tolerance;
    result->iterates = !run->problem.plans->submit || result->info.iterations > 0;
    if (status == STARFISH_SUCCESS || (status == STARFISH_ERROR_NUMERICAL && result->iterates))
        result->status = starfish_outcome_name(result->info.outcome);
    if (!result->status || !run->checks || !isnan(result->info.residual_max))
        return status;
    starfish_failure_keep(&failure, status);
    look_at_residual(run);
    return starfish_failure_repeat(&failure);
}

starfish_status problem_solve(struct problem_run *run, void *solution)
{
    starfish_job *job;
    STARFISH_TRY(problem_submit(run, solution, &job));
    return problem_wait(run, job);
}

starfish_status problem_make_fields(struct problem_run *run)
{
    starfish_status status = STARFISH_SUCCESS;
    for (int f = 0; f < 2 && status == STARFISH_SUCCESS; f++)
        status = starfish_poisson_field_spread(run->plan, 0, NULL, &run->field[f]);
    if (status != STARFISH_ERROR_ARGUMENT)
        return status;
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "--spread: is not for problems of kind %s",
                         run->problem.row->name);
}

starfish_status problem_solve_fields(struct problem_run *run)
{
    starfish_job *job;
    STARFISH_TRY(starfish_poisson_submit_field(run->plan, &run->boundary, run->field[0], run->field[1], &job));
    return problem_wait(run, job);
}

void problem_release(struct problem_run *run)
{
    problem_destroy_plan(run);
    starfish_context_destroy(run->context);
    starfish_array_free(&run->solution);
    starfish_array_free(&run->second_solution);
    starfish_problem_free(&run->problem);
    free(run->library);
}
