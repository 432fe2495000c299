/* A row of a nine-band matrix on the CPU: what the kernels of band_cpu.c and columns_cpu.c are made of. Inlined into loops that
 * are compiled for several instruction sets.
 *
 * The first and the last unknown of a row, whose neighbours may be missing, are done one by one; between them every entry of
 * the row has its neighbour, and the loop is eight differences and nine products without a branch. */
#ifndef STARFISH_MULTIGRID_BAND_ROW_H
#define STARFISH_MULTIGRID_BAND_ROW_H

#include "multigrid/kernels/band.h"

#include "base/clones.h"
#include "base/real.h"

#include <string.h>

/* One row of the matrix and of what it is applied to. Rows that are missing are the row itself: their entries are 0. */
struct row {
    const real *band[STARFISH_BANDS], *u[3], *f;
    real own; /* 1, or 0 in matrices with diagonals: what part of u here is taken from its neighbours */
};

static inline struct row row_of(const struct starfish_band_matrix *matrix, const void *u, const void *f, size_t j)
{
    const size_t nx = matrix->nx, start = j * nx;
    const real *middle = u ? (const real *)u + start : NULL;
    struct row row = {.u = {middle, middle, middle}, .f = (const real *)f + start, .own = !matrix->diagonals};

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

STARFISH_ALWAYS_INLINE real defect_at_end(const struct row *row, size_t i, size_t nx)
{
    return row->f[i] - product(row, i, i > 0 ? i - 1 : i, i + 1 < nx ? i + 1 : i);
}

/* result[i - x0] = f - A u, and the diagonal where it is wanted. */
STARFISH_ALWAYS_INLINE void defect_row(const struct row *row, size_t nx, size_t x0, size_t x1, real *restrict result,
                                       int with_diag, real *restrict diag)
{
    const struct row r = *row;
    const size_t first = x0 > 0 ? x0 : 1, last = x1 < nx ? x1 : nx - 1;

    if (!r.u[1]) {
        memcpy(result, r.f + x0, (x1 - x0) * sizeof(real));
#pragma omp simd
        for (size_t i = x0; i < x1; i++)
            if (with_diag)
                diag[i - x0] = diagonal(&r, i);
        return;
    }
    if (x0 == 0)
        result[0] = defect_at_end(&r, 0, nx);
    if (x0 == 0 && with_diag)
        diag[0] = diagonal(&r, 0);
#pragma omp simd
    for (size_t i = first; i < last; i++) {
        result[i - x0] = r.f[i] - product(&r, i, i - 1, i + 1);
        if (with_diag)
            diag[i - x0] = diagonal(&r, i);
    }
    if (x1 == nx && nx > 1)
        result[nx - 1 - x0] = defect_at_end(&r, nx - 1, nx);
    if (x1 == nx && nx > 1 && with_diag)
        diag[nx - 1 - x0] = diagonal(&r, nx - 1);
}

#endif
