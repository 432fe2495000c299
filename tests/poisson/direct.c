/* Tests of the direct solvers: f = A u by the oracle, solve, compare with u. */
#include "tests/poisson/direct.h"

#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const axes[] = {"periodic", "dd node", "dn node", "nd node", "nn node",
                                   "dd cell",  "dn cell", "nd cell", "nn cell"};
enum { AXES = sizeof axes / sizeof axes[0] };

static starfish_context *context;
static int workers[2], cores_per_worker;

enum { METHODS = 3 };
static const starfish_method methods[METHODS] = {STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI,
                                                 STARFISH_METHOD_BLKTRI_PRODUCT};

/* ---- Helpers ---------------------------------------------------------------------------------------------------- */

#define ASSERT_OK(expression)                                                                                          \
    do {                                                                                                               \
        if ((expression) != STARFISH_SUCCESS)                                                                          \
            fail_msg("%s: %s", #expression, starfish_error_message());                                                 \
    } while (0)

static size_t unknowns(const struct starfish_poisson_problem *p)
{
    return p->axis[0].n * p->axis[1].n * p->axis[2].n;
}

static double largest_difference(const double *a, const double *b, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= most))
            most = fabs(a[i] - b[i]);
    return most;
}

/* Solve in the precision of the options; rhs and result in double. */
static void solve(starfish_poisson_plan *plan, const struct starfish_boundary *boundary, starfish_precision precision,
                  const double *rhs, double *result, size_t count, struct starfish_info *info)
{
    if (precision == STARFISH_F64) {
        ASSERT_OK(starfish_poisson_solve(plan, boundary, rhs, result, info));
        return;
    }
    float *f = malloc(count * sizeof *f), *u = malloc(count * sizeof *u);
    for (size_t i = 0; i < count; i++)
        f[i] = (float)rhs[i];
    ASSERT_OK(starfish_poisson_solve(plan, boundary, f, u, info));
    for (size_t i = 0; i < count; i++)
        result[i] = (double)u[i];
    free(f);
    free(u);
}

static void random_boundary(const struct starfish_poisson_problem *p, struct starfish_boundary *boundary,
                            unsigned *seed)
{
    memset(boundary, 0, sizeof *boundary);
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            if ((axis + end) % 2)
                boundary->constant[axis][end] = test_random(seed);
            else
                boundary->array[axis][end] = test_random_field(unknowns(p) / p->axis[axis].n, seed);
}

static void free_boundary(struct starfish_boundary *boundary)
{
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            free((void *)boundary->array[axis][end]);
}

static struct starfish_poisson_problem problem_of(const char *x, const char *y, const char *z, size_t nx, size_t ny,
                                                  size_t nz, double lambda)
{
    return (struct starfish_poisson_problem){
        {test_axis(x, nx, 0, 1.5), test_axis(y, ny, -1, 1), test_axis(z, nz, 0.5, 2)}, lambda};
}

static void free_problem(struct starfish_poisson_problem *p)
{
    for (int axis = 0; axis < 3; axis++)
        test_axis_free(&p->axis[axis]);
}

/* Random u and boundary data -> f -> solve -> u? The bound is on the error relative to max|u| = 1. */
static void check_recovers(const char *what, struct starfish_poisson_problem *p,
                           const struct starfish_poisson_options *options, int with_boundary, double bound)
{
    unsigned seed = 7;
    const size_t count = unknowns(p);
    double *u = test_random_field(count, &seed), *f = malloc(count * sizeof *f), *v = malloc(count * sizeof *v);
    struct starfish_boundary boundary = {0};
    struct starfish_info info;
    starfish_poisson_plan *plan;
    if (with_boundary && options->precision == STARFISH_F64)
        random_boundary(p, &boundary, &seed);
    test_apply(p, &boundary, u, f);
    if (starfish_poisson_plan_create(context, p, options, &plan) != STARFISH_SUCCESS)
        fail_msg("%s: %s", what, starfish_error_message());
    memset(v, 0xff, count * sizeof *v);
    solve(plan, &boundary, options->precision, f, v, count, &info);
    const double error = largest_difference(u, v, count);
    if (!(error <= bound))
        fail_msg("%s, method %s: error %g exceeds %g", what, starfish_poisson_plan_method(plan), error, bound);
    if (options->check_residual)
        assert_true(info.residual < (options->precision == STARFISH_F64 ? 1e-11 : 1e-3));
    starfish_poisson_plan_destroy(plan);
    free_boundary(&boundary);
    free(u);
    free(f);
    free(v);
}

/* ---- Every pair of ends, both grids ----------------------------------------------------------------------------- */

