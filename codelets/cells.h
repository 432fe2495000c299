/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: a step of an iteration on the planes of one part (krylov/kernels/cells.h), or a preconditioner by runs of
 * unknowns (krylov/kernels/blocks.h). Vectors are on a space of n[0] * n[1] columns and n[2] rows. */
#ifndef STARFISH_CODELETS_CELLS_H
#define STARFISH_CODELETS_CELLS_H

#include "codelets/vectors.h"
#include "krylov/kernels/cells.h"

/* A matrix in the precision of its vectors: `table` is what matrix.stored, or where that is NULL matrix.k, points to on
 * a worker; the pointers themselves only say which. */
struct starfish_cell_operator {
    struct starfish_cell_matrix matrix;
    int stored;
    starpu_data_handle_t table;
};

struct starfish_cells_task {
    const struct starfish_cell_operator *op;
    enum starfish_cell_step step;
    /* Instead of a step: blocks of so many unknowns, or lines. */
    int by_runs;
    size_t block;
    /* As struct starfish_cells has them; what a step does not have is not looked at. One vector may be several. */
    const struct starfish_vector *u, *f, *q, *v, *r;
    starpu_data_handle_t table;          /* of the preconditioner */
    starpu_data_handle_t domain, coarse; /* of prolongation */
    struct starfish_factor factor;
    const struct starfish_sums *sums; /* or NULL */
};
/* A task for each part. */
starfish_status starfish_submit_cells(const struct starfish_algebra *algebra, const struct starfish_cells_task *task);

#endif
