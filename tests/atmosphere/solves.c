/* Solves of flat domains on cores: each a worker of its own, and all as one team. */
#include "tests/atmosphere/cases.h"

#include <stdio.h>
#include <stdlib.h>

static int run(int cores_per_worker, int small)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;

    options.gpu_workers = 0;
    options.cores_per_worker = cores_per_worker;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    const int failed = test_atmosphere_solves(context, &test_host_memory, small);
    starfish_context_destroy(context);
    return failed;
}

int main(void)
{
    const int small = getenv("STARFISH_TEST_SMALL") != NULL;

    return run(0, small) + (small ? 0 : run(64, 1)) != 0;
}
