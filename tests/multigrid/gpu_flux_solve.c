/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 3D multigrid on a GPU alone, and on a GPU beside cores, with data on the host and on the device. Exit status 77
 * without one. */
#include "tests/multigrid/flux_solve_cases.h"

#include "tests/common/context.h"

#include <stdlib.h>

static int run(int cores, const struct test_memory *memory)
{
    starfish_context *context = test_context(1, cores ? -1 : 0, 0);

    if (!context)
        return 1;
    const int failed = test_flux_solves(context, memory, getenv("STARFISH_TEST_SMALL") != NULL);
    starfish_context_destroy(context);
    return failed;
}

int main(void)
{
    if (test_cuda_devices() == 0)
        return 77;
    return run(0, &test_cuda_memory) + run(0, &test_host_memory) + run(1, &test_host_memory) != 0;
}
