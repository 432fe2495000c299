/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The method multigrid: f = A u by the oracle, solved back; and against the direct methods. */
#include "tests/poisson/multigrid.h"
#include "tests/common/about.h"

#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/poisson/fishpack_example.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

static const char *const axes[] = {
    "periodic", "dd node", "dn node",           "nd node",           "nn node",           "dd cell",          "dn cell",
    "nd cell",  "nn cell", "dd node stretched", "nn node stretched", "dn cell stretched", "nd cell stretched"};
enum { AXES = sizeof axes / sizeof axes[0] };

static starfish_context *context;
static int workers[2];

/* ---- Helpers ----------------------------------------------------------------------------------------------------- */

static struct starfish_poisson_options multigrid(double tolerance)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.method = STARFISH_METHOD_MULTIGRID;
    options.tolerance = tolerance;
    options.check_residual = 1;
    return options;
}

/* Solve in the precision of the options, in place; f and result in double. */
static void solve(const struct starfish_poisson_problem *p, const struct starfish_poisson_options *options,
                  const struct starfish_boundary *boundary, double *values, struct starfish_result *info)
{
    const size_t count = test_unknowns(p);
    starfish_plan *plan;
    ASSERT_OK(starfish_poisson_plan_create(context, p, options, &plan));
    assert_string_equal(test_about(plan).method, options->method == STARFISH_METHOD_MULTIGRID ? "multigrid" : "blktri");
    if (options->precision == STARFISH_F64) {
        ASSERT_OK(starfish_plan_solve(plan, boundary, values, values, info));
    } else {
        float *reals = malloc(count * sizeof *reals);
        for (size_t i = 0; i < count; i++)
            reals[i] = (float)values[i];
        ASSERT_OK(starfish_plan_solve(plan, boundary, reals, reals, info));
        for (size_t i = 0; i < count; i++)
            values[i] = (double)reals[i];
        free(reals);
    }
    starfish_plan_destroy(plan);
}

/* ---- Every kind of axis ------------------------------------------------------------------------------------------ */

/* Random u and boundary data (f64) -> f -> solve -> u? lambda < 0 keeps problems without Dirichlet ends regular. */
static void check_recovers(const char *const kinds[3], const struct starfish_poisson_options *options, double bound)
{
    struct starfish_poisson_problem p = test_problem(kinds[0], kinds[1], kinds[2], 6, 9, 7, -1);
    const size_t count = test_unknowns(&p);
    unsigned seed = 7;
    double *u = test_reals(STARFISH_F64, count, &seed), *f = malloc(count * sizeof *f);
    struct starfish_boundary boundary = {.constant = {{0.5, -1}, {2, 0}, {0, 0.25}}};
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;

    if (options->precision == STARFISH_F64)
        boundary.array[2][0] = test_reals(STARFISH_F64, count / p.axis[2].n, &seed);
    test_apply(&p, &boundary, u, f);
    solve(&p, options, &boundary, f, &info);
    const double error = test_difference(STARFISH_F64, u, f, count);
    if (!(error <= bound) || !(info.residual <= options->tolerance) || info.iterations < 1)
        fail_msg("x %s, y %s, z %s: error %g exceeds %g, residual %g after %d cycles", kinds[0], kinds[1], kinds[2],
                 error, bound, info.residual, info.iterations);
    assert_true(info.residual_max < 1e4 * options->tolerance);
    free((void *)boundary.array[2][0]);
    free(u);
    free(f);
    test_free_problem(&p);
}

/* On a GPU, where a plan takes some 20 ms, some of the combinations: no multiple of AXES, so that all axes occur. */
static size_t combination_step(void)
{
    return workers[STARFISH_GPU] == 0 ? 1 : workers[STARFISH_CPU] == 0 ? 2 : 5;
}

static void recovers_random_fields(void **state)
{
    (void)state;
    for (size_t c = 0; c < AXES * AXES; c += combination_step()) {
        const char *const kinds[3] = {axes[(5 * c + c / AXES) % AXES], axes[c % AXES], axes[c / AXES]};
        struct starfish_poisson_options options = multigrid(1e-12);
        check_recovers(kinds, &options, 1e-9);
        options.mixed = 1;
        options.slabs = 1 + c % 3;
        check_recovers(kinds, &options, 1e-9);
        options = multigrid(3e-6);
        options.precision = STARFISH_F32;
        check_recovers(kinds, &options, 1e-2);
    }
}

