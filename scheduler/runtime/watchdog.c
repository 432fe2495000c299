/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The watchdog of waits: the list of unfinished tasks, slices of waiting, and what a stuck runtime is waiting for. */
#include "scheduler/runtime/watchdog.h"

#include "base/c_locale.h"
#include "scheduler/runtime/memory.h"
#include "scheduler/runtime/task_header.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double longest_slice = 1; /* second */

/* ---- Unfinished tasks -------------------------------------------------------------------------------------------- */

void starfish_watchdog_init(struct starfish_watchdog *watched, double patience)
{
    memset(watched, 0, sizeof *watched);
    pthread_mutex_init(&watched->lock, NULL);
    watched->patience = patience;
}

void starfish_watchdog_destroy(struct starfish_watchdog *watched)
{
    pthread_mutex_destroy(&watched->lock);
}

void starfish_watchdog_add(struct starfish_watchdog *watched, struct starfish_task_header *header)
{
    pthread_mutex_lock(&watched->lock);
    header->after = NULL;
    header->before = watched->last;
    *(watched->last ? &watched->last->after : &watched->first) = header;
    watched->last = header;
    pthread_mutex_unlock(&watched->lock);
}

/* With the lock held. */
static void unlink_task(struct starfish_watchdog *watched, struct starfish_task_header *header)
{
    *(header->before ? &header->before->after : &watched->first) = header->after;
    *(header->after ? &header->after->before : &watched->last) = header->before;
}

void starfish_watchdog_drop(struct starfish_watchdog *watched, struct starfish_task_header *header)
{
    pthread_mutex_lock(&watched->lock);
    unlink_task(watched, header);
    pthread_mutex_unlock(&watched->lock);
}

int starfish_watchdog_finish_begin(struct starfish_watchdog *watched, struct starfish_task_header *header)
{
    pthread_mutex_lock(&watched->lock);
    const int alive = !starfish_is_stuck();
    if (alive) {
        unlink_task(watched, header);
        watched->finished++;
        watched->closing++;
    }
    pthread_mutex_unlock(&watched->lock);
    return alive;
}

void starfish_watchdog_finish_end(struct starfish_watchdog *watched)
{
    pthread_mutex_lock(&watched->lock);
    watched->closing--;
    pthread_mutex_unlock(&watched->lock);
}

void starfish_outside_begin(struct starfish_context *context)
{
    atomic_fetch_add(&context->watched.outside, 1);
}

void starfish_outside_end(struct starfish_context *context)
{
    atomic_fetch_sub(&context->watched.outside, 1);
}

/* ---- Stuck ------------------------------------------------------------------------------------------------------- */

/* Of the process, as StarPU is: set once, and never taken back. */
static atomic_int stuck;
static char stuck_why[320];

int starfish_is_stuck(void)
{
    return atomic_load(&stuck);
}

starfish_status starfish_fail_stuck(void)
{
    return starfish_fail(STARFISH_ERROR_RUNTIME, "%s", stuck_why);
}

static int runs_on_a_worker(const struct starpu_task *task)
{
    return task->where != (int32_t)STARPU_NOWHERE && task->status == STARPU_TASK_RUNNING;
}

static const struct starfish_task_header *first_ready(const struct starfish_watchdog *watched)
{
    for (const struct starfish_task_header *at = watched->first; at; at = at->after)
        if (at->task->where != (int32_t)STARPU_NOWHERE && at->task->status == STARPU_TASK_READY)
            return at;
    return NULL;
}

static void describe_task(const struct starfish_task_header *header, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "task %s", header->name);
    for (int c = 0; c < header->coordinates && at < size; c++)
        at += (size_t)snprintf(text + at, size - at, "%s%s %d", c ? ", " : " of ", header->at[c].name,
                               header->at[c].value);
}

