/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether idle workers come to rest: waits up to a minute until the runtime has paused them
 * (scheduler/runtime/idle.h). */
#ifndef STARFISH_TESTS_WORKERS_REST_H
#define STARFISH_TESTS_WORKERS_REST_H

#include "scheduler/runtime/idle.h"

#include <time.h>

/* They do, when the library's own thread and the worker that ran the last task get a core: on a busy machine that is
 * waited for, a minute at most. */
static inline int test_workers_rest(void)
{
    static const struct timespec moment = {.tv_nsec = 1000000};

    for (int looks = 0; looks < 60000 && !starfish_idle_is_paused(); looks++)
        nanosleep(&moment, NULL);
    return starfish_idle_is_paused();
}

#endif
