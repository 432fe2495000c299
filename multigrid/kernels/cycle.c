/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cycle: smooth, restrict the residual, recurse, prolong, smooth. What a level is, how its operations are cut into
 * tasks, shared and fused, is the hierarchy's. */
#include "multigrid/kernels/cycle.h"

#include "base/status.h"

static starfish_status smooth_before(const struct starfish_hierarchy *h, const struct starfish_cycle *cycle, int level,
                                     int zero)
{
    return cycle->before > 0 ? h->smooth(h->self, level, cycle->before, 0, zero) : STARFISH_SUCCESS;
}

static starfish_status smooth_after(const struct starfish_hierarchy *h, const struct starfish_cycle *cycle, int level)
{
    return cycle->after > 0 ? h->smooth(h->self, level, cycle->after, 1, 0) : STARFISH_SUCCESS;
}

static starfish_status recurse(const struct starfish_hierarchy *h, const struct starfish_cycle *cycle,
                               starfish_cycle_shape shape, int level);

/* V, W or F, from a level down. */
static starfish_status run(const struct starfish_hierarchy *h, const struct starfish_cycle *cycle,
                           starfish_cycle_shape shape, int level, int zero)
{
    const int still_zero = zero && cycle->before == 0;

    if (level == h->levels - 1)
        return h->solve_coarsest(h->self, level, shape, zero);
    STARFISH_TRY(smooth_before(h, cycle, level, zero));
    STARFISH_TRY(h->restrict_residual(h->self, level, still_zero));
    STARFISH_TRY(recurse(h, cycle, shape, level + 1));
    STARFISH_TRY(h->prolong(h->self, level, still_zero));
    return smooth_after(h, cycle, level);
}

/* V: once. W: twice. F: once as F, once as V. An exact solution is not improved upon. */
static starfish_status recurse(const struct starfish_hierarchy *h, const struct starfish_cycle *cycle,
                               starfish_cycle_shape shape, int level)
{
    const int is_exact = level == h->levels - 1 && h->exact;

    STARFISH_TRY(run(h, cycle, shape, level, 1));
    if (shape == STARFISH_CYCLE_V || is_exact)
        return STARFISH_SUCCESS;
    return run(h, cycle, shape == STARFISH_CYCLE_F ? STARFISH_CYCLE_V : shape, level, 0);
}

/* Full multigrid: the right-hand side on every level, the coarsest solved, and upwards a V cycle that starts from the
 * level below. A solution that is there already is improved upon through its residual. */
static starfish_status run_full(const struct starfish_hierarchy *h, const struct starfish_cycle *cycle, int level,
                                int zero)
{
    const int last = h->levels - 1;

    for (int l = level; l < last; l++)
        STARFISH_TRY(h->restrict_residual(h->self, l, l > level || zero));
    STARFISH_TRY(h->solve_coarsest(h->self, last, STARFISH_CYCLE_FMG, last > level || zero));
    for (int l = last - 1; l >= level; l--) {
        STARFISH_TRY(h->prolong(h->self, l, l > level || zero));
        STARFISH_TRY(run(h, cycle, STARFISH_CYCLE_V, l, 0));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_cycle_run(const struct starfish_hierarchy *hierarchy, const struct starfish_cycle *cycle,
                                   int level, int zero)
{
    if (cycle->shape == STARFISH_CYCLE_FMG)
        return run_full(hierarchy, cycle, level, zero);
    return run(hierarchy, cycle, cycle->shape, level, zero);
}
