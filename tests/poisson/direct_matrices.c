/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solvers on stretched grids and general matrices, in 3D and 2D. */
#include "tests/common/about.h"
#include "tests/poisson/direct_cases.h"

#include "tests/common/check.h"
#include "tests/poisson/fishpack_example.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void solves_stretched_grids(void **state)
{
    (void)state;
    static const char *const kinds[] = {"dd node stretched", "dn node stretched", "nd node stretched",
                                        "nn node stretched", "dd cell stretched", "dn cell stretched",
                                        "nd cell stretched", "nn cell stretched"};
    for (int y = 0; y < 8; y++)
        for (int z = 0; z < 8; z++) {
            struct starfish_poisson_problem p =
                test_problem(direct_axes[(y + z) % DIRECT_AXES], kinds[y], kinds[z], 5, 9, 13, -1);
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            options.slabs = 2;
            for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
                options.method = (starfish_method)method;
                options.refinements = z % 2;
                direct_check_recovers(kinds[z], &p, &options, 1, 1e-11);
            }
            test_free_problem(&p);
        }
}

void solves_random_matrices_of_any_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 33, 63, 64, 100, 127, 130};
    unsigned seed = 11;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int periodic = 0; periodic < 4; periodic++) {
            const size_t ny = sizes[(i * 7 + 3) % (sizeof sizes / sizeof sizes[0])];
            struct starfish_poisson_problem p = {.axis = {test_axis("periodic", 1 + i % 5, 0, 3),
                                                          test_matrix(ny, periodic & 1, &seed),
                                                          test_matrix(sizes[i], periodic >> 1, &seed)},
                                                 .lambda = -0.5};
            char what[96];
            snprintf(what, sizeof what, "random %zu x %zu, periodic %d", ny, sizes[i], periodic);
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            for (int variant = 0; variant < 2 * DIRECT_METHODS; variant++) {
                options.method = direct_methods[variant % DIRECT_METHODS];
                options.precision = variant / DIRECT_METHODS ? STARFISH_F32 : STARFISH_F64;
                options.slabs = variant % DIRECT_METHODS ? 0 : 1 + (i + (size_t)periodic) % 5 % sizes[i];
                direct_check_recovers(what, &p, &options, 0, variant / DIRECT_METHODS ? 2e-3 : 1e-10);
            }
            test_free_problem(&p);
        }
}

/* Eigenvalues of such rows are zero but for rounding errors, which must not count as the problem's smallest one. The
 * solution has another mean than u. */
void solves_singular_matrices(void **state)
{
    (void)state;
    unsigned seed = 5;
    for (int variant = 0; variant < 4 * DIRECT_METHODS; variant++) {
        struct starfish_poisson_problem p = {.axis = {test_axis("periodic", 3, 0, 3),
                                                      test_flux_matrix(17, variant / DIRECT_METHODS & 1, &seed),
                                                      test_flux_matrix(12, variant / DIRECT_METHODS >> 1, &seed)},
                                             .lambda = 0};
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        const size_t count = test_unknowns(&p);
        double *u = test_reals(STARFISH_F64, count, &seed), *f = malloc(count * sizeof *f);
        starfish_plan *plan;
        options.method = direct_methods[variant % DIRECT_METHODS];
        test_apply(&p, NULL, u, f);
        ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, &options, &plan));
        assert_true(test_about(plan).singular);
        ASSERT_OK(starfish_plan_solve(plan, NULL, f, f, NULL));
        const double apart = u[0] - f[0];
        for (size_t e = 0; e < count; e++)
            f[e] += apart;
        const double error = test_difference(STARFISH_F64, u, f, count);
        if (!(error < 1e-11))
            fail_msg("variant %d, method %s: error %g", variant, test_about(plan).method, error);
        starfish_plan_destroy(plan);
        free(u);
        free(f);
        test_free_problem(&p);
    }
}

void solves_fishpack_blktri_example(void **state)
{
    (void)state;
    static struct test_fishpack_example e;
    test_fishpack_example(&e);
    const struct starfish_axis x = test_example_axis(TEST_EXAMPLE_M, e.am, e.bm, e.cm);
    const struct starfish_axis y = test_example_axis(TEST_EXAMPLE_N, e.an, e.bn, e.cn);
    starfish_plan *plan;
    ASSERT_OK(starfish_separable2d_plan_create(direct_context, &x, &y, 0, NULL, &plan));
    ASSERT_OK(starfish_plan_solve(plan, NULL, e.rhs, e.rhs, NULL));
    starfish_plan_destroy(plan);
    const double error = test_difference(STARFISH_F64, e.rhs, e.exact, TEST_EXAMPLE_M * TEST_EXAMPLE_N);
    assert_true(fabs(error / TEST_EXAMPLE_ERROR - 1) < 1e-6);
}

