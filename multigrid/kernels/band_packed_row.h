/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What band_row.h needs of a matrix whose entries X, Y and Q are stored in 16 bits (band.h): conversion is on load, by
 * integer operations that every instruction set has side by side. */
#ifndef STARFISH_MULTIGRID_BAND_PACKED_ROW_H
#define STARFISH_MULTIGRID_BAND_PACKED_ROW_H

#include "multigrid/kernels/band.h"

#include "base/clones.h"
#include "base/real.h"

#include <stdint.h>
#include <string.h>

enum { ENTRIES_ARE_REALS = 0 };

/* One row of the matrix, entries of it and of the row below, and of what it is applied to. Rows that are missing are
 * the row itself: their entries are 0. */
struct row {
    const uint16_t *x, *y, *y_below, *q, *q_below;
    const real *sum, *u[3], *f;
    real scale;
};

static inline struct row row_of(const struct starfish_band_matrix *matrix, const void *u, const void *f, size_t j)
{
    const size_t nx = matrix->nx, start = j * nx;
    const real *middle = u ? (const real *)u + start : NULL;
    struct row row = {.x = (const uint16_t *)matrix->band[STARFISH_BAND_E] + start,
                      .y = (const uint16_t *)matrix->band[STARFISH_BAND_N] + start,
                      .q = (const uint16_t *)matrix->band[STARFISH_BAND_NE] + start,
                      .sum = (const real *)matrix->band[STARFISH_BAND_SUM] + start,
                      .u = {middle, middle, middle},
                      .f = f ? (const real *)f + start : NULL,
                      .scale = (real)matrix->scale};

    row.y_below = row.y - nx;
    row.q_below = row.q - nx;
    if (u && j > 0)
        row.u[0] = middle - nx;
    if (u && j + 1 < matrix->ny)
        row.u[2] = middle + nx;
    return row;
}

/* Times 2^112 as binary16, whose exponent has three bits less: subnormal numbers become normal ones. */
STARFISH_ALWAYS_INLINE real entry(uint16_t stored)
{
    union {
        uint32_t bits;
        float value;
    } u;
#if defined(STARFISH_STORED_BF16)
    u.bits = (uint32_t)stored << 16;
    return u.value;
#else
    u.bits = (uint32_t)(stored & 0x7fffu) << 13 | (uint32_t)(stored & 0x8000u) << 16;
    return u.value * 0x1p112f;
#endif
}

/* Entries around unknown i. */
struct around {
    real west, east, south, north, southwest, southeast, northwest, northeast;
};

STARFISH_ALWAYS_INLINE struct around entries_around(const struct row *row, size_t i)
{
    const struct around a = {.west = entry((row->x - 1)[i]),
                             .east = entry(row->x[i]),
                             .south = entry(row->y_below[i]),
                             .north = entry(row->y[i]),
                             .southwest = entry((row->q_below - 1)[i]),
                             .southeast = entry(row->q_below[i]),
                             .northwest = entry((row->q - 1)[i]),
                             .northeast = entry(row->q[i])};
    return a;
}

/* Row times u at unknown i, with west and east of it where there are such. */
STARFISH_ALWAYS_INLINE real product(const struct row *row, size_t i, size_t west, size_t east)
{
    const struct around a = entries_around(row, i);
    const real *below = row->u[0], *middle = row->u[1], *above = row->u[2];
    const real here = middle[i], w = middle[west] - here, e = middle[east] - here;
    const real s = below[i] - here, n = above[i] - here;
    const real edges = (a.west * w + a.east * e) + (a.south * s + a.north * n);
    const real corners = (a.southwest * ((below[west] - below[i]) - w) + a.southeast * ((below[east] - below[i]) - e)) +
                         (a.northwest * ((above[west] - above[i]) - w) + a.northeast * ((above[east] - above[i]) - e));

    return row->scale * (edges + corners) + row->sum[i] * here;
}

STARFISH_ALWAYS_INLINE real diagonal(const struct row *row, size_t i)
{
    const struct around a = entries_around(row, i);

    return row->sum[i] + row->scale * (((a.southwest + a.southeast) + (a.northwest + a.northeast)) -
                                       ((a.west + a.east) + (a.south + a.north)));
}

/* The entries of unknown i and the next one in x, in y. */
STARFISH_ALWAYS_INLINE real ahead_in_x(const struct row *row, size_t i)
{
    return row->scale * (entry(row->x[i]) - (entry(row->q[i]) + entry(row->q_below[i])));
}

STARFISH_ALWAYS_INLINE real ahead_in_y(const struct row *row, size_t i)
{
    return row->scale * (entry(row->y[i]) - (entry(row->q[i]) + entry((row->q - 1)[i])));
}

/* The latter of the whole row, if they are. */
STARFISH_ALWAYS_INLINE const real *stored_ahead_in_y(const struct row *row)
{
    (void)row;
    return NULL;
}

#endif
