/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small matrix of cells, its preconditioners and its deflation, densely: the oracle, by products and inverses of full
 * matrices. */
#include "tests/krylov/cells_problem.h"

#include "tests/common/reals.h"

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { X = TEST_CELLS_X, PLANE = TEST_CELLS_X * TEST_CELLS_Y, N = TEST_CELLS };

static void invert(lapack_int n, double *matrix)
{
    lapack_int pivots[N];

    assert_int_equal(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, matrix, n, pivots), 0);
    assert_int_equal(LAPACKE_dgetri(LAPACK_ROW_MAJOR, n, matrix, n, pivots), 0);
}

/* Couplings of every cell with the next one in x, y and z, and what each has more. */
static void make_matrix(struct test_cells *t)
{
    static const int n[3] = {TEST_CELLS_X, TEST_CELLS_Y, TEST_CELLS_Z}, stride[3] = {1, X, PLANE};
    unsigned seed = 11;

    for (int e = 0; e < N; e++) {
        t->stored[3 * N + e] = 0.2 + fabs(test_real_random(&seed));
        t->matrix[e * N + e] += t->stored[3 * N + e];
        for (int d = 0; d < 3; d++) {
            const int next = e + stride[d];
            if (e / stride[d] % n[d] + 1 == n[d])
                continue;
            const double c = pow(10, test_real_random(&seed));
            t->stored[d * N + e] = c;
            t->matrix[e * N + e] += c;
            t->matrix[next * N + next] += c;
            t->matrix[e * N + next] = t->matrix[next * N + e] = -c;
        }
    }
}

/* s (I + S) (I + S)' s, S = -s (strictly lower A) s; where dropped, without the entries that A does not have. */
static void make_incomplete_poisson(struct test_cells *t, int dropped)
{
    static double half[N * N];
    double s[N];

    memset(half, 0, sizeof half);
    for (int e = 0; e < N; e++)
        s[e] = 1 / sqrt(t->matrix[e * N + e]);
    for (int e = 0; e < N; e++)
        for (int o = 0; o <= e; o++)
            half[e * N + o] = e == o ? 1 : -s[e] * t->matrix[e * N + o] * s[o];
    for (int e = 0; e < N; e++)
        for (int o = 0; o < N; o++) {
            double sum = 0;
            for (int m = 0; m < N; m++)
                sum += half[e * N + m] * half[o * N + m];
            t->inverse[e * N + o] = s[e] * s[o] * (dropped && e != o ? half[e * N + o] + half[o * N + e] : sum);
        }
}

/* The others are inverses of parts of A: its diagonal, rows in x, lines in z. */
static int is_in_part(enum starfish_cell_preconditioner by, int e, int o)
{
    return e == o || (by == STARFISH_CELLS_BY_BLOCKS && e / X == o / X) ||
           (by == STARFISH_CELLS_BY_LINES && e % PLANE == o % PLANE);
}

static void make_preconditioner(struct test_cells *t, enum starfish_cell_preconditioner by)
{
    if (by == STARFISH_CELLS_BY_IP || by == STARFISH_CELLS_BY_IP_DROPPED) {
        make_incomplete_poisson(t, by == STARFISH_CELLS_BY_IP_DROPPED);
        return;
    }
    for (int e = 0; e < N; e++)
        for (int o = 0; o < N; o++)
            t->inverse[e * N + o] = by == STARFISH_CELLS_BY_NOTHING ? e == o
                                    : is_in_part(by, e, o)          ? t->matrix[e * N + o]
                                                                    : 0;
    invert(N, t->inverse);
    for (int e = 0; by == STARFISH_CELLS_BY_ANOTHER && e < N; e++)
        t->inverse[e * N + e] *= 2;
}

static void make_deflation(struct test_cells *t)
{
    double coarse[TEST_DOMAINS * TEST_DOMAINS] = {0};

    for (int e = 0; e < N; e++)
        t->domain[e] = e * TEST_DOMAINS / N;
    for (int e = 0; e < N; e++)
        for (int o = 0; o < N; o++)
            coarse[t->domain[e] * TEST_DOMAINS + t->domain[o]] += t->matrix[e * N + o];
    invert(TEST_DOMAINS, coarse);
    for (int e = 0; e < N; e++)
        for (int o = 0; o < N; o++)
            t->coarse[e * N + o] = coarse[t->domain[e] * TEST_DOMAINS + t->domain[o]];
}

void test_cells_make(struct test_cells *t, enum starfish_cell_preconditioner by)
{
    memset(t, 0, sizeof *t);
    make_matrix(t);
    make_preconditioner(t, by);
    make_deflation(t);
}
