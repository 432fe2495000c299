/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole lines in batches of planes, up and down: the table of the kernels of slabs, and lanes that fill several runs.
 * A program of its own, so that its random numbers are those of the other kernels' test. */
#include "slab_cases.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void batches_of_planes_match_dense_elimination(void **state)
{
    const struct test_slab_device sweeps = test_slab_sweeps();
    (void)state;
    test_slab_table(&sweeps);
}

static void lanes_fill_several_runs(void **state)
{
    const struct test_slab_device sweeps = test_slab_sweeps();
    (void)state;
    for (int i = 0; i < 6; i++) {
        const struct test_slab_case c = {.precision = (starfish_precision)(i % 2),
                                         .operator= TEST_SLAB_RANDOM,
                                         .periodic = i / 2 == 1,
                                         .weighted = i / 2 == 2,
                                         .n = 23,
                                         .inner = 31,
                                         .outer = 5,
                                         .parts = 1};
        test_slab_check(&sweeps, &c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_of_planes_match_dense_elimination),
        cmocka_unit_test(lanes_fill_several_runs),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    printf("largest error: %.3f of the bound\n", test_slab_worst_error());
    return failed;
}