/* The mean of f is removed and reported, the solution has mean zero. */
static void solves_singular_problems(void **state)
{
    (void)state;
    static const char *const kinds[] = {"periodic", "nn node", "nn cell", "nn node stretched", "nn cell stretched"};
    for (int c = 0; c < 125; c++) {
        struct starfish_poisson_problem p = test_problem(kinds[c % 5], kinds[c / 5 % 5], kinds[c / 25], 6, 9, 8, 0);
        const struct starfish_poisson_options options = multigrid(1e-12);
        const size_t count = test_unknowns(&p);
        unsigned seed = 3;
        double *u = test_reals(STARFISH_F64, count, &seed), *f = malloc(count * sizeof *f);
        const double mean = test_weighted_mean(&p, u);
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        for (size_t e = 0; e < count; e++)
            u[e] -= mean;
        test_apply(&p, NULL, u, f);
        for (size_t e = 0; e < count; e++)
            f[e] += 0.75;
        solve(&p, &options, NULL, f, &info);
        const double error = test_difference(STARFISH_F64, u, f, count);
        if (!(error < 1e-9) || !(fabs(info.pertrb - 0.75) < 1e-10) || !(info.residual_max < 1e-8))
            fail_msg("x %s, y %s, z %s: error %g, pertrb %g, residual %g", kinds[c % 5], kinds[c / 5 % 5],
                     kinds[c / 25], error, info.pertrb, info.residual_max);
        free(u);
        free(f);
        test_free_problem(&p);
    }
}

/* On grids of several levels, whatever the sizes: what block cyclic reduction finds. */
static void agrees_with_direct_methods(void **state)
{
    (void)state;
    static const struct {
        const char *kinds[3];
        size_t n[3];
    } cases[] = {{{"periodic", "nn cell", "dn node"}, {32, 31, 30}},
                 {{"periodic", "dd node stretched", "dd cell stretched"}, {24, 33, 40}},
                 {{"dd node", "dd node", "nd cell stretched"}, {1, 65, 64}},
                 {{"periodic", "dd node", "dd node"}, {33, 3, 100}}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const size_t *n = cases[c].n;
        struct starfish_poisson_problem p =
            test_problem(cases[c].kinds[0], cases[c].kinds[1], cases[c].kinds[2], n[0], n[1], n[2], 0);
        struct starfish_poisson_options options = multigrid(1e-11);
        unsigned seed = 5;
        double *f = test_reals(STARFISH_F64, test_unknowns(&p), &seed), *g = malloc(test_unknowns(&p) * sizeof *g),
               most = 0;
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        for (size_t e = 0; e < test_unknowns(&p); e++)
            g[e] = f[e];
        solve(&p, &options, NULL, f, &info);
        assert_true(info.iterations < 40);
        options.method = STARFISH_METHOD_BLKTRI;
        solve(&p, &options, NULL, g, NULL);
        for (size_t e = 0; e < test_unknowns(&p); e++)
            most = fmax(most, fabs(g[e]));
        const double error = test_difference(STARFISH_F64, f, g, test_unknowns(&p)) / most;
        if (!(error < 1e-8))
            fail_msg("case %zu: the methods differ by %g", c, error);
        free(f);
        free(g);
        test_free_problem(&p);
    }
}

/* ---- Two dimensions ---------------------------------------------------------------------------------------------- */

static void solves_fishpack_blktri_example(void **state)
{
    (void)state;
    static struct test_fishpack_example e;
    test_fishpack_example(&e);
    const struct starfish_axis x = test_example_axis(TEST_EXAMPLE_M, e.am, e.bm, e.cm);
    const struct starfish_axis y = test_example_axis(TEST_EXAMPLE_N, e.an, e.bn, e.cn);
    const struct starfish_poisson_options options = multigrid(1e-12);
    starfish_plan *plan;
    ASSERT_OK(starfish_separable2d_plan_create(context, &x, &y, 0, &options, &plan));
    ASSERT_OK(starfish_plan_solve(plan, NULL, e.rhs, e.rhs, NULL));
    starfish_plan_destroy(plan);
    const double error = test_difference(STARFISH_F64, e.rhs, e.exact, TEST_EXAMPLE_M * TEST_EXAMPLE_N);
    if (!(fabs(error / TEST_EXAMPLE_ERROR - 1) < 1e-4))
        fail_msg("error %.8e instead of %.8e", error, TEST_EXAMPLE_ERROR);
}

