/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK's own example of BLKTRI, u = (s t)^5 on m = 50 by n = 63 interior points of the unit square:
 *     (1/s d/ds (1/s du/ds)) / 4 + (1/t d/dt (1/t du/dt)) / 4 = 3.75 s t (s^4 + t^4).
 * Its documentation gives the largest error of the solution. */
#ifndef STARFISH_TESTS_FISHPACK_EXAMPLE_H
#define STARFISH_TESTS_FISHPACK_EXAMPLE_H

#include <starfish/poisson.h>

enum { TEST_EXAMPLE_M = 50, TEST_EXAMPLE_N = 63 };
#define TEST_EXAMPLE_ERROR 1.64778571e-5

struct test_fishpack_example {
    /* Coefficients in s (m of them) and in t (n); the outermost couple to boundary data, which are in rhs. */
    double am[TEST_EXAMPLE_M], bm[TEST_EXAMPLE_M], cm[TEST_EXAMPLE_M];
    double an[TEST_EXAMPLE_N], bn[TEST_EXAMPLE_N], cn[TEST_EXAMPLE_N];
    double rhs[TEST_EXAMPLE_N][TEST_EXAMPLE_M], exact[TEST_EXAMPLE_N][TEST_EXAMPLE_M];
};
void test_fishpack_example(struct test_fishpack_example *example);
/* A direction of it for starfish_separable2d_plan_create. */
static inline struct starfish_axis test_example_axis(size_t n, const double *lower, const double *diag,
                                                     const double *upper)
{
    return (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL, .n = n, .lower = lower, .diag = diag, .upper = upper};
}

#endif
