/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: several successive sweeps on one part of a grid, its ghosts included. The ghosts are correct before the first
 * sweep; errors at their rim move inwards with each sweep (struct starfish_hierarchy_index_sets). One task per sweep
 * would cost some 10 us of waiting, where a sweep on a GPU's part takes 50 us. */
#ifndef STARFISH_CODELETS_SWEEPS_H
#define STARFISH_CODELETS_SWEEPS_H

#include "codelets/grid.h"

enum { STARFISH_SWEEPS_MOST = 64 };

struct starfish_one_sweep {
    int sweep, zero; /* zero: what it adds to is zero yet, whatever its memory holds */
    double damping;
};

/* u[0] holds the solution, or what the sweep before has made of it; each sweep goes from one array to the other, and
 * the edges of the last one's result are published. All on spaces whose parts are apart. */
struct starfish_sweeps_task {
    const void *shape;
    starpu_data_handle_t table;
    size_t part;
    struct starfish_rectangle at; /* what each of them writes, ghosts included */
    int count;                    /* 1 .. STARFISH_SWEEPS_MOST */
    struct starfish_one_sweep sweep[STARFISH_SWEEPS_MOST];
    const struct starfish_vector *u[2], *f;
};
/* On a simulated machine: has it times of such tasks on all of the context's workers? 1 where nothing is simulated. */
int starfish_sweeps_known(const struct starfish_context *context);

starfish_status starfish_submit_sweeps(struct starfish_progress *progress, const struct starfish_grid_setting *setting,
                                       const struct starfish_sweeps_task *task);

#endif
