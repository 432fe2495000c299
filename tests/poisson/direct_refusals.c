/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What direct solvers refuse, and what they can do where it seems that they cannot. */
#include "tests/common/about.h"
#include "tests/poisson/direct_cases.h"

#include "tests/common/check.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

void refuses_what_it_cannot_solve(void **state)
{
    (void)state;
    starfish_plan *plan;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem p = test_problem("periodic", "dd node", "dd node", 8, 7, 7, 0);

    p.axis[1].n = 0;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, NULL, &plan), STARFISH_ERROR_ARGUMENT, "axis y.n");
    p.axis[1].n = 7;
    p.axis[2].length = -1;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, NULL, &plan), STARFISH_ERROR_ARGUMENT,
                 "axis z.length");
    p.axis[2].length = 2;
    p.axis[0].ends[1] = STARFISH_NEUMANN;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, NULL, &plan), STARFISH_ERROR_ARGUMENT, "axis x.ends");
    p.axis[0].ends[1] = STARFISH_PERIODIC;
    p.axis[1].robin[1] = 0.5;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, NULL, &plan), STARFISH_ERROR_UNSUPPORTED,
                 "axis y.robin[1] is 0.5");
    p.axis[1].robin[1] = 0;
    p.lambda = NAN;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, NULL, &plan), STARFISH_ERROR_ARGUMENT, "lambda");
    options.slabs = 8;
    p.lambda = 0;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT,
                 "options.slabs");
    options.slabs = 0;
    options.refinements = 11;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT,
                 "options.refinements is 11");
    options.refinements = -1;
    options.split = 35;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT,
                 "options.split is 35");
    options.split = -1;
    options.radix = 3;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT,
                 "options.radix is 3");
    options.radix = 0;
    options.algorithm = STARFISH_ALGORITHM_TILED;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT,
                 "options.algorithm is 2");
    options.algorithm = STARFISH_ALGORITHM_AUTO;
    /* lambda cancels the smallest mode: x constant, first sines of y (h = 1/8) and z (h = 2/8) */
    const double pi = acos(-1);
    p.lambda = 4 * 64 * pow(sin(pi / 16), 2) + 4 * 16 * pow(sin(pi / 16), 2);
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, NULL, &plan), STARFISH_ERROR_SINGULAR,
                 "mode (0, 0, 0)");
    p.lambda = 0;
    test_axis_free(&p.axis[1]);
    p.axis[1] = test_axis("dd node stretched", 7, 0, 1);
    ((double *)p.axis[1].coordinates)[3] = 0;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, NULL, &plan), STARFISH_ERROR_ARGUMENT,
                 "axis y.coordinates[3]");
    test_free_problem(&p);

    unsigned seed = 4;
    p = (struct starfish_poisson_problem){
        .axis = {test_axis("periodic", 4, 0, 1), test_matrix(5, 0, &seed), test_matrix(6, 0, &seed)}, .lambda = 0};
    ((double *)p.axis[2].lower)[3] *= -1;
    options.method = STARFISH_METHOD_BLKTRI;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, &options, &plan), STARFISH_ERROR_NOT_SYMMETRIZABLE,
                 "axis z: lower[3] * upper[2]");
    ((double *)p.axis[1].lower)[2] *= -1;
    options.method = STARFISH_METHOD_SLAB;
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, &options, &plan), STARFISH_ERROR_NOT_SYMMETRIZABLE,
                 "axis y: lower[2] * upper[1]");
    test_free_problem(&p);
}

/* What couples the ends of a direction may be anything where it is not periodic. */
void ignores_what_couples_no_ends(void **state)
{
    (void)state;
    static const starfish_method methods[] = {STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI,
                                              STARFISH_METHOD_BLKTRI_PRODUCT, STARFISH_METHOD_MULTIGRID};
    static const double values[] = {(double)NAN, (double)INFINITY, 1e300};
    unsigned seed = 12;
    for (int i = 0; i < 4 * 3; i++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        struct starfish_poisson_problem p = {
            .axis = {test_axis("periodic", 4, 0, 1), test_flux_matrix(5, 0, &seed), test_flux_matrix(6, 0, &seed)},
            .lambda = -1};
        for (int axis = 1; axis < 3; axis++) {
            ((double *)p.axis[axis].lower)[0] = values[i % 3];
            ((double *)p.axis[axis].upper)[p.axis[axis].n - 1] = values[i % 3];
        }
        options.method = methods[i / 3];
        direct_check_recovers("ends that couple nothing", &p, &options, 0, 1e-8);
        test_free_problem(&p);
    }
}

