/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of lines on cores, through the public interface: kinds of lines, layouts, arguments that are named, threads
 * and teams. */
#include "batches.h"
#include "tests/common/group.h"

#include <starfish/starfish.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static starfish_context *context;

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

static void layouts_keep_elements_apart(void **state)
{
    (void)state;
    test_batches_layouts(context);
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

static void teams_share_lines(void **state)
{
    (void)state;
    test_batches_many_lines(context, &test_host_memory, 1 << 16);
}

int main(void)
{
    const struct CMUnitTest teams[] = {cmocka_unit_test(teams_share_lines)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_solves),           cmocka_unit_test(long_lines_solve),
        cmocka_unit_test(bad_arguments_are_named),     cmocka_unit_test(check_names_the_line),
        cmocka_unit_test(layouts_keep_elements_apart), cmocka_unit_test(update_sees_new_coefficients),
        cmocka_unit_test(threads_share_a_plan)};
    return TEST_GROUP("batches", tests, &context, 0, -1, 0) + TEST_GROUP("teams", teams, &context, 0, -1, 1024);
}