/* lambda < 0 keeps all-Neumann problems regular and conditions moderate: errors are then rounding. */
static void recovers_random_fields(void **state)
{
    (void)state;
    for (int case_ = 0; case_ < AXES * AXES; case_++) {
        const char *x = axes[(case_ * 5 + case_ / AXES) % AXES], *y = axes[case_ % AXES], *z = axes[case_ / AXES];
        char what[64];
        snprintf(what, sizeof what, "x %s, y %s, z %s", x, y, z);
        for (int variant = 0; variant < 2 * METHODS; variant++) {
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            options.method = methods[variant % METHODS];
            options.precision = variant / METHODS ? STARFISH_F32 : STARFISH_F64;
            options.slabs = 3;
            options.mode_blocks = 2;
            options.check_residual = case_ % 3 == 0;
            struct starfish_poisson_problem p =
                problem_of(x, y, z, 6 + (size_t)case_ % 3, 5, 7 + (size_t)case_ % 2, -1);
            check_recovers(what, &p, &options, 1, options.precision == STARFISH_F64 ? 1e-12 : 1e-4);
            free_problem(&p);
        }
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

static void solves_eigenvectors(void **state)
{
    (void)state;
    const size_t n[3] = {12, 15, 16};
    for (int kind = 0; kind < AXES; kind++)
        for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
            struct starfish_poisson_problem p = problem_of(axes[kind], axes[kind], axes[kind], n[0], n[1], n[2], 0);
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            options.method = (starfish_method)method;
            const size_t count = unknowns(&p);
            double *f = malloc(count * sizeof *f), *u = malloc(count * sizeof *u), eigenvalue[3] = {0, 0, 0},
                   largest = 0;
            for (size_t e = 0; e < count; e++) {
                f[e] = mode(&p.axis[0], 3, e % n[0], &eigenvalue[0]) *
                       mode(&p.axis[1], 2, e / n[0] % n[1], &eigenvalue[1]) *
                       mode(&p.axis[2], 1, e / n[0] / n[1], &eigenvalue[2]);
                largest = fmax(largest, fabs(f[e]));
            }
            starfish_poisson_plan *plan;
            ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
            solve(plan, NULL, STARFISH_F64, f, u, count, NULL);
            const double sum = eigenvalue[0] + eigenvalue[1] + eigenvalue[2];
            for (size_t e = 0; e < count; e++)
                if (!(fabs(u[e] * sum - f[e]) <= 1e-13 * largest))
                    fail_msg("%s, method %s: eigenvector off by %g", axes[kind], starfish_poisson_plan_method(plan),
                             fabs(u[e] * sum - f[e]) / largest);
            starfish_poisson_plan_destroy(plan);
            free(f);
            free(u);
            free_problem(&p);
        }
}

/* Singular problems: the mean of f is removed and reported, the solution has mean zero. */
static double weighted_mean(const struct starfish_poisson_problem *p, const double *u)
{
    double *w[3], mean = 0;
    const size_t *n = (const size_t[]){p->axis[0].n, p->axis[1].n, p->axis[2].n};
    for (int axis = 0; axis < 3; axis++) {
        w[axis] = malloc(n[axis] * sizeof(double));
        test_weights(&p->axis[axis], w[axis]);
    }
    for (size_t e = 0; e < unknowns(p); e++)
        mean += w[0][e % n[0]] * w[1][e / n[0] % n[1]] * w[2][e / n[0] / n[1]] * u[e];
    for (int axis = 0; axis < 3; axis++)
        free(w[axis]);
    return mean;
}

static void solves_singular_problems(void **state)
{
    (void)state;
    static const char *const kinds[] = {"periodic", "nn node", "nn cell", "nn node stretched", "nn cell stretched"};
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 5; y++)
            for (int z = 0; z < 5; z++)
                for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
                    if (y > 2 && method == STARFISH_METHOD_SLAB)
                        continue;
                    struct starfish_poisson_problem p = problem_of(kinds[x], kinds[y], kinds[z], 6, 9, 8, 0);
                    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
                    options.method = (starfish_method)method;
                    options.check_residual = 1;
                    unsigned seed = 3;
                    const size_t count = unknowns(&p);
                    double *u = test_random_field(count, &seed), *f = malloc(count * sizeof *f);
                    struct starfish_boundary boundary;
                    random_boundary(&p, &boundary, &seed);
                    const double mean = weighted_mean(&p, u);
                    for (size_t e = 0; e < count; e++)
                        u[e] -= mean;
                    test_apply(&p, &boundary, u, f);
                    for (size_t e = 0; e < count; e++)
                        f[e] += 0.75;
                    starfish_poisson_plan *plan;
                    struct starfish_info info;
                    ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
                    assert_true(starfish_poisson_plan_singular(plan));
                    ASSERT_OK(starfish_poisson_solve(plan, &boundary, f, f, &info)); /* in place */
                    const double error = largest_difference(u, f, count);
                    if (!(error < 1e-11) || !(fabs(info.pertrb - 0.75) < 1e-10) || !(info.residual < 1e-12))
                        fail_msg("x %s, y %s, z %s, method %s: error %g, pertrb %g, residual %g", kinds[x], kinds[y],
                                 kinds[z], starfish_poisson_plan_method(plan), error, info.pertrb, info.residual);
                    starfish_poisson_plan_destroy(plan);
                    free_boundary(&boundary);
                    free(u);
                    free(f);
                    free_problem(&p);
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
    struct starfish_poisson_problem p = problem_of(x, y, z, n, n, n, -2);
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_boundary boundary;
    starfish_poisson_plan *plan;
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
    ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
    ASSERT_OK(starfish_poisson_solve(plan, &boundary, f, f, NULL));
    double square = 0;
    for (size_t e = 0; e < n * n * n; e++)
        square += (u[e] - f[e]) * (u[e] - f[e]);
    starfish_poisson_plan_destroy(plan);
    free_boundary(&boundary);
    free(f);
    free(u);
    free_problem(&p);
    return sqrt(square / (double)(n * n * n));
}

