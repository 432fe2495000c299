/* A problem file's data in the precision of the solve, its plan, and the check of its solution. */
#include "apps/plans/problem.h"

#include "apps/files/json.h"
#include "apps/plans/cycles.h"
#include "apps/recorded/simulate.h"
#include "base/options.h"
#include "scheduler/transport.h"

/* ---- Data -------------------------------------------------------------------------------------------------------- */

starfish_status problem_read_precision(struct problem_run *run)
{
    const struct problem_options *o = &run->options;
    const int multigrid = o->library.method == STARFISH_METHOD_MULTIGRID;
    if (o->precision == STARFISH_PRECISION_MIXED && !multigrid)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                             "--precision: the direct solvers have no mixed mode yet; choose f64 or f32");
    if (o->cycles > 0 && !multigrid)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "--cycles: is for --mesh and --method multigrid");
    run->precision = o->precision == STARFISH_F32 ? STARFISH_F32 : STARFISH_F64;
    return STARFISH_SUCCESS;
}

int problem_rank(const struct problem_run *run)
{
    return run->transport ? run->transport->rank : 0;
}

int problem_ranks(const struct problem_run *run)
{
    return run->transport ? run->transport->ranks : 1;
}

starfish_status problem_read(struct problem_run *run)
{
    if (run->transport)
        return starfish_problem_read_part(run->options.path, run->options.rhs, problem_rank(run), problem_ranks(run),
                                          &run->problem);
    return (SIMULATED ? starfish_problem_read_shapes : starfish_problem_read)(run->options.path, run->options.rhs,
                                                                              &run->problem);
}

/* Memory for a field, filled so that its pages exist before a solve is measured. In a simulation there is no memory
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

/* What the file says under `key`, in the precision of the solve; a value that this has none for is an error. */
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
    static const char *const keys[] = {"boundary.x0", "boundary.x1", "boundary.y0",
                                       "boundary.y1", "boundary.z0", "boundary.z1"};
    size_t shape[3], rank = starfish_problem_shape_here(&run->problem, shape);
    STARFISH_TRY(prepare_rhs(run));
    for (size_t face = 0; face < 6; ++face) {
        struct starfish_values *values = &run->problem.boundary[face / 2][face % 2];
        STARFISH_TRY(prepare_face(run, keys[face], values));
        run->boundary.array[face / 2][face % 2] = values->array.data;
        run->boundary.constant[face / 2][face % 2] = values->constant;
    }
    STARFISH_TRY(make_array(&run->solution, run->precision, rank, shape, 0));
    return run->options.repeat > 1 ? make_array(&run->second_solution, run->precision, rank, shape, 0)
                                   : STARFISH_SUCCESS;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

static starfish_status make_plan(struct problem_run *run, int check_residual)
{
    struct starfish_poisson_options options = run->options.library;
    const struct starfish_axis *axis = run->problem.axis;
    options.precision = run->precision;
    options.mixed = run->options.precision == STARFISH_PRECISION_MIXED;
    options.check_residual = check_residual;
    options.right_hand_sides = run->options.repeat;
    if (run->problem.dimensions == 2)
        return starfish_separable2d_plan_create(run->context, &axis[0], &axis[1], run->problem.lambda, &options,
                                                &run->plan);
    const struct starfish_poisson_problem problem = {{axis[0], axis[1], axis[2]}, run->problem.lambda};
    return starfish_poisson_plan_create(run->context, &problem, &options, &run->plan);
}

starfish_status problem_make_plan(struct problem_run *run, int check_residual)
{
    STARFISH_TRY(make_plan(run, check_residual));
    if (run->options.cycles > 0)
        cycles_fix(run->plan, run->options.cycles);
    return STARFISH_SUCCESS;
}

void problem_release(struct problem_run *run)
{
    starfish_poisson_plan_destroy(run->plan);
    starfish_context_destroy(run->context);
    starfish_array_free(&run->solution);
    starfish_array_free(&run->second_solution);
    starfish_problem_free(&run->problem);
}
