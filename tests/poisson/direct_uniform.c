/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solvers on uniform grids: every pair of ends on both grids, eigenvectors, singular problems, and the order of
 * the discretisation. */
#include "tests/common/about.h"
#include "tests/poisson/direct_cases.h"

#include "tests/common/check.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Every pair of ends, both grids ----------------------------------------------------------------------------- */

/* lambda < 0 keeps all-Neumann problems regular and conditions moderate: errors are then rounding. */
void recovers_random_fields(void **state)
{
    (void)state;
    for (int case_ = 0; case_ < DIRECT_AXES * DIRECT_AXES; case_++) {
        const char *x = direct_axes[(case_ * 5 + case_ / DIRECT_AXES) % DIRECT_AXES],
                   *y = direct_axes[case_ % DIRECT_AXES], *z = direct_axes[case_ / DIRECT_AXES];
        char what[64];
        snprintf(what, sizeof what, "x %s, y %s, z %s", x, y, z);
        for (int variant = 0; variant < 2 * DIRECT_METHODS; variant++) {
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            options.method = direct_methods[variant % DIRECT_METHODS];
            options.precision = variant / DIRECT_METHODS ? STARFISH_F32 : STARFISH_F64;
            options.slabs = 3;
            options.mode_blocks = 2;
            options.check_residual = case_ % 3 == 0;
            struct starfish_poisson_problem p =
                test_problem(x, y, z, 6 + (size_t)case_ % 3, 5, 7 + (size_t)case_ % 2, -1);
            direct_check_recovers(what, &p, &options, 1, options.precision == STARFISH_F64 ? 1e-12 : 1e-4);
            test_free_problem(&p);
        }
    }
}

/* 131 and 149 are primes, and neither 130 nor 132 has small factors alone: GPUs transform such lines by products. */
void solves_lengths_without_small_factors(void **state)
{
    (void)state;
    for (int kind = 0; kind < DIRECT_AXES; kind++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.method = STARFISH_METHOD_SLAB;
        options.slabs = 2;
        struct starfish_poisson_problem p =
            test_problem("periodic", direct_axes[kind], direct_axes[(kind + 4) % DIRECT_AXES], 149, 131, 5, -1);
        direct_check_recovers(direct_axes[kind], &p, &options, 1, 1e-11);
        test_free_problem(&p);
    }
}

/* A discrete eigenvector in, u / eigenvalue out. */
static double mode(const struct starfish_axis *axis, size_t m, size_t i, double *eigenvalue)
{
    const double n = (double)axis->n, pi = acos(-1);
    const int neumann[2] = {axis->ends[0] == STARFISH_NEUMANN, axis->ends[1] == STARFISH_NEUMANN};
    const int periodic = axis->ends[0] == STARFISH_PERIODIC, cell = axis->grid == STARFISH_CELL;
    /* wave number in half turns per step, and where the first unknown is in steps */
    const double intervals = periodic || cell ? n : n - 1 + !neumann[0] + !neumann[1];
    const double k = periodic ? 2 * floor((double)(m + 1) / 2)
                              : (double)m + (neumann[0] && neumann[1]   ? 0
                                             : neumann[0] || neumann[1] ? 0.5
                                                                        : 1);
    const double theta = pi * k / intervals, h = axis->length / intervals;
    const double first = periodic ? 0 : cell ? 0.5 : !neumann[0];
    *eigenvalue = -4 / (h * h) * sin(theta / 2) * sin(theta / 2);
    const int sine = periodic ? m > 0 && m % 2 == 0 : !neumann[0];
    return sine ? sin(theta * ((double)i + first)) : cos(theta * ((double)i + first));
}