/* Where y has no basis, or one that is scaled beyond use, auto takes block cyclic reduction. */
void auto_passes_by_a_useless_basis(void **state)
{
    (void)state;
    enum { N = 8 };
    double lower[2][N], diag[2][N], upper[2][N];
    for (int k = 0; k < N; k++) {
        lower[0][k] = k == 3 ? 0 : 1; /* one-sided: row 3 does not see row 2 */
        upper[0][k] = 1;
        diag[0][k] = diag[1][k] = -3;
        lower[1][k] = 10;
        upper[1][k] = 0.1;
    }
    for (int kind = 0; kind < 2; kind++) {
        struct starfish_poisson_problem p = test_problem("periodic", "dd node", "dd node", 6, N, 7, -1);
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        starfish_plan *plan;
        p.axis[1] = (struct starfish_axis){
            .kind = STARFISH_TRIDIAGONAL, .n = N, .lower = lower[kind], .diag = diag[kind], .upper = upper[kind]};
        ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, &options, &plan));
        assert_string_equal(test_about(plan).method, "blktri");
        starfish_plan_destroy(plan);
        direct_check_recovers("a useless basis", &p, &options, 0, kind == 0 ? 1e-12 : 1e-7);
        if (kind == 0) {
            options.method = STARFISH_METHOD_SLAB;
            ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, &options, &plan),
                         STARFISH_ERROR_NOT_SYMMETRIZABLE, "axis y");
        }
        p.axis[1].lower = p.axis[1].diag = p.axis[1].upper = NULL;
        test_free_problem(&p);
    }
}

/* A lambda near the end of the range makes no mode singular, and is named where sums with it, or on GPUs their
 * reciprocals, are beyond the range. */
void solves_with_the_largest_lambda(void **state)
{
    (void)state;
    enum { N = 4 };
    static const double lambdas[] = {4e307, 1e308, -1e308, 1.7e308};
    double f[N * N * N], u[N * N * N], row[N];
    starfish_plan *plan;
    for (int e = 0; e < N * N * N; e++)
        f[e] = 1e30;
    for (int i = 0; i < 4 * DIRECT_METHODS; i++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        struct starfish_poisson_problem p = test_problem("dd node", "dd node", "dd node", N, N, N, lambdas[i % 4]);
        options.method = direct_methods[i / 4];
        if (starfish_context_workers_of(direct_context, STARFISH_GPU) > 0 && i % 4 > 0) {
            ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT,
                         "too large");
            test_free_problem(&p);
            continue;
        }
        ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, &options, &plan));
        ASSERT_OK(starfish_plan_solve(plan, NULL, f, u, NULL));
        for (int e = 0; e < N * N * N; e++)
            assert_true(fabs(u[e] * p.lambda / 1e30 - 1) <= 1e-12);
        starfish_plan_destroy(plan);
        test_free_problem(&p);
    }
    struct starfish_poisson_problem p = test_problem("periodic", "dd node", "dd node", N, N, N, 1.7e308);
    for (int k = 0; k < N; k++)
        row[k] = 1e307;
    p.axis[1] = (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL, .n = N, .lower = row, .diag = row, .upper = row};
    ASSERT_FAILS(starfish_poisson_plan_create(direct_context, &p, NULL, &plan), STARFISH_ERROR_ARGUMENT,
                 "lambda is 1.7e+308, too large");
    p.axis[1].lower = p.axis[1].diag = p.axis[1].upper = NULL;
    test_free_problem(&p);
}

/* Positive lambda between eigenvalues is fine. */
void solves_indefinite_problems(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = test_problem("periodic", "dd node", "dd node", 8, 7, 9, 100.5);
    for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.method = (starfish_method)method;
        direct_check_recovers("lambda 100.5", &p, &options, 1, 1e-10);
    }
    test_free_problem(&p);
}
