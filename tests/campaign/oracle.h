/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The dense oracle: a problem's matrix from its definition (starfish/poisson.h), in quadruple precision, solved by
 * Gaussian elimination with pivoting. It shares no code with the library. */
#ifndef STARFISH_TESTS_CAMPAIGN_ORACLE_H
#define STARFISH_TESTS_CAMPAIGN_ORACLE_H

#include "problem.h"

struct campaign_answer {
    size_t count;
    double *rhs;      /* of the problem's precision, such that the largest unknown is about 1 */
    double *solution; /* for exactly that right-hand side */
    double largest;   /* of the solution */
    /* Componentwise: how much larger than the unit of rounding errors of the matrix and of the right-hand side may
     * become in the solution (Skeel 1979). */
    double condition;
    double pertrb; /* of a singular problem */
};

/* singular: constants are in the null space, and the weighted mean is removed. 0 where the matrix is singular beyond
 * that, or its numbers leave the precision's range; then there is nothing to free. */
int campaign_answer_create(struct campaign_answer *answer, const struct campaign_problem *problem, int singular);
void campaign_answer_destroy(struct campaign_answer *answer);

#endif
