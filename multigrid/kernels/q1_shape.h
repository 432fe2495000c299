/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids of bilinear elements: their shape, where arrays lie in their table, and the sweeps of their smoothers. */
#ifndef STARFISH_MULTIGRID_KERNELS_Q1_SHAPE_H
#define STARFISH_MULTIGRID_KERNELS_Q1_SHAPE_H

#include "multigrid/kernels/band.h"
#include "multigrid/kernels/grid_kind.h"

/* The shape of a grid, and how the next finer one is interpolated from it; its table is
 *     matrix, left and right of x, left and right of y, and the inverse if it is `coarsest` and solved by it,
 * the matrix as bands (starfish_band_table_start, or in 16 bits starfish_band_packed_size) or, where `tensor`, as
 * widths and inverse widths of the elements in x and in y, of which there are one more than unknowns. */
struct starfish_q1_shape {
    size_t n[2], stride[2], origin[2];
    int coarsest;
    enum starfish_band_storage storage; /* of struct starfish_band_matrix, as the next two */
    double scale;
    int diagonals;
    int tensor;
    double reaction;   /* of tensor products */
    double eigenvalue; /* an upper bound of those of D^-1 A; for Chebyshev's steps alone */
};
size_t starfish_q1_table_weights(const struct starfish_q1_shape *shape); /* where left of x begins */
size_t starfish_q1_table_inverse(const struct starfish_q1_shape *shape);
size_t starfish_q1_table_size(const struct starfish_q1_shape *shape);

/* Sweeps. Even rows and odd rows by points are a four-colour step; even lines and odd lines in x, then in y, a zebra
 * step. */
enum starfish_q1_sweep {
    STARFISH_Q1_LINES_X,
    STARFISH_Q1_LINES_Y,
    STARFISH_Q1_POINTS,
    STARFISH_Q1_ROWS_EVEN,
    STARFISH_Q1_ROWS_ODD,
    STARFISH_Q1_EVEN_LINES_X,
    STARFISH_Q1_ODD_LINES_X,
    STARFISH_Q1_EVEN_LINES_Y,
    STARFISH_Q1_ODD_LINES_Y,
    STARFISH_Q1_SWEEPS
};

#endif
