/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Barriers of threads that look for each other (barrier.h), by dissemination: each round doubles the distance, and
 * flags have cache lines of their own. */
#include "base/barrier.h"

#include "base/activity.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ROUNDS = 16, LINE = 64, LOOKS = 1024 }; /* looks before the core is offered to others */

/* How often thread `self` was told something in a round, and how often it has come here itself. */
struct flag {
    _Alignas(LINE) atomic_uint told;
};

/* What belongs to one thread; a barrier is an array of them. Of the threads below and above: what they told, and how
 * often this one has told them. */
struct starfish_barrier {
    struct flag flag[ROUNDS], beside[2];
    _Alignas(LINE) unsigned calls, calls_beside[2];
};

struct starfish_barrier *starfish_barrier_create(size_t threads)
{
    struct starfish_barrier *barrier = aligned_alloc(LINE, threads * sizeof *barrier);

    for (size_t i = 0; barrier && i < threads; i++) {
        for (int r = 0; r < ROUNDS; r++)
            atomic_init(&barrier[i].flag[r].told, 0);
        for (int side = 0; side < 2; side++) {
            atomic_init(&barrier[i].beside[side].told, 0);
            barrier[i].calls_beside[side] = 0;
        }
        barrier[i].calls = 0;
    }
    return barrier;
}

void starfish_barrier_destroy(struct starfish_barrier *barrier)
{
    free(barrier);
}

static void tell(struct flag *flag, unsigned calls)
{
    atomic_store_explicit(&flag->told, calls, memory_order_release);
}

/* Who told may already have called again. */
static int is_told(const struct flag *flag, unsigned calls)
{
    return (int)(atomic_load_explicit(&flag->told, memory_order_acquire) - calls) >= 0;
}

static void look_for(const struct flag *flag, unsigned calls)
{
    if (is_told(flag, calls))
        return;
    const struct starfish_activity *const before = starfish_activity_now();
    starfish_activity_begin(NULL);
    for (int looks = 1; !is_told(flag, calls); looks++) {
        STARFISH_BREATHE();
        if (looks % LOOKS == 0)
            sched_yield();
    }
    starfish_activity_begin(before);
}

void starfish_barrier_wait(struct starfish_barrier *barrier, size_t self, size_t threads)
{
    const unsigned calls = ++barrier[self].calls;

    for (size_t round = 0, distance = 1; distance < threads; round++, distance *= 2) {
        tell(&barrier[(self + distance) % threads].flag[round], calls);
        look_for(&barrier[self].flag[round], calls);
    }
}

void starfish_barrier_wait_beside(struct starfish_barrier *barrier, size_t self, size_t threads)
{
    struct starfish_barrier *const own = &barrier[self];
    const int is_there[2] = {self > 0, self + 1 < threads};

    for (int side = 0; side < 2; side++)
        if (is_there[side])
            tell(&barrier[side ? self + 1 : self - 1].beside[!side], ++own->calls_beside[side]);
    for (int side = 0; side < 2; side++)
        if (is_there[side])
            look_for(&own->beside[side], own->calls_beside[side]);
}