void solves_eigenvectors(void **state)
{
    (void)state;
    const size_t n[3] = {12, 15, 16};
    for (int kind = 0; kind < DIRECT_AXES; kind++)
        for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
            struct starfish_poisson_problem p =
                test_problem(direct_axes[kind], direct_axes[kind], direct_axes[kind], n[0], n[1], n[2], 0);
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            options.method = (starfish_method)method;
            const size_t count = test_unknowns(&p);
            double *f = malloc(count * sizeof *f), *u = malloc(count * sizeof *u), eigenvalue[3] = {0, 0, 0},
                   largest = 0;
            for (size_t e = 0; e < count; e++) {
                f[e] = mode(&p.axis[0], 3, e % n[0], &eigenvalue[0]) *
                       mode(&p.axis[1], 2, e / n[0] % n[1], &eigenvalue[1]) *
                       mode(&p.axis[2], 1, e / n[0] / n[1], &eigenvalue[2]);
                largest = fmax(largest, fabs(f[e]));
            }
            starfish_plan *plan;
            ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, &options, &plan));
            direct_solve(plan, NULL, STARFISH_F64, f, u, count, NULL);
            const double sum = eigenvalue[0] + eigenvalue[1] + eigenvalue[2];
            for (size_t e = 0; e < count; e++)
                if (!(fabs(u[e] * sum - f[e]) <= 1e-13 * largest))
                    fail_msg("%s, method %s: eigenvector off by %g", direct_axes[kind], test_about(plan).method,
                             fabs(u[e] * sum - f[e]) / largest);
            starfish_plan_destroy(plan);
            free(f);
            free(u);
            test_free_problem(&p);
        }
}

/* Precision of a singular problem, and how many times the mean of f is as large as the rest. */
static const struct mean_case {
    starfish_precision precision;
    double ratio;
} mean_cases[] = {{STARFISH_F64, 0.01}, {STARFISH_F64, 1e4}, {STARFISH_F32, 1e4}};

static double largest_of(const double *values, size_t count)
{
    double largest = 0;
    for (size_t e = 0; e < count; e++)
        largest = fmax(largest, fabs(values[e]));
    return largest;
}

static void check_singular(const struct starfish_poisson_problem *p, starfish_method method, const struct mean_case *c,
                           const char *what)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.method = method;
    options.precision = c->precision;
    options.check_residual = 1;
    unsigned seed = 3;
    const size_t count = test_unknowns(p);
    double *u = test_reals(STARFISH_F64, count, &seed), *f = malloc(count * sizeof *f);
    struct starfish_boundary boundary = {0};
    if (c->precision == STARFISH_F64)
        direct_random_boundary(p, &boundary, &seed);
    const double mean = test_weighted_mean(p, u);
    for (size_t e = 0; e < count; e++)
        u[e] -= mean;
    test_apply(p, &boundary, u, f);
    const double added = c->ratio * largest_of(f, count), epsilon = test_real_epsilon(c->precision);
    for (size_t e = 0; e < count; e++)
        f[e] += added;
    starfish_plan *plan;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    ASSERT_OK(starfish_poisson_plan_create(direct_context, p, &options, &plan));
    assert_true(test_about(plan).singular);
    direct_solve(plan, &boundary, c->precision, f, f, count, &info); /* in place in f64 */
    const double error = test_difference(STARFISH_F64, u, f, count), left = fabs(test_weighted_mean(p, f));
    /* f is rounded where it has its mean. */
    if (!(error < 1e3 * (1 + c->ratio) * epsilon) || !(fabs(info.pertrb - added) < 100 * epsilon * added) ||
        !(info.residual_max < 5e3 * epsilon) || !(left <= 4 * epsilon))
        fail_msg("%s, method %s, f%d, mean %g times the rest: error %g, pertrb %g for %g, residual %g, mean %g", what,
                 test_about(plan).method, c->precision == STARFISH_F32 ? 32 : 64, c->ratio, error, info.pertrb, added,
                 info.residual_max, left);
    starfish_plan_destroy(plan);
    direct_free_boundary(&boundary);
    free(u);
    free(f);
}

/* Singular problems: the mean of f is removed and reported, and the solution has mean zero but for rounding errors of
 * its own, however large the mean of f was. */
void solves_singular_problems(void **state)
{
    (void)state;
    enum { MEANS = sizeof mean_cases / sizeof mean_cases[0] };
    static const char *const kinds[] = {"periodic", "nn node", "nn cell", "nn node stretched", "nn cell stretched"};
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 5; y++)
            for (int z = 0; z < 5; z++)
                for (int method = 0; method < DIRECT_METHODS; method++) {
                    struct starfish_poisson_problem p = test_problem(kinds[x], kinds[y], kinds[z], 6, 9, 8, 0);
                    char what[120];
                    snprintf(what, sizeof what, "x %s, y %s, z %s", kinds[x], kinds[y], kinds[z]);
                    check_singular(&p, direct_methods[method], &mean_cases[(x + y + z) % MEANS], what);
                    test_free_problem(&p);
                }
}