static void converges_with_second_order(void **state)
{
    (void)state;
    for (int kind = 0; kind < AXES; kind++)
        for (int other = 0; other < AXES; other++) {
            const char *x = axes[(kind + other) % AXES], *y = axes[kind], *z = axes[other];
            const starfish_method method = methods[(kind + other) % METHODS];
            const double coarse = discretisation_error(x, y, z, 20, method);
            const double fine = discretisation_error(x, y, z, 40, method);
            /* Four in the limit, in the mean square: where faces of different kinds meet it is h^2 log h. */
            if (!(coarse / fine > 3.6))
                fail_msg("x %s, y %s, z %s: error %g at 20, %g at 40", x, y, z, coarse, fine);
        }
}

/* ---- Stretched grids and general matrices ------------------------------------------------------------------------ */

static void solves_stretched_grids(void **state)
{
    (void)state;
    static const char *const kinds[] = {"dd node stretched", "dn node stretched", "nd node stretched",
                                        "nn node stretched", "dd cell stretched", "dn cell stretched",
                                        "nd cell stretched", "nn cell stretched"};
    for (int y = 0; y < 8; y++)
        for (int z = 0; z < 8; z++) {
            struct starfish_poisson_problem p = problem_of(axes[(y + z) % AXES], kinds[y], kinds[z], 5, 9, 13, -1);
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            options.slabs = 2;
            for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
                options.method = (starfish_method)method;
                options.refinements = z % 2;
                check_recovers(kinds[z], &p, &options, 1, 1e-11);
            }
            free_problem(&p);
        }
}

static void solves_random_matrices_of_any_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 33, 63, 64, 100, 127, 130};
    unsigned seed = 11;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int periodic = 0; periodic < 4; periodic++) {
            const size_t ny = sizes[(i * 7 + 3) % (sizeof sizes / sizeof sizes[0])];
            struct starfish_poisson_problem p = {{test_axis("periodic", 1 + i % 5, 0, 3),
                                                  test_matrix(ny, periodic & 1, &seed),
                                                  test_matrix(sizes[i], periodic >> 1, &seed)},
                                                 -0.5};
            char what[96];
            snprintf(what, sizeof what, "random %zu x %zu, periodic %d", ny, sizes[i], periodic);
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            for (int variant = 0; variant < 2 * METHODS; variant++) {
                options.method = methods[variant % METHODS];
                options.precision = variant / METHODS ? STARFISH_F32 : STARFISH_F64;
                options.slabs = variant % METHODS ? 0 : 1 + (i + (size_t)periodic) % 5 % sizes[i];
                check_recovers(what, &p, &options, 0, variant / METHODS ? 2e-3 : 1e-10);
            }
            free_problem(&p);
        }
}

/* FISHPACK's problem in 2D, and its own example (ACCEPTANCE A). */
static void solves_fishpack_blktri_example(void **state)
{
    (void)state;
    enum { M = 50, N = 63 };
    double a[2][N], b[2][N], c[2][N], f[N * M];
    const double ds = 1.0 / (M + 1), dt = 1.0 / (N + 1), step[2] = {ds, dt};
    const size_t n[2] = {M, N};
    for (int axis = 0; axis < 2; axis++)
        for (size_t i = 0; i < n[axis]; i++) {
            const double h = step[axis], s = (double)(i + 1) * h, half = 1 / (2 * s * h);
            a[axis][i] = half / (2 * (s - h / 2) * h);
            c[axis][i] = half / (2 * (s + h / 2) * h);
            b[axis][i] = -(a[axis][i] + c[axis][i]);
        }
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < M; i++) {
            const double s = (double)(i + 1) * ds, t = (double)(j + 1) * dt;
            f[i + M * j] = 3.75 * s * t * (pow(s, 4) + pow(t, 4));
            if (i == M - 1)
                f[i + M * j] -= c[0][i] * pow(t, 5);
            if (j == N - 1)
                f[i + M * j] -= c[1][j] * pow(s, 5);
        }
    const struct starfish_axis x = {.kind = STARFISH_TRIDIAGONAL, .n = M, .lower = a[0], .diag = b[0], .upper = c[0]};
    const struct starfish_axis y = {.kind = STARFISH_TRIDIAGONAL, .n = N, .lower = a[1], .diag = b[1], .upper = c[1]};
    starfish_poisson_plan *plan;
    ASSERT_OK(starfish_separable2d_plan_create(context, &x, &y, 0, NULL, &plan));
    ASSERT_OK(starfish_poisson_solve(plan, NULL, f, f, NULL));
    starfish_poisson_plan_destroy(plan);
    double error = 0;
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < M; i++)
            error = fmax(error, fabs(f[i + M * j] - pow((double)(i + 1) * ds * ((double)(j + 1) * dt), 5)));
    assert_true(fabs(error / 1.64778571e-5 - 1) < 1e-6);
}

