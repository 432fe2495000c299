/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes of stacks, as attributes of threads and as the C library's default. */
#include "scheduler/runtime/stacks.h"

#include <pthread.h>

static size_t default_bytes(void)
{
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (pthread_getattr_default_np(&attributes) != 0)
        return 0;
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
    return bytes;
}

static void set_default_bytes(size_t bytes)
{
    pthread_attr_t attributes;
    if (pthread_getattr_default_np(&attributes) != 0)
        return;
    if (pthread_attr_setstacksize(&attributes, bytes) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

size_t starfish_stack_bytes(void)
{
    const size_t bytes = default_bytes();
    return bytes > STARFISH_STACK_BYTES ? bytes : STARFISH_STACK_BYTES;
}

size_t starfish_stacks_enlarge(void)
{
    const size_t before = default_bytes();
    if (before < STARFISH_STACK_BYTES)
        set_default_bytes(STARFISH_STACK_BYTES);
    return before;
}

void starfish_stacks_restore(size_t before)
{
    if (before < STARFISH_STACK_BYTES)
        set_default_bytes(before);
}

int starfish_thread_create(starpu_pthread_t *thread, void *(*function)(void *), void *argument)
{
#ifdef STARPU_SIMGRID
    return starpu_pthread_create(thread, NULL, function, argument); /* SimGrid chooses the stacks of its threads */
#else
    pthread_attr_t attributes;
    const int failed = pthread_attr_init(&attributes);
    if (failed)
        return failed;
    pthread_attr_setstacksize(&attributes, starfish_stack_bytes());
    const int code = pthread_create(thread, &attributes, function, argument);
    pthread_attr_destroy(&attributes);
    return code;
#endif
}
