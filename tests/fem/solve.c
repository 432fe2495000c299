/* Finite elements on cores: one worker with all of them, and a worker per core. Arguments: which cases; all. */
#include "tests/fem/fem_cases.h"

#include <stdio.h>
#include <string.h>

static int run(int cores_per_worker, int (*test)(starfish_context *), int *failed)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;

    options.gpu_workers = 0;
    options.cores_per_worker = cores_per_worker;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS) {
        fprintf(stderr, "%s\n", starfish_error_message());
        return 0;
    }
    *failed += test(context);
    starfish_context_destroy(context);
    return 1;
}

int main(void)
{
    static int (*const tests[])(starfish_context *) = {test_fem_orders, test_fem_counts, test_fem_edges,
                                                       test_fem_combinations};
    int failed = 0;

    for (size_t t = 0; t < sizeof tests / sizeof tests[0]; t++)
        if (!run(0, tests[t], &failed))
            return 1;
    return !run(1, test_fem_counts, &failed) || failed != 0;
}
