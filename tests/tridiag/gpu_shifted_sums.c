/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of shifted solves on CUDA: the CPU's table; against the CPU, lanes of all lengths that differ in how
 * they are solved, and more lines than run at once. Exit status 77 without a device; with STARFISH_TEST_SMALL set the
 * large sizes are left out. */
#include "sums_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NO_DEVICE = 77 };

static void sums(starfish_precision precision, const struct starfish_shifted_sums *a)
{
    test_cuda_check(
        (precision == STARFISH_F32 ? starfish_shifted_sums_cuda_f32 : starfish_shifted_sums_cuda_f64)(a, NULL));
}

static size_t workspace(const struct starfish_shifted_sums *a, size_t element_size)
{
    return starfish_shifted_sums_workspace_cuda(a->line.n, a->lanes, a->groups, a->most_roots, a->outputs,
                                                a->line.periodic, element_size);
}

static const struct test_sums_device device = {&test_cuda_memory, sums, workspace};

static void cpu_sums(starfish_precision precision, const struct starfish_shifted_sums *a)
{
    (precision == STARFISH_F32 ? starfish_shifted_sums_cpu_f32 : starfish_shifted_sums_cpu_f64)(a);
}

static size_t cpu_workspace(const struct starfish_shifted_sums *a, size_t element_size)
{
    return starfish_shifted_sums_workspace_cpu(a->line.n, a->lanes, a->line.periodic, element_size);
}

static const struct test_sums_device cpu = {&test_host_memory, cpu_sums, cpu_workspace};

static void sums_match_dense_elimination(void **state)
{
    (void)state;
    test_sums_table(&device);
}

/* Chunks of 128 bytes up to 4096 bytes of a lane, of 256 bytes up to 8192, Thomas beyond. One lane, fewer than a block
 * takes, and more; roots for one thread and for many parts. */
static void all_lengths_match_cpu(void **state)
{
    (void)state;
    static const struct {
        size_t n, lanes, groups, most_roots;
    } sizes[] = {{1, 150, 1, 300}, {2, 1, 3, 200},  {3, 1, 1, 1},    {47, 5, 2, 9},    {48, 33, 2, 7},  {64, 1, 1, 65},
                 {100, 3, 4, 7},   {130, 1, 5, 40}, {255, 6, 3, 1},  {257, 4, 2, 6},   {511, 1, 1, 90}, {511, 37, 3, 9},
                 {512, 8, 2, 3},   {513, 5, 2, 6},  {800, 1, 1, 60}, {1023, 2, 2, 21}, {1024, 9, 2, 4}, {1025, 3, 2, 5},
                 {1500, 1, 3, 11}, {2047, 1, 1, 9}, {2048, 5, 1, 3}, {2049, 3, 2, 4}};
    static const struct {
        int inputs, outputs;
    } shapes[] = {{1, 2}, {3, 1}, {3, 2}, {5, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++)
            for (int kind = 0; kind < 8 * STARFISH_TRIDIAG_NUMBERS; kind++) {
                const struct test_sums_case c = {.precision = (starfish_precision)(kind & 1),
                                                 .numbers = (enum starfish_tridiag_numbers)(kind >> 3),
                                                 .periodic = kind >> 1 & 1,
                                                 .pinned = kind >> 2 & 1,
                                                 .n = sizes[i].n,
                                                 .lanes = sizes[i].lanes,
                                                 .groups = sizes[i].groups,
                                                 .most_roots = sizes[i].most_roots,
                                                 .inputs = shapes[shape].inputs,
                                                 .outputs = shapes[shape].outputs};
                test_sums_compare(&device, &cpu, &c);
            }
}

/* All roots of a group in one part, several in each part, and one in each. */
static void large_sizes(void **state)
{
    (void)state;
    static const struct {
        size_t n, lanes, groups, most_roots;
    } sizes[] = {{300, 20001, 2, 3}, {300, 1501, 3, 25}, {20, 20001, 3, 5}, {20, 3001, 3, 25}, {2100, 3001, 1, 20}};
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int kind = 0; kind < 4; kind++) {
            const struct test_sums_case c = {.precision = (starfish_precision)(kind & 1),
                                             .periodic = kind >> 1,
                                             .n = sizes[i].n,
                                             .lanes = sizes[i].lanes,
                                             .groups = sizes[i].groups,
                                             .most_roots = sizes[i].most_roots,
                                             .inputs = STARFISH_SHIFTED_SUMS_INPUTS,
                                             .outputs = STARFISH_SHIFTED_SUMS_OUTPUTS};
            test_sums_compare(&device, &cpu, &c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_match_dense_elimination),
        cmocka_unit_test(all_lengths_match_cpu),
        cmocka_unit_test(large_sizes),
    };
    if (test_cuda_devices() == 0)
        return NO_DEVICE;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("largest error: %.3f of the bound\n", test_sums_worst_error());
    return failed;
}
