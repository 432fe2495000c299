/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The oracle of the tests: tridiagonal lines by dense Gaussian elimination with partial pivoting in long double. */
#ifndef STARFISH_TRIDIAG_KERNELS_TRIDIAG_REF_H
#define STARFISH_TRIDIAG_KERNELS_TRIDIAG_REF_H

#include <stddef.h>

struct starfish_tridiag_ref_line {
    size_t n;
    int periodic;
    const double *lower, *diag, *upper; /* n each */
    double shift;
    int pinned; /* the last row is replaced by x(n-1) = 0 */
};

/* Replace the right-hand side x by the solution. Returns 0, or -1 when memory ran out or the matrix is singular. */
int starfish_tridiag_ref_solve(const struct starfish_tridiag_ref_line *line, long double *x);

/* The same of a complex line: the imaginary parts of its coefficients, and of the right-hand side and solution. */
struct starfish_tridiag_ref_complex_line {
    struct starfish_tridiag_ref_line real;
    const double *lower, *diag, *upper; /* imaginary parts, n each */
};
int starfish_tridiag_ref_complex_solve(const struct starfish_tridiag_ref_complex_line *line, long double *x,
                                       long double *x_imaginary);

/* steps times x <- keep[q] x + gain[q] (T + (mu[q] + shift) I)^-1 x; step number `pinned` is, -1 for none. */
int starfish_tridiag_ref_chain(const struct starfish_tridiag_ref_line *line, int steps, const double *mu,
                               const double *keep, const double *gain, int pinned, long double *x);

#endif
