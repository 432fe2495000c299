/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One multigrid cycle over any hierarchy of grids: V, F or W, and full multigrid.
 *
 * The walk knows nothing of what a level is: a hierarchy's operations smooth, restrict, prolong and solve, be it by
 * submitting tasks (tasks/hierarchy.h) or by running kernels at once (tail.h). On every level there are a solution
 * u and a right-hand side f.
 *
 * Operations have an argument `zero`: until the first operation writes u, u stands for 0 whatever its memory holds.
 * That operation neither reads nor clears it.
 * Source: Briggs, Henson, McCormick, A Multigrid Tutorial, chapter 3. */
#ifndef STARFISH_MULTIGRID_CYCLE_H
#define STARFISH_MULTIGRID_CYCLE_H

#include <starfish/multigrid.h>

struct starfish_hierarchy {
    void *self;
    int levels; /* level 0 is the finest */
    /* u of the level becomes better by `steps` steps of the smoother, those before the coarse grid's correction or
     * after. Those before may wait for the restriction, which always follows. */
    starfish_status (*smooth)(void *self, int level, int steps, int after, int zero);
    /* f of level + 1 = restricted f - A u of level. */
    starfish_status (*restrict_residual)(void *self, int level, int zero);
    /* u of level += prolonged u of level + 1. */
    starfish_status (*prolong)(void *self, int level, int zero);
    /* The last level. It may stand for a hierarchy of its own, which does one such cycle: then `exact` is 0, and cycles
     * that visit the last level twice do. */
    starfish_status (*solve_coarsest)(void *self, int level, starfish_cycle_shape shape, int zero);
    int exact;
};

struct starfish_cycle {
    starfish_cycle_shape shape; /* FMG here: from the coarsest level up, a V cycle on each */
    int before, after;          /* smoothing steps */
};

/* u of `level` becomes better by one cycle from there down. */
starfish_status starfish_cycle_run(const struct starfish_hierarchy *hierarchy, const struct starfish_cycle *cycle,
                                   int level, int zero);

#endif
