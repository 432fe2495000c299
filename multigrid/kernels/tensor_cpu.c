/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps on sums of tensor products on the CPU. Bound by memory in long rows, 3 words per unknown, and else by some 40
 * operations per unknown. */
#include "multigrid/kernels/tensor_row.h"

STARFISH_CLONES
static double residual(const struct starfish_band_residual *a)
{
    const struct starfish_rectangle at = a->at;
    const size_t width = at.x1 - at.x0;
    real piece[TENSOR_PIECE] = {0};
    double sum = 0;

    for (size_t j = at.y0; j < at.y1; j++) {
        const struct tensor_row row = tensor_row_of(&a->matrix, a->u, a->f, j);
        real *result = a->result ? (real *)a->result + (j - at.y0) * a->pitch : NULL;
        real *diag = a->diag ? (real *)a->diag + (j - at.y0) * a->pitch : NULL;
        for (size_t x = 0; x < width; x += TENSOR_PIECE) {
            const size_t count = width - x < TENSOR_PIECE ? width - x : TENSOR_PIECE;
            real *to = result ? result + x : piece;
            tensor_residual_row(&row, at.x0 + x, at.x0 + x + count, to);
            double part = 0;
#pragma omp simd reduction(+ : part)
            for (size_t k = 0; k < (a->sums ? count : 0); k++)
                part += (double)to[k] * (double)to[k];
            sum += part;
        }
        if (diag) {
#pragma omp simd
            for (size_t k = 0; k < width; k++)
                diag[k] = tensor_diagonal(&row, at.x0 + k);
        }
    }
    return sum;
}

void REAL_NAME(starfish_tensor_residual_cpu)(const struct starfish_band_residual *a)
{
    const double sum = residual(a);

    if (!a->sums)
        return;
    memset(a->sums, 0, STARFISH_SUMS * sizeof *a->sums);
    a->sums[0] = sum;
}

STARFISH_CLONES
static void jacobi(const struct starfish_band_jacobi *a)
{
    const size_t x0 = a->at.x0, width = a->at.x1 - x0;
    const real damping = (real)a->damping;

    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        const struct tensor_row row = tensor_row_of(&a->matrix, a->u, a->f, j);
        const real *u = row.u[1] ? row.u[1] + x0 : NULL;
        real *restrict v = (real *)a->v + j * row.nx + x0;
        tensor_residual_row(&row, x0, a->at.x1, v);
        if (u) {
#pragma omp simd
            for (size_t k = 0; k < width; k++)
                v[k] = u[k] + damping * v[k] / tensor_diagonal(&row, x0 + k);
        } else {
#pragma omp simd
            for (size_t k = 0; k < width; k++)
                v[k] = damping * v[k] / tensor_diagonal(&row, x0 + k);
        }
    }
}

void REAL_NAME(starfish_tensor_jacobi_cpu)(const struct starfish_band_jacobi *a)
{
    jacobi(a);
}

STARFISH_CLONES
static void lower_rows(const struct starfish_tensor_lower *a)
{
    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        const struct tensor_row row = tensor_row_of(&a->matrix, NULL, NULL, j);
        real *restrict lower = (real *)a->lower + (j - a->at.y0) * a->pitch;
#pragma omp simd
        for (size_t i = 0; i < row.nx; i++)
            lower[i] = tensor_lower_x(&row, i);
        lower[0] = 0;
    }
}

void REAL_NAME(starfish_tensor_lower_cpu)(const struct starfish_tensor_lower *a)
{
    lower_rows(a);
}
