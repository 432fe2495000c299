/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements as a grid kind: everything on a grid is a product with a sparse matrix, so that neither elements nor
 * the dimension are known here (Geveler, Ribbrock, Goeddeke, Zajac, Turek, Computers & Fluids 80 (2013), 327-332).
 * Bound by memory: a smoothing step reads A and M once, which is all that the solver does most of its time.
 *
 * A grid has one column, its rows are the unknowns, of a part of it in local numbers with the ghosts behind them. A
 * step of the smoother is two sweeps, r = f - A u and u += damping M r, as M reads r beyond the rows of a task; by the
 * inverse diagonal it is one. The coarsest grid is solved by BiCGStab. */
#ifndef STARFISH_MULTIGRID_KERNELS_FEM_KIND_H
#define STARFISH_MULTIGRID_KERNELS_FEM_KIND_H

#include "multigrid/kernels/grid_kind.h"
#include "sparse/kernels/layout.h"

/* The operator, the restriction times it, the restriction, the prolongation from the next coarser grid, and M. The
 * residual is restricted as R f - (R A) u, which reads less than A and R one after the other. E and G do several steps
 * of the smoother at once (multigrid/fem_steps.h); only small grids have them. The coarsest grid of a singular problem
 * is solved with the pinned operator (multigrid/fem_pinned.h). */
enum starfish_fem_matrix {
    STARFISH_FEM_A,
    STARFISH_FEM_RA,
    STARFISH_FEM_R,
    STARFISH_FEM_P,
    STARFISH_FEM_M,
    STARFISH_FEM_E,
    STARFISH_FEM_G,
    STARFISH_FEM_PINNED,
    STARFISH_FEM_MATRICES
};

/* The table has what the layouts say, and where M is the inverse diagonal that. The coarsest grid has A and M alone, or
 * the pinned operator besides. */
struct starfish_fem_shape {
    size_t rows, coarse_rows;
    size_t all_rows; /* of A and M: with those of ghosts, where sweeps are done on these */
    struct starfish_sparse_layout matrix[STARFISH_FEM_MATRICES];
    size_t inverse; /* where M is the inverse diagonal it is at this word */
    double damping;
    int diagonal; /* it is */
    int at_once;  /* steps of the smoother that E and G do; 0: there are none */
};

enum starfish_fem_sweep {
    STARFISH_FEM_POINTS,
    STARFISH_FEM_RESIDUAL,
    STARFISH_FEM_ADD,
    STARFISH_FEM_OF_F, /* G f */
    STARFISH_FEM_OF_U, /* E u + g, g = G f in the place of f */
    STARFISH_FEM_SWEEPS
};

extern const struct starfish_grid_kind starfish_fem_kind;

#endif
