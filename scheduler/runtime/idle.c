/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pausing StarPU's workers, and waking them.
 *
 * Which moment. A worker is awake some 50 us after starpu_resume if it finds a free core. If workers have all cores,
 * the thread that submits or waits must take a core from a worker that spins, and gets it at the end of a time slice of
 * 2 to 4 ms. So there the moment is 0, and workers that find no task yield their core (sched_yield). On 2 cores, solves
 * of 128^3 with 5 and 50 ms of the host's work between them took as long as with spinning workers and left the host 5.3
 * and 54 ms instead of 10.6 and 110; solves of 32^3 with the host's 50 ms took 1.5 instead of 4.0 ms, one after the
 * other 1.3 either way, and on one core 0.8 instead of 4.0. With a spare core no thread waits for a slice, and with a
 * moment of 0.2 ms successive solves find the workers awake.
 *
 * StarPU's configure option --enable-blocking-drivers does not suffice. Its last worker awake never sleeps, so that an
 * idle context takes a core, and it needs a StarPU that was built with it. Waking is no faster with it: two empty tasks
 * after 50 ms took 80 us at best, after starpu_resume 70 to 150.
 *
 * `flight` has the number of tasks and calls in flight in its lower half, and the number of all so far in its upper
 * half. So one read shows whether nothing is in flight, and two equal reads that nothing has arrived in between. A
 * thread that pauses first sets `paused` and then reads `flight` again; one that submits first counts itself and then
 * reads `paused`. So one of the two sees the other, and no task is left to paused workers.
 *
 * If the moment is 0, or the time between calls was longer than it, the thread that ends the last call pauses the
 * workers. The threads of a host program may take all cores right after a solve, so that none would be left to a thread
 * that wakes to pause; and its solves would not find the workers awake anyway. Else a thread, the keeper, polls once
 * every moment while the workers are awake, so that tasks and jobs need no signals. While they are paused it polls a
 * hundred times a second for tasks of a host program that has joined our StarPU, and wakes them: 0.05 % of a core. */
#include "scheduler/runtime/idle.h"

#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/stacks.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <starpu.h>
#include <starpu_expert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#ifndef STARPU_SIMGRID

static const uint64_t arrival = UINT64_C(1) << 32;
static const double chosen_seconds = 2e-4, glance_seconds = 1e-2;

/* StarPU takes a lock 16 times for each poll of a worker that has such a function. */
enum { OFFERING_WORKERS_AT_MOST = 8 };

static struct {
    _Atomic uint64_t flight;
    atomic_int paused;
    atomic_int at_once;    /* the moment is 0 */
    atomic_int learns;     /* the moment is chosen: the time between calls counts */
    atomic_int is_long;    /* the last time between calls was longer than the moment */
    _Atomic int64_t since; /* when nothing was in flight any more, in nanoseconds */

    pthread_mutex_t lock; /* guards what follows, and StarPU's depth of pauses */
    pthread_cond_t changed;
    double seconds;
    int contexts;
    int stop, kept; /* the keeper shall end, or is there */
    int others;     /* the last poll found tasks of the host program */
    pthread_t keeper;
    int offering; /* StarPU's number of offer_core among its functions for idle workers; -1: none */
} rest = {.lock = PTHREAD_MUTEX_INITIALIZER, .offering = -1};

/* A child of fork has no workers to pause, and the lock as the parent's keeper had it at that moment: there the
 * functions below change nothing and never take it. 1: the lock is held. */
static int enter(void)
{
    if (starfish_is_forked())
        return 0;
    pthread_mutex_lock(&rest.lock);
    return 1;
}

static void leave(void)
{
    pthread_mutex_unlock(&rest.lock);
}

static int nothing_in_flight(uint64_t flight)
{
    return flight % arrival == 0;
}

/* Under the lock: pause if nothing has come since `seen`, when nothing was in flight. */
static void pause_since(uint64_t seen)
{
    if (atomic_load(&rest.paused) || rest.contexts == 0 || atomic_load(&rest.flight) != seen)
        return;
    atomic_store(&rest.paused, 1);
    if (atomic_load(&rest.flight) == seen)
        starpu_pause();
    else
        atomic_store(&rest.paused, 0);
}

static void wake(void)
{
    if (!atomic_load(&rest.paused))
        return;
    starpu_resume();
    atomic_store(&rest.paused, 0);
    if (rest.kept && rest.seconds > 0)
        pthread_cond_signal(&rest.changed);
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return INT64_C(1000000000) * time.tv_sec + time.tv_nsec;
}

/* One more in flight. The first one ends a time between calls. */
static void arrive(void)
{
    const uint64_t before = atomic_fetch_add(&rest.flight, arrival + 1);
    if (nothing_in_flight(before) && atomic_load(&rest.learns))
        atomic_store(&rest.is_long, now() - atomic_load(&rest.since) > (int64_t)(1e9 * chosen_seconds));
}

static struct timespec after(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    const double end = (double)time.tv_nsec * 1e-9 + seconds, whole = floor(end);
    return (struct timespec){.tv_sec = time.tv_sec + (time_t)whole, .tv_nsec = (long)((end - whole) * 1e9)};
}

/* StarPU may still count our last task, which its worker is about to end. Only two polls that find tasks show the host
 * program's. */
static void look(uint64_t seen)
{
    const int others = starpu_task_nsubmitted() > 0;
    if (atomic_load(&rest.paused) && others && rest.others)
        wake();
    else if (!others && nothing_in_flight(seen))
        pause_since(seen);
    rest.others = others;
}

