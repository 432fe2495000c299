/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Eigenvalues and a few rows of the eigenvectors of symmetric tridiagonal matrices, by LAPACK.
 *
 * All eigenvectors would take n^3 operations. But for A = L L^T with L bidiagonal, A = Q S^2 Q^T where L = Q S P^T, and
 * dbdsqr, which finds S by n^2 rotations, applies them to any number of rows: started from rows of the identity, these
 * end as rows of Q. A negative definite matrix is negated; an indefinite one shifted, which costs the relative accuracy
 * of its small eigenvalues, not of the large. */
#include "blktri/kernels/fractions.h"
#include "blktri/kernels/reduction.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* sign * A + shift I = L L^T; L's diagonal and subdiagonal. 0 when a pivot is not positive. The last pivot of a
 * semidefinite matrix, or of a part of it that nothing couples to the rest, is zero to rounding, and then zero. */
static int factor(const double *diag, const double *off, size_t n, double sign, double shift, double *l_diag,
                  double *l_off)
{
    double above = 0;
    for (size_t j = 0; j < n; j++) {
        const double entry = sign * diag[j] + shift, pivot = entry - above * above;
        const int is_last = j + 1 == n || off[j] == 0;
        const double rounding = 8 * (double)n * DBL_EPSILON * (fabs(diag[j]) + shift);
        if (pivot <= 0 && !(is_last && pivot >= -rounding))
            return 0;
        l_diag[j] = sqrt(fmax(pivot, 0));
        above = is_last ? 0 : sign * off[j] / l_diag[j];
        if (j + 1 < n)
            l_off[j] = above;
    }
    return 1;
}

/* As much as makes every disc of Gershgorin positive, rounding included. */
static double definite_shift(const double *diag, const double *off, size_t n, double sign)
{
    double lowest = 0, norm = 0;
    for (size_t j = 0; j < n; j++) {
        const double radius = (j > 0 ? fabs(off[j - 1]) : 0) + (j + 1 < n ? fabs(off[j]) : 0);
        lowest = fmin(lowest, sign * diag[j] - radius);
        norm = fmax(norm, fabs(diag[j]) + radius);
    }
    return -lowest + 64 * DBL_EPSILON * norm;
}

static double sign_of_trace(const double *diag, size_t n)
{
    double trace = 0;
    for (size_t j = 0; j < n; j++)
        trace += diag[j];
    return trace < 0 ? -1 : 1;
}

starfish_status starfish_eigenrows(const double *diag, const double *off, size_t n, const size_t *row, size_t rows,
                                   double *root, double *component)
{
    double *l_off = malloc(n * sizeof *l_off), shift = 0;
    if (!l_off)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu roots", n);
    const double sign = sign_of_trace(diag, n);
    if (!factor(diag, off, n, sign, shift, root, l_off)) {
        shift = definite_shift(diag, off, n, sign);
        if (!factor(diag, off, n, sign, shift, root, l_off)) {
            free(l_off);
            return starfish_fail(STARFISH_ERROR_NUMERICAL, "the roots of %zu rows are not finite", n);
        }
    }
    memset(component, 0, rows * n * sizeof *component);
    for (size_t r = 0; r < rows; r++)
        component[r + rows * row[r]] = 1;
    double unused = 0;
    const int info = LAPACKE_dbdsqr(LAPACK_COL_MAJOR, 'L', (lapack_int)n, 0, (lapack_int)rows, 0, root, l_off, &unused,
                                    1, component, (lapack_int)rows, &unused, 1);
    free(l_off);
    if (info != 0)
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "LAPACK dbdsqr did not find the roots of %zu rows", n);
    for (size_t q = 0; q < n; q++)
        root[q] = sign * (root[q] * root[q] - shift);
    return STARFISH_SUCCESS;
}

/* ---- Rings ------------------------------------------------------------------------------------------------------- */

starfish_status starfish_ring_eigenrows(const double *lower, const double *diag, const double *upper, size_t n,
                                        double *root, double *component)
{
    const size_t first = 0;
    if (n == 1) {
        root[0] = lower[0] + diag[0] + upper[0];
        component[0] = 1;
        return STARFISH_SUCCESS;
    }
    double *memory = calloc(5 * n, sizeof *memory), unused = 0;
    if (!memory)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu roots", n);
    double *band = memory, *tridiagonal = memory + 3 * n, *off = memory + 4 * n;
    starfish_ring_band(lower, diag, upper, n, band);
    /* The reduction to three diagonals never rotates the first row, so that stays what the eigenvectors are needed
     * at. */
    const int info =
        LAPACKE_dsbtrd(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)n, n > 2 ? 2 : 1, band, 3, tridiagonal, off, &unused, 1);
    starfish_status status =
        info != 0 ? starfish_fail(STARFISH_ERROR_NUMERICAL, "LAPACK dsbtrd did not reduce the periodic rows")
                  : starfish_eigenrows(tridiagonal, off, n, &first, 1, root, component);
    free(memory);
    return status;
}