/* Solve A v = f in 2D, axes 1 and 2 of the problem, and compare v with u. */
static double error_in_2d(const struct starfish_poisson_problem *p, starfish_method method, const double *u,
                          const double *f, double *v)
{
    static const char *const names[] = {[STARFISH_METHOD_SLAB] = "slab",
                                        [STARFISH_METHOD_BLKTRI] = "blktri",
                                        [STARFISH_METHOD_BLKTRI_PRODUCT] = "blktri-product"};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    options.method = method;
    ASSERT_OK(starfish_separable2d_plan_create(direct_context, &p->axis[1], &p->axis[2], 0, &options, &plan));
    assert_string_equal(test_about(plan).method, names[method]);
    ASSERT_OK(starfish_plan_solve(plan, NULL, f, v, NULL));
    starfish_plan_destroy(plan);
    return test_difference(STARFISH_F64, u, v, p->axis[1].n * p->axis[2].n);
}

/* Random u on uniform grids, 2D, any n; bounds are FISHPACK's errors where it solves, and as
 * much for periodic n, whose roots come from a band matrix, as the condition allows. */
void recovers_random_2d_fields(void **state)
{
    (void)state;
    static const struct {
        size_t m, n;
        int periodic;
        double bound;
    } cases[] = {{511, 511, 0, 1e-11}, {63, 500, 0, 1e-11},  {63, 512, 0, 1e-11},
                 {33, 600, 0, 1e-11},  {33, 700, 0, 1e-11},  {33, 767, 0, 1e-11},
                 {33, 1000, 0, 2e-11}, {40, 1024, 1, 5e-11}, {15, 2048, 1, 2e-10}};
    const int small = getenv("STARFISH_TEST_SMALL") != NULL;
    for (size_t t = small ? 1 : 0; t < (small ? 2 : sizeof cases / sizeof cases[0]); t++) {
        const size_t m = cases[t].m, n = cases[t].n;
        const double one_x = pow((double)m + 1, 2), one_y = pow((double)n + !cases[t].periodic, 2);
        double *ax = malloc(m * sizeof(double)), *bx = malloc(m * sizeof(double)), *ay = malloc(n * sizeof(double)),
               *by = malloc(n * sizeof(double)), *f = malloc(m * n * sizeof(double)),
               *v = malloc(m * n * sizeof(double)), zero = 0;
        unsigned seed = 5;
        double *u = test_reals(STARFISH_F64, m * n, &seed);
        for (size_t i = 0; i < m; i++)
            ax[i] = one_x, bx[i] = -2 * one_x;
        for (size_t j = 0; j < n; j++)
            ay[j] = one_y, by[j] = -2 * one_y;
        struct starfish_poisson_problem p = {
            .axis = {{.kind = STARFISH_TRIDIAGONAL, .n = 1, .lower = &zero, .diag = &zero, .upper = &zero},
                     {.kind = STARFISH_TRIDIAGONAL, .n = m, .lower = ax, .diag = bx, .upper = ax},
                     {.kind = STARFISH_TRIDIAGONAL,
                      .n = n,
                      .lower = ay,
                      .diag = by,
                      .upper = ay,
                      .periodic = cases[t].periodic}},
            .lambda = 0};
        test_apply(&p, NULL, u, f);
        for (int form = STARFISH_METHOD_BLKTRI; form <= STARFISH_METHOD_BLKTRI_PRODUCT; form++) {
            const double error = error_in_2d(&p, (starfish_method)form, u, f, v);
            if (!(error <= cases[t].bound))
                fail_msg("%zu x %zu, method %d: error %g", m, n, form, error);
        }
        free(ax), free(bx), free(ay), free(by), free(f), free(u), free(v);
    }
}

/* Dirichlet rows on `n` unknowns whose spacings grow by `ratio` in all, from the low end, or from both. */
static void stretch(double ratio, int both_ends, size_t n, double *lower, double *diag, double *upper)
{
    const double step = pow(ratio, (both_ends ? 2.0 : 1.0) / (double)n);
    for (size_t k = 0; k < n; k++) {
        const size_t left = both_ends && k > n / 2 ? n - k : k, right = both_ends && k + 1 > n / 2 ? n - k - 1 : k + 1;
        const double before = pow(step, (double)left) / (double)n, after = pow(step, (double)right) / (double)n;
        lower[k] = 2 / (before * (before + after));
        upper[k] = 2 / (after * (before + after));
        diag[k] = -(lower[k] + upper[k]);
    }
}

