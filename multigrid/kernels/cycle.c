/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The walk of a multigrid cycle (cycle.h): V, F and W cycles, and full multigrid, over a hierarchy of which it sees
 * operations alone. */
#include "multigrid/kernels/cycle.h"

#include "base/status.h"

static starfish_status visit(const struct starfish_hierarchy *h, const struct starfish_cycle *cycle,
                             starfish_cycle_shape shape, int level, int zero);

/* F: once in its own shape, once as V. W: twice in its own. An exact solution is not improved upon. */
static starfish_status visit_coarser(const struct starfish_hierarchy *h, const struct starfish_cycle *cycle,
                                     starfish_cycle_shape shape, int level)
{
    const int last = level == h->levels - 1;

    STARFISH_TRY(visit(h, cycle, shape, level, 1));
    if (shape == STARFISH_CYCLE_V || (last && h->exact))
        return STARFISH_SUCCESS;
    return visit(h, cycle, shape == STARFISH_CYCLE_F ? STARFISH_CYCLE_V : shape, level, 0);
}

static starfish_status go_down(const struct starfish_hierarchy *h, const struct starfish_cycle *cycle, int level,
                               int zero)
{
    if (cycle->before > 0 && h->smooth_and_restrict)
        return h->smooth_and_restrict(h->self, level, cycle->before, zero);
    if (cycle->before > 0)
        STARFISH_TRY(h->smooth(h->self, level, cycle->before, 0, zero));
    return h->restrict_residual(h->self, level, zero && cycle->before == 0);
}

static starfish_status visit(const struct starfish_hierarchy *h, const struct starfish_cycle *cycle,
                             starfish_cycle_shape shape, int level, int zero)
{
    if (level == h->levels - 1)
        return h->solve_coarsest(h->self, level, shape, zero);
    STARFISH_TRY(go_down(h, cycle, level, zero));
    STARFISH_TRY(visit_coarser(h, cycle, shape, level + 1));
    STARFISH_TRY(h->prolong(h->self, level, zero && cycle->before == 0));
    return cycle->after > 0 ? h->smooth(h->self, level, cycle->after, 1, 0) : STARFISH_SUCCESS;
}

/* Full multigrid: the right-hand side on every level, the coarsest solved, and upwards a V cycle that starts from the
 * level below. A solution that is there already is improved upon through its residual. */
static starfish_status visit_full(const struct starfish_hierarchy *h, const struct starfish_cycle *cycle, int level,
                                  int zero)
{
    const int last = h->levels - 1;

    for (int l = level; l < last; l++)
        STARFISH_TRY(h->restrict_residual(h->self, l, l > level || zero));
    STARFISH_TRY(h->solve_coarsest(h->self, last, STARFISH_CYCLE_FMG, last > level || zero));
    for (int l = last - 1; l >= level; l--) {
        STARFISH_TRY(h->prolong(h->self, l, l > level || zero));
        STARFISH_TRY(visit(h, cycle, STARFISH_CYCLE_V, l, 0));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_cycle_run(const struct starfish_hierarchy *hierarchy, const struct starfish_cycle *cycle,
                                   int level, int zero)
{
    if (cycle->shape == STARFISH_CYCLE_FMG)
        return visit_full(hierarchy, cycle, level, zero);
    return visit(hierarchy, cycle, cycle->shape, level, zero);
}
