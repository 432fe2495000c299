/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that share a worker's tasks. A round is a number that the worker's thread counts up; a thread that has seen
 * it do that takes its part and counts itself off. */
#include "scheduler/runtime/team_threads.h"

#include "base/barrier.h"
#include "scheduler/runtime/context.h"
#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/stacks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { LOOKS = 64, NAP_AFTER_NS = 100000 }; /* polls between two readings of the clock */

struct thread {
    struct starfish_team_threads *team;
    starpu_pthread_t thread;
    size_t part;
};

struct starfish_team_threads {
    /* each apart from what is written at other times */
    _Alignas(128) atomic_uint round;
    _Alignas(128) atomic_size_t working;
    _Alignas(128) void *argument;
    void (*function)(void *argument, size_t part, size_t parts);
    size_t worker, size, parts; /* parts: 0 until threads have begun */
    const int *core;
    int looks;                        /* each thread has a separate core, so it may poll without blocking others */
    struct starfish_barrier *barrier; /* for function */
    struct thread *thread;            /* of part 1, 2, ... */
    pthread_mutex_t lock;
    pthread_cond_t woken;
    atomic_uint sleeping;
    int ends;
};

static long long nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Looks for a while; is there a round after `seen`? */
static int look(struct starfish_team_threads *t, unsigned seen)
{
    const long long until = nanoseconds() + NAP_AFTER_NS;

    do {
        for (int i = 0; i < LOOKS; i++) {
            if (atomic_load_explicit(&t->round, memory_order_acquire) != seen)
                return 1;
            STARFISH_BREATHE();
        }
    } while (nanoseconds() < until);
    return 0;
}

/* Who counts the round up after a sleeper has counted itself sees that one sleeps; else the sleeper sees the round. */
static void sleep_until_woken(struct starfish_team_threads *t, unsigned seen)
{
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->sleeping, 1);
    while (atomic_load(&t->round) == seen)
        pthread_cond_wait(&t->woken, &t->lock);
    atomic_fetch_sub(&t->sleeping, 1);
    pthread_mutex_unlock(&t->lock);
}

static void *live(void *data)
{
    const struct thread *self = data;
    struct starfish_team_threads *t = self->team;
    unsigned seen = 0;

    starfish_topology_bind(t->core[self->part]);
    starfish_context_stand_for(t->worker);
    for (;;) {
        if (!t->looks || !look(t, seen))
            sleep_until_woken(t, seen);
        seen++;
        if (t->ends)
            return NULL;
        t->function(t->argument, self->part, t->parts);
        atomic_fetch_sub_explicit(&t->working, 1, memory_order_release);
    }
}

static void begin_round(struct starfish_team_threads *t)
{
    atomic_fetch_add(&t->round, 1);
    if (atomic_load(&t->sleeping) == 0)
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->woken);
    pthread_mutex_unlock(&t->lock);
}

/* As many as the system gives. */
static void start(struct starfish_team_threads *t)
{
    size_t made = 0;

    while (made + 1 < t->size) {
        struct thread *thread = &t->thread[made];
        *thread = (struct thread){.team = t, .part = made + 1};
        if (starfish_thread_create(&thread->thread, live, thread) != 0)
            break;
        made++;
    }
    t->parts = made + 1;
}

void starfish_team_threads_run(struct starfish_team_threads *t,
                               void (*function)(void *argument, size_t part, size_t parts), void *argument)
{
    if (t->parts == 0)
        start(t);
    t->function = function;
    t->argument = argument;
    atomic_store(&t->working, t->parts - 1);
    begin_round(t);
    function(argument, 0, t->parts);
    for (int looks = 0; atomic_load_explicit(&t->working, memory_order_acquire) > 0; looks++) {
        STARFISH_BREATHE();
        if (looks % LOOKS == LOOKS - 1)
            sched_yield(); /* to a thread that others keep from its core */
    }
}

struct starfish_barrier *starfish_team_threads_barrier(const struct starfish_team_threads *t)
{
    return t->barrier;
}

static int are_apart(size_t size, const int *core)
{
    for (size_t i = 0; i < size; i++)
        for (size_t other = 0; other < i; other++)
            if (core[other] == core[i])
                return 0;
    return 1;
}

struct starfish_team_threads *starfish_team_threads_create(size_t worker, size_t size, const int *core)
{
    struct starfish_team_threads *t = aligned_alloc(_Alignof(struct starfish_team_threads), sizeof *t);
    struct thread *thread = calloc(size, sizeof *thread);

    struct starfish_barrier *barrier = starfish_barrier_create(size);

    if (!t || !thread || !barrier) {
        free(t);
        free(thread);
        starfish_barrier_destroy(barrier);
        return NULL;
    }
    *t = (struct starfish_team_threads){.worker = worker,
                                        .size = size,
                                        .core = core,
                                        .looks = are_apart(size, core),
                                        .barrier = barrier,
                                        .thread = thread};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->woken, NULL);
    return t;
}

void starfish_team_threads_destroy(struct starfish_team_threads *t)
{
    if (!t)
        return;
    if (!starfish_is_forked()) {
        t->ends = 1;
        begin_round(t);
        for (size_t part = 1; part < t->parts; part++)
            starpu_pthread_join(t->thread[part - 1].thread, NULL);
        pthread_cond_destroy(&t->woken);
        pthread_mutex_destroy(&t->lock);
    }
    starfish_barrier_destroy(t->barrier);
    free(t->thread);
    free(t);
}
