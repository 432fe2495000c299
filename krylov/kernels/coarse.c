/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coarse space of deflation on a core: sums over chunks are bound by memory, substitution in a band by the latency
 * of arithmetic. */
#include "krylov/kernels/coarse.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

static void add_up(const struct starfish_coarse_solve *a, double *rhs)
{
    for (size_t d = 0; d < a->domains; d++) {
        double sum = 0;
        for (size_t part = 0; part < a->parts; part++)
            for (int c = a->chunk_begin[part][d]; c < a->chunk_begin[part][d + 1]; c++)
                sum += a->sum[part][c];
        rhs[d] = sum;
    }
}

static void solve_dense(const struct starfish_coarse_solve *a)
{
    for (size_t d = 0; d < a->domains; d++) {
        const double *row = a->matrix + d * a->domains;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t e = 0; e < a->domains; e++)
            sum += row[e] * a->rhs[e];
        a->solution[d] = sum;
    }
}

static void solve_halves(const struct starfish_coarse_solve *a)
{
    const size_t n = a->unknowns;
    const int *order = a->place, *row = order + a->domains, *first = row + n + 1, *column = first + n,
              *above = column + n + 1;
    double *half = a->rhs + a->domains;

    for (size_t i = 0; i < n; i++) {
        const double *w = a->matrix + row[i];
        const int count = row[i + 1] - row[i];
        half[i] = 0;
        for (int c = 0; c < count; c++)
            half[i] += w[c] * a->rhs[order[first[i] + c]];
    }
    for (size_t j = n; j < a->domains; j++)
        a->solution[order[j]] = 0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (int e = column[j]; e < column[j + 1]; e++)
            sum += a->matrix[a->entries + (size_t)e] * half[above[e]];
        a->solution[order[j]] = sum;
    }
}

/* The right-hand side in the order of the unknowns is the solution's memory, and the other way round in the end. */
static void solve_band(const struct starfish_coarse_solve *a)
{
    const int n = (int)a->unknowns, band = (int)a->band;

    for (size_t d = 0; d < a->domains; d++)
        if (a->place[d] >= 0)
            a->solution[a->place[d]] = a->rhs[d];
    if (n > 0) {
        cblas_dtbsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, band, a->matrix, band + 1, a->solution,
                    1);
        cblas_dtbsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, band, a->matrix, band + 1, a->solution, 1);
    }
    for (size_t d = 0; d < a->domains; d++)
        a->rhs[d] = a->place[d] >= 0 ? a->solution[a->place[d]] : 0;
    memcpy(a->solution, a->rhs, a->domains * sizeof(double));
}

void starfish_coarse_solve_cpu(const struct starfish_coarse_solve *a)
{
    static void (*const solve[])(const struct starfish_coarse_solve *) = {[STARFISH_COARSE_BY_BAND] = solve_band,
                                                                          [STARFISH_COARSE_BY_INVERSE] = solve_dense,
                                                                          [STARFISH_COARSE_BY_HALVES] = solve_halves};

    add_up(a, a->rhs);
    solve[a->form](a);
}

int starfish_coarse_factor(size_t unknowns, size_t band, double *matrix)
{
    return unknowns == 0 ? 0
                         : (int)LAPACKE_dpbtrf(LAPACK_COL_MAJOR, 'L', (lapack_int)unknowns, (lapack_int)band, matrix,
                                               (lapack_int)band + 1);
}

int starfish_coarse_invert(size_t n, double *matrix)
{
    if (n == 0)
        return 0;
    int failed = (int)LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, matrix, (lapack_int)n);
    if (failed == 0)
        failed = (int)LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (lapack_int)n, matrix, (lapack_int)n);
    for (size_t i = 0; i < n && failed == 0; i++)
        for (size_t j = i + 1; j < n; j++)
            matrix[j * n + i] = matrix[i * n + j];
    return failed;
}