/* Solve A v = f in 2D, axes 1 and 2 of the problem, and compare v with u. */
static double error_in_2d(const struct starfish_poisson_problem *p, starfish_method method, const double *u,
                          const double *f, double *v)
{
    static const char *const names[] = {[STARFISH_METHOD_SLAB] = "slab",
                                        [STARFISH_METHOD_BLKTRI] = "blktri",
                                        [STARFISH_METHOD_BLKTRI_PRODUCT] = "blktri-product"};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_poisson_plan *plan;
    options.method = method;
    ASSERT_OK(starfish_separable2d_plan_create(context, &p->axis[1], &p->axis[2], 0, &options, &plan));
    assert_string_equal(starfish_poisson_plan_method(plan), names[method]);
    ASSERT_OK(starfish_poisson_solve(plan, NULL, f, v, NULL));
    starfish_poisson_plan_destroy(plan);
    return largest_difference(u, v, p->axis[1].n * p->axis[2].n);
}

/* ACCEPTANCE G, I and K: random u on uniform grids, 2D, any n; bounds are FISHPACK's errors where it solves, and as
 * much for periodic n, whose roots come from a band matrix, as the condition allows. */
static void recovers_random_2d_fields(void **state)
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
        double *u = test_random_field(m * n, &seed);
        for (size_t i = 0; i < m; i++)
            ax[i] = one_x, bx[i] = -2 * one_x;
        for (size_t j = 0; j < n; j++)
            ay[j] = one_y, by[j] = -2 * one_y;
        struct starfish_poisson_problem p = {
            {{.kind = STARFISH_TRIDIAGONAL, .n = 1, .lower = &zero, .diag = &zero, .upper = &zero},
             {.kind = STARFISH_TRIDIAGONAL, .n = m, .lower = ax, .diag = bx, .upper = ax},
             {.kind = STARFISH_TRIDIAGONAL,
              .n = n,
              .lower = ay,
              .diag = by,
              .upper = ay,
              .periodic = cases[t].periodic}},
            0};
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
static void the_slab_method_does_2d(void **state)
{
    (void)state;
    enum { MOST = 300, SHAPES = 3 };
    static const size_t shapes[SHAPES][2] = {{5, 7}, {64, 33}, {255, 257}};
    static const struct {
        double ratio;
        int both_ends;
    } grids[] = {{1, 0}, {40, 0}, {1000, 1}, {40000, 0}, {40000, 1}};
    double row[2][3][MOST], zero = 0;
    for (size_t s = 0; s < (getenv("STARFISH_TEST_SMALL") ? SHAPES - 1 : SHAPES); s++)
        for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
            struct starfish_poisson_problem p = {
                {{.kind = STARFISH_TRIDIAGONAL, .n = 1, .lower = &zero, .diag = &zero, .upper = &zero}}, 0};
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
            double *u = test_random_field(count, &seed), *f = malloc(2 * count * sizeof *f);
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
    const size_t m = p->axis[1].n, count = unknowns(p);
    double *product = malloc(count * sizeof *product), norm = 4 * pow((double)m + 1, 2), largest = 0, stiffest = 0;
    test_apply(p, NULL, v, product);
    for (size_t e = 0; e < count; e++)
        largest = fmax(largest, fabs(v[e]));
    for (size_t j = 0; j < p->axis[2].n; j++)
        stiffest = fmax(stiffest, 2 * fabs(p->axis[2].diag[j]));
    norm += stiffest;
    const double error = largest_difference(f, product, count) / (norm * largest);
    free(product);
    return error;
}