/* What the oldest task lacks that could run but for its data; a task that has to be a GPU's lacks memory there. */
static void explain(const struct starfish_context *context)
{
    const struct starfish_watchdog *watched = &context->watched;
    const struct starfish_task_header *ready = first_ready(watched), *header = ready ? ready : watched->first;
    char task[128] = "a task";
    const int worker = starfish_context_gpu_worker(context, 0);
    if (header)
        describe_task(header, task, sizeof task);
    if (ready && worker >= 0 && (ready->task->where & (int32_t)STARPU_CUDA)) {
        const unsigned node = starpu_worker_get_memory_node((unsigned)worker);
        starfish_print(stuck_why, sizeof stuck_why,
                       "nothing has moved for %.3g s: %s waits for %.3g MB on GPU 0, where %.3g of %.3g MB are free",
                       watched->patience, task, 1e-6 * (double)starfish_missing_bytes(ready->task, node),
                       1e-6 * (double)starpu_memory_get_available(node), 1e-6 * (double)starpu_memory_get_total(node));
    } else {
        starfish_print(stuck_why, sizeof stuck_why, "nothing has moved for %.3g s: %s waits for %s", watched->patience,
                       task, ready ? "a worker" : "data that no task brings");
    }
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

static size_t bytes_moved(struct starfish_context *context)
{
    const struct starfish_bytes bytes = starfish_context_bytes(context);
    return bytes.host_to_device + bytes.device_to_host + bytes.device_to_device;
}

/* Returns 1 if there was progress since the last call. With the lock held. */
static int has_moved(struct starfish_patience *patience, const struct starfish_watchdog *watched)
{
    const size_t moved = bytes_moved(patience->context);
    int running = watched->closing > 0 || watched->finished != patience->finished || moved != patience->moved ||
                  !watched->first || atomic_load(&watched->outside) > 0;
    for (const struct starfish_task_header *at = watched->first; at && !running; at = at->after)
        running = runs_on_a_worker(at->task);
    patience->finished = watched->finished;
    patience->moved = moved;
    return running;
}

void starfish_patience_begin(struct starfish_patience *patience, struct starfish_context *context)
{
    *patience = (struct starfish_patience){.context = context};
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static starfish_status look(struct starfish_patience *patience, double slice)
{
    struct starfish_watchdog *watched = &patience->context->watched;
    pthread_mutex_lock(&watched->lock);
    patience->quiet = has_moved(patience, watched) ? 0 : patience->quiet + slice;
    if (patience->quiet >= watched->patience && !starfish_is_stuck()) {
        explain(patience->context);
        atomic_store(&stuck, 1);
    }
    pthread_mutex_unlock(&watched->lock);
    if (!starfish_is_stuck())
        return STARFISH_SUCCESS;
    starfish_log(patience->context, STARFISH_LOG_ERROR, "%s", stuck_why);
    return starfish_fail_stuck();
}

starfish_status starfish_patience_wait(struct starfish_patience *patience, starpu_pthread_cond_t *signal,
                                       starpu_pthread_mutex_t *lock)
{
    const double limit = patience->context->watched.patience;
    const double slice = limit / 4 < longest_slice ? limit / 4 : longest_slice;
    if (starfish_is_stuck())
        return starfish_fail_stuck();
    if (isinf(limit)) {
        STARPU_PTHREAD_COND_WAIT(signal, lock);
        return STARFISH_SUCCESS;
    }
    const double start = seconds_of(CLOCK_MONOTONIC), end = seconds_of(CLOCK_REALTIME) + slice;
    const struct timespec until = {(time_t)end, (long)(1e9 * (end - floor(end)))};
    starpu_pthread_cond_timedwait(signal, lock, &until);
    const double waited = seconds_of(CLOCK_MONOTONIC) - start;
    if (waited < 0.99 * slice || waited > 1.5 * slice + 0.05) /* signalled, or not woken up in time */
        return STARFISH_SUCCESS;
    return look(patience, slice);
}
