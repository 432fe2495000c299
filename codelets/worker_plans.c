/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of each GPU worker (worker_plans.h), created and destroyed on that worker, where its device is current. */
#include "codelets/worker_plans.h"

#include <string.h>

static void create_on_worker(void *data, size_t worker)
{
    struct starfish_worker_plans *plans = data;
    if (starfish_context_worker_kind(plans->context, worker) == STARFISH_GPU)
        plans->status[worker] = plans->create(&plans->plan[worker], plans->recipe);
}

static void destroy_on_worker(void *data, size_t worker)
{
    struct starfish_worker_plans *plans = data;
    if (plans->plan[worker])
        plans->destroy(plans->plan[worker]);
}

starfish_status starfish_worker_plans_create(struct starfish_worker_plans *plans, struct starfish_context *context,
                                             const char *what,
                                             starfish_status (*create)(void **plan, const void *recipe),
                                             void (*destroy)(void *plan), const void *recipe)
{
    memset(plans, 0, sizeof *plans);
    if (context->workers_of[STARFISH_GPU] == 0)
        return STARFISH_SUCCESS;
    plans->context = context;
    plans->create = create;
    plans->destroy = destroy;
    plans->recipe = recipe;
    STARFISH_TRY(starfish_context_on_each_worker(context, what, create_on_worker, plans));
    for (size_t worker = 0; worker < context->workers; worker++)
        if (plans->status[worker] != STARFISH_SUCCESS)
            return starfish_fail(plans->status[worker], "cannot create %s on worker %zu", what, worker);
    return STARFISH_SUCCESS;
}

void starfish_worker_plans_destroy(struct starfish_worker_plans *plans)
{
    if (plans->context)
        starfish_context_on_each_worker(plans->context, "destroy plans", destroy_on_worker, plans);
    plans->context = NULL;
}

void *starfish_worker_plans_here(const struct starfish_worker_plans *plans)
{
    return plans->plan[starfish_context_current_worker(plans->context)];
}
