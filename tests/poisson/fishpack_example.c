/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK's example of BLKTRI, from the formulas of its documentation: coefficients, right-hand side and the exact
 * solution. */
#include "tests/poisson/fishpack_example.h"

#include <math.h>

enum { M = TEST_EXAMPLE_M, N = TEST_EXAMPLE_N };

/* 1/x d/dx (1/x d/dx) / 4 at x = k / (n + 1), k = 1 .. n. */
static void fill_line(int n, double *lower, double *diag, double *upper)
{
    const double h = 1.0 / (n + 1);
    for (int k = 0; k < n; k++) {
        const double x = (k + 1) * h;
        lower[k] = 1 / (2 * x * h) / (2 * (x - h / 2) * h);
        upper[k] = 1 / (2 * x * h) / (2 * (x + h / 2) * h);
        diag[k] = -(lower[k] + upper[k]);
    }
}

void test_fishpack_example(struct test_fishpack_example *example)
{
    fill_line(M, example->am, example->bm, example->cm);
    fill_line(N, example->an, example->bn, example->cn);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            const double s = (i + 1.0) / (M + 1), t = (j + 1.0) / (N + 1);
            example->exact[j][i] = pow(s * t, 5);
            example->rhs[j][i] = 3.75 * s * t * (pow(s, 4) + pow(t, 4)) -
                                 (i == M - 1 ? example->cm[i] * pow(t, 5) : 0) -
                                 (j == N - 1 ? example->cn[j] * pow(s, 5) : 0);
        }
}
