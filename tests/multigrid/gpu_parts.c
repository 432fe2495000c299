/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Multigrid on three uneven parts that GPUs and cores own, given and as options ask for; of several GPUs all. Exit
 * status 77 without a GPU. */
#include "tests/common/memory.h"
#include "tests/multigrid/parts_cases.h"

#include <stdio.h>

static const struct test_owners with_one[] = {
    {"GPU in the middle", 0, {{0, STARFISH_CORES}, {0, 0}, {0, STARFISH_CORES}}},
    {"cores in the middle", 0, {{0, 0}, {0, STARFISH_CORES}, {0, 0}}},
    {"GPU alone", 1, {{0, 0}, {0, 0}, {0, 0}}},
};
static const struct test_owners with_two[] = {
    {"two GPUs", 0, {{0, 0}, {0, 1}, {0, 0}}},
    {"two GPUs and cores", 0, {{0, 1}, {0, STARFISH_CORES}, {0, 0}}},
};

static int check(int gpus)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;

    options.gpu_workers = gpus;
    options.cpu_workers = -1;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    int failed = gpus == 1 ? test_parts(context, with_one, sizeof with_one / sizeof with_one[0])
                           : test_parts(context, with_two, sizeof with_two / sizeof with_two[0]);
    failed += test_asked_parts(context, STARFISH_SHARING_GPUS) + test_asked_parts(context, STARFISH_SHARING_ALL);
    starfish_context_destroy(context);
    return failed;
}

int main(void)
{
    const int gpus = test_cuda_devices();

    if (gpus == 0)
        return 77;
    return check(1) + (gpus > 1 ? check(2) : 0) > 0;
}
