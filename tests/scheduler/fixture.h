/* A context of cores only, for every test of a program. */
#ifndef STARFISH_TESTS_SCHEDULER_FIXTURE_H
#define STARFISH_TESTS_SCHEDULER_FIXTURE_H

#include <starfish/starfish.h>

static starfish_context *context;

static int set_up(void **state)
{
    (void)state;
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    options.gpu_workers = 0;
    return starfish_context_create(&context, &options);
}

static int tear_down(void **state)
{
    (void)state;
    starfish_context_destroy(context);
    return 0;
}

#endif
