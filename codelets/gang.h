/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One task on many cores: work in steps, each of as many items, which the cores of the task's worker and those of idle
 * workers share.
 *
 * A step begins when all items of the previous step are done. The first worker submits a helping task for each other
 * worker. A helper joins when its task starts. In each step it first processes its own items, whose data are in its
 * caches, then items that no core has begun. No helper is required for completion, and late helpers are not waited for.
 * A step should take many microseconds. The work logs its activities (base/activity.h); this file logs the waiting. */
#ifndef STARFISH_CODELETS_GANG_H
#define STARFISH_CODELETS_GANG_H

#include "scheduler/runtime/task.h"

#include <stdatomic.h>

enum { STARFISH_GANG_MOST_ITEMS = 256 };

struct starfish_gang {
    const struct starfish_context *context;
    size_t cores; /* that may come */
    /* Does an item; part: of the running worker's team, whose work space it may use. */
    void (*work)(void *data, size_t step, size_t item, size_t part);
    void *data;
    size_t items;
    uint32_t footprint;                            /* of what is done, for the times of those who help */
    atomic_size_t steps;                           /* 0: nothing to be done */
    atomic_size_t step;                            /* that is being done */
    atomic_size_t done;                            /* items of all steps */
    atomic_size_t joined;                          /* cores so far, */
    atomic_size_t here;                            /* and those that have not left */
    atomic_size_t begun[STARFISH_GANG_MOST_ITEMS]; /* steps of which the item has been begun */
};

/* Cores of all CPU workers. */
size_t starfish_gang_cores(const struct starfish_context *context);

/* Inside a CPU task of `progress`: items 0 .. items-1 of steps 0 .. steps-1. `gang` is not used by two tasks at once,
 * and outlives the job. */
void starfish_gang_run(struct starfish_gang *gang, struct starfish_progress *progress, int phase, size_t steps);

#endif