/* ACCEPTANCE H: grids with neighbouring scales 40,000 apart. The product form loses its digits there. */
static void partial_fractions_stand_stretching(void **state)
{
    (void)state;
    const size_t n = getenv("STARFISH_TEST_SMALL") ? 63 : 511;
    static const double stretching[] = {3, 4.5, 6};
    double *lower = malloc(n * sizeof *lower), *diag = malloc(n * sizeof *diag), *upper = malloc(n * sizeof *upper),
           *f = malloc(n * n * sizeof *f), *v = malloc(n * n * sizeof *v);
    unsigned seed = 23;
    double *u = test_random_field(n * n, &seed), zero = 0;
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
            {{.kind = STARFISH_TRIDIAGONAL, .n = 1, .lower = &zero, .diag = &zero, .upper = &zero},
             test_axis("dd node", n, 0, 1),
             {.kind = STARFISH_TRIDIAGONAL, .n = n, .lower = lower, .diag = diag, .upper = upper}},
            0};
        test_apply(&p, NULL, u, f);
        const double error = error_in_2d(&p, STARFISH_METHOD_BLKTRI, u, f, v), backward = backward_error(&p, f, v);
        if (!(error <= 1e-10 && backward <= 1e-14))
            fail_msg("stretching %g: error %g, backward error %g", s, error, backward);
    }
    free(lower), free(diag), free(upper), free(f), free(v), free(u);
}

/* ---- Methods, workers, reuse --------------------------------------------------------------------------------------
 */

/* Iterative refinement gives back the digits that a basis loses where a strongly stretched grid, almost but not quite
 * its own mirror image, leaves its eigenvectors ill-determined; a solve in place, boundary data are in its way, too. */
static void refinement_brings_back_digits(void **state)
{
    (void)state;
    enum { NX = 3, NY = 512, NZ = 5 };
    struct starfish_poisson_problem p = problem_of("periodic", "dd cell", "dn cell", NX, NY, NZ, 0);
    double faces[NY + 1], error[2];
    for (int j = 0; j <= NY; j++)
        faces[j] = (1 + tanh(6 * (2.0 * j / NY - 1)) / tanh(6)) / 2 * (1 + (j < NY / 2 ? 1e-9 : 0));
    p.axis[1].kind = STARFISH_STRETCHED;
    p.axis[1].coordinates = faces;
    p.axis[1].coordinate_count = NY + 1;
    unsigned seed = 13;
    const size_t count = NX * NY * NZ;
    double *u = test_random_field(count, &seed), *f = malloc(count * sizeof *f);
    struct starfish_boundary boundary = {.constant = {[1] = {0.25, -0.5}, [2] = {1, 0}}};
    for (int steps = 0; steps < 2; steps++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        struct starfish_info info;
        starfish_poisson_plan *plan;
        options.method = STARFISH_METHOD_SLAB;
        options.refinements = steps ? -1 : 0; /* chosen by the plan */
        options.slabs = 3;
        ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
        test_apply(&p, &boundary, u, f);
        ASSERT_OK(starfish_poisson_solve(plan, &boundary, f, f, &info));
        assert_int_equal(info.refinements, steps);
        error[steps] = largest_difference(u, f, count);
        starfish_poisson_plan_destroy(plan);
    }
    if (!(error[1] < 0.1 * error[0]))
        fail_msg("error %g, refined %g", error[0], error[1]);
    free(f), free(u);
}

/* Several solves in flight, from several right-hand sides to several solutions. */
static void streams_of_solves(void **state)
{
    (void)state;
    enum { SOLVES = 6 };
    struct starfish_poisson_problem p = problem_of("periodic", "nn cell", "dd cell", 24, 20, 36, 0);
    unsigned seed = 17;
    const size_t count = unknowns(&p);
    for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        starfish_poisson_plan *plan;
        starfish_job *job[SOLVES];
        double *u[SOLVES], *f[SOLVES], *v[SOLVES];
        options.method = (starfish_method)method;
        options.slabs = 4;
        ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
        for (int i = 0; i < SOLVES; i++) {
            u[i] = test_random_field(count, &seed);
            f[i] = malloc(count * sizeof(double));
            v[i] = malloc(count * sizeof(double));
            test_apply(&p, NULL, u[i], f[i]);
            ASSERT_OK(starfish_poisson_submit(plan, NULL, f[i], v[i], &job[i]));
        }
        for (int i = 0; i < SOLVES; i++) {
            ASSERT_OK(starfish_job_wait(job[i], NULL));
            assert_true(largest_difference(u[i], v[i], count) < 1e-11);
            free(u[i]), free(f[i]), free(v[i]);
        }
        starfish_poisson_plan_destroy(plan);
    }
    free_problem(&p);
}

static void methods_and_cuts_agree(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = problem_of("periodic", "nn cell", "dn node", 40, 33, 50, 0);
    unsigned seed = 9;
    const size_t count = unknowns(&p);
    double *f = test_random_field(count, &seed), *first = malloc(count * sizeof *f), *u = malloc(count * sizeof *u);
    for (int variant = 0; variant < 4 * METHODS; variant++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.method = methods[variant % METHODS];
        options.slabs = (size_t[]){1, 2, 7, 25}[variant / METHODS];
        options.mode_blocks = (size_t[]){1, 3, 5, 16}[variant / METHODS];
        starfish_poisson_plan *plan;
        ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
        for (int again = 0; again < 2; again++) { /* a plan may be used often */
            memset(u, 0xff, count * sizeof *u);
            ASSERT_OK(starfish_poisson_solve(plan, NULL, f, u, NULL));
            if (variant == 0 && again == 0)
                memcpy(first, u, count * sizeof *u);
            double largest = 0;
            for (size_t e = 0; e < count; e++)
                largest = fmax(largest, fabs(first[e]));
            assert_true(largest_difference(first, u, count) <= 1e-11 * largest);
        }
        starfish_poisson_plan_destroy(plan);
    }
    free(f), free(first), free(u);
    free_problem(&p);
}

