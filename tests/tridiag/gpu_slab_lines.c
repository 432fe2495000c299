/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slabs of lines on CUDA: the CPU's table, and sizes that take every way of cutting lanes. Exit status 77 without a
 * device; with STARFISH_TEST_SMALL set the large sizes are left out. */
#include "slab_cases.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NO_DEVICE = 77 };

static void ends(starfish_precision precision, const struct starfish_slab_ends *arguments)
{
    test_cuda_check(
        (precision == STARFISH_F32 ? starfish_slab_ends_cuda_f32 : starfish_slab_ends_cuda_f64)(arguments, NULL));
}

static void coefficients(starfish_precision precision, const struct starfish_slab_coefficients *arguments)
{
    test_cuda_check((precision == STARFISH_F32 ? starfish_slab_coefficients_cuda_f32
                                               : starfish_slab_coefficients_cuda_f64)(arguments, NULL));
}

static void reduced(starfish_precision precision, const struct starfish_slab_reduced *arguments)
{
    test_cuda_check(
        (precision == STARFISH_F32 ? starfish_slab_reduced_cuda_f32 : starfish_slab_reduced_cuda_f64)(arguments, NULL));
}

static void solve(starfish_precision precision, const struct starfish_slab_solve *arguments)
{
    test_cuda_check(
        (precision == STARFISH_F32 ? starfish_slab_solve_cuda_f32 : starfish_slab_solve_cuda_f64)(arguments, NULL));
}

static const struct test_slab_device cuda = {&test_cuda_memory,
                                             ends,
                                             coefficients,
                                             reduced,
                                             solve,
                                             starfish_slab_reduced_workspace_cuda,
                                             starfish_slab_solve_workspace_cuda};

static void kernels_match_dense_elimination(void **state)
{
    (void)state;
    test_slab_table(&cuda);
}

/* Chunks of every length, full and not, in one and in many blocks; the longest lanes fit no block. */
static void every_length_matches_cpu(void **state)
{
    static const size_t lengths[] = {31, 100, 256, 257, 300, 512, 513, 1000, 1024, 1025, 2048, 2100};

    (void)state;
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    for (size_t i = 0; i < 12 * sizeof lengths / sizeof *lengths; i++) {
        struct test_slab_case c = {.precision = (starfish_precision)(i % 2),
                                   .operator= TEST_SLAB_RANDOM,
                                   .periodic = i / 2 % 3 == 1,
                                   .weighted = i / 2 % 3 == 2,
                                   .in_place = i % 3 == 0,
                                   .n = lengths[i / 12],
                                   .inner = 33,
                                   .outer = i % 5 + 8,
                                   .slabs = (int)(i / 6 % 2),
                                   .parts = 3};
        test_slab_against_cpu(&cuda, &c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_match_dense_elimination),
        cmocka_unit_test(every_length_matches_cpu),
    };
    int failed;

    if (test_cuda_devices() == 0)
        return NO_DEVICE;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("largest error: %.3f of the bound\n", test_slab_worst_error());
    return failed;
}
