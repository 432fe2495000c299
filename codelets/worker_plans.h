/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Library plans of which each GPU worker has its own, since plans of cuFFT and cuBLAS serve one stream at a time. */
#ifndef STARFISH_CODELETS_WORKER_PLANS_H
#define STARFISH_CODELETS_WORKER_PLANS_H

#include "scheduler/runtime/context.h"

struct starfish_worker_plans {
    struct starfish_context *context; /* NULL before create and after destroy */
    /* Both with the worker's device current; `recipe` is what the plan is made from. */
    starfish_status (*create)(void **plan, const void *recipe);
    void (*destroy)(void *plan);
    const void *recipe;             /* during creation only */
    void *plan[STARPU_NMAXWORKERS]; /* by the context's worker number; NULL for CPUs */
    starfish_status status[STARPU_NMAXWORKERS];
};

/* `what` names the plan in the message when `create` failed on a worker. Without GPU workers nothing is called. */
starfish_status starfish_worker_plans_create(struct starfish_worker_plans *plans, struct starfish_context *context,
                                             const char *what,
                                             starfish_status (*create)(void **plan, const void *recipe),
                                             void (*destroy)(void *plan), const void *recipe);
/* May follow a creation that failed, and one that never was if *plans is zero. */
void starfish_worker_plans_destroy(struct starfish_worker_plans *plans);
/* Inside a task on a GPU: the plan of the running worker. */
void *starfish_worker_plans_here(const struct starfish_worker_plans *plans);

#endif
