/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What band_row.h needs of a matrix of nine bands of reals: pointers to a row's entries, products and diagonals. */
#ifndef STARFISH_MULTIGRID_BAND_REAL_ROW_H
#define STARFISH_MULTIGRID_BAND_REAL_ROW_H

#include "multigrid/kernels/band.h"

#include "base/clones.h"
#include "base/real.h"

#include <string.h>

enum { ENTRIES_ARE_REALS = 1 };

/* One row of the matrix and of what it is applied to. Rows that are missing are the row itself: their entries are 0. */
struct row {
    const real *band[STARFISH_BANDS], *u[3], *f;
    real own; /* 1, or 0 in matrices with diagonals: what part of u here is taken from its neighbours */
};

static inline struct row row_of(const struct starfish_band_matrix *matrix, const void *u, const void *f, size_t j)
{
    const size_t nx = matrix->nx, start = j * nx;
    const real *middle = u ? (const real *)u + start : NULL;
    struct row row = {
        .u = {middle, middle, middle}, .f = f ? (const real *)f + start : NULL, .own = !matrix->diagonals};

    for (int b = 0; b < STARFISH_BANDS; b++)
        row.band[b] = (const real *)matrix->band[b] + start;
    if (u && j > 0)
        row.u[0] = middle - nx;
    if (u && j + 1 < matrix->ny)
        row.u[2] = middle + nx;
    return row;
}

/* Row times u at unknown i, with west and east of it where there are such. */
STARFISH_ALWAYS_INLINE real product(const struct row *row, size_t i, size_t west, size_t east)
{
    const real *const *b = row->band;
    const real *south = row->u[0], *middle = row->u[1], *north = row->u[2];
    const real here = row->own * middle[i];

    return ((b[STARFISH_BAND_SW][i] * (south[west] - here) + b[STARFISH_BAND_S][i] * (south[i] - here)) +
            (b[STARFISH_BAND_SE][i] * (south[east] - here) + b[STARFISH_BAND_W][i] * (middle[west] - here))) +
           ((b[STARFISH_BAND_NW][i] * (north[west] - here) + b[STARFISH_BAND_N][i] * (north[i] - here)) +
            (b[STARFISH_BAND_NE][i] * (north[east] - here) + b[STARFISH_BAND_E][i] * (middle[east] - here))) +
           b[STARFISH_BAND_SUM][i] * middle[i];
}

STARFISH_ALWAYS_INLINE real diagonal(const struct row *row, size_t i)
{
    const real *const *b = row->band;

    return b[STARFISH_BAND_SUM][i] -
           row->own *
               (((b[STARFISH_BAND_SW][i] + b[STARFISH_BAND_S][i]) + (b[STARFISH_BAND_SE][i] + b[STARFISH_BAND_W][i])) +
                ((b[STARFISH_BAND_NW][i] + b[STARFISH_BAND_N][i]) + (b[STARFISH_BAND_NE][i] + b[STARFISH_BAND_E][i])));
}

/* The entries of unknown i and the next one in x, in y. */
STARFISH_ALWAYS_INLINE real ahead_in_x(const struct row *row, size_t i)
{
    return row->band[STARFISH_BAND_E][i];
}

STARFISH_ALWAYS_INLINE real ahead_in_y(const struct row *row, size_t i)
{
    return row->band[STARFISH_BAND_N][i];
}

/* The latter of the whole row, if they are. */
STARFISH_ALWAYS_INLINE const real *stored_ahead_in_y(const struct row *row)
{
    return row->band[STARFISH_BAND_N];
}

#endif
