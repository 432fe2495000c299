/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: several operations of a grid's kind on one part, one after the other, between two exchanges of halos. Each
 * operation also covers the rows beyond the part that the next ones read, so no exchange is needed in between. A grid's
 * cycle is two such tasks per part: sweeps and restriction on the way down, correction and sweeps on the way up.
 *
 * A visit without transfers has sweeps alone, for parts that are index sets. Each covers the part and all its ghosts,
 * which are correct before the first sweep; errors at their rim move inwards with each sweep (struct
 * starfish_hierarchy_index_sets). One task per sweep would cost some 10 us of waiting, where a sweep on a GPU's part
 * takes 50 us. */
#ifndef STARFISH_CODELETS_VISIT_H
#define STARFISH_CODELETS_VISIT_H

#include "codelets/grid.h"

enum { STARFISH_VISIT_STEPS = 64 };

/* y0 .. y1-1: the rows that are written, of the coarse grid by RESTRICT, rows beyond the part included. */
struct starfish_visit_step {
    enum starfish_grid_operation operation;
    int sweep;
    double damping;
    uint32_t y0, y1;
};

/* In their order: PROLONG where the kind's sweeps do not add a correction, SMOOTH, RESTRICT. What is read of the
 * arrays before: extents; of u nothing where `zero`, but its first sweep writes so much; of the coarse grid's solution
 * only where `adds`. A first sweep that adds to its result reads u, and what it adds to is taken for zero where `zero`.
 *
 * A part's neighbours read the edges of its solution as they were, whether their tasks run before this one or after it.
 * So the solution must end in the other array: where the number of sweeps is even it is copied there first. */
struct starfish_visit {
    int steps, sweeps, zero, adds, copies;
    struct starfish_extent u, f, coarse;
    struct starfish_visit_step step[STARFISH_VISIT_STEPS];
};

/* Does a visit leave the solution in the other array? */
static inline int starfish_visit_flips(const struct starfish_visit *visit)
{
    return (visit->sweeps + visit->copies) % 2;
}

/* u: first the array that holds the solution, beyond the part, too, where that is `known`. coarse: the solution to be
 * added, or with a restriction its result; NULL without transfers. All on spaces whose parts are apart. */
struct starfish_visit_task {
    const struct starfish_visit *visit;
    const void *shape, *coarse_shape;
    starpu_data_handle_t table, coarse_table;
    size_t part;
    int known;
    const struct starfish_vector *u[2], *f, *coarse;
};
/* On a simulated machine: has it times of such tasks, with transfers or without, on all of the context's workers? 1
 * where nothing is simulated. */
int starfish_visits_recorded(const struct starfish_context *context, int transfers);
starfish_status starfish_submit_visit(struct starfish_progress *progress, const struct starfish_grid_setting *setting,
                                      const struct starfish_visit_task *task);

#endif
