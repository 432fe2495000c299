/* SPDX-License-Identifier: LGPL-2.1-or-later */
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

/* How many GPUs the tests may use, for programs that exit with 77 where there is none; -1, after a complaint, where
 * there is no context at all. */
static inline int test_gpus(void)
{
    starfish_context *context = test_context(-1, -1, 0);

    if (!context)
        return -1;
    const int gpus = (int)starfish_context_workers_of(context, STARFISH_GPU);
    starfish_context_destroy(context);
    return gpus;
}

#endif
