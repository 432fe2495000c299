/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* As naive as can be, so that it can be believed: the matrix is written out and eliminated. */
#include "tridiag/kernels/tridiag_ref.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_out(const struct starfish_tridiag_ref_line *line, long double *matrix)
{
    size_t n = line->n;

    memset(matrix, 0, n * n * sizeof *matrix);
    for (size_t i = 0; i < n; i++) {
        matrix[i * n + i] += (long double)line->diag[i] + line->shift;
        if (i > 0 || line->periodic)
            matrix[i * n + (i + n - 1) % n] += line->lower[i];
        if (i + 1 < n || line->periodic)
            matrix[i * n + (i + 1) % n] += line->upper[i];
    }
    if (line->pinned) {
        memset(matrix + (n - 1) * n, 0, n * sizeof *matrix);
        matrix[n * n - 1] = 1;
    }
}

static size_t pivot_row(const long double *matrix, size_t n, size_t column)
{
    size_t best = column;

    for (size_t i = column + 1; i < n; i++)
        if (fabsl(matrix[i * n + column]) > fabsl(matrix[best * n + column]))
            best = i;
    return best;
}

static void swap(long double *a, long double *b)
{
    long double kept = *a;

    *a = *b;
    *b = kept;
}

/* One more than the last column of a row that is not zero. */
static size_t end_of_row(const long double *row, size_t n)
{
    while (n > 0 && row[n - 1] == 0)
        n--;
    return n;
}

/* Gaussian elimination of matrix x = rhs; zeros to eliminate and to subtract are left out, nothing else is. */
static int eliminate(long double *matrix, size_t n, long double *x)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = pivot_row(matrix, n, k);
        if (matrix[pivot * n + k] == 0)
            return -1;
        for (size_t j = 0; j < n && pivot != k; j++)
            swap(&matrix[pivot * n + j], &matrix[k * n + j]);
        swap(&x[pivot], &x[k]);
        const size_t end = end_of_row(matrix + k * n, n);
        for (size_t i = k + 1; i < n; i++) {
            if (matrix[i * n + k] == 0)
                continue;
            const long double factor = matrix[i * n + k] / matrix[k * n + k];
            for (size_t j = k; j < end; j++)
                matrix[i * n + j] -= factor * matrix[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1, end = end_of_row(matrix + k * n, n); j < end; j++)
            x[k] -= matrix[k * n + j] * x[j];
        x[k] /= matrix[k * n + k];
    }
    return 0;
}

int starfish_tridiag_ref_solve(const struct starfish_tridiag_ref_line *line, long double *x)
{
    long double *matrix = malloc(line->n * line->n * sizeof *matrix);
    int failed;

    if (!matrix)
        return -1;
    write_out(line, matrix);
    if (line->pinned)
        x[line->n - 1] = 0;
    failed = eliminate(matrix, line->n, x);
    free(matrix);
    return failed;
}

/* The real matrix of twice the rows that multiplies (real parts, imaginary parts) as the complex one multiplies: its
 * two blocks of rows are (real, -imaginary) and (imaginary, real). */
static void write_out_both_parts(const long double *re, const long double *im, size_t n, long double *matrix)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            matrix[i * 2 * n + j] = matrix[(n + i) * 2 * n + n + j] = re[i * n + j];
            matrix[i * 2 * n + n + j] = -im[i * n + j];
            matrix[(n + i) * 2 * n + j] = im[i * n + j];
        }
}

static int solve_both_parts(const struct starfish_tridiag_ref_complex_line *line, long double *memory, long double *x,
                            long double *x_imaginary)
{
    const size_t n = line->real.n;
    long double *re = memory, *im = re + n * n, *matrix = im + n * n, *both = matrix + 4 * n * n;
    const struct starfish_tridiag_ref_line imaginary = {
        .n = n, .periodic = line->real.periodic, .lower = line->lower, .diag = line->diag, .upper = line->upper};

    write_out(&line->real, re);
    write_out(&imaginary, im);
    if (line->real.pinned) {
        memset(im + (n - 1) * n, 0, n * sizeof *im);
        x[n - 1] = x_imaginary[n - 1] = 0;
    }
    write_out_both_parts(re, im, n, matrix);
    memcpy(both, x, n * sizeof *x);
    memcpy(both + n, x_imaginary, n * sizeof *x);
    const int failed = eliminate(matrix, 2 * n, both);
    memcpy(x, both, n * sizeof *x);
    memcpy(x_imaginary, both + n, n * sizeof *x);
    return failed;
}

int starfish_tridiag_ref_complex_solve(const struct starfish_tridiag_ref_complex_line *line, long double *x,
                                       long double *x_imaginary)
{
    const size_t n = line->real.n;
    long double *memory = malloc((6 * n * n + 2 * n) * sizeof *memory);

    if (!memory)
        return -1;
    const int failed = solve_both_parts(line, memory, x, x_imaginary);
    free(memory);
    return failed;
}

int starfish_tridiag_ref_chain(const struct starfish_tridiag_ref_line *line, int steps, const double *mu,
                               const double *keep, const double *gain, int pinned, long double *x)
{
    long double *w = malloc(line->n * sizeof *w);
    int failed = !w;

    for (int q = 0; q < steps && !failed; q++) {
        struct starfish_tridiag_ref_line step = *line;
        step.shift += mu[q];
        step.pinned = q == pinned;
        memcpy(w, x, line->n * sizeof *w);
        failed = starfish_tridiag_ref_solve(&step, w);
        for (size_t k = 0; k < line->n; k++)
            x[k] = keep[q] * x[k] + gain[q] * w[k];
    }
    free(w);
    return failed ? -1 : 0;
}
