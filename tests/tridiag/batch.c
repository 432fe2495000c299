/* The CPU's algorithms over the tables. */
#include "tests/tridiag/batch_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct test_batch_device cpu = {&test_host_memory,
                                             {starfish_batch_cpu_f32, starfish_batch_cpu_f64},
                                             {starfish_batch_prepare_cpu_f32, starfish_batch_prepare_cpu_f64},
                                             starfish_batch_workspace_cpu};

static void every_kind_solves(void **state)
{
    (void)state;
    test_batch_table(&cpu, getenv("STARFISH_TEST_SMALL") ? 2 : 8);
}

static void long_lines_solve(void **state)
{
    (void)state;
    test_batch_long_lines(&cpu, getenv("STARFISH_TEST_SMALL") ? 5001 : 300001);
}

static void many_lines_solve(void **state)
{
    (void)state;
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    test_batch_many_lines(&cpu, 1 << 21);
}

static void growth_is_measured(void **state)
{
    (void)state;
    test_batch_growth(&cpu);
}

static void symmetric_lines_may_be_one_array(void **state)
{
    (void)state;
    test_batch_one_array(&cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_solves), cmocka_unit_test(long_lines_solve),
                                       cmocka_unit_test(many_lines_solve), cmocka_unit_test(growth_is_measured),
                                       cmocka_unit_test(symmetric_lines_may_be_one_array)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("largest residual: %.3f of the bound\n", test_batch_worst());
    return failed;
}
