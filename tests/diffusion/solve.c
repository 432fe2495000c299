/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Diffusion on cores: on one, and in small on all, each a worker of its own, and as one team. */
#include "tests/diffusion/diffusion_cases.h"

#include "tests/common/context.h"

#include <stdlib.h>

static int run(int cores, int cores_per_worker, int small)
{
    starfish_context *context = test_context(0, cores, cores_per_worker);

    if (!context)
        return 1;
    const int failed = test_diffusion(context, &test_host_memory, small);
    starfish_context_destroy(context);
    return failed;
}

int main(void)
{
    const int small = getenv("STARFISH_TEST_SMALL") != NULL;
    return run(1, 0, small) + (small ? 0 : run(-1, 0, 1) + run(-1, 64, 1)) != 0;
}
