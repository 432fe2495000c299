/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The watchdog: a wait for tasks fails if nothing progresses any more, instead of blocking forever.
 *
 * A context keeps a list of its tasks that are submitted and not finished. A wait consists of slices of a second at
 * most. After each slice it checks whether a task has finished, runs on a worker, or data have moved. If there was no
 * progress for `patience_seconds` (an option of contexts), and no thread outside the runtime holds data that tasks wait
 * for, the runtime is stuck. StarPU can neither cancel such a task nor end without it, and a process has only one
 * StarPU. So the process is stuck from then on: waits and submissions fail at once with the same message. Data, plans
 * and jobs that tasks may still access are left as they are, without waiting.
 *
 * A slice counts only where the waiting thread woke up in time. So time in which the process is stopped, is in a
 * debugger, or does not get the machine's cores does not count. */
#ifndef STARFISH_SCHEDULER_RUNTIME_WATCHDOG_H
#define STARFISH_SCHEDULER_RUNTIME_WATCHDOG_H

#include "scheduler/runtime/context.h"

void starfish_watchdog_init(struct starfish_watchdog *watched, double patience);
void starfish_watchdog_destroy(struct starfish_watchdog *watched);

/* For submit.c: a task is about to be submitted, or StarPU has refused it. */
void starfish_watchdog_add(struct starfish_watchdog *watched, struct starfish_task_header *header);
void starfish_watchdog_drop(struct starfish_watchdog *watched, struct starfish_task_header *header);
/* The task has finished. Returns 0 if the runtime is stuck; then only the header may be accessed. Otherwise
 * `finish_end` follows, once its job has been notified. */
int starfish_watchdog_finish_begin(struct starfish_watchdog *watched, struct starfish_task_header *header);
void starfish_watchdog_finish_end(struct starfish_watchdog *watched);

/* Between the two, tasks may wait for something outside of the runtime for as long as it takes: for a field that the
 * host holds. */
void starfish_outside_begin(struct starfish_context *context);
void starfish_outside_end(struct starfish_context *context);

/* Whether the process's StarPU is stuck; and the failure that reports it, RUNTIME. */
int starfish_is_stuck(void);
starfish_status starfish_fail_stuck(void);

/* One wait, in one thread. */
struct starfish_patience {
    struct starfish_context *context;
    size_t finished, moved;
    double quiet; /* seconds in which nothing moved */
};
void starfish_patience_begin(struct starfish_patience *patience, struct starfish_context *context);
/* Waits for `signal`, for one slice at most; the caller then tests its condition again. RUNTIME if the runtime is
 * stuck. `lock` is held. */
starfish_status starfish_patience_wait(struct starfish_patience *patience, starpu_pthread_cond_t *signal,
                                       starpu_pthread_mutex_t *lock);

#endif
