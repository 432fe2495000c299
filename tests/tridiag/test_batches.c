/* Batches of lines on cores. */
#include "batches.h"
#include "tests/scheduler/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void every_kind_solves(void **state)
{
    (void)state;
    test_batches_table(context, &test_host_memory, getenv("STARFISH_TEST_SMALL") ? 1 : 2);
}

static void long_lines_solve(void **state)
{
    (void)state;
    test_batches_long_lines(context, &test_host_memory, 5001);
}

static void bad_arguments_are_named(void **state)
{
    (void)state;
    test_batches_bad_arguments(context);
}

static void check_names_the_line(void **state)
{
    (void)state;
    test_batches_check(context);
}

static void update_sees_new_coefficients(void **state)
{
    (void)state;
    test_batches_update(context);
}

static void threads_share_a_plan(void **state)
{
    (void)state;
    test_batches_threads(context);
}

/* ---- One worker of all cores ------------------------------------------------------------------------------------- */

static int set_up_team(void **state)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    (void)state;
    options.gpu_workers = 0;
    options.cores_per_worker = 1024;
    return starfish_context_create(&context, &options);
}

static void teams_share_lines(void **state)
{
    (void)state;
    test_batches_many_lines(context, &test_host_memory, 1 << 16);
}

int main(void)
{
    const struct CMUnitTest teams[] = {cmocka_unit_test(teams_share_lines)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_solves),
                                       cmocka_unit_test(long_lines_solve),
                                       cmocka_unit_test(bad_arguments_are_named),
                                       cmocka_unit_test(check_names_the_line),
                                       cmocka_unit_test(update_sees_new_coefficients),
                                       cmocka_unit_test(threads_share_a_plan)};
    return cmocka_run_group_tests(tests, set_up, tear_down) + cmocka_run_group_tests(teams, set_up_team, tear_down);
}
