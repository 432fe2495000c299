/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: a loop over independent items of a plan's setup, on the cores of all CPU workers. Unlike starfish_host_loop
 * (scheduler/runtime/host_loop.h), which replaces it in a context without CPU workers, it appears in traces and uses
 * only the cores of the context. */
#ifndef STARFISH_CODELETS_HOST_WORK_H
#define STARFISH_CODELETS_HOST_WORK_H

#include "scheduler/runtime/host_loop.h"
#include "scheduler/runtime/task.h"

/* Items 0 .. count-1 one by one, in any order and on any core; results must not depend on that. */
struct starfish_host_work {
    const char *name; /* of the tasks */
    starfish_host_body *body;
    void *data;
    size_t count;
};

/* Returns when all items are done: a task for each CPU worker, whose cores take the next item in turn. Errors: those of
 * submissions, and of waiting for the tasks. */
starfish_status starfish_host_work_run(struct starfish_context *context, const struct starfish_host_work *work);

#endif
