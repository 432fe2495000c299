/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves of flat domains on cores: each a worker of its own, and all as one team. */
#include "tests/atmosphere/boxes.h"
#include "tests/atmosphere/cases.h"
#include "tests/atmosphere/use.h"

#include "tests/common/context.h"

#include <stdlib.h>

static int run(int cores_per_worker, int small)
{
    starfish_context *context = test_context(0, -1, cores_per_worker);

    if (!context)
        return 1;
    const int failed = test_atmosphere_solves(context, &test_host_memory, small) +
                       test_atmosphere_boxes(context, small) + test_atmosphere_use(context);
    starfish_context_destroy(context);
    return failed;
}

int main(void)
{
    const int small = getenv("STARFISH_TEST_SMALL") != NULL;

    return run(0, small) + (small ? 0 : run(64, 1)) != 0;
}
