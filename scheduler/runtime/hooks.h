/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hooks by which the laboratory is tied to the runtime. The runtime calls them where they are set, and works
 * without any of them. */
#ifndef STARFISH_SCHEDULER_RUNTIME_HOOKS_H
#define STARFISH_SCHEDULER_RUNTIME_HOOKS_H

#include "scheduler/runtime/context.h"

#include <starpu.h>

struct starfish_task;
struct starfish_task_header;

/* Observes the tasks of one context (context.h). */
struct starfish_observer {
    /* Before a task is submitted; returns the observer's number of it (task.h). In the thread that submits. */
    size_t (*submitted)(struct starfish_observer *observer, const struct starfish_task *task,
                        struct starpu_task *starpu_task);
    /* After a task, in any thread. info: NULL where it ran on no worker. team: of its worker, or NULL. now: in
     * microseconds of the clock of `info`. */
    void (*finished)(struct starfish_observer *observer, const struct starfish_task_header *header,
                     const struct starpu_profiling_task_info *info, const struct starfish_team *team, double now);
};

/* Set before the first context is created. */
struct starfish_hooks {
    /* Error: ARGUMENT, which begins with `source`, where there is no policy of that name. NULL: StarPU decides. */
    starfish_status (*check_policy)(const char *source, const char *name);
    /* A policy that StarPU does not have; NULL: it has it. */
    struct starpu_sched_policy *(*find_policy)(const char *name);
    /* The sizes that a footprint was made of. Any thread. */
    void (*note_sizes)(uint32_t hash, const size_t *values, size_t count);
    /* On a simulated machine alone, where all are set. length: of a task, in microseconds, NaN where it is not known.
     * is_known: 1 where that is more than a guess. check_length: UNSUPPORTED where a worker's is not known.
     * begin_solve: before the first task of a solve. */
    double (*length)(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation);
    int (*is_known)(struct starpu_task *task, unsigned worker);
    starfish_status (*check_length)(struct starpu_task *task);
    int (*times_known)(const struct starpu_codelet *codelet, const struct starfish_context *context,
                       starfish_worker_kind kind);
    void (*begin_solve)(void);
};
extern struct starfish_hooks starfish_hooks;

/* Whether any time of a codelet on that kind of the context's workers was recorded, on cores by teams of that size; 1
 * where nothing is simulated. Graphs that have newer tasks and older ones take the older ones on a machine that was
 * recorded before the newer. */
int starfish_times_known(const struct starpu_codelet *codelet, const struct starfish_context *context,
                         starfish_worker_kind kind);
/* The same of all kinds that the context has. */
int starfish_times_known_everywhere(const struct starpu_codelet *codelet, const struct starfish_context *context);

#endif
