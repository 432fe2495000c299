/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of shifted solves on the CPU: the table, and lanes that fill several blocks. What memory they take on
 * CUDA, which needs no device. */
#include "sums_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void sums(starfish_precision precision, const struct starfish_shifted_sums *a)
{
    (precision == STARFISH_F32 ? starfish_shifted_sums_cpu_f32 : starfish_shifted_sums_cpu_f64)(a);
}

static size_t workspace(const struct starfish_shifted_sums *a, size_t element_size)
{
    return starfish_shifted_sums_workspace_cpu(a->line.n, a->lanes, a->line.periodic, element_size);
}

static const struct test_sums_device device = {&test_host_memory, sums, workspace};

/* As the cores of a team share them. */
static void sums_by_windows(starfish_precision precision, const struct starfish_shifted_sums *a)
{
    const size_t cut = (a->lanes + 2) / 3;
    struct starfish_shifted_sums window = *a;

    for (int part = 1; part >= (a->lanes > 1 ? 0 : 1); part--) {
        window.first_lane = part && a->lanes > 1 ? cut : 0;
        window.lane_count = (part ? a->lanes : cut) - window.first_lane;
        sums(precision, &window);
    }
}

static const struct test_sums_device windows = {&test_host_memory, sums_by_windows, workspace};

static void sums_match_dense_elimination(void **state)
{
    (void)state;
    test_sums_table(&device);
    test_sums_table(&windows);
}

static const struct {
    int inputs, outputs;
} shapes[] = {{1, 2}, {2, 1}, {3, 2}, {3, 1}, {5, 3}};

/* The last block narrower than the others; roots one by one, two by two and in fours. */
static void lanes_fill_several_blocks(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        for (size_t roots = 1; roots <= 7; roots += roots == 2 ? 5 : 1)
            for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
                const struct test_sums_case c = {.precision = (starfish_precision)(i % 2),
                                                 .periodic = i / 2,
                                                 .n = 40,
                                                 .lanes = 301,
                                                 .groups = 2,
                                                 .most_roots = roots,
                                                 .inputs = shapes[shape].inputs,
                                                 .outputs = shapes[shape].outputs};
                test_sums_check(&device, &c);
                test_sums_check(&windows, &c);
            }
}

/* Groups that fill blocks, that almost do, and whose last roots share one with those of others. */
static void roots_fill_several_blocks(void **state)
{
    (void)state;
    static const size_t most_roots[] = {63, 100, 150};
    for (int i = 0; i < 8; i++)
        for (size_t roots = 0; roots < sizeof most_roots / sizeof most_roots[0]; roots++)
            for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
                const struct test_sums_case c = {.precision = (starfish_precision)(i % 2),
                                                 .periodic = i / 2 % 2,
                                                 .n = 37,
                                                 .lanes = i < 4 ? 1 : 3,
                                                 .groups = 5,
                                                 .most_roots = most_roots[roots],
                                                 .inputs = shapes[shape].inputs,
                                                 .outputs = shapes[shape].outputs};
                test_sums_check(&device, &c);
            }
}

/* What the largest of several blocks of lanes needs has to do for all of them. */
static void cuda_workspace_is_enough_for_fewer_lanes(void **state)
{
    (void)state;
    static const size_t n[] = {1, 20, 511, 1024, 1025, 3000}, roots[] = {1, 2, 37, 511};
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++)
        for (size_t r = 0; r < sizeof roots / sizeof roots[0]; r++)
            for (size_t groups = 1; groups < 100; groups *= 3) {
                size_t fewer = 0;
                for (size_t lanes = 1; lanes < 3000; lanes += 1 + lanes / 50) {
                    const size_t bytes = starfish_shifted_sums_workspace_cuda(
                        n[i], lanes, groups, roots[r], STARFISH_SHIFTED_SUMS_OUTPUTS, 0, sizeof(double));
                    assert_true(bytes >= fewer);
                    fewer = bytes;
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_match_dense_elimination),
        cmocka_unit_test(lanes_fill_several_blocks),
        cmocka_unit_test(roots_fill_several_blocks),
        cmocka_unit_test(cuda_workspace_is_enough_for_fewer_lanes),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("largest error: %.3f of the bound\n", test_sums_worst_error());
    return failed;
}
