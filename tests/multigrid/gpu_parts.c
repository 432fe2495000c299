/* Multigrid on three uneven parts that a GPU and cores own. Exit status 77 without a GPU. */
#include "tests/common/memory.h"
#include "tests/multigrid/parts_cases.h"

#include <stdio.h>

int main(void)
{
    static const struct test_owners owners[] = {
        {"GPU in the middle", 0, {{0, STARFISH_CORES}, {0, 0}, {0, STARFISH_CORES}}},
        {"cores in the middle", 0, {{0, 0}, {0, STARFISH_CORES}, {0, 0}}},
        {"GPU alone", 1, {{0, 0}, {0, 0}, {0, 0}}},
    };
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;

    if (test_cuda_devices() == 0)
        return 77;
    options.gpu_workers = 1;
    options.cpu_workers = -1;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    const int failed = test_parts(context, owners, sizeof owners / sizeof owners[0]);
    starfish_context_destroy(context);
    return failed != 0;
}
