/* The public plan: an engine, and the queue of its jobs. */
#ifndef STARFISH_MULTIGRID_PLAN_H
#define STARFISH_MULTIGRID_PLAN_H

#include "multigrid/engine.h"
#include "scheduler/driver.h"

struct starfish_multigrid_plan {
    struct starfish_multigrid_engine *engine;
    struct starfish_queue queue;
    starfish_multigrid_progress *tell;
    void *tell_data;
};

/* A plan with an engine of that kind; arguments may be what a caller should not have passed. */
starfish_status starfish_multigrid_plan_create(struct starfish_context *context,
                                               const struct starfish_multigrid_hooks *hooks, const void *problem,
                                               const struct starfish_multigrid_options *options,
                                               starfish_multigrid_plan **result);
/* A plan that owns the engine. MEMORY: then the engine is destroyed. */
starfish_status starfish_multigrid_plan_of(struct starfish_multigrid_engine *engine, starfish_multigrid_plan **result);

#endif
