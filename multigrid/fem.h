/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Multigrid engines of grids that are sparse matrices (multigrid/kernels/fem_kind.h), on unstructured grids that are
 * cut into runs of unknowns. */
#ifndef STARFISH_MULTIGRID_FEM_H
#define STARFISH_MULTIGRID_FEM_H

#include "multigrid/engine.h"
#include "sparse/matrix.h"
#include <starfish/fem.h>

/* A grid, finest first: its operator, the prolongation from the next coarser grid (none for the last), and what smooths
 * it: a matrix M, or where that is empty the inverse of the diagonal. */
struct starfish_fem_grid {
    struct starfish_csr a, p, m;
    double damping;
};

/* How the first `levels` grids are cut: part p has the rows first[level][p] .. first[level][p+1] - 1. Halos are found
 * from the matrices. Where owners are of several ranks, all of them cut alike and make their plans together; a rank
 * needs all rows of the last of these grids and of coarser ones, and of the others the rows of its own parts. */
struct starfish_fem_cut {
    size_t parts;
    int levels;
    const size_t *const *first;
    const struct starfish_owner *owner; /* NULL: STARFISH_ANY */
    /* By level: sweeps of a smoothing between two exchanges of halos, which then have so many rings of neighbours,
     * whose rows of A and M a rank has too (struct starfish_hierarchy_index_sets); NULL: 0. */
    const int *ahead;
};

struct starfish_fem_grids {
    int levels;
    const struct starfish_fem_grid *grid;
    starfish_sparse_format format, format_of_small; /* of grids, and of those with few rows; not AUTO */
    double coarse_tolerance;
    int coarse_iterations;
    const struct starfish_fem_cut *cut; /* NULL: chosen from the workers */
    int steps_at_once; /* small grids have matrices of several smoothing steps, as is good on GPUs (fem_steps.h) */
};

/* Complete an engine that has been begun, on all ranks. Matrices may go. Errors: UNSUPPORTED (too large for 2^31
 * entries), MEMORY, RUNTIME. */
starfish_status starfish_fem_grids_complete(struct starfish_multigrid_engine *engine,
                                            const struct starfish_fem_grids *grids);

#endif
