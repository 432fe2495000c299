/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A row of columns of a flat domain on the CPU, in pieces: what flat_cpu.c and flat_transfer_cpu.c share. Loops run
 * along x, over FLAT_PIECE columns at most, whose lines in the height fit the cache. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_ROW_H
#define STARFISH_MULTIGRID_KERNELS_FLAT_ROW_H

#include "base/real.h"
#include "multigrid/kernels/flat.h"

enum { FLAT_PIECE = STARFISH_FLAT_PIECE, FLAT_RING = STARFISH_FLAT_RING };

/* Values of row j and of the rows below and above it, layer 0, as wide as the grid; NULL: zeros. */
struct flat_rows {
    const real *here, *below, *above;
};

/* Columns i0 .. i0+count-1 of row j. */
struct flat_piece {
    size_t i0, count, j;
    real mass[FLAT_PIECE], lift[FLAT_PIECE], left[FLAT_PIECE], right[FLAT_PIECE], low[FLAT_PIECE], high[FLAT_PIECE];
    real faces[FLAT_PIECE];        /* the sum of the four, and of the corners */
    real corner[2][2][FLAT_PIECE]; /* [north][east]; unset where the matrix has none */
};

/* The piece that begins at column i0 of row j. */
void REAL_NAME(starfish_flat_piece)(const struct starfish_flat_matrix *matrix, size_t i0, size_t j,
                                    struct flat_piece *piece);
/* out = f - A u in layer k of a piece; f: that layer of the row, NULL: zeros. */
void REAL_NAME(starfish_flat_piece_residual)(const struct starfish_flat_matrix *matrix, const struct flat_piece *piece,
                                             const struct flat_rows *rows, size_t k, const real *f, real *out);
/* v = u + P coarse in fine row j, all layers; t: of both directions; u NULL: zeros; v may be u. `work`: reals for a
 * coarse line and two more. */
void REAL_NAME(starfish_flat_prolong_row)(const struct starfish_flat_transfer *t, size_t layers, size_t j,
                                          const real *coarse, const real *u, real *v, real *work);
/* The row beyond row j of an array, by `step` (-1, 0 or 1); NULL: there is none. */
const real *REAL_NAME(starfish_flat_row)(const struct starfish_flat_matrix *matrix, const void *array, size_t j,
                                         int step);

#endif