struct concurrent {
    starfish_poisson_plan *plan;
    const double *rhs;
    double *solution;
    int ok;
};

/* Every way to solve lines on a GPU and every split of levels between it and cores; elsewhere they have no effect. */
static void splits_and_algorithms_agree(void **state)
{
    (void)state;
    static const starfish_algorithm algorithms[] = {STARFISH_ALGORITHM_THOMAS, STARFISH_ALGORITHM_CR,
                                                    STARFISH_ALGORITHM_PCR, STARFISH_ALGORITHM_CR_PCR};
    struct starfish_poisson_problem p = problem_of("periodic", "dn cell", "dd node", 12, 37, 29, -1);
    for (size_t a = 0; a < sizeof algorithms / sizeof algorithms[0]; a++)
        for (int split = 0, radix = 2; split < 8; split += split == 0 ? 1 : 3, radix = 6 - radix) {
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            options.method = STARFISH_METHOD_BLKTRI_PRODUCT;
            options.algorithm = algorithms[a];
            options.split = split;
            check_recovers("product form", &p, &options, 0, 1e-10);
            options.method = STARFISH_METHOD_BLKTRI;
            options.radix = radix;
            check_recovers("partial fractions", &p, &options, 0, 1e-10);
        }
    free_problem(&p);
}

static void *solve_in_thread(void *data)
{
    struct concurrent *c = data;
    c->ok = 1;
    for (int again = 0; again < 3; again++)
        if (starfish_poisson_solve(c->plan, NULL, c->rhs, c->solution, NULL) != STARFISH_SUCCESS)
            c->ok = 0;
    return NULL;
}

/* ACCEPTANCE J: eight solves at once, one plan, bitwise equal to one after the other (on one kind of worker). */
static void solves_from_eight_threads(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
        struct starfish_poisson_problem p = problem_of("periodic", "dd node", "nn cell", 16, 15, 24, 0);
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.method = (starfish_method)method;
        unsigned seed = 21;
        const size_t count = unknowns(&p);
        starfish_poisson_plan *plan;
        pthread_t thread[THREADS];
        struct concurrent c[THREADS];
        ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
        double *serial = malloc(count * sizeof *serial), *rhs[THREADS], *solution[THREADS];
        for (int t = 0; t < THREADS; t++) {
            rhs[t] = test_random_field(count, &seed);
            solution[t] = malloc(count * sizeof(double));
            c[t] = (struct concurrent){plan, rhs[t], solution[t], 0};
            assert_int_equal(pthread_create(&thread[t], NULL, solve_in_thread, &c[t]), 0);
        }
        const int one_kind = workers[0] == 0 || workers[1] == 0;
        for (int t = 0; t < THREADS; t++)
            pthread_join(thread[t], NULL);
        for (int t = 0; t < THREADS; t++) {
            assert_true(c[t].ok);
            ASSERT_OK(starfish_poisson_solve(plan, NULL, rhs[t], serial, NULL));
            if (one_kind)
                assert_memory_equal(serial, solution[t], count * sizeof *serial);
            assert_true(largest_difference(serial, solution[t], count) <= 1e-12);
            free(rhs[t]), free(solution[t]);
        }
        starfish_poisson_plan_destroy(plan);
        free(serial);
        free_problem(&p);
    }
}

/* Solving between fields: the solution of one solve is the right-hand side of the next. */
static void chains_solves_on_fields(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = problem_of("dd cell", "periodic", "dd node", 9, 8, 11, -3);
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.slabs = 3;
    unsigned seed = 2;
    const size_t count = unknowns(&p);
    starfish_poisson_plan *plan;
    starfish_field *field;
    starfish_job *job[2];
    double *u = test_random_field(count, &seed), *once = malloc(count * sizeof *once);
    double *twice = malloc(count * sizeof *twice);
    void *memory;
    test_apply(&p, NULL, u, once);
    test_apply(&p, NULL, once, twice);
    ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
    ASSERT_OK(starfish_poisson_field(plan, NULL, &field));
    ASSERT_OK(starfish_field_acquire(field, &memory));
    memcpy(memory, twice, count * sizeof *twice);
    ASSERT_OK(starfish_field_release(field));
    for (int i = 0; i < 2; i++)
        ASSERT_OK(starfish_poisson_submit_field(plan, NULL, field, field, &job[i]));
    for (int i = 0; i < 2; i++)
        ASSERT_OK(starfish_job_wait(job[i], NULL));
    ASSERT_OK(starfish_field_acquire(field, &memory));
    assert_true(largest_difference(u, memory, count) < 1e-11);
    ASSERT_OK(starfish_field_release(field));
    starfish_field_destroy(field);
    starfish_poisson_plan_destroy(plan);
    free(u), free(once), free(twice);
    free_problem(&p);
}

