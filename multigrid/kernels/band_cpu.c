/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Residual and Jacobi steps of a nine-band matrix on the CPU, row by row along x. Bound by memory: 5 bands, of which
 * those of two rows are in the cache, u and f. */
#include "multigrid/kernels/band_row.h"

/* Rows of a sum pass through a piece of the stack. */
enum { PIECE = 512 };

STARFISH_ALWAYS_INLINE double squares(const real *values, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i] * (double)values[i];
    return sum;
}

STARFISH_CLONES
static double residual_sum(const struct starfish_band_residual *a)
{
    const struct starfish_rectangle at = a->at;
    real piece[PIECE];
    double sum = 0;

    for (size_t j = at.y0; j < at.y1; j++) {
        const struct row row = row_of(&a->matrix, a->u, a->f, j);
        for (size_t x = at.x0; x < at.x1; x += PIECE) {
            const size_t end = at.x1 - x < PIECE ? at.x1 : x + PIECE;
            residual_row(&row, a->matrix.nx, x, end, piece, 0, NULL);
            sum += squares(piece, end - x);
        }
    }
    return sum;
}

/* The entries of the next unknowns, in x or in y. */
STARFISH_ALWAYS_INLINE void ahead_row(const struct row *row, int along_y, size_t x0, size_t x1, real *restrict ahead)
{
    const struct row r = *row;

    if (along_y) {
#pragma omp simd
        for (size_t i = x0; i < x1; i++)
            ahead[i - x0] = ahead_in_y(&r, i);
    } else {
#pragma omp simd
        for (size_t i = x0; i < x1; i++)
            ahead[i - x0] = ahead_in_x(&r, i);
    }
}

STARFISH_CLONES
static double residual_stored(const struct starfish_band_residual *a)
{
    const struct starfish_rectangle at = a->at;
    double sum = 0;

    for (size_t j = at.y0; j < at.y1; j++) {
        const struct row row = row_of(&a->matrix, a->u, a->f, j);
        real *result = (real *)a->result + (j - at.y0) * a->pitch;
        if (a->diag)
            residual_row(&row, a->matrix.nx, at.x0, at.x1, result, 1, (real *)a->diag + (j - at.y0) * a->pitch);
        else
            residual_row(&row, a->matrix.nx, at.x0, at.x1, result, 0, NULL);
        if (a->ahead)
            ahead_row(&row, a->along_y, at.x0, at.x1, (real *)a->ahead + (j - at.y0) * a->pitch);
        if (a->sums)
            sum += squares(result, at.x1 - at.x0);
    }
    return sum;
}

void REAL_NAME(starfish_band_residual_cpu)(const struct starfish_band_residual *a)
{
    const double sum = (a->result ? residual_stored : residual_sum)(a);

    if (!a->sums)
        return;
    memset(a->sums, 0, STARFISH_SUMS * sizeof *a->sums);
    a->sums[0] = sum;
}

/* Unknowns of a row after a step, in one pass. */
STARFISH_ALWAYS_INLINE void jacobi_row(const struct row *row, size_t nx, size_t x0, size_t x1, real damping,
                                       real *restrict v)
{
    const struct row r = *row;
    const real *u = r.u[1];
    const size_t first = x0 > 0 ? x0 : 1, last = x1 < nx ? x1 : nx - 1;

    if (!u) {
#pragma omp simd
        for (size_t i = x0; i < x1; i++)
            v[i] = damping * r.f[i] / diagonal(&r, i);
        return;
    }
    if (x0 == 0)
        v[0] = u[0] + damping * residual_at_end(&r, 0, nx) / diagonal(&r, 0);
#pragma omp simd
    for (size_t i = first; i < last; i++)
        v[i] = u[i] + damping * (r.f[i] - product(&r, i, i - 1, i + 1)) / diagonal(&r, i);
    if (x1 == nx && nx > 1)
        v[nx - 1] = u[nx - 1] + damping * residual_at_end(&r, nx - 1, nx) / diagonal(&r, nx - 1);
}

STARFISH_CLONES
static void jacobi(const struct starfish_band_jacobi *a)
{
    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        const struct row row = row_of(&a->matrix, a->u, a->f, j);
        jacobi_row(&row, a->matrix.nx, a->at.x0, a->at.x1, (real)a->damping, (real *)a->v + j * a->matrix.nx);
    }
}

void REAL_NAME(starfish_band_jacobi_cpu)(const struct starfish_band_jacobi *a)
{
    jacobi(a);
}
