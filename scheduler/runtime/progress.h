/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The progress of one solve: its tasks, counted and timed as they finish. */
#ifndef STARFISH_SCHEDULER_RUNTIME_PROGRESS_H
#define STARFISH_SCHEDULER_RUNTIME_PROGRESS_H

#include "scheduler/runtime/context.h"

#include <stdatomic.h>

enum { STARFISH_PROGRESS_PHASES = STARFISH_ACTIVITY_PHASES, STARFISH_PROGRESS_STEPS = 80 };

/* From the first start to the last end of some tasks, in microseconds; start > end before the first task. */
struct starfish_interval {
    double start, end;
};

/* Some of the tasks: when they ran, and where. */
struct starfish_stretch {
    struct starfish_interval span;
    struct starfish_tasks_done done[STARFISH_WORKER_KINDS];
};

/* Tasks that do the work of several phases, as their cores report it: for how many microseconds at least one of them
 * ran, and what their cores spent on each phase. */
struct starfish_divided {
    double wall;
    struct starfish_interval run; /* the last one without a gap */
    double busy[STARFISH_PROGRESS_PHASES];
};

struct starfish_task;

/* Takes the tasks that are submitted with a progress instead of submitting them (task_group.h). */
struct starfish_recorder {
    starfish_status (*add)(struct starfish_recorder *recorder, struct starfish_task *task, const void *arguments,
                           size_t size);
};

struct starfish_progress {
    struct starfish_context *context;
    struct starfish_recorder *recorder; /* that takes its tasks, or NULL */
    uint32_t where; /* kinds of workers that its tasks may run on: the context's, unless its plan uses fewer */
    atomic_size_t submitted, finished;
    atomic_int iteration;            /* that tasks are submitted of, from 1; 0: of none */
    atomic_int error;                /* the first CUDA error that a task met, 0 for none */
    _Atomic(const char *) culprit;   /* the operation that met it */
    struct starfish_failure refused; /* on several ranks: why a task could not be submitted (submit.c) */

    /* Guards what follows. StarPU's kind of lock: in a simulation its threads are no threads to the system. */
    starpu_pthread_mutex_t lock;
    starpu_pthread_cond_t all_done;
    struct starfish_tasks_done done[STARFISH_WORKER_KINDS];
    struct starfish_stretch phase[STARFISH_PROGRESS_PHASES];
    struct starfish_interval undivided[STARFISH_PROGRESS_PHASES]; /* of the tasks of one phase alone */
    struct starfish_divided divided;
    struct starfish_stretch *step; /* finer than phases, for graphs that number their tasks' steps; NULL: not timed */
    double start;
    double clock_offset; /* of starpu_timing_now from the clock that tasks are timed with; infinite before the first
                            task */
};

void starfish_progress_init(struct starfish_progress *progress, struct starfish_context *context);
/* After that: times the steps of tasks, too. */
void starfish_progress_time_steps(struct starfish_progress *progress,
                                  struct starfish_stretch step[STARFISH_PROGRESS_STEPS]);
/* Tasks that are submitted from now on are of iteration number 1, 2, ...: for traces. */
void starfish_progress_iterate(struct starfish_progress *progress, int iteration);
/* Wait until every submitted task has finished; STARFISH_ERROR_RUNTIME when one of them failed, or when the runtime is
 * stuck (watchdog.h). Where the context's workers leave a core free, the first milliseconds are spent looking again and
 * again: to be woken up takes 50 us. */
starfish_status starfish_progress_wait(struct starfish_progress *progress);
void starfish_progress_destroy(struct starfish_progress *progress);

/* Since starfish_progress_init. */
double starfish_progress_seconds(const struct starfish_progress *progress);
double starfish_interval_seconds(struct starfish_interval interval);
/* For submit.c: a task spent `busy` on the phases; without `runs`, one that only helps another with its cores. */
void starfish_progress_divide(struct starfish_progress *progress, struct starfish_interval span, int runs,
                              const double busy[STARFISH_PROGRESS_PHASES]);
/* From the first start to the last end of a phase's own tasks, and its share of the time of tasks that phases share. */
double starfish_progress_phase_seconds(const struct starfish_progress *progress, int phase);

#endif