/* x by a fast transform, by a change of basis, by one that is folded, by one that needs refinement. */
void the_slab_method_does_2d(void **state)
{
    (void)state;
    enum { MOST = 300, SHAPES = 3 };
    static const size_t shapes[SHAPES][2] = {{5, 7}, {64, 33}, {255, 257}};
    static const struct {
        double ratio;
        int both_ends;
    } grids[] = {{1, 0}, {40, 0}, {1000, 1}, {40000, 0}, {40000, 1}};
    static double row[2][3][MOST], zero;
    for (size_t s = 0; s < (getenv("STARFISH_TEST_SMALL") ? SHAPES - 1 : SHAPES); s++)
        for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
            struct starfish_poisson_problem p = {
                .axis = {{.kind = STARFISH_TRIDIAGONAL, .n = 1, .lower = &zero, .diag = &zero, .upper = &zero}},
                .lambda = 0};
            const size_t count = shapes[s][0] * shapes[s][1];
            for (int d = 0; d < 2; d++) {
                stretch(grids[g].ratio, grids[g].both_ends, shapes[s][d], row[d][0], row[d][1], row[d][2]);
                p.axis[d + 1] = (struct starfish_axis){.kind = STARFISH_TRIDIAGONAL,
                                                       .n = shapes[s][d],
                                                       .lower = row[d][0],
                                                       .diag = row[d][1],
                                                       .upper = row[d][2]};
            }
            unsigned seed = 29;
            double *u = test_reals(STARFISH_F64, count, &seed), *f = malloc(2 * count * sizeof *f);
            test_apply(&p, NULL, u, f);
            const double error = error_in_2d(&p, STARFISH_METHOD_SLAB, u, f, f + count);
            if (!(error <= 1e-11))
                fail_msg("%zu x %zu, ratio %g: error %g", shapes[s][0], shapes[s][1], grids[g].ratio, error);
            free(f), free(u);
        }
}

/* |f - A v| over |A| |v|, all in the max norm. */
static double backward_error(const struct starfish_poisson_problem *p, const double *f, const double *v)
{
    const size_t m = p->axis[1].n, count = test_unknowns(p);
    double *product = malloc(count * sizeof *product), norm = 4 * pow((double)m + 1, 2), largest = 0, stiffest = 0;
    test_apply(p, NULL, v, product);
    for (size_t e = 0; e < count; e++)
        largest = fmax(largest, fabs(v[e]));
    for (size_t j = 0; j < p->axis[2].n; j++)
        stiffest = fmax(stiffest, 2 * fabs(p->axis[2].diag[j]));
    norm += stiffest;
    const double error = test_difference(STARFISH_F64, f, product, count) / (norm * largest);
    free(product);
    return error;
}

/* Grids with neighbouring scales 40,000 apart. The product form loses its digits there. */
void partial_fractions_stand_stretching(void **state)
{
    (void)state;
    const size_t n = getenv("STARFISH_TEST_SMALL") ? 63 : 511;
    static const double stretching[] = {3, 4.5, 6};
    double *lower = malloc(n * sizeof *lower), *diag = malloc(n * sizeof *diag), *upper = malloc(n * sizeof *upper),
           *f = malloc(n * n * sizeof *f), *v = malloc(n * n * sizeof *v);
    unsigned seed = 23;
    double *u = test_reals(STARFISH_F64, n * n, &seed), zero = 0;
    for (size_t t = 0; t < sizeof stretching / sizeof stretching[0]; t++) {
        const double s = stretching[t];
        for (size_t j = 0; j < n; j++) {
            double node[3];
            for (size_t i = 0; i < 3; i++)
                node[i] = (1 + tanh(s * (2 * (double)(j + i) / (double)(n + 1) - 1)) / tanh(s)) / 2;
            lower[j] = 2 / ((node[1] - node[0]) * (node[2] - node[0]));
            upper[j] = 2 / ((node[2] - node[1]) * (node[2] - node[0]));
            diag[j] = -(lower[j] + upper[j]);
        }
        struct starfish_poisson_problem p = {
            .axis = {{.kind = STARFISH_TRIDIAGONAL, .n = 1, .lower = &zero, .diag = &zero, .upper = &zero},
                     test_axis("dd node", n, 0, 1),
                     {.kind = STARFISH_TRIDIAGONAL, .n = n, .lower = lower, .diag = diag, .upper = upper}},
            .lambda = 0};
        test_apply(&p, NULL, u, f);
        const double error = error_in_2d(&p, STARFISH_METHOD_BLKTRI, u, f, v), backward = backward_error(&p, f, v);
        if (!(error <= 1e-10 && backward <= 1e-14))
            fail_msg("stretching %g: error %g, backward error %g", s, error, backward);
    }
    free(lower), free(diag), free(upper), free(f), free(v), free(u);
}
