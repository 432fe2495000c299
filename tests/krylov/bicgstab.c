/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BiCGStab on a context of cores, for matrices that are not symmetric, with diagonal preconditioners and without one,
 * against elimination. The matrix is dense. */
#include "krylov/bicgstab.h"
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/common/reals.h"
#include "tests/krylov/dense.h"

#include <starfish/starfish.h>

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static starfish_context *context;

enum { N = TEST_DENSE_MOST, PARTS = 3, VECTORS = 8 };

struct problem {
    double matrix[N][N], inverse_diagonal[N];
};

static unsigned seed = 5;

/* Convection beside diffusion; or random entries with a strong diagonal, of which some rows are scaled. */
static void fill(struct problem *p, double convection)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < N; i++) {
        p->matrix[i][i] = 2.1;
        if (i > 0)
            p->matrix[i][i - 1] = -1 - convection;
        if (i + 1 < N)
            p->matrix[i][i + 1] = -1 + convection;
        for (int j = 0; convection == 0 && j < N; j++)
            p->matrix[i][j] = (test_real_random(&seed) + (i == j ? 8 : 0)) * (i % 5 == 0 ? 1000 : 1);
        p->inverse_diagonal[i] = 1 / p->matrix[i][i];
    }
}

static starfish_status by_nothing(void *self, int number, const struct starfish_vector *r,
                                  const struct starfish_vector *z, int most, int *cycles)
{
    double x[N];

    (void)self, (void)number, (void)most;
    test_dense_get(r, x);
    test_dense_put(z, x);
    *cycles = 1;
    return STARFISH_SUCCESS;
}

static starfish_status by_diagonal(void *self, int number, const struct starfish_vector *r,
                                   const struct starfish_vector *z, int most, int *cycles)
{
    const struct problem *p = self;
    double x[N];

    (void)number, (void)most;
    test_dense_get(r, x);
    for (int i = 0; i < N; i++)
        x[i] *= p->inverse_diagonal[i];
    test_dense_put(z, x);
    *cycles = 1;
    return STARFISH_SUCCESS;
}

typedef starfish_status precondition(void *self, int number, const struct starfish_vector *r,
                                     const struct starfish_vector *z, int most, int *cycles);

static starfish_status solve(struct problem *p, precondition *by, const double *f, const double *guess, int most,
                             double *u, struct starfish_iteration_report *report)
{
    static const size_t n[2] = {1, N};
    static size_t first[PARTS + 1] = {0, 7, 30, N};
    const struct starfish_runs runs = {.parts = PARTS, .first = first};
    struct starfish_progress progress;
    struct starfish_space space;
    struct starfish_scalars scalars;
    struct starfish_sums sums[3];
    struct starfish_vector v[VECTORS];
    const struct starfish_algebra algebra = {&progress, 0, 0};
    const struct test_dense dense = {N, &p->matrix[0][0]};
    struct starfish_bicgstab_steps steps = {.algebra = &algebra,
                                            .scalars = &scalars,
                                            .matrix = {.self = &dense, .residual = test_dense_residual},
                                            .preconditioner = {.self = p, .apply = by},
                                            .f = &v[0],
                                            .u = &v[1],
                                            .residual = &v[2],
                                            .shadow = &v[3],
                                            .direction = &v[4],
                                            .preconditioned = &v[5],
                                            .v = &v[6],
                                            .t = &v[7],
                                            .sums = &sums[0],
                                            .products = &sums[1]};
    const struct starfish_iteration iteration = starfish_bicgstab_iteration(&steps, STARFISH_KRYLOV_RING);
    const struct starfish_stopping stopping = {
        .tolerance = 1e-11, .patience = 40, .most = most, .from_guess = guess != NULL};

    *report = (struct starfish_iteration_report){.most_count = 0};
    starfish_progress_init(&progress, context);
    ASSERT_OK(starfish_space_runs(&space, context, n, &runs));
    for (int i = 0; i < 3; i++)
        ASSERT_OK(starfish_sums_create(&sums[i], PARTS));
    for (int i = 0; i < VECTORS; i++)
        ASSERT_OK(starfish_vector_create(&v[i], &space, STARFISH_F64));
    ASSERT_OK(starfish_scalars_create(&scalars, &space, 0));
    test_dense_put(&v[0], f);
    if (guess)
        test_dense_put(&v[1], guess);
    const starfish_status status = starfish_iterate(&iteration, &stopping, report);
    test_dense_get(&v[1], u);
    ASSERT_OK(starfish_progress_wait(&progress));
    for (int i = 0; i < VECTORS; i++)
        starfish_vector_destroy(&v[i]);
    for (int i = 0; i < 3; i++)
        starfish_sums_destroy(&sums[i]);
    starfish_scalars_destroy(&scalars);
    starfish_space_destroy(&space);
    starfish_progress_destroy(&progress);
    return status;
}

static void matrices_that_are_not_symmetric_are_solved(void **state)
{
    static const double convections[] = {0, 0.3, 0.9, -1.4};
    static precondition *const by[] = {by_nothing, by_diagonal};
    (void)state;

    for (size_t c = 0; c < sizeof convections / sizeof convections[0]; c++)
        for (int b = convections[c] == 0; b < 2; b++) {
            struct starfish_iteration_report report;
            static struct problem p;
            static double factors[N][N];
            double f[N], u[N], expected[N], guess[N];
            lapack_int pivots[N];
            fill(&p, convections[c]);
            for (int i = 0; i < N; i++) {
                f[i] = expected[i] = test_real_random(&seed);
                guess[i] = test_real_random(&seed);
            }
            memcpy(factors, p.matrix, sizeof factors);
            assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, N, 1, &factors[0][0], N, pivots, expected, 1), 0);
            ASSERT_OK(solve(&p, by[b], f, b ? guess : NULL, 4 * N, u, &report));
            for (int i = 0; i < N; i++)
                assert_true(fabs(u[i] - expected[i]) <= 1e-8 * (1 + fabs(expected[i])));
            assert_true(report.cycles > 2 && report.cycles <= 4 * N);
        }
}

/* A rotation: A B p is orthogonal to the shadow residual, so that nothing can be divided by. */
static void what_breaks_down_is_said(void **state)
{
    struct starfish_iteration_report report;
    static struct problem p;
    double f[N] = {1}, u[N];
    (void)state;

    for (int i = 0; i < N; i += 2) {
        p.matrix[i][i + 1] = 1;
        p.matrix[i + 1][i] = -1;
    }
    ASSERT_FAILS(solve(&p, by_nothing, f, NULL, 100, u, &report), STARFISH_ERROR_NUMERICAL, "stopped falling");
    for (int i = 0; i < N; i++)
        assert_true(isfinite(u[i]));
}

static void cycles_are_counted(void **state)
{
    struct starfish_iteration_report report;
    static struct problem p;
    double f[N], u[N];
    (void)state;

    fill(&p, 0.3);
    for (int i = 0; i < N; i++)
        f[i] = 1;
    ASSERT_FAILS(solve(&p, by_nothing, f, NULL, 5, u, &report), STARFISH_ERROR_NUMERICAL, "max_iterations = 5");
    assert_int_equal(report.cycles, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(matrices_that_are_not_symmetric_are_solved),
                                       cmocka_unit_test(what_breaks_down_is_said),
                                       cmocka_unit_test(cycles_are_counted)};

    return TEST_GROUP("bicgstab", tests, &context, 0, -1, 0);
}
