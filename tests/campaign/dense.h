/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A dense system in quadruple precision for kinds of solves whose matrix is no sum of directions: Gaussian elimination
 * with pivots, and the condition of its solution. It shares no code with the library. */
#ifndef STARFISH_TESTS_CAMPAIGN_DENSE_H
#define STARFISH_TESTS_CAMPAIGN_DENSE_H

#include <stddef.h>

__extension__ typedef __float128 campaign_wide;

struct campaign_dense {
    size_t n;
    campaign_wide *matrix; /* n * n, rows one after the other */
};

/* A matrix of zeros; 0 without memory. */
int campaign_dense_create(struct campaign_dense *dense, size_t n);
void campaign_dense_destroy(struct campaign_dense *dense);
void campaign_dense_add(struct campaign_dense *dense, size_t row, size_t column, campaign_wide value);

/* solution[n] of rhs[n], and how much larger than the unit of rounding errors of the matrix and the right-hand side may
 * become in it, componentwise: || |A^-1| (|A| |x| + |f|) || / ||x|| (Skeel 1979). 0 where the matrix is singular. */
int campaign_dense_solve(const struct campaign_dense *dense, const double *rhs, double *solution, double *condition);

#endif
