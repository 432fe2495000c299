/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shapes of grids on which the kernels on seven-point matrices are tested. */
#include "tests/multigrid/flux_kernel_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const struct test_flux_device *tested;

static const struct test_flux_shape shapes[] = {
    {{1, 1, 1}, "ooo", "---"},    {{1, 1, 1}, "ppp", "---"},    {{2, 2, 2}, "ppp", "ddd"},
    {{3, 3, 3}, "ppp", "uuu"},    {{2, 3, 4}, "opo", "dud"},    {{5, 1, 6}, "opp", "u-d"},
    {{7, 7, 7}, "ooo", "ddd"},    {{7, 7, 7}, "ooo", "uuu"},    {{8, 6, 10}, "ppp", "ddd"},
    {{9, 5, 7}, "ppp", "uuu"},    {{12, 9, 1}, "poo", "dd-"},   {{17, 1, 1}, "ooo", "d--"},
    {{1, 12, 5}, "opo", "-dd"},   {{1, 1, 33}, "oop", "--u"},   {{10, 11, 12}, "ooO", "du-"},
    {{10, 12, 11}, "oOo", "d-u"}, {{11, 10, 12}, "Ooo", "-dd"}, {{9, 8, 7}, "PpP", "-d-"},
    {{16, 8, 8}, "oPp", "--d"},   {{33, 9, 6}, "ooo", "ud-"},   {{70, 5, 4}, "pop", "ddd"},
    {{131, 11, 7}, "ooo", "ddd"}, {{64, 34, 6}, "ooo", "ddd"},  {{67, 35, 5}, "ppp", "uuu"},
    {{62, 30, 16}, "opo", "ddd"}, {{90, 15, 22}, "poo", "d-d"}, {{64, 10, 6}, "ooo", "bbb"},
    {{67, 9, 7}, "ppp", "bbb"},   {{130, 1, 9}, "ooo", "b-b"},  {{6, 12, 5}, "oOp", "-bb"},
    {{9, 4, 8}, "oop", "bb-"},
};

static void points_are_as_written_out(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        test_flux_shape(tested, &shapes[s], test_flux_points);
}

static void lines_are_solved(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        test_flux_shape(tested, &shapes[s], test_flux_lines);
}

/* Strips of a plane that is larger than what the CPU keeps in the cache. */
static void wide_planes_are_as_written_out(void **state)
{
    static const struct test_flux_shape wide = {{2080, 12, 2}, "opo", "dud"};

    (void)state;
    test_flux_shape(tested, &wide, test_flux_points);
    test_flux_shape(tested, &wide, test_flux_lines);
}

static void large_sizes_too(void **state)
{
    static const struct test_flux_shape large[] = {{{129, 100, 65}, "ooo", "ddd"}, {{96, 65, 130}, "pop", "dud"}};

    (void)state;
    for (size_t s = 0; s < sizeof large / sizeof large[0]; s++) {
        test_flux_shape(tested, &large[s], test_flux_points);
        test_flux_shape(tested, &large[s], test_flux_lines);
    }
}

int test_flux_kernels(const struct test_flux_device *device, int large_sizes)
{
    const struct CMUnitTest table[] = {
        cmocka_unit_test(points_are_as_written_out),
        cmocka_unit_test(lines_are_solved),
        cmocka_unit_test(wide_planes_are_as_written_out),
    };
    const struct CMUnitTest large[] = {cmocka_unit_test(large_sizes_too)};

    tested = device;
    const int failed = cmocka_run_group_tests_name("table", table, NULL, NULL);
    return failed + (large_sizes ? cmocka_run_group_tests_name("large sizes", large, NULL, NULL) : 0);
}
