/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of methods: rows, names, and what they answer; every method that can solve a problem does. */
#include "poisson/methods.h"

#include "poisson/options.h"
#include "tests/common/about.h"
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/common/reals.h"

#include <starfish/starfish.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

static starfish_context *context;

static void rows_are_complete(void **state)
{
    (void)state;
    assert_null(starfish_method_rows[STARFISH_METHOD_AUTO]);
    for (int method = STARFISH_METHOD_AUTO + 1; method < STARFISH_METHODS; method++) {
        const struct starfish_method_row *row = starfish_method_rows[method];
        assert_int_equal(row->id, method);
        assert_true(strlen(row->summary) > 10);
        assert_true(row->can && row->create && row->destroy && !row->cut == !row->graph_of);
        assert_true(row->submit ? !row->run : row->run && row->take && row->look);
    }
}

static void names_are_told_once(void **state)
{
    (void)state;
    for (int method = 0; method < STARFISH_METHODS; method++)
        for (int other = 0; other < method; other++)
            assert_string_not_equal(starfish_method_list[method], starfish_method_list[other]);
    assert_null(starfish_method_list[STARFISH_METHODS]);
    assert_string_equal(starfish_method_list[STARFISH_METHOD_AUTO], "auto");
    assert_ptr_equal(starfish_option_named(&starfish_poisson_option_table, "method")->values, starfish_method_list);
}

/* Every method that can solve a problem does, under its name; and `auto` takes one that has a cost. */
static void plans_have_the_method_asked_for(void **state)
{
    (void)state;
    const struct starfish_axis axis = {.n = 8, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    const struct starfish_poisson_problem problem = {.axis = {axis, axis, axis}, .lambda = 0};
    for (int method = 0; method < STARFISH_METHODS; method++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        starfish_plan *plan;
        options.method = (starfish_method)method;
        ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
        if (method == STARFISH_METHOD_AUTO)
            assert_non_null(((struct starfish_poisson_plan *)plan)->method->cost);
        else
            assert_string_equal(test_about(plan).method, starfish_method_list[method]);
        assert_true(strlen(test_about(plan).reason) > 0 && test_about(plan).unknowns == 512);
        assert_string_equal(test_about(plan).kind, "poisson3d");
        assert_true((test_about(plan).levels > 0) == (method == STARFISH_METHOD_MULTIGRID));
        starfish_plan_destroy(plan);
    }
}

/* Refinement is for direct methods: multigrid's solution is what it is without. */
static void multigrid_is_not_refined(void **state)
{
    (void)state;
    enum { N = 12, COUNT = N * N * N };
    const struct starfish_axis axis = {.n = N, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    const struct starfish_poisson_problem problem = {.axis = {axis, axis, axis}, .lambda = 0};
    static double rhs[COUNT], solution[2][COUNT];
    for (int i = 0; i < COUNT; i++)
        rhs[i] = i % 7 - 3;
    for (int refinements = 0; refinements < 2; refinements++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        starfish_plan *plan;
        options.method = STARFISH_METHOD_MULTIGRID;
        options.refinements = refinements;
        options.check_residual = 1;
        ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, solution[refinements], &info));
        assert_true(info.residual_max < 1e-8);
        assert_int_equal(info.refinements, 0);
        starfish_plan_destroy(plan);
    }
    for (int i = 0; i < COUNT; i++)
        assert_true(solution[0][i] - solution[1][i] < 1e-9 && solution[1][i] - solution[0][i] < 1e-9);
}

/* Many unknowns that crowd at both ends of y: eigenvalues of a ratio times which rounding errors of f32 are 0.4. */
static void the_slab_method_refines_f32_for_the_residual_alone(void **state)
{
    (void)state;
    enum { NY = 640, COUNT = 4 * NY * 4 };
    static double faces[NY + 1], f[COUNT], wanted[COUNT];
    static float rounded[COUNT], solution[COUNT];
    const struct starfish_axis x = {.n = 4, .length = 1, .ends = {STARFISH_PERIODIC, STARFISH_PERIODIC}};
    const struct starfish_axis y = {.n = NY,
                                    .length = 1,
                                    .ends = {STARFISH_NEUMANN, STARFISH_NEUMANN},
                                    .grid = STARFISH_CELL,
                                    .kind = STARFISH_STRETCHED,
                                    .coordinates = faces,
                                    .coordinate_count = NY + 1};
    const struct starfish_axis z = {
        .n = 4, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}, .grid = STARFISH_CELL};
    const struct starfish_poisson_problem p = {.axis = {x, y, z}, .lambda = 0};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    const double steep = 2;
    unsigned seed = 20;
    for (size_t k = 0; k <= NY; k++)
        faces[k] = (1 + tanh(steep * (2.0 * (double)k / NY - 1)) / tanh(steep)) / 2;
    for (size_t i = 0; i < COUNT; i++) {
        rounded[i] = (float)test_real_random(&seed);
        f[i] = (double)rounded[i];
    }
    starfish_plan *plan;
    options.method = STARFISH_METHOD_SLAB;
    ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
    ASSERT_OK(starfish_plan_solve(plan, NULL, f, wanted, NULL));
    starfish_plan_destroy(plan);
    for (int check = 0; check < 2; check++) {
        double error = 0;
        options.precision = STARFISH_F32;
        options.check_residual = check;
        ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
        assert_int_equal(((struct starfish_poisson_plan *)plan)->refinements > 0, check);
        ASSERT_OK(starfish_plan_solve(plan, NULL, rounded, solution, NULL));
        starfish_plan_destroy(plan);
        for (size_t i = 0; i < COUNT; i++)
            error = test_worst(error, fabs((double)solution[i] - wanted[i]));
        const double largest = test_largest(STARFISH_F64, wanted, COUNT);
        if (!(error <= (check ? 2 : 20) * (double)FLT_EPSILON * largest))
            fail_msg("check_residual %d: error %g", check, error / largest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(names_are_told_once),
        cmocka_unit_test(plans_have_the_method_asked_for),
        cmocka_unit_test(multigrid_is_not_refined),
        cmocka_unit_test(the_slab_method_refines_f32_for_the_residual_alone),
    };
    return TEST_GROUP("methods", tests, &context, 0, -1, 0);
}
