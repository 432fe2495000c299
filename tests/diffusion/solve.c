/* Diffusion on cores: on one, and in small on all, each a worker of its own, and as one team. */
#include "tests/diffusion/diffusion_cases.h"

#include <stdio.h>
#include <stdlib.h>

static int run(int cores, int cores_per_worker, int small)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;
    options.gpu_workers = 0;
    options.cpu_workers = cores;
    options.cores_per_worker = cores_per_worker;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    const int failed = test_diffusion(context, &test_host_memory, small);
    starfish_context_destroy(context);
    return failed;
}

int main(void)
{
    const int small = getenv("STARFISH_TEST_SMALL") != NULL;
    return run(1, 0, small) + (small ? 0 : run(-1, 0, 1) + run(-1, 64, 1)) != 0;
}
