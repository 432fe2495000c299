/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: some steps of deflated conjugate gradients on cells that are in one part (krylov/kernels/gradients.h). On a GPU
 * its launches are one CUDA graph from the second time on. */
#ifndef STARFISH_CODELETS_GRADIENTS_H
#define STARFISH_CODELETS_GRADIENTS_H

#include "codelets/cells.h"
#include "codelets/coarse.h"
#include "multigrid/kernels/tail.h"
#include "scheduler/runtime/task_group_replay.h"
#include "scheduler/runtime/workspace.h"

/* A preconditioner of ANOTHER kind: a cycle over grids that are all in the tail, with what has its arrays. */
struct starfish_gradients_cycle {
    const struct starfish_tail *tail;
    struct starfish_tail_costs *costs; /* of the tail */
    const starfish_handle *table;      /* of each grid */
    starfish_cycle_shape shape;
    const struct starfish_workspace *workspace;
};

struct starfish_gradients_task {
    const struct starfish_cell_operator *op;
    enum starfish_cell_preconditioner by;         /* ANOTHER: by a team of cores alone */
    const struct starfish_gradients_cycle *cycle; /* of ANOTHER */
    size_t block;                                 /* of blocks */
    starpu_data_handle_t table;                   /* of the preconditioner; NULL: it has none */
    /* Deflation: NULL: none; domains of the cells, their chunks, the matrix, on a GPU no band. */
    const struct starfish_coarse_matrix *coarse;
    const struct starfish_chunks *chunks;
    starpu_data_handle_t domain;
    const struct starfish_vector *r, *z, *p[2], *q, *x; /* p: as the kernel's */
    starpu_data_handle_t state, norm, product, rz;
    int first, count; /* steps */
    struct starfish_replays *replays;
};
/* Is there a worker that does such tasks, and where machines are simulated, a time of them? On a GPU E may not be a
 * band, on cores there must be one core or one team that does them all, by ANOTHER preconditioner there is no GPU. */
int starfish_gradients_fit(const struct starfish_space *space, enum starfish_cell_preconditioner by,
                           enum starfish_coarse_form form);
/* Vectors are in one part, and owned by one worker. */
starfish_status starfish_submit_gradients(const struct starfish_algebra *algebra,
                                          const struct starfish_gradients_task *task);

#endif
