/* What precedes a solve: the problem's data in its precision, and the plan; and what follows the last. */
#include "apps/machine/simulate.h"
#include "apps/solve/solve.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* ---- the problem's data in the precision of the solve ---- */

starfish_status solve_read_precision(struct solve_run *run)
{
    if (strcmp(run->options.precision, "mixed") == 0 && strcmp(run->options.method, "multigrid") != 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                             "--precision: the direct solvers have no mixed mode yet; choose f64 or f32");
    run->precision = strcmp(run->options.precision, "f32") == 0 ? STARFISH_F32 : STARFISH_F64;
    return STARFISH_SUCCESS;
}

starfish_status solve_read_problem(struct solve_run *run)
{
    return (SIMULATED ? starfish_problem_read_shapes : starfish_problem_read)(run->options.problem, run->options.rhs,
                                                                              &run->problem);
}

/* Memory for a field that is written before it is read. Pages come into being at their first use: here rather than in
 * the measured solve. */
static starfish_status make_array(struct starfish_array *array, starfish_precision precision, size_t rank,
                                  const size_t *shape, double value)
{
    if (SIMULATED)
        return starfish_array_reserve(array, precision, rank, shape);
    STARFISH_TRY(starfish_array_create(array, precision, rank, shape));
    starfish_array_fill(array, value);
    return STARFISH_SUCCESS;
}

/* Boundary data are copied where tasks find them, in a simulation too. */
static starfish_status prepare_face(struct starfish_values *values, starfish_precision precision)
{
    if (SIMULATED && values->array.rank > 0) {
        const struct starfish_array named = values->array;
        STARFISH_TRY(starfish_array_create(&values->array, precision, named.rank, named.shape));
        starfish_array_fill(&values->array, 0);
        return STARFISH_SUCCESS;
    }
    return values->array.data ? starfish_array_convert(&values->array, precision) : STARFISH_SUCCESS;
}

/* A constant right-hand side is an array all the same. */
static starfish_status prepare_rhs(struct solve_run *run)
{
    struct starfish_values *rhs = &run->problem.rhs;
    size_t shape[3], rank = starfish_problem_shape(&run->problem, shape);
    if (rhs->array.data)
        return starfish_array_convert(&rhs->array, run->precision);
    return make_array(&rhs->array, run->precision, rank, shape, rhs->constant);
}

starfish_status solve_prepare_data(struct solve_run *run)
{
    size_t shape[3], rank = starfish_problem_shape(&run->problem, shape);
    STARFISH_TRY(prepare_rhs(run));
    for (size_t face = 0; face < 6; ++face) {
        struct starfish_values *values = &run->problem.boundary[face / 2][face % 2];
        STARFISH_TRY(prepare_face(values, run->precision));
        run->boundary.array[face / 2][face % 2] = values->array.data;
        run->boundary.constant[face / 2][face % 2] = values->constant;
    }
    STARFISH_TRY(make_array(&run->solution, run->precision, rank, shape, 0));
    return run->options.repeat > 1 ? make_array(&run->second_solution, run->precision, rank, shape, 0)
                                   : STARFISH_SUCCESS;
}

/* ---- plan ---- */

static starfish_method method_of(const char *name)
{
    static const struct {
        const char *name;
        starfish_method method;
    } methods[] = {{"auto", STARFISH_METHOD_AUTO},
                   {"slab", STARFISH_METHOD_SLAB},
                   {"blktri", STARFISH_METHOD_BLKTRI},
                   {"blktri-product", STARFISH_METHOD_BLKTRI_PRODUCT},
                   {"multigrid", STARFISH_METHOD_MULTIGRID}};
    size_t i = 0;
    while (strcmp(methods[i].name, name) != 0)
        ++i;
    return methods[i].method;
}

starfish_status solve_make_plan(struct solve_run *run, int check_residual)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    const struct starfish_axis *axis = run->problem.axis;
    options.method = method_of(run->options.method);
    options.precision = run->precision;
    options.mixed = strcmp(run->options.precision, "mixed") == 0;
    options.slabs = run->options.slabs;
    options.check_residual = check_residual;
    options.right_hand_sides = run->options.repeat;
    if (run->problem.dimensions == 2)
        return starfish_separable2d_plan_create(run->context, &axis[0], &axis[1], run->problem.lambda, &options,
                                                &run->plan);
    const struct starfish_poisson_problem problem = {{axis[0], axis[1], axis[2]}, run->problem.lambda};
    return starfish_poisson_plan_create(run->context, &problem, &options, &run->plan);
}

void solve_release(struct solve_run *run)
{
    starfish_poisson_plan_destroy(run->plan);
    starfish_context_destroy(run->context);
    starfish_array_free(&run->solution);
    starfish_array_free(&run->second_solution);
    starfish_problem_free(&run->problem);
    free(run->seconds);
}