/* Both parts of complex right-hand sides are real problems. The operator's sign may be either. */
static void solves_both_parts_of_complex_numbers(void **state)
{
    (void)state;
    enum { M = 9, N = 17 };
    double lower[N], diag[N], part[2][M * N], pairs[2 * M * N];
    unsigned seed = 2;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < N; i++) {
            lower[i] = sign;
            diag[i] = -2 * sign;
        }
        const struct starfish_axis x = {
            .kind = STARFISH_TRIDIAGONAL, .n = M, .lower = lower, .diag = diag, .upper = lower};
        const struct starfish_axis y = {
            .kind = STARFISH_TRIDIAGONAL, .n = N, .lower = lower, .diag = diag, .upper = lower};
        struct starfish_poisson_options options = multigrid(1e-12);
        starfish_plan *plan;
        for (int e = 0; e < M * N; e++)
            for (int p = 0; p < 2; p++)
                pairs[2 * e + p] = part[p][e] = test_real_random(&seed);
        ASSERT_OK(starfish_separable2d_plan_create(context, &x, &y, 0, &options, &plan));
        for (int p = 0; p < 2; p++)
            ASSERT_OK(starfish_plan_solve(plan, NULL, part[p], part[p], NULL));
        starfish_plan_destroy(plan);
        options.complex_rhs = 1;
        ASSERT_OK(starfish_separable2d_plan_create(context, &x, &y, 0, &options, &plan));
        ASSERT_OK(starfish_plan_solve(plan, NULL, pairs, pairs, NULL));
        starfish_plan_destroy(plan);
        for (int e = 0; e < M * N; e++)
            for (int p = 0; p < 2; p++)
                assert_true(fabs(pairs[2 * e + p] - part[p][e]) < 1e-9);
    }
}

/* ---- The interface ----------------------------------------------------------------------------------------------- */

/* A solve between fields, the second from what the first left where it was computed. */
static void chains_solves_on_fields(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = test_problem("periodic", "dd node", "dn cell", 8, 9, 10, -1);
    const struct starfish_poisson_options options = multigrid(1e-12);
    const size_t count = test_unknowns(&p);
    unsigned seed = 9;
    double *u = test_reals(STARFISH_F64, count, &seed), *g = malloc(count * sizeof *g), *f = malloc(count * sizeof *f);
    starfish_plan *plan;
    starfish_field *field[2];
    starfish_job *job;

    test_apply(&p, NULL, u, g);
    test_apply(&p, NULL, g, f);
    ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
    ASSERT_OK(starfish_poisson_field(plan, f, &field[0]));
    ASSERT_OK(starfish_poisson_field(plan, g, &field[1]));
    ASSERT_OK(starfish_poisson_submit_field(plan, NULL, field[0], field[1], &job));
    ASSERT_OK(starfish_job_finish(job, NULL));
    ASSERT_OK(starfish_poisson_submit_field(plan, NULL, field[1], field[1], &job));
    ASSERT_OK(starfish_job_finish(job, NULL));
    starfish_field_destroy(field[0]);
    starfish_field_destroy(field[1]);
    starfish_plan_destroy(plan);
    assert_true(test_difference(STARFISH_F64, u, g, count) < 1e-8);
    free(u);
    free(g);
    free(f);
    test_free_problem(&p);
}

