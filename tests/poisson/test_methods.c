/* The table of methods: rows, names, and what they answer. */
#include "poisson/methods.h"

#include "poisson/options.h"
#include "tests/common/check.h"
#include "tests/scheduler/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void rows_are_complete(void **state)
{
    (void)state;
    assert_null(starfish_method_rows[STARFISH_METHOD_AUTO]);
    for (int method = STARFISH_METHOD_AUTO + 1; method < STARFISH_METHODS; method++) {
        const struct starfish_method_row *row = starfish_method_rows[method];
        assert_int_equal(row->id, method);
        assert_true(strlen(row->summary) > 10);
        assert_true(row->can && row->create && row->destroy && row->cut && row->has_cut && row->submit);
    }
}

static void names_are_told_once(void **state)
{
    (void)state;
    const char *const *names = starfish_method_names();
    int count = 0;
    for (; names[count]; count++)
        assert_int_equal(starfish_method_named(names[count]), count);
    assert_int_equal(count, STARFISH_METHODS);
    assert_string_equal(names[0], "auto");
    assert_int_equal(starfish_method_named("slap"), -1);
    assert_ptr_equal(starfish_option_named(&starfish_poisson_option_table, "method")->values, names);
}

/* Every method that can solve a problem does, under its name; and `auto` takes one that has a cost. */
static void plans_have_the_method_asked_for(void **state)
{
    (void)state;
    const struct starfish_axis axis = {.n = 8, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    const struct starfish_poisson_problem problem = {{axis, axis, axis}, 0};
    for (int method = 0; method < STARFISH_METHODS; method++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        starfish_poisson_plan *plan;
        options.method = (starfish_method)method;
        ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
        if (method == STARFISH_METHOD_AUTO)
            assert_non_null(plan->method->cost);
        else
            assert_string_equal(starfish_poisson_plan_method(plan), starfish_method_names()[method]);
        assert_true(strlen(starfish_poisson_plan_reason(plan)) > 0);
        starfish_poisson_plan_destroy(plan);
    }
}

/* Refinement is for direct methods: multigrid's solution is what it is without. */
static void multigrid_is_not_refined(void **state)
{
    (void)state;
    enum { N = 12, COUNT = N * N * N };
    const struct starfish_axis axis = {.n = N, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    const struct starfish_poisson_problem problem = {{axis, axis, axis}, 0};
    double rhs[COUNT], solution[2][COUNT];
    for (int i = 0; i < COUNT; i++)
        rhs[i] = i % 7 - 3;
    for (int refinements = 0; refinements < 2; refinements++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        struct starfish_info info;
        starfish_poisson_plan *plan;
        options.method = STARFISH_METHOD_MULTIGRID;
        options.refinements = refinements;
        options.check_residual = 1;
        ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
        ASSERT_OK(starfish_poisson_solve(plan, NULL, rhs, solution[refinements], &info));
        assert_true(info.residual < 1e-8);
        assert_int_equal(info.refinements, 0);
        starfish_poisson_plan_destroy(plan);
    }
    for (int i = 0; i < COUNT; i++)
        assert_true(solution[0][i] - solution[1][i] < 1e-9 && solution[1][i] - solution[0][i] < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(names_are_told_once),
        cmocka_unit_test(plans_have_the_method_asked_for),
        cmocka_unit_test(multigrid_is_not_refined),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
