/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A smoothing step by lines in y on the CPU: columns side by side, in one pass up through the rows, which computes the
 * residual and eliminates, and one pass back, which substitutes and updates. 8 words per unknown go to memory; what
 * elimination leaves stays in the second-level cache, two words per unknown of the columns that are done at once.
 * Source: Thomas 1949; Golub and Van Loan, Matrix Computations, 4.3. */
#include "multigrid/kernels/band_row.h"
#include "multigrid/kernels/tensor_row.h"

/* Hardware does not foresee rows that lie pages apart. */
enum { ROWS_AHEAD = 4, CACHE_LINE = 64 };

STARFISH_ALWAYS_INLINE void fetch(const real *row, size_t x0, size_t x1)
{
    for (size_t i = x0; i < x1; i += CACHE_LINE / sizeof(real))
        __builtin_prefetch(row + i);
}

/* What row j reads that the row below it did not, but for entries in 16 bits, which are few. */
STARFISH_ALWAYS_INLINE void fetch_row(const struct starfish_band_columns *a, size_t j)
{
    static const enum starfish_band stored[] = {STARFISH_BAND_SUM, STARFISH_BAND_E, STARFISH_BAND_NW, STARFISH_BAND_N,
                                                STARFISH_BAND_NE};
    const size_t x0 = a->at.x0 + j * a->matrix.nx, x1 = a->at.x1 + j * a->matrix.nx;
    const size_t bands = a->matrix.storage == STARFISH_BAND_REALS ? sizeof stored / sizeof stored[0] : 1;

    if (j >= a->at.y1)
        return;
    for (size_t b = 0; b < bands; b++)
        fetch(a->matrix.band[stored[b]], x0, x1);
    if (a->u)
        fetch((const real *)a->u + (j + 1 < a->matrix.ny ? a->matrix.nx : 0), x0, x1);
    fetch(a->f, x0, x1);
}

/* Row k of the lines, whose diagonal is in c and right-hand side in d: c becomes upper / pivot, d what is left of the
 * right-hand side. Before the first row there is none. */
STARFISH_ALWAYS_INLINE void eliminate(const real *restrict lower, const real *restrict upper, size_t width,
                                      const real *restrict c_before, const real *restrict d_before, real *restrict c,
                                      real *restrict d)
{
    if (!c_before) {
#pragma omp simd
        for (size_t l = 0; l < width; l++) {
            const real scale = 1 / c[l];
            c[l] = upper[l] * scale;
            d[l] *= scale;
        }
        return;
    }
#pragma omp simd
    for (size_t l = 0; l < width; l++) {
        const real scale = 1 / (c[l] - lower[l] * c_before[l]);
        c[l] = upper[l] * scale;
        d[l] = (d[l] - lower[l] * d_before[l]) * scale;
    }
}

/* Entries of the columns and the next row, widened into `loose` if they are stored in 16 bits. */
STARFISH_ALWAYS_INLINE const real *upper_row(const struct row *row, size_t x0, size_t x1, real *restrict loose)
{
    const struct row r = *row;

    if (ENTRIES_ARE_REALS)
        return stored_ahead_in_y(row) + x0;
#pragma omp simd
    for (size_t i = x0; i < x1; i++)
        loose[i - x0] = ahead_in_y(&r, i);
    return loose;
}

/* The lower entries of a row are the upper ones of the row before. `loose`: two rows of the work space. */
STARFISH_CLONES
static void forward(const struct starfish_band_columns *a, real *c, real *d, real *loose, size_t pitch)
{
    const struct starfish_rectangle at = a->at;
    const real *lower = NULL;

    for (size_t j = at.y0; j < at.y1; j++) {
        const struct row row = row_of(&a->matrix, a->u, a->f, j);
        const int first = j == at.y0;
        const real *upper = upper_row(&row, at.x0, at.x1, loose + j % 2 * pitch);
        fetch_row(a, j + ROWS_AHEAD);
        residual_row(&row, a->matrix.nx, at.x0, at.x1, d, 1, c);
        eliminate(lower, upper, at.x1 - at.x0, first ? NULL : c - pitch, first ? NULL : d - pitch, c, d);
        lower = upper;
        c += pitch;
        d += pitch;
    }
}

/* The same of tensor products, whose couplings pass through two rows of the work space, `lower` and `upper`. */
STARFISH_CLONES
static void forward_tensor(const struct starfish_band_columns *a, real *c, real *d, size_t pitch, real *lower,
                           real *upper)
{
    const struct starfish_rectangle at = a->at;
    const size_t width = at.x1 - at.x0;

    for (size_t j = at.y0; j < at.y1; j++) {
        const struct tensor_row row = tensor_row_of(&a->matrix, a->u, a->f, j);
        const struct tensor_row next = tensor_row_of(&a->matrix, NULL, NULL, j + 1 < at.y1 ? j + 1 : j);
        const int first = j == at.y0;
        real *const swapped = lower;
        tensor_residual_row(&row, at.x0, at.x1, d);
#pragma omp simd
        for (size_t k = 0; k < width; k++) {
            c[k] = tensor_diagonal(&row, at.x0 + k);
            upper[k] = tensor_lower_y(&next, at.x0 + k);
        }
        eliminate(lower, upper, width, first ? NULL : c - pitch, first ? NULL : d - pitch, c, d);
        lower = upper;
        upper = swapped;
        c += pitch;
        d += pitch;
    }
}

/* Substitute from the last row down; `damping` is 0 for columns that are not chosen. */
STARFISH_CLONES
static void backward(const struct starfish_band_columns *a, const real *c, real *d, const real *restrict damping,
                     size_t pitch)
{
    const size_t width = a->at.x1 - a->at.x0, rows = a->at.y1 - a->at.y0;

    for (size_t k = rows; k-- > 0;) {
        const size_t start = a->at.x0 + (a->at.y0 + k) * a->matrix.nx;
        const real *u = a->u ? (const real *)a->u + start : NULL;
        const real *restrict c_here = c + k * pitch, *restrict d_after = d + (k + 1) * pitch;
        real *restrict d_here = d + k * pitch, *v = (real *)a->v + start;
        if (k + 1 < rows) {
#pragma omp simd
            for (size_t l = 0; l < width; l++)
                d_here[l] -= c_here[l] * d_after[l];
        }
        if (u) {
#pragma omp simd
            for (size_t l = 0; l < width; l++)
                v[l] = u[l] + damping[l] * d_here[l];
        } else {
#pragma omp simd
            for (size_t l = 0; l < width; l++)
                v[l] = damping[l] * d_here[l];
        }
    }
}

void REAL_NAME(starfish_band_columns_cpu)(const struct starfish_band_columns *a)
{
    const size_t pitch = starfish_band_columns_pitch(a->at.x1 - a->at.x0);
    real *c = a->work, *d = c + (a->at.y1 - a->at.y0) * pitch, *loose = d + (a->at.y1 - a->at.y0) * pitch;

    if (!ENTRIES_ARE_REALS || a->matrix.band[0])
        forward(a, c, d, loose, pitch);
    else
        forward_tensor(a, c, d, pitch, loose, loose + pitch);
    for (size_t l = 0; l < a->at.x1 - a->at.x0; l++)
        loose[l] = STARFISH_BAND_CHOSEN(a->choice, a->at.x0 + l) ? (real)a->damping : 0;
    backward(a, c, d, loose, pitch);
}
