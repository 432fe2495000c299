/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU kernels against the reference over the whole table, and blocks of lanes that do not divide evenly. */
#include "complex_chains.h"
#include "tridiag_cases.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void chain_matches_reference(void **state)
{
    (void)state;
    test_chain_table(&test_cpu, test_longest(), STARFISH_TRIDIAG_AUTO);
}

static void chain_by_windows_matches_reference(void **state)
{
    (void)state;
    test_chain_table(&test_cpu_windows, test_longest(), STARFISH_TRIDIAG_AUTO);
}

/* More lanes than a block has, the last block narrower than the others. */
static void lanes_fill_several_blocks(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct test_chain chain = {.precision = (starfish_precision)(i % 2),
                                   .operator= TEST_RANDOM,
                                   .periodic = i / 2,
                                   .keeps = 1,
                                   .n = 257,
                                   .lanes = 331,
                                   .vectors = 3,
                                   .max_steps = 4};
        test_chain_case(&test_cpu, &chain);
        test_chain_case(&test_cpu_windows, &chain);
    }
}

static void complex_chains_match_reference(void **state)
{
    (void)state;
    test_complex_chain_table(&test_cpu, test_longest(), STARFISH_TRIDIAG_AUTO);
    test_complex_chain_table(&test_cpu_windows, test_longest(), STARFISH_TRIDIAG_AUTO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_matches_reference),
        cmocka_unit_test(chain_by_windows_matches_reference),
        cmocka_unit_test(lanes_fill_several_blocks),
        cmocka_unit_test(complex_chains_match_reference),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    printf("largest error: %.3f of the bound\n", test_worst_error());
    return failed;
}
