/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Eigenvectors of a second difference, to high relative accuracy.
 *
 * The usual solvers find eigenvalues to within a rounding of the largest, which on a grid of spacing ratio 1000
 * leaves few digits of the smallest, and those are what a solution is made of. Written down by its couplings and row
 * sums instead of its diagonal, the operator determines all eigenvalues to full relative accuracy. */
#ifndef STARFISH_FFT_KERNELS_DEFINITE_H
#define STARFISH_FFT_KERNELS_DEFINITE_H

#include "base/status.h"

#include <stddef.h>

/* The matrix A with A(k,k-1) = -lower[k], A(k,k+1) = -upper[k] and rows that sum to excess[k], k < n: lower (from 1)
 * and upper (up to n-2) are positive, excess is not negative. Its eigenvalues, ascending, to value[n], and to column
 * k of `vectors` (n x n, column-major) the k-th orthonormal eigenvector of A made symmetric by a diagonal scaling,
 * whose off-diagonal is negative. STARFISH_ERROR_MEMORY; STARFISH_ERROR_NUMERICAL where LAPACK cannot part a cluster:
 * another method has to serve then. */
starfish_status starfish_definite_eigenvectors(size_t n, const double *lower, const double *upper, const double *excess,
                                               double *value, double *vectors);
/* The eigenvalues alone. */
starfish_status starfish_definite_eigenvalues(size_t n, const double *lower, const double *upper, const double *excess,
                                              double *value);

#endif
