/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detects a forked child: the third function of pthread_atfork sets a flag. */
#include "scheduler/runtime/fork.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_int contexts_alive, forked;

static void in_child(void)
{
    if (atomic_load(&contexts_alive) > 0)
        atomic_store(&forked, 1);
}

static void ask_to_be_told(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

void starfish_fork_watch(int contexts)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ask_to_be_told);
    atomic_fetch_add(&contexts_alive, contexts);
}

int starfish_is_forked(void)
{
    return atomic_load_explicit(&forked, memory_order_relaxed);
}

starfish_status starfish_fork_check(void)
{
    STARFISH_FAIL_IF(starfish_is_forked(), STARFISH_ERROR_RUNTIME,
                     "this process is a fork of one that had a context, whose workers only the parent has: fork "
                     "before the first context or after the last, or call exec in the child");
    return STARFISH_SUCCESS;
}