/* Tasks run on the kinds of worker that the context allows, and are counted there. */
static void counts_tasks_by_worker(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = problem_of("periodic", "periodic", "dd cell", 16, 16, 16, 0);
    starfish_poisson_plan *plan;
    struct starfish_info info;
    unsigned seed = 1;
    double *f = test_random_field(unknowns(&p), &seed);
    ASSERT_OK(starfish_poisson_plan_create(context, &p, NULL, &plan));
    ASSERT_OK(starfish_poisson_solve(plan, NULL, f, f, &info));
    assert_true(info.worker[STARFISH_CPU].tasks + info.worker[STARFISH_GPU].tasks >= 2);
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        if (workers[kind] == 0)
            assert_int_equal(info.worker[kind].tasks, 0);
    starfish_poisson_plan_destroy(plan);
    free(f);
    free_problem(&p);
}

/* Two contexts and their plans at once. */
static void two_contexts_live_together(void **state)
{
    (void)state;
    starfish_context *second;
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    struct starfish_runtime runtime;
    starfish_context *const first = context;
    ASSERT_OK(starfish_context_create(&second, &options));
    ASSERT_OK(starfish_context_runtime(second, &runtime));
    assert_true(runtime.joined);
    struct starfish_poisson_problem p = problem_of("periodic", "nd cell", "dd cell", 8, 9, 10, 0);
    starfish_poisson_plan *plan[2];
    ASSERT_OK(starfish_poisson_plan_create(first, &p, NULL, &plan[0]));
    ASSERT_OK(starfish_poisson_plan_create(second, &p, NULL, &plan[1]));
    unsigned seed = 1;
    const size_t count = unknowns(&p);
    double *f = test_random_field(count, &seed), *u[2];
    for (int i = 0; i < 2; i++) {
        u[i] = malloc(count * sizeof(double));
        ASSERT_OK(starfish_poisson_solve(plan[i], NULL, f, u[i], NULL));
    }
    assert_true(largest_difference(u[0], u[1], count) < 1e-13);
    for (int i = 0; i < 2; i++) {
        starfish_poisson_plan_destroy(plan[i]);
        free(u[i]);
    }
    starfish_context_destroy(second);
    free(f);
    free_problem(&p);
}

/* ---- Refusals -----------------------------------------------------------------------------------------------------
 */

static void expect(starfish_status status, starfish_status expected, const char *part)
{
    if (status != expected || !strstr(starfish_error_message(), part))
        fail_msg("expected %s with \"%s\", got %s: %s", starfish_status_name(expected), part,
                 starfish_status_name(status), starfish_error_message());
}

static void refuses_what_it_cannot_solve(void **state)
{
    (void)state;
    starfish_poisson_plan *plan;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem p = problem_of("periodic", "dd node", "dd node", 8, 7, 7, 0);

    p.axis[1].n = 0;
    expect(starfish_poisson_plan_create(context, &p, NULL, &plan), STARFISH_ERROR_ARGUMENT, "axis y.n");
    p.axis[1].n = 7;
    p.axis[2].length = -1;
    expect(starfish_poisson_plan_create(context, &p, NULL, &plan), STARFISH_ERROR_ARGUMENT, "axis z.length");
    p.axis[2].length = 2;
    p.axis[0].ends[1] = STARFISH_NEUMANN;
    expect(starfish_poisson_plan_create(context, &p, NULL, &plan), STARFISH_ERROR_ARGUMENT, "axis x.ends");
    p.axis[0].ends[1] = STARFISH_PERIODIC;
    p.lambda = NAN;
    expect(starfish_poisson_plan_create(context, &p, NULL, &plan), STARFISH_ERROR_ARGUMENT, "lambda");
    options.slabs = 8;
    p.lambda = 0;
    expect(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT, "options.slabs");
    options.slabs = 0;
    options.refinements = 9;
    expect(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT,
           "options.refinements is 9");
    options.refinements = -1;
    options.split = 35;
    expect(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT, "options.split is 35");
    options.split = -1;
    options.radix = 3;
    expect(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT, "options.radix is 3");
    options.radix = 0;
    options.algorithm = STARFISH_ALGORITHM_TILED;
    expect(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_ARGUMENT,
           "options.algorithm is 2");
    options.algorithm = STARFISH_ALGORITHM_AUTO;
    /* lambda cancels the smallest mode: x constant, first sines of y (h = 1/8) and z (h = 2/8) */
    const double pi = acos(-1);
    p.lambda = 4 * 64 * pow(sin(pi / 16), 2) + 4 * 16 * pow(sin(pi / 16), 2);
    expect(starfish_poisson_plan_create(context, &p, NULL, &plan), STARFISH_ERROR_SINGULAR, "mode (0, 0, 0)");
    p.lambda = 0;
    test_axis_free(&p.axis[1]);
    p.axis[1] = test_axis("dd node stretched", 7, 0, 1);
    ((double *)p.axis[1].coordinates)[3] = 0;
    expect(starfish_poisson_plan_create(context, &p, NULL, &plan), STARFISH_ERROR_ARGUMENT, "axis y.coordinates[3]");
    free_problem(&p);

    unsigned seed = 4;
    p = (struct starfish_poisson_problem){
        {test_axis("periodic", 4, 0, 1), test_matrix(5, 0, &seed), test_matrix(6, 0, &seed)}, 0};
    ((double *)p.axis[2].lower)[3] *= -1;
    options.method = STARFISH_METHOD_BLKTRI;
    expect(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_NOT_SYMMETRIZABLE,
           "axis z: lower[3] * upper[2]");
    ((double *)p.axis[1].lower)[2] *= -1;
    options.method = STARFISH_METHOD_SLAB;
    expect(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_NOT_SYMMETRIZABLE,
           "axis y: lower[2] * upper[1]");
    free_problem(&p);
}

