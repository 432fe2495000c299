/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves of flat domains on a GPU alone, and on a GPU beside cores, with data on the host and on the device; boxes on
 * all GPUs, and on these and cores. Exit status 77 without one. */
#include "tests/atmosphere/boxes.h"
#include "tests/atmosphere/cases.h"
#include "tests/atmosphere/use.h"

#include "tests/common/context.h"

#include <stdlib.h>

static int run(int cores, const struct test_memory *memory)
{
    starfish_context *context = test_context(1, cores ? -1 : 0, 0);

    if (!context)
        return 1;
    const int failed = test_atmosphere_solves(context, memory, cores || getenv("STARFISH_TEST_SMALL") != NULL) +
                       test_atmosphere_use(context);
    starfish_context_destroy(context);
    return failed;
}

/* Of more boxes than GPUs some are the cores'. */
static int run_boxes(int cores)
{
    starfish_context *context = test_context(-1, cores ? -1 : 0, 0);

    if (!context)
        return 1;
    const int failed = test_atmosphere_boxes(context, cores || getenv("STARFISH_TEST_SMALL") != NULL);
    starfish_context_destroy(context);
    return failed;
}

int main(void)
{
    if (test_cuda_devices() == 0)
        return 77;
    const int failed = run_boxes(0) + run_boxes(1);
    return failed + run(0, &test_cuda_memory) + run(0, &test_host_memory) + run(1, &test_host_memory) != 0;
}