/* ---- Second order ------------------------------------------------------------------------------------------------ */

/* A smooth function of one variable with its first two derivatives, periodic over `length` when asked. */
struct smooth {
    double value, first, second;
};

static struct smooth smooth_at(const struct starfish_axis *axis, double x)
{
    if (axis->ends[0] == STARFISH_PERIODIC && axis->kind == STARFISH_UNIFORM) {
        const double k = 2 * acos(-1) / axis->length;
        return (struct smooth){2 + sin(k * x), k * cos(k * x), -k * k * sin(k * x)};
    }
    return (struct smooth){exp(0.7 * x), 0.7 * exp(0.7 * x), 0.49 * exp(0.7 * x)};
}

static double end_position(const struct starfish_axis *axis, int end)
{
    return axis->origin + (end ? axis->length : 0);
}

/* Boundary data of the product of three smooth functions. */
static void smooth_boundary(const struct starfish_poisson_problem *p, struct starfish_boundary *boundary)
{
    memset(boundary, 0, sizeof *boundary);
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++) {
            const struct starfish_axis *a = &p->axis[axis], *b = &p->axis[axis == 0], *c = &p->axis[axis == 2 ? 1 : 2];
            const struct smooth s = smooth_at(a, end_position(a, end));
            double *data = malloc(b->n * c->n * sizeof *data);
            for (size_t e = 0; e < b->n * c->n; e++)
                data[e] = (a->ends[end] == STARFISH_NEUMANN ? s.first : s.value) *
                          smooth_at(b, test_position(b, e % b->n)).value *
                          smooth_at(c, test_position(c, e / b->n)).value;
            boundary->array[axis][end] = data;
        }
}

static double discretisation_error(const char *x, const char *y, const char *z, size_t n, starfish_method method)
{
    struct starfish_poisson_problem p = test_problem(x, y, z, n, n, n, -2);
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_boundary boundary;
    starfish_plan *plan;
    options.method = method;
    double *f = malloc(n * n * n * sizeof *f), *u = malloc(n * n * n * sizeof *u);
    for (size_t e = 0; e < n * n * n; e++) {
        const size_t at[3] = {e % n, e / n % n, e / n / n};
        struct smooth s[3];
        for (int axis = 0; axis < 3; axis++)
            s[axis] = smooth_at(&p.axis[axis], test_position(&p.axis[axis], at[axis]));
        u[e] = s[0].value * s[1].value * s[2].value;
        f[e] = s[0].second * s[1].value * s[2].value + s[0].value * s[1].second * s[2].value +
               s[0].value * s[1].value * s[2].second - 2 * u[e];
    }
    smooth_boundary(&p, &boundary);
    ASSERT_OK(starfish_poisson_plan_create(direct_context, &p, &options, &plan));
    ASSERT_OK(starfish_plan_solve(plan, &boundary, f, f, NULL));
    double square = 0;
    for (size_t e = 0; e < n * n * n; e++)
        square += (u[e] - f[e]) * (u[e] - f[e]);
    starfish_plan_destroy(plan);
    direct_free_boundary(&boundary);
    free(f);
    free(u);
    test_free_problem(&p);
    return sqrt(square / (double)(n * n * n));
}

void converges_with_second_order(void **state)
{
    (void)state;
    for (int kind = 0; kind < DIRECT_AXES; kind++)
        for (int other = 0; other < DIRECT_AXES; other++) {
            const char *x = direct_axes[(kind + other) % DIRECT_AXES], *y = direct_axes[kind], *z = direct_axes[other];
            const starfish_method method = direct_methods[(kind + other) % DIRECT_METHODS];
            const double coarse = discretisation_error(x, y, z, 20, method);
            const double fine = discretisation_error(x, y, z, 40, method);
            /* Four in the limit, in the mean square: where faces of different kinds meet it is h^2 log h. */
            if (!(coarse / fine > 3.6))
                fail_msg("x %s, y %s, z %s: error %g at 20, %g at 40", x, y, z, coarse, fine);
        }
}
