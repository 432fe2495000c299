/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements on cores: one worker with all of them, and a worker per core. */
#include "tests/fem/fem_cases.h"

#include "tests/common/context.h"

static int run(int cores_per_worker, int (*test)(starfish_context *), int *failed)
{
    starfish_context *context = test_context(0, -1, cores_per_worker);

    if (!context)
        return 0;
    *failed += test(context);
    starfish_context_destroy(context);
    return 1;
}

int main(void)
{
    static int (*const tests[])(starfish_context *) = {test_fem_orders, test_fem_counts, test_fem_edges, test_fem_parts,
                                                       test_fem_combinations};
    int failed = 0;

    for (size_t t = 0; t < sizeof tests / sizeof tests[0]; t++)
        if (!run(0, tests[t], &failed))
            return 1;
    return !run(1, test_fem_counts, &failed) || failed != 0;
}