static void refuses_what_it_cannot_solve(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = test_problem("periodic", "dd node", "dd node", 8, 7, 7, 1);
    struct starfish_poisson_options options = multigrid(0);
    starfish_plan *plan;

    ASSERT_FAILS(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_UNSUPPORTED, "lambda = 1");
    p.lambda = 0;
    options.tolerance = -1;
    ASSERT_FAILS(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT, "tolerance");
    options.tolerance = 0;
    options.mixed = 1;
    options.precision = STARFISH_F32;
    ASSERT_FAILS(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT, "mixed");
    options.precision = STARFISH_F64;
    options.method = STARFISH_METHOD_SLAB;
    ASSERT_FAILS(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT, "mixed");
    test_free_problem(&p);

    const double diag[6] = {-2, 0, -2, 0, -2, 0}, one[6] = {1, 0, 1, 0, 1, 0};
    double real[3] = {1, 1, 1}, rows[3] = {-2, -2, -2};
    struct starfish_axis x = {
        .kind = STARFISH_TRIDIAGONAL, .n = 3, .lower = one, .diag = diag, .upper = one, .complex_line = 1};
    struct starfish_axis y = {.kind = STARFISH_TRIDIAGONAL, .n = 3, .lower = real, .diag = rows, .upper = real};
    const double imaginary[6] = {-2, 1, -2, 0, -2, 0};
    options = multigrid(0);
    x.diag = imaginary;
    ASSERT_FAILS(starfish_separable2d_plan_create(context, &x, &y, 0, &options, &plan), STARFISH_ERROR_UNSUPPORTED,
                 "which is complex");
    x = y;
    rows[1] = -1.5; /* sums to more than nothing */
    ASSERT_FAILS(starfish_separable2d_plan_create(context, &x, &y, 0, &options, &plan), STARFISH_ERROR_UNSUPPORTED,
                 "row 1 makes the operator indefinite");
    rows[1] = -2;
    const double one_way[3] = {1, 0, 1};
    x.upper = one_way;
    ASSERT_FAILS(starfish_separable2d_plan_create(context, &x, &y, 0, &options, &plan), STARFISH_ERROR_UNSUPPORTED,
                 "axis x: row 2 is coupled");
    const double negative[3] = {-1, -1, -1}, positive[3] = {2, 2, 2};
    x.lower = x.upper = negative;
    x.diag = positive;
    ASSERT_FAILS(starfish_separable2d_plan_create(context, &x, &y, 0, &options, &plan), STARFISH_ERROR_UNSUPPORTED,
                 "axis y: row 1 has an off-diagonal entry of another sign");
}

/* What cannot be reached is an error, and the next solve is none the worse. */
static void says_when_a_tolerance_is_not_reached(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = test_problem("dd cell", "dd cell", "dd cell", 20, 20, 20, 0);
    struct starfish_poisson_options options = multigrid(1e-10);
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    unsigned seed = 1;
    double *f = test_reals(STARFISH_F64, test_unknowns(&p), &seed), *u = malloc(test_unknowns(&p) * sizeof *u);
    starfish_plan *plan;

    options.max_iterations = 3;
    ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
    for (int i = 0; i < 2; i++) {
        ASSERT_FAILS(starfish_plan_solve(plan, NULL, f, u, &info), STARFISH_ERROR_NUMERICAL, "residual");
        assert_int_equal(info.outcome, STARFISH_NOT_CONVERGED);
        assert_true(info.iterations == 3 && info.residual > 1e-10 && info.residual_max > 1e-10);
    }
    starfish_plan_destroy(plan);
    free(f);
    free(u);
    test_free_problem(&p);
}

/* Exactly as many steps as are asked for, whose residual nobody judges: few that leave a large one too. */
static void takes_a_fixed_number_of_steps(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = test_problem("dd cell", "dd cell", "dd cell", 20, 20, 20, 0);
    unsigned seed = 1;
    double *f = test_reals(STARFISH_F64, test_unknowns(&p), &seed), *u = malloc(test_unknowns(&p) * sizeof *u);
    for (int steps = 2; steps <= 12; steps += 10) {
        struct starfish_poisson_options options = multigrid(1e-10);
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        starfish_plan *plan;
        options.fixed = 1;
        options.max_iterations = steps;
        ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
        ASSERT_OK(starfish_plan_solve(plan, NULL, f, u, &info));
        assert_int_equal(info.iterations, steps);
        assert_true(isnan(info.residual));
        assert_true(steps == 2 ? info.residual_max > 1e-6 : info.residual_max < 1e-6);
        starfish_plan_destroy(plan);
    }
    free(f);
    free(u);
    test_free_problem(&p);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

int test_poisson_multigrid(const char *name, int cpu_workers, int gpu_workers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_random_fields),        cmocka_unit_test(solves_singular_problems),
        cmocka_unit_test(agrees_with_direct_methods),    cmocka_unit_test(solves_fishpack_blktri_example),
        cmocka_unit_test(refuses_what_it_cannot_solve),  cmocka_unit_test(solves_both_parts_of_complex_numbers),
        cmocka_unit_test(chains_solves_on_fields),       cmocka_unit_test(says_when_a_tolerance_is_not_reached),
        cmocka_unit_test(takes_a_fixed_number_of_steps),
    };
    workers[STARFISH_CPU] = cpu_workers;
    workers[STARFISH_GPU] = gpu_workers;
    return TEST_GROUP(name, tests, &context, gpu_workers, cpu_workers, 0);
}
