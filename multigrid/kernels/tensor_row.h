/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A row of a sum of tensor products on the CPU: what the kernels of tensor_cpu.c and columns_cpu.c are made of. Inlined
 * into loops that are compiled for several instruction sets.
 *
 * A u = S_x (M_y u) + M_x (S_y u + reaction M_y u): rows are combined in y first, a piece at a time on the stack, and
 * that in x. Stiffness is differences, as in band.h. */
#ifndef STARFISH_MULTIGRID_TENSOR_ROW_H
#define STARFISH_MULTIGRID_TENSOR_ROW_H

#include "multigrid/kernels/tensor.h"

#include "base/clones.h"
#include "base/real.h"

#include <string.h>

enum { TENSOR_PIECE = 512 };

/* Of a row: the axis in x, the matrices in y, and three rows of u, of which those that are missing are the middle one,
 * times 0. */
struct tensor_row {
    size_t nx;
    const real *width, *inverse;
    real stiffness[2], mass[3];        /* in y: of the elements below and above, and of the three rows */
    real below, above;                 /* 1, or 0 where that row is missing */
    real own_mass, own_stiffness, low; /* of this row: mass, stiffness with reaction; the coupling's to the row below */
    real low_mass;
    real reaction;
    const real *u[3], *f;
};

static inline struct tensor_row tensor_row_of(const struct starfish_band_matrix *matrix, const void *u, const void *f,
                                              size_t j)
{
    const size_t nx = matrix->nx;
    const real *width = (const real *)matrix->axis[1].width + j, *inverse = (const real *)matrix->axis[1].inverse + j;
    const real reaction = (real)matrix->reaction, sixth = (real)(1.0 / 6);
    const real *middle = u ? (const real *)u + j * nx : NULL;
    const int below = j > 0, above = j + 1 < matrix->ny;

    return (struct tensor_row){
        .nx = nx,
        .width = matrix->axis[0].width,
        .inverse = matrix->axis[0].inverse,
        .stiffness = {inverse[0], inverse[1]},
        .mass = {(real)below * width[0] * sixth, (width[0] + width[1]) * 2 * sixth, (real)above * width[1] * sixth},
        .below = (real)below,
        .above = (real)above,
        .own_mass = (width[0] + width[1]) * 2 * sixth,
        .own_stiffness = inverse[0] + inverse[1] + reaction * ((width[0] + width[1]) * 2 * sixth),
        .low = (real)below * (reaction * width[0] * sixth - inverse[0]),
        .low_mass = (real)below * width[0] * sixth,
        .reaction = reaction,
        .u = {below && u ? middle - nx : middle, middle, above && u ? middle + nx : middle},
        .f = f ? (const real *)f + j * nx : NULL};
}

STARFISH_ALWAYS_INLINE real tensor_diagonal(const struct tensor_row *r, size_t i)
{
    return (r->inverse[i] + r->inverse[i + 1]) * r->own_mass +
           (r->width[i] + r->width[i + 1]) * (real)(1.0 / 3) * r->own_stiffness;
}

/* The coupling to the unknown before in x, if there is one; to that before in y, of the next row, or 0. */
STARFISH_ALWAYS_INLINE real tensor_lower_x(const struct tensor_row *r, size_t i)
{
    return r->width[i] * (real)(1.0 / 6) * r->own_stiffness - r->inverse[i] * r->own_mass;
}
STARFISH_ALWAYS_INLINE real tensor_lower_y(const struct tensor_row *r, size_t i)
{
    return (r->inverse[i] + r->inverse[i + 1]) * r->low_mass +
           (r->width[i] + r->width[i + 1]) * (real)(1.0 / 3) * r->low;
}

/* result[i - x0] = f - A u for at most TENSOR_PIECE unknowns; f may be missing and is zero then. */
STARFISH_ALWAYS_INLINE void tensor_residual_piece(const struct tensor_row *row, size_t x0, size_t x1,
                                                  real *restrict result)
{
    static const real zeros[TENSOR_PIECE];
    const struct tensor_row r = *row;
    const size_t first = x0 > 0 ? x0 - 1 : 0, last = x1 < r.nx ? x1 + 1 : r.nx;
    real stiff[TENSOR_PIECE + 2], mass[TENSOR_PIECE + 2]; /* element i + 1 - x0 is of unknown i */

    stiff[0] = mass[0] = stiff[x1 + 1 - x0] = mass[x1 + 1 - x0] = 0;
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        const real here = r.u[1][i], south = r.u[0][i], north = r.u[2][i];
        const real in_mass = r.mass[0] * south + r.mass[1] * here + r.mass[2] * north;
        mass[i + 1 - x0] = in_mass;
        stiff[i + 1 - x0] = r.stiffness[0] * (here - r.below * south) + r.stiffness[1] * (here - r.above * north) +
                            r.reaction * in_mass;
    }
    const real *restrict width = r.width + x0, *restrict inverse = r.inverse + x0, *restrict f = r.f ? r.f + x0 : zeros;
#pragma omp simd
    for (size_t k = 0; k < x1 - x0; k++)
        result[k] =
            f[k] - (inverse[k] * (mass[k + 1] - mass[k]) + inverse[k + 1] * (mass[k + 1] - mass[k + 2]) +
                    (width[k] * (stiff[k] + 2 * stiff[k + 1]) + width[k + 1] * (stiff[k + 2] + 2 * stiff[k + 1])) *
                        (real)(1.0 / 6));
}

/* The same for any number of them. */
STARFISH_ALWAYS_INLINE void tensor_residual_row(const struct tensor_row *row, size_t x0, size_t x1,
                                                real *restrict result)
{
    if (!row->u[1]) {
        if (row->f) /* only one of u and f may be zero */
            memcpy(result, row->f + x0, (x1 - x0) * sizeof(real));
        return;
    }
    for (size_t x = x0; x < x1; x += TENSOR_PIECE)
        tensor_residual_piece(row, x, x1 - x < TENSOR_PIECE ? x1 : x + TENSOR_PIECE, result + (x - x0));
}

#endif