static void *keep(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&rest.lock);
    while (!rest.stop) {
        const uint64_t seen = atomic_load(&rest.flight);
        if (isinf(rest.seconds)) {
            pthread_cond_wait(&rest.changed, &rest.lock);
            continue;
        }
        const int glances = atomic_load(&rest.paused) || rest.seconds == 0;
        const struct timespec end = after(glances ? glance_seconds : rest.seconds);
        pthread_cond_timedwait(&rest.changed, &rest.lock, &end);
        if (!rest.stop)
            look(seen);
    }
    pthread_mutex_unlock(&rest.lock);
    return NULL;
}

/* The host program's signals are not for this thread. */
static int start_keeper(void)
{
    pthread_condattr_t monotonic;
    sigset_t all, before;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&rest.changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    rest.stop = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rest.kept = starfish_thread_create(&rest.keeper, keep, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!rest.kept)
        pthread_cond_destroy(&rest.changed);
    return rest.kept;
}

static void stop_keeper(void)
{
    if (!rest.kept)
        return;
    pthread_mutex_lock(&rest.lock);
    rest.stop = 1;
    pthread_cond_signal(&rest.changed);
    pthread_mutex_unlock(&rest.lock);
    pthread_join(rest.keeper, NULL);
    pthread_cond_destroy(&rest.changed);
    rest.kept = 0;
}

static unsigned offer_core(void *unused)
{
    (void)unused;
    sched_yield();
    return 1; /* nothing speaks against the worker's sleep */
}

starfish_status starfish_idle_join(double seconds, int spare_core)
{
    const int few = starpu_worker_get_count() <= OFFERING_WORKERS_AT_MOST, chosen = seconds < 0;
    if (chosen)
        seconds = spare_core ? chosen_seconds : 0;
    pthread_mutex_lock(&rest.lock);
    const int kept = rest.kept || start_keeper();
    if (kept) {
        if (rest.contexts == 0 || seconds > rest.seconds)
            atomic_store(&rest.learns, chosen && seconds > 0);
        rest.seconds = rest.contexts == 0 ? seconds : fmax(rest.seconds, seconds);
        atomic_store(&rest.is_long, atomic_load(&rest.learns)); /* until two calls follow each other closely */
        if (rest.contexts == 0 && few && !spare_core)
            rest.offering = starpu_idle_hook_register(offer_core, NULL);
        rest.contexts++;
        atomic_store(&rest.at_once, rest.seconds == 0);
        const uint64_t flight = atomic_load(&rest.flight);
        if (rest.seconds == 0 && nothing_in_flight(flight))
            pause_since(flight);
        pthread_cond_signal(&rest.changed); /* the moment may be another one */
    }
    pthread_mutex_unlock(&rest.lock);
    return STARFISH_OR_FAIL(kept, STARFISH_ERROR_RUNTIME, "no thread can be made");
}

void starfish_idle_quit(void)
{
    pthread_mutex_lock(&rest.lock);
    const int last = --rest.contexts == 0;
    if (last && rest.offering >= 0) {
        starpu_idle_hook_deregister(rest.offering);
        rest.offering = -1;
    }
    if (last)
        wake();
    pthread_mutex_unlock(&rest.lock);
    if (last)
        stop_keeper();
}

void starfish_idle_task_begun(void)
{
    arrive();
    if (!atomic_load(&rest.paused) || !enter())
        return;
    wake();
    leave();
}

void starfish_idle_task_done(void)
{
    if (atomic_load(&rest.learns) && atomic_load(&rest.flight) % arrival == 1)
        atomic_store(&rest.since, now());
    const uint64_t flight = atomic_fetch_sub(&rest.flight, 1) - 1;
    if (!nothing_in_flight(flight) || !(atomic_load(&rest.at_once) || atomic_load(&rest.is_long)) || !enter())
        return;
    pause_since(flight);
    leave();
}

void starfish_idle_call_begin(void)
{
    arrive();
}

void starfish_idle_call_end(void)
{
    starfish_idle_task_done();
}

void starfish_idle_loop_begin(void)
{
    const uint64_t flight = atomic_fetch_sub(&rest.flight, 1) - 1;
    if (!nothing_in_flight(flight) || !enter())
        return;
    if (!isinf(rest.seconds))
        pause_since(flight);
    leave();
}

void starfish_idle_loop_end(void)
{
    atomic_fetch_add(&rest.flight, arrival + 1);
}

void starfish_idle_copies_begin(void)
{
    if (starpu_memory_nodes_get_count() > 1)
        starfish_idle_task_begun();
}

void starfish_idle_copies_end(void)
{
    if (starpu_memory_nodes_get_count() > 1)
        starfish_idle_task_done();
}

int starfish_idle_is_paused(void)
{
    return atomic_load(&rest.paused);
}

#else

starfish_status starfish_idle_join(double seconds, int spare_core)
{
    (void)seconds, (void)spare_core;
    return STARFISH_SUCCESS;
}

void starfish_idle_quit(void) {}
void starfish_idle_task_begun(void) {}
void starfish_idle_task_done(void) {}
void starfish_idle_call_begin(void) {}
void starfish_idle_call_end(void) {}
void starfish_idle_loop_begin(void) {}
void starfish_idle_loop_end(void) {}
void starfish_idle_copies_begin(void) {}
void starfish_idle_copies_end(void) {}

int starfish_idle_is_paused(void)
{
    return 0;
}

#endif
