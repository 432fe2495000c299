/* Finite elements on a GPU: errors, counts that are those of cores, all combinations. Exit status 77 without one. */
#include "tests/common/memory.h"
#include "tests/fem/fem_cases.h"

#include <stdio.h>

int main(void)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;

    if (test_cuda_devices() == 0)
        return 77;
    options.gpu_workers = 1;
    options.cpu_workers = 0;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 1;
    }
    const int failed =
        test_fem_orders(context) + test_fem_counts(context) + test_fem_edges(context) + test_fem_combinations(context);
    starfish_context_destroy(context);
    return failed != 0;
}
