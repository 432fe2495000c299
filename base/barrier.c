/* Barriers of threads that look for each other. */
#include "base/barrier.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ROUNDS = 16, LINE = 64, LOOKS = 1024 }; /* looks before the core is offered to others */

/* How often thread `self` was told something in a round, and how often it has come here itself. */
struct flag {
    _Alignas(LINE) atomic_uint told;
};

/* What belongs to one thread; a barrier is an array of them. */
struct starfish_barrier {
    struct flag flag[ROUNDS];
    _Alignas(LINE) unsigned calls;
};

struct starfish_barrier *starfish_barrier_create(size_t threads)
{
    struct starfish_barrier *barrier = aligned_alloc(LINE, threads * sizeof *barrier);

    for (size_t i = 0; barrier && i < threads; i++) {
        for (int r = 0; r < ROUNDS; r++)
            atomic_init(&barrier[i].flag[r].told, 0);
        barrier[i].calls = 0;
    }
    return barrier;
}

void starfish_barrier_destroy(struct starfish_barrier *barrier)
{
    free(barrier);
}

void starfish_barrier_wait(struct starfish_barrier *barrier, size_t self, size_t threads)
{
    const unsigned calls = ++barrier[self].calls;

    for (size_t round = 0, distance = 1; distance < threads; round++, distance *= 2) {
        const atomic_uint *mine = &barrier[self].flag[round].told;
        atomic_store_explicit(&barrier[(self + distance) % threads].flag[round].told, calls, memory_order_release);
        /* who told may already have called again */
        for (int looks = 1; (int)(atomic_load_explicit(mine, memory_order_acquire) - calls) < 0; looks++) {
            STARFISH_BREATHE();
            if (looks % LOOKS == 0)
                sched_yield();
        }
    }
}
