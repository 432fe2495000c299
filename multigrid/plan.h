/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public plan: an engine and its description. Families with engines of their own kinds of grids have other plans
 * around them. */
#ifndef STARFISH_MULTIGRID_PLAN_H
#define STARFISH_MULTIGRID_PLAN_H

#include "multigrid/engine.h"
#include "solver/solver.h"

struct starfish_multigrid_plan {
    struct starfish_plan plan; /* the first member */
    struct starfish_multigrid_engine *engine;
    char reason[128];
};

/* A plan with an engine of that kind; arguments may be what a caller should not have passed. */
starfish_status starfish_multigrid_plan_create(struct starfish_context *context,
                                               const struct starfish_multigrid_hooks *hooks, const void *problem,
                                               const struct starfish_multigrid_options *options,
                                               starfish_plan **result);
/* A plan that owns the engine, which was begun at the time `start`. MEMORY: then the engine is destroyed. */
starfish_status starfish_multigrid_plan_of(struct starfish_multigrid_engine *engine, double start,
                                           starfish_plan **result);

#endif
