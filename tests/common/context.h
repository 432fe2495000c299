/* Contexts of test programs that run the same tests on several sets of workers. */
#ifndef STARFISH_TESTS_CONTEXT_H
#define STARFISH_TESTS_CONTEXT_H

#include <starfish/context.h>
#include <starfish/status.h>

#include <stdio.h>

/* gpus, cores: how many workers of a kind, -1: all there are; cores_per_worker: 0: chosen. NULL, after a complaint,
 * where there is no such context. */
static inline starfish_context *test_context(int gpus, int cores, int cores_per_worker)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context = NULL;

    options.gpu_workers = gpus;
    options.cpu_workers = cores;
    options.cores_per_worker = cores_per_worker;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS)
        fprintf(stderr, "%s\n", starfish_error_message());
    return context;
}

#endif