/* Where y has no basis, or one that is scaled beyond use, auto takes block cyclic reduction. */
static void auto_passes_by_a_useless_basis(void **state)
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
        struct starfish_poisson_problem p = problem_of("periodic", "dd node", "dd node", 6, N, 7, -1);
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        starfish_poisson_plan *plan;
        p.axis[1] = (struct starfish_axis){
            .kind = STARFISH_TRIDIAGONAL, .n = N, .lower = lower[kind], .diag = diag[kind], .upper = upper[kind]};
        ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
        assert_string_equal(starfish_poisson_plan_method(plan), "blktri");
        starfish_poisson_plan_destroy(plan);
        check_recovers("a useless basis", &p, &options, 0, kind == 0 ? 1e-12 : 1e-7);
        if (kind == 0) {
            options.method = STARFISH_METHOD_SLAB;
            expect(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_NOT_SYMMETRIZABLE,
                   "axis y");
        }
        p.axis[1].lower = p.axis[1].diag = p.axis[1].upper = NULL;
        free_problem(&p);
    }
}

/* Positive lambda between eigenvalues is fine. */
static void solves_indefinite_problems(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = problem_of("periodic", "dd node", "dd node", 8, 7, 9, 100.5);
    for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.method = (starfish_method)method;
        check_recovers("lambda 100.5", &p, &options, 1, 1e-10);
    }
    free_problem(&p);
}

static int set_up(void **state)
{
    (void)state;
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    options.cores_per_worker = cores_per_worker;
    options.cpu_workers = workers[STARFISH_CPU];
    options.gpu_workers = workers[STARFISH_GPU];
    if (starfish_context_create(&context, &options) == STARFISH_SUCCESS)
        return 0;
    fprintf(stderr, "%s\n", starfish_error_message());
    return -1;
}

static int tear_down(void **state)
{
    (void)state;
    starfish_context_destroy(context);
    return 0;
}

int test_direct_solvers(const char *name, int cpu_workers, int gpu_workers, int cores)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_random_fields),         cmocka_unit_test(solves_eigenvectors),
        cmocka_unit_test(solves_singular_problems),       cmocka_unit_test(converges_with_second_order),
        cmocka_unit_test(solves_stretched_grids),         cmocka_unit_test(solves_random_matrices_of_any_size),
        cmocka_unit_test(solves_fishpack_blktri_example), cmocka_unit_test(recovers_random_2d_fields),
        cmocka_unit_test(the_slab_method_does_2d),        cmocka_unit_test(partial_fractions_stand_stretching),
        cmocka_unit_test(methods_and_cuts_agree),         cmocka_unit_test(splits_and_algorithms_agree),
        cmocka_unit_test(solves_from_eight_threads),      cmocka_unit_test(chains_solves_on_fields),
        cmocka_unit_test(counts_tasks_by_worker),         cmocka_unit_test(two_contexts_live_together),
        cmocka_unit_test(refuses_what_it_cannot_solve),   cmocka_unit_test(solves_indefinite_problems),
        cmocka_unit_test(refinement_brings_back_digits),  cmocka_unit_test(streams_of_solves),
        cmocka_unit_test(auto_passes_by_a_useless_basis),
    };
    workers[STARFISH_CPU] = cpu_workers;
    workers[STARFISH_GPU] = gpu_workers;
    cores_per_worker = cores;
    return cmocka_run_group_tests_name(name, tests, set_up, tear_down);
}
