/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids of finite elements on a GPU, and on a GPU and cores. Exit status 77 without one. */
#include "tests/common/context.h"
#include "tests/common/memory.h"
#include "tests/multigrid/fem_cases.h"

static int run(int cores, const struct starfish_owner owners[][TEST_FEM_PARTS], size_t sets)
{
    starfish_context *context = test_context(1, cores ? -1 : 0, 0);

    if (!context)
        return 1;
    const int failed = test_fem_kind_on(context, owners, sets);
    starfish_context_destroy(context);
    return failed;
}

int main(void)
{
    static const struct starfish_owner gpu[][TEST_FEM_PARTS] = {{{0, 0}, {0, 0}, {0, 0}}};
    static const struct starfish_owner both[][TEST_FEM_PARTS] = {{{0, STARFISH_CORES}, {0, 0}, {0, STARFISH_CORES}},
                                                                 {{0, 0}, {0, STARFISH_CORES}, {0, 0}}};

    if (test_cuda_devices() == 0)
        return 77;
    return run(0, gpu, 1) + run(1, both, 2) != 0;
}
