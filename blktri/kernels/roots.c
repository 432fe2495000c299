/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Roots of the block polynomials: eigenvalues of symmetrised tridiagonal matrices, by LAPACK. */
#include "blktri/kernels/reduction.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

/* Their product may vanish or overflow. */
static int signs_differ(double a, double b)
{
    return (a < 0 && b > 0) || (a > 0 && b < 0);
}

starfish_status starfish_check_symmetrizable(const char *axis, const double *lower, const double *upper, size_t n,
                                             int periodic)
{
    /* Two periodic rows are coupled twice, and only the sums matter. */
    if (periodic && n <= 2) {
        if (n == 2 && signs_differ(lower[0] + upper[0], lower[1] + upper[1]))
            return starfish_fail(STARFISH_ERROR_NOT_SYMMETRIZABLE,
                                 "%s: the two rows' couplings have opposite signs (FISHPACK ierror 5)", axis);
        return STARFISH_SUCCESS;
    }
    double lower_logarithms = 0, upper_logarithms = 0;
    for (size_t j = periodic ? 0 : 1; j < n; j++) {
        const double before = upper[(j + n - 1) % n];
        if (signs_differ(lower[j], before) || (periodic && (lower[j] == 0) != (before == 0)))
            return starfish_fail(STARFISH_ERROR_NOT_SYMMETRIZABLE,
                                 "%s: lower[%zu] * upper[%zu] = %g * %g is negative or one-sided (FISHPACK ierror 5)",
                                 axis, j, (j + n - 1) % n, lower[j], before);
        lower_logarithms += log(fabs(lower[j]));
        upper_logarithms += log(fabs(before));
    }
    if (periodic && isfinite(lower_logarithms) && isfinite(upper_logarithms) &&
        fabs(lower_logarithms - upper_logarithms) > 1e-10 * (double)n * (1 + fabs(lower_logarithms) / (double)n))
        return starfish_fail(STARFISH_ERROR_NOT_SYMMETRIZABLE,
                             "%s: periodic, but the products of lower and of upper differ, so roots are complex", axis);
    return STARFISH_SUCCESS;
}

double starfish_symmetric_coupling(double lower, double upper)
{
    const double product = lower * upper;
    const int is_normal = product >= DBL_MIN && product <= DBL_MAX;
    return copysign(is_normal ? sqrt(product) : sqrt(fabs(lower)) * sqrt(fabs(upper)), upper);
}

int starfish_is_mirrored(const double *lower, const double *diag, const double *upper, size_t lo, size_t hi)
{
    for (size_t i = lo, k = hi; i <= hi; i++, k--)
        if (diag[i] != diag[k] || (i < hi && (upper[i] != lower[k] || upper[i] == 0)))
            return 0;
    return 1;
}

starfish_status starfish_tridiagonal_roots(const double *lower, const double *diag, const double *upper, size_t lo,
                                           size_t hi, double *root)
{
    const size_t n = hi - lo + 1;
    double *off_diagonal = malloc(n * sizeof *off_diagonal);
    if (!off_diagonal)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu roots", n);
    for (size_t j = 0; j < n; j++) {
        root[j] = diag[lo + j];
        off_diagonal[j] = j + 1 < n ? starfish_symmetric_coupling(lower[lo + j + 1], upper[lo + j]) : 0;
    }
    int info = LAPACKE_dsterf((lapack_int)n, root, off_diagonal);
    free(off_diagonal);
    if (info != 0)
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "LAPACK dsterf did not find the roots of rows %zu..%zu", lo, hi);
    return STARFISH_SUCCESS;
}

/* Where a row is in the order n-1, 0, n-2, 1, ..., which makes a ring pentadiagonal. */
static size_t folded(size_t row, size_t n)
{
    const size_t distance = (row + 1) % n; /* from row n-1, upwards */
    return distance <= n / 2 ? (distance > 0 ? 2 * distance - 1 : 0) : 2 * (n - distance);
}

static void put(double *band, size_t n, size_t row, size_t column, double value)
{
    const size_t p = folded(row, n), q = folded(column, n);
    band[p > q ? (p - q) + 3 * q : (q - p) + 3 * p] += value;
}

void starfish_ring_band(const double *lower, const double *diag, const double *upper, size_t n, double *band)
{
    for (size_t j = 0; j < n; j++)
        put(band, n, j, j, diag[j]);
    if (n == 2)
        put(band, n, 0, 1, starfish_symmetric_coupling(lower[0] + upper[0], lower[1] + upper[1]));
    for (size_t j = 0; n > 2 && j < n; j++) {
        const size_t before = (j + n - 1) % n;
        put(band, n, j, before, starfish_symmetric_coupling(upper[before], lower[j]));
    }
}

starfish_status starfish_periodic_roots(const double *lower, const double *diag, const double *upper, size_t n,
                                        double *root)
{
    if (n == 1) {
        root[0] = lower[0] + diag[0] + upper[0];
        return STARFISH_SUCCESS;
    }
    double *band = calloc(3 * n, sizeof *band);
    if (!band)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu roots", n);
    starfish_ring_band(lower, diag, upper, n, band);
    double unused = 0;
    int info = LAPACKE_dsbev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)n, n > 2 ? 2 : 1, band, 3, root, &unused, 1);
    free(band);
    if (info != 0)
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "LAPACK dsbev did not find the roots of the periodic rows");
    return STARFISH_SUCCESS;
}
