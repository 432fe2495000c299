/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Row sums of tridiagonal matrices, and the one rule by which a sum counts as zero: it decides whether constants are in
 * the null space. Couplings and diagonals are rounded, so sums of three of them within 4 units of rounding of their
 * sizes count as zero. */
#ifndef STARFISH_BASE_ROW_SUM_H
#define STARFISH_BASE_ROW_SUM_H

#include <float.h>
#include <math.h>

static inline double starfish_row_sum(double lower, double diag, double upper)
{
    const long double sum = (long double)lower + (long double)diag + (long double)upper;
    const long double size = fabsl((long double)lower) + fabsl((long double)diag) + fabsl((long double)upper);
    return fabsl(sum) > 4 * (long double)DBL_EPSILON * size ? (double)sum : 0;
}

/* The same rule for complex numbers: whether a row sums to zero, by the sizes of its entries. */
static inline int starfish_complex_row_is_null(const double real[3], const double imaginary[3])
{
    long double re = 0, im = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        re += (long double)real[i];
        im += (long double)imaginary[i];
        size += hypotl((long double)real[i], (long double)imaginary[i]);
    }
    return hypotl(re, im) <= 4 * (long double)DBL_EPSILON * size;
}

/* What such a sum is of numbers that are taken as exact, where it counts as zero. */
static inline double starfish_row_sum_dropped(double lower, double diag, double upper)
{
    const double sum = (double)((long double)lower + (long double)diag + (long double)upper);
    return starfish_row_sum(lower, diag, upper) == 0 ? fabs(sum) : 0;
}

#endif
