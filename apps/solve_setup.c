/* What precedes a solve: the problem's data in its precision, and the plan; and what follows the last. */
#include "apps/solve.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* ---- the problem's data in the precision of the solve ---- */

starfish_status solve_read_precision(struct solve_run *run)
{
    if (strcmp(run->options.precision, "mixed") == 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                             "--precision: the direct solvers have no mixed mode yet; choose f64 or f32");
    run->precision = strcmp(run->options.precision, "f32") == 0 ? STARFISH_F32 : STARFISH_F64;
    return STARFISH_SUCCESS;
}

static starfish_status prepare_values(struct starfish_values *values, starfish_precision precision)
{
    return values->array.data ? starfish_array_convert(&values->array, precision) : STARFISH_SUCCESS;
}

/* A constant right-hand side is an array all the same. */
static starfish_status prepare_rhs(struct solve_run *run)
{
    struct starfish_values *rhs = &run->problem.rhs;
    size_t shape[3], rank = starfish_problem_shape(&run->problem, shape);
    STARFISH_TRY(prepare_values(rhs, run->precision));
    if (!rhs->array.data) {
        STARFISH_TRY(starfish_array_create(&rhs->array, run->precision, rank, shape));
        starfish_array_fill(&rhs->array, rhs->constant);
    }
    return STARFISH_SUCCESS;
}

starfish_status solve_prepare_data(struct solve_run *run)
{
    size_t shape[3], rank = starfish_problem_shape(&run->problem, shape);
    STARFISH_TRY(prepare_rhs(run));
    for (size_t face = 0; face < 6; ++face) {
        struct starfish_values *values = &run->problem.boundary[face / 2][face % 2];
        STARFISH_TRY(prepare_values(values, run->precision));
        run->boundary.array[face / 2][face % 2] = values->array.data;
        run->boundary.constant[face / 2][face % 2] = values->constant;
    }
    STARFISH_TRY(starfish_array_create(&run->solution, run->precision, rank, shape));
    /* Pages come into being at their first use: here rather than in the measured solve. */
    starfish_array_fill(&run->solution, 0);
    if (run->options.repeat > 1) {
        STARFISH_TRY(starfish_array_create(&run->second_solution, run->precision, rank, shape));
        starfish_array_fill(&run->second_solution, 0);
    }
    return STARFISH_SUCCESS;
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
                   {"blktri-product", STARFISH_METHOD_BLKTRI_PRODUCT}};
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
