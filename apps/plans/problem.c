/* A problem file's data in the precision of the solve, its plan, and the check of its solution. */
#include "apps/plans/problem.h"

#include "apps/files/json.h"
#include "apps/options.h"
#include "apps/plans/family.h"
#include "apps/recorded/simulate.h"
#include "scheduler/transport.h"
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

/* ---- Families ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *kind; /* of plans */
    const struct problem_family *family;
} families[] = {{"poisson", &problem_poisson_family},
                {"diffusion", &problem_diffusion_family},
                {"atmosphere", &problem_atmosphere_family}};

static const struct problem_family *family_of(const struct starfish_kind *plans)
{
    for (size_t f = 0; f < sizeof families / sizeof families[0]; ++f)
        if (strcmp(families[f].kind, plans->name) == 0)
            return families[f].family;
    return &problem_any_family;
}

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

static starfish_status choose(struct problem_run *run)
{
    run->family = family_of(run->problem.plans);
    const struct starfish_option_table *table = run->problem.plans->options;
    run->library = malloc(table->size);
    if (!run->library)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for options");
    starfish_options_set_defaults(table, run->library);
    STARFISH_TRY(problem_words_set(&run->options.words, run->problem.row->name, table, run->library));
    return run->family->choose(run);
}

static starfish_status read_file(struct problem_run *run)
{
    const struct problem_options *o = &run->options;
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

starfish_status problem_prepare_boundary(struct problem_run *run)
{
    static const char *const keys[] = {"boundary.x0", "boundary.x1", "boundary.y0",
                                       "boundary.y1", "boundary.z0", "boundary.z1"};
    for (size_t face = 0; face < 6; ++face) {
        struct starfish_values *values = &run->problem.boundary[face / 2][face % 2];
        STARFISH_TRY(prepare_face(run, keys[face], values));
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
    size_t shape[3], rank = starfish_problem_shape_here(&run->problem, shape);
    STARFISH_TRY(prepare_rhs(run));
    if (run->family->prepare)
        STARFISH_TRY(run->family->prepare(run));
    STARFISH_TRY(make_array(&run->solution, run->precision, rank, shape, 0));
    return run->options.repeat > 1 ? make_array(&run->second_solution, run->precision, rank, shape, 0)
                                   : STARFISH_SUCCESS;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

starfish_status problem_make_plan(struct problem_run *run, int check_residual)
{
    return options_name_flags(run->problem.plans->options, run->family->create(run, check_residual));
}

void problem_destroy_plan(struct problem_run *run)
{
    for (int f = 0; f < 2; ++f) {
        starfish_field_destroy(run->field[f]);
        run->field[f] = NULL;
    }
    if (run->family)
        run->family->destroy(run->plan);
    run->plan = NULL;
}

starfish_status problem_wait(struct problem_run *run, void *job)
{
    struct problem_result *result = &run->result;
    const starfish_status status = run->family->wait(run, job);
    const int has_outcome = status == STARFISH_SUCCESS || (status == STARFISH_ERROR_NUMERICAL && result->iterates);
    result->status = has_outcome ? starfish_outcome_name(result->info.outcome) : NULL;
    return status;
}

starfish_status problem_solve(struct problem_run *run, void *solution)
{
    void *job;
    STARFISH_TRY(run->family->submit(run, solution, &job));
    return problem_wait(run, job);
}

starfish_status problem_make_fields(struct problem_run *run)
{
    if (!run->family->make_fields)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "--spread: is not for problems of kind %s",
                             run->problem.row->name);
    return run->family->make_fields(run);
}

starfish_status problem_solve_fields(struct problem_run *run)
{
    void *job;
    STARFISH_TRY(run->family->submit_fields(run, &job));
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
