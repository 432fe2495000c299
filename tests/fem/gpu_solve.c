/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements on a GPU: errors, counts that are those of cores, parts, all combinations; on a GPU beside cores; and
 * where there are two GPUs, parts on both. Exit status 77 without one. */
#include "tests/common/context.h"
#include "tests/common/memory.h"
#include "tests/fem/fem_cases.h"

static int run(int gpus, int cores, int (*const tests[])(starfish_context *), size_t count)
{
    starfish_context *context = test_context(gpus, cores, 0);
    int failed = !context;

    for (size_t t = 0; t < count && context; t++)
        failed += tests[t](context);
    starfish_context_destroy(context);
    return failed;
}

int main(void)
{
    static int (*const tests[])(starfish_context *) = {test_fem_counts, test_fem_parts, test_fem_orders, test_fem_edges,
                                                       test_fem_combinations};

    if (test_cuda_devices() == 0)
        return 77;
    const int several = test_cuda_devices() > 1 ? run(2, 0, tests, 2) : 0;
    return several + run(1, 0, tests, sizeof tests / sizeof tests[0]) + run(1, -1, tests, 2) != 0;
}
