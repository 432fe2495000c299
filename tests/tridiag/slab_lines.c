/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slabs of lines on the CPU: the table, lanes that fill several blocks, and a line longer than the caches. */
#include "slab_cases.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void kernels_match_dense_elimination(void **state)
{
    (void)state;
    test_slab_table(&test_slab_cpu);
}

/* The last block narrower than the others, in every kernel. */
static void lanes_fill_several_blocks(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        struct test_slab_case c = {.precision = (starfish_precision)(i % 2),
                                   .operator= TEST_SLAB_RANDOM,
                                   .periodic = i / 2 % 3 == 1,
                                   .weighted = i / 2 % 3 == 2,
                                   .n = 19,
                                   .inner = 331,
                                   .outer = 5,
                                   .slabs = i / 6 * 4,
                                   .parts = 2};
        test_slab_check(&test_slab_cpu, &c);
    }
}

static void long_lines_match_dense_elimination(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct test_slab_case c = {.precision = (starfish_precision)(i % 2),
                                   .operator= TEST_SLAB_RANDOM,
                                   .periodic = i / 2 == 1,
                                   .weighted = i / 2 == 2,
                                   .n = 411,
                                   .inner = 2,
                                   .outer = 1,
                                   .slabs = i % 2 * 3,
                                   .parts = 1};
        test_slab_check(&test_slab_cpu, &c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_match_dense_elimination),
        cmocka_unit_test(lanes_fill_several_blocks),
        cmocka_unit_test(long_lines_match_dense_elimination),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    printf("largest error: %.3f of the bound\n", test_slab_worst_error());
    return failed;
}
