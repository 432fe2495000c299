/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time, for whatever is timed as a whole: seconds of the monotonic clock, which steps of the system's time do not
 * change. */
#ifndef STARFISH_BENCH_CLOCK_H
#define STARFISH_BENCH_CLOCK_H

#include <time.h>

static inline double clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
