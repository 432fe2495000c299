/* 2D problems in complex numbers: against elimination of the whole matrix, by f = A u, and against the real solver. */
#include "tests/poisson/complex.h"

#include "tests/common/check.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef double _Complex number;
/* <complex.h> has it in single precision. */
#undef I
#define I ((number)_Complex_I)

static starfish_context *context;
static int workers[2], cores_per_worker;

enum { METHODS = 4 };
static const starfish_method methods[METHODS] = {STARFISH_METHOD_AUTO, STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI,
                                                 STARFISH_METHOD_BLKTRI_PRODUCT};

/* ---- Problems ------------------------------------------------------------------------------------------------------
 */

/* x as pairs, whose imaginary parts are zero unless complex_line; the flag is passed on to the library only then. */
struct problem {
    struct starfish_axis x, y;
    number *lower, *diag, *upper;
    int complex_line;
    double lambda;
};

static number *random_numbers(size_t count, unsigned *seed)
{
    number *values = malloc((count + 1) * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        const double re = test_random(seed), im = test_random(seed);
        values[i] = re + im * I;
    }
    return values;
}

/* Imaginary parts leave rows dominant. */
static struct problem make_problem(size_t nx, int periodic_x, size_t ny, int periodic_y, int complex_line,
                                   unsigned *seed)
{
    struct problem p = {.x = test_matrix(nx, periodic_x, seed),
                        .y = test_matrix(ny, periodic_y, seed),
                        .lower = random_numbers(nx, seed),
                        .diag = random_numbers(nx, seed),
                        .upper = random_numbers(nx, seed),
                        .complex_line = complex_line,
                        .lambda = -0.5};
    for (size_t i = 0; i < nx; i++) {
        const double lower = complex_line ? cimag(p.lower[i]) : 0, upper = complex_line ? cimag(p.upper[i]) : 0;
        p.lower[i] = p.x.lower[i] + lower * I;
        p.upper[i] = p.x.upper[i] + upper * I;
        p.diag[i] = p.x.diag[i] - fabs(lower) - fabs(upper) + (complex_line ? 3 * cimag(p.diag[i]) : 0) * I;
    }
    return p;
}

static void free_problem(struct problem *p)
{
    test_axis_free(&p->x);
    test_axis_free(&p->y);
    free(p->lower), free(p->diag), free(p->upper);
}

static size_t unknowns(const struct problem *p)
{
    return p->x.n * p->y.n;
}

static starfish_status create_plan(const struct problem *p, const struct starfish_poisson_options *options,
                                   starfish_poisson_plan **plan)
{
    struct starfish_axis x = p->x;
    if (p->complex_line) {
        x.complex_line = 1;
        x.lower = (const double *)p->lower;
        x.diag = (const double *)p->diag;
        x.upper = (const double *)p->upper;
    }
    return starfish_separable2d_plan_create(context, &x, &p->y, p->lambda, options, plan);
}

static void apply(const struct problem *p, const number *u, number *f)
{
    const size_t nx = p->x.n, ny = p->y.n;
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++) {
            number sum = (p->diag[i] + p->y.diag[j] + p->lambda) * u[i + nx * j];
            if (i > 0 || p->x.periodic)
                sum += p->lower[i] * u[(i + nx - 1) % nx + nx * j];
            if (i + 1 < nx || p->x.periodic)
                sum += p->upper[i] * u[(i + 1) % nx + nx * j];
            if (j > 0 || p->y.periodic)
                sum += p->y.lower[j] * u[i + nx * ((j + ny - 1) % ny)];
            if (j + 1 < ny || p->y.periodic)
                sum += p->y.upper[j] * u[i + nx * ((j + 1) % ny)];
            f[i + nx * j] = sum;
        }
}

static double largest_difference(const number *a, const number *b, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (!(cabs(a[i] - b[i]) <= most))
            most = cabs(a[i] - b[i]);
    return most;
}

/* Solves in the precision of the plan. */
static void solve(starfish_poisson_plan *plan, starfish_precision precision, const number *f, number *u, size_t count,
                  struct starfish_info *info)
{
    if (precision == STARFISH_F64) {
        ASSERT_OK(starfish_poisson_solve(plan, NULL, f, u, info));
        return;
    }
    float _Complex *narrow = malloc(count * sizeof *narrow);
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float _Complex)f[i];
    ASSERT_OK(starfish_poisson_solve(plan, NULL, narrow, narrow, info));
    for (size_t i = 0; i < count; i++)
        u[i] = (number)narrow[i];
    free(narrow);
}

/* ---- Solutions -----------------------------------------------------------------------------------------------------
 */

static void check_recovers(const struct problem *p, const struct starfish_poisson_options *options, unsigned *seed)
{
    const size_t count = unknowns(p);
    const double bound = options->precision == STARFISH_F64 ? 1e-11 : 2e-3;
    number *u = random_numbers(count, seed), *f = malloc(count * sizeof *f), *v = malloc(count * sizeof *v);
    struct starfish_info info;
    starfish_poisson_plan *plan;
    apply(p, u, f);
    ASSERT_OK(create_plan(p, options, &plan));
    solve(plan, options->precision, f, v, count, &info);
    const double error = largest_difference(u, v, count);
    if (!(error <= bound && info.residual <= bound))
        fail_msg("%s, complex line %d, precision %d, %zu x %zu, periodic %d, %d: error %g, residual %g",
                 starfish_poisson_plan_method(plan), p->complex_line, (int)options->precision, p->x.n, p->y.n,
                 p->x.periodic, p->y.periodic, error, info.residual);
    starfish_poisson_plan_destroy(plan);
    free(u), free(f), free(v);
}

static void recovers_random_fields(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{1, 1},   {1, 7},   {7, 1},   {2, 2},   {3, 2},   {2, 3},  {5, 4},
                                      {17, 16}, {16, 17}, {40, 33}, {63, 64}, {130, 9}, {9, 130}};
    unsigned seed = 5;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int kind = 0; kind < 16 * METHODS; kind++) {
            struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
            const int complex_line = kind >> 2 & 1;
            options.method = methods[kind >> 4];
            options.precision = (starfish_precision)(kind >> 3 & 1);
            options.complex_rhs = 1;
            options.check_residual = 1;
            if (complex_line && options.method == STARFISH_METHOD_SLAB)
                continue;
            struct problem p = make_problem(sizes[s][0], kind & 1, sizes[s][1], kind >> 1 & 1, complex_line, &seed);
            check_recovers(&p, &options, &seed);
            free_problem(&p);
        }
}

/* Gaussian elimination with partial pivoting of the matrix whose columns are A's. */
static void solve_densely(const struct problem *p, number *x)
{
    const size_t n = unknowns(p);
    number *column = malloc(n * sizeof *column), *unit = calloc(n, sizeof *unit),
           *matrix = malloc(n * n * sizeof *matrix);
    for (size_t j = 0; j < n; j++) {
        unit[j] = 1;
        apply(p, unit, column);
        unit[j] = 0;
        for (size_t i = 0; i < n; i++)
            matrix[i * n + j] = column[i];
    }
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (cabs(matrix[i * n + k]) > cabs(matrix[pivot * n + k]))
                pivot = i;
        for (size_t j = k; j <= n; j++) {
            number *a = j < n ? &matrix[k * n + j] : &x[k], *b = j < n ? &matrix[pivot * n + j] : &x[pivot];
            const number kept = *a;
            *a = *b;
            *b = kept;
        }
        for (size_t i = k + 1; i < n; i++) {
            const number factor = matrix[i * n + k] / matrix[k * n + k];
            for (size_t j = k; j < n; j++)
                matrix[i * n + j] -= factor * matrix[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= matrix[k * n + j] * x[j];
        x[k] /= matrix[k * n + k];
    }
    free(column), free(unit), free(matrix);
}

static void solves_as_dense_elimination_does(void **state)
{
    (void)state;
    unsigned seed = 11;
    for (int kind = 0; kind < 16; kind++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        struct problem p = make_problem(6, kind & 1, 7, kind >> 1 & 1, kind >> 2 & 1, &seed);
        number *f = random_numbers(unknowns(&p), &seed), *u = malloc(unknowns(&p) * sizeof *u);
        starfish_poisson_plan *plan;
        options.method = kind >> 3 ? STARFISH_METHOD_BLKTRI_PRODUCT : STARFISH_METHOD_BLKTRI;
        options.complex_rhs = 1;
        options.refinements = kind & 1;
        ASSERT_OK(create_plan(&p, &options, &plan));
        ASSERT_OK(starfish_poisson_solve(plan, NULL, f, u, NULL));
        solve_densely(&p, f);
        assert_true(largest_difference(u, f, unknowns(&p)) <= 1e-12);
        starfish_poisson_plan_destroy(plan);
        free_problem(&p);
        free(f), free(u);
    }
}

/* Each part of a complex solution is the real solution of that part: of a real x, and of one given as pairs. */
static void parts_are_real_solutions(void **state)
{
    (void)state;
    unsigned seed = 17;
    for (int kind = 0; kind < 4 * METHODS; kind++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        struct problem p = make_problem(37, kind & 1, 29, kind & 1, 0, &seed);
        const size_t count = unknowns(&p);
        number *f = random_numbers(count, &seed);
        double *part[2] = {malloc(count * sizeof(double)), malloc(count * sizeof(double))};
        starfish_poisson_plan *plan;
        for (size_t i = 0; i < count; i++)
            part[0][i] = creal(f[i]), part[1][i] = cimag(f[i]);
        options.method = methods[kind >> 2];
        ASSERT_OK(create_plan(&p, &options, &plan));
        for (int i = 0; i < 2; i++)
            ASSERT_OK(starfish_poisson_solve(plan, NULL, part[i], part[i], NULL));
        starfish_poisson_plan_destroy(plan);
        options.complex_rhs = 1;
        p.complex_line = kind >> 1 & 1;
        ASSERT_OK(create_plan(&p, &options, &plan));
        ASSERT_OK(starfish_poisson_solve(plan, NULL, f, f, NULL));
        starfish_poisson_plan_destroy(plan);
        for (size_t i = 0; i < count; i++)
            assert_true(cabs(f[i] - (part[0][i] + part[1][i] * I)) <= 1e-13);
        free_problem(&p);
        free(f), free(part[0]), free(part[1]);
    }
}

/* Rows that sum to zero, symmetric: the mean of either part is free. */
static void singular_problems_lose_a_complex_mean(void **state)
{
    (void)state;
    enum { N = 9 };
    unsigned seed = 23;
    struct problem p = make_problem(N, 1, N, 1, 0, &seed);
    double *const arrays[] = {(double *)(uintptr_t)p.x.lower, (double *)(uintptr_t)p.x.upper,
                              (double *)(uintptr_t)p.y.lower, (double *)(uintptr_t)p.y.upper,
                              (double *)(uintptr_t)p.x.diag,  (double *)(uintptr_t)p.y.diag};
    for (int i = 0; i < N; i++) {
        for (int a = 0; a < 6; a++)
            arrays[a][i] = a < 4 ? 1 : -2;
        p.lower[i] = p.upper[i] = 1;
        p.diag[i] = -2;
    }
    p.lambda = 0;
    for (int form = 0; form < 3; form++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        number *u = random_numbers(N * N, &seed), f[N * N], mean = 0;
        struct starfish_info info;
        starfish_poisson_plan *plan;
        for (int i = 0; i < N * N; i++)
            mean += u[i] / (N * N);
        for (int i = 0; i < N * N; i++)
            u[i] -= mean;
        apply(&p, u, f);
        for (int i = 0; i < N * N; i++)
            f[i] += 0.25 - 0.75 * I;
        options.method =
            (starfish_method[]){STARFISH_METHOD_AUTO, STARFISH_METHOD_BLKTRI, STARFISH_METHOD_BLKTRI_PRODUCT}[form];
        options.complex_rhs = options.check_residual = 1;
        options.refinements = form; /* which have to leave the mean alone */
        ASSERT_OK(create_plan(&p, &options, &plan));
        assert_int_equal(starfish_poisson_plan_singular(plan), 1);
        ASSERT_OK(starfish_poisson_solve(plan, NULL, f, f, &info));
        assert_true(largest_difference(u, f, N * N) <= 1e-12);
        assert_true(fabs(info.pertrb - 0.25) <= 1e-13 && fabs(info.pertrb_imaginary + 0.75) <= 1e-13);
        assert_true(info.residual <= 1e-13);
        starfish_poisson_plan_destroy(plan);
        free(u);
    }
    free_problem(&p);
}

/* Between fields, the right-hand side in the solution's place, and a plan that says what it is. */
static void solves_on_fields(void **state)
{
    (void)state;
    unsigned seed = 53;
    struct problem p = make_problem(15, 1, 14, 0, 1, &seed);
    number *u = random_numbers(unknowns(&p), &seed), *f = malloc(unknowns(&p) * sizeof *f);
    starfish_poisson_plan *plan;
    starfish_field *field;
    starfish_job *job;
    apply(&p, u, f);
    ASSERT_OK(create_plan(&p, NULL, &plan));
    assert_string_equal(starfish_poisson_plan_method(plan), "blktri");
    assert_non_null(strstr(starfish_poisson_plan_reason(plan), "axis x is complex"));
    ASSERT_OK(starfish_poisson_field(plan, f, &field));
    ASSERT_OK(starfish_poisson_submit_field(plan, NULL, field, field, &job));
    ASSERT_OK(starfish_job_wait(job, NULL));
    starfish_field_destroy(field);
    assert_true(largest_difference(u, f, unknowns(&p)) <= 1e-11);
    starfish_poisson_plan_destroy(plan);
    free_problem(&p);
    free(u), free(f);
}

/* ---- Errors --------------------------------------------------------------------------------------------------------
 */

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    unsigned seed = 29;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct problem p = make_problem(6, 0, 5, 0, 1, &seed);
    starfish_poisson_plan *plan;
    options.method = STARFISH_METHOD_SLAB;
    ASSERT_FAILS(create_plan(&p, &options, &plan), STARFISH_ERROR_UNSUPPORTED, "axis x");
    assert_null(plan);
    options.method = STARFISH_METHOD_AUTO;
    options.mode_blocks = 2;
    options.complex_rhs = 1;
    ASSERT_FAILS(create_plan(&p, &options, &plan), STARFISH_ERROR_ARGUMENT, "mode_blocks");
    options.size--;
    ASSERT_FAILS(create_plan(&p, &options, &plan), STARFISH_ERROR_ARGUMENT, "options.size");
    p.diag[3] = (double)NAN * I;
    ASSERT_FAILS(create_plan(&p, NULL, &plan), STARFISH_ERROR_ARGUMENT, "axis x.diag");
    free_problem(&p);

    p = make_problem(6, 0, 6, 0, 1, &seed);
    struct starfish_axis wide = p.y, uniform = test_axis("dd node", 6, 0, 1);
    wide.complex_line = 1;
    wide.lower = (const double *)p.lower;
    wide.diag = (const double *)p.diag;
    wide.upper = (const double *)p.upper;
    ASSERT_FAILS(starfish_separable2d_plan_create(context, &p.x, &wide, 0, NULL, &plan), STARFISH_ERROR_UNSUPPORTED,
                 "axis y must be real");
    uniform.complex_line = 1;
    ASSERT_FAILS(starfish_separable2d_plan_create(context, &uniform, &p.y, 0, NULL, &plan), STARFISH_ERROR_ARGUMENT,
                 "axis x.complex_line");
    free_problem(&p);
}

static void three_dimensions_are_real(void **state)
{
    (void)state;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem p = {
        {test_axis("periodic", 4, 0, 1), test_axis("dd node", 4, 0, 1), test_axis("dd node", 4, 0, 1)}, 0};
    starfish_poisson_plan *plan;
    options.complex_rhs = 1;
    ASSERT_FAILS(starfish_poisson_plan_create(context, &p, &options, &plan), STARFISH_ERROR_UNSUPPORTED,
                 "starfish_separable2d_plan_create");
    p.axis[1].complex_line = 1;
    ASSERT_FAILS(starfish_poisson_plan_create(context, &p, NULL, &plan), STARFISH_ERROR_UNSUPPORTED,
                 "starfish_separable2d_plan_create");
}

/* Eigenvalues of both directions that cancel are found where x is real; where it is not, only the constant mode is. */
static void singular_problems_are_refused(void **state)
{
    (void)state;
    enum { N = 6 };
    unsigned seed = 31;
    struct problem p = make_problem(N, 1, N, 1, 0, &seed);
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_poisson_plan *plan;
    options.complex_rhs = 1;
    for (int i = 0; i < N; i++) {
        ((double *)(uintptr_t)p.x.lower)[i] = ((double *)(uintptr_t)p.x.upper)[i] = 1;
        ((double *)(uintptr_t)p.y.lower)[i] = ((double *)(uintptr_t)p.y.upper)[i] = 1;
        ((double *)(uintptr_t)p.x.diag)[i] = 0;
        ((double *)(uintptr_t)p.y.diag)[i] = -4;
        p.lower[i] = p.upper[i] = 1 + 0.5 * I;
        p.diag[i] = -2 - I;
    }
    p.lambda = 0;
    ASSERT_FAILS(create_plan(&p, &options, &plan), STARFISH_ERROR_SINGULAR, "mode");
    for (int i = 0; i < N; i++)
        ((double *)(uintptr_t)p.y.diag)[i] = -2;
    p.complex_line = 1;
    ASSERT_FAILS(create_plan(&p, &options, &plan), STARFISH_ERROR_SINGULAR, "complex");
    p.lambda = -1;
    ASSERT_OK(create_plan(&p, &options, &plan));
    starfish_poisson_plan_destroy(plan);
    free_problem(&p);
}

/* ---- FISHPACK's CBLKTRI --------------------------------------------------------------------------------------------
 */

static starfish_status call(const struct problem *p, int iflg, int idimy, number *y, int *ierror,
                            starfish_blktri_work *work)
{
    return starfish_cblktri(iflg, !p->y.periodic, (int)p->y.n, p->y.lower, p->y.diag, p->y.upper, !p->x.periodic,
                            (int)p->x.n, (const double *)p->lower, (const double *)p->diag, (const double *)p->upper,
                            idimy, (double *)y, ierror, work);
}

/* Solves in y with one more row than there are unknowns; the error, or infinity after a failure. */
static double error_of_cblktri(const struct problem *p, const number *u, starfish_blktri_work *work)
{
    const size_t nx = p->x.n, ny = p->y.n, idimy = nx + 1;
    number *f = malloc(nx * ny * sizeof *f), *y = malloc(idimy * ny * sizeof *y);
    double error = 0;
    int ierror = -1;
    apply(p, u, f);
    for (size_t e = 0; e < idimy * ny; e++)
        y[e] = e % idimy < nx ? f[e % idimy + nx * (e / idimy)] : 4711;
    if (call(p, 1, (int)idimy, y, &ierror, work) != STARFISH_SUCCESS || ierror != 0)
        error = HUGE_VAL;
    for (size_t e = 0; e < idimy * ny; e++) {
        const double difference = cabs(y[e] - (e % idimy < nx ? u[e % idimy + nx * (e / idimy)] : 4711));
        if (!(difference <= error))
            error = difference;
    }
    free(f), free(y);
    return error;
}

static struct problem make_cblktri(size_t m, size_t n, int periodic, int complex_line, unsigned *seed)
{
    struct problem p = make_problem(m, periodic, n, periodic, complex_line, seed);
    p.lambda = 0;
    return p;
}

static void cblktri_recovers_random_fields(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{5, 3}, {6, 5}, {31, 33}, {50, 63}};
    unsigned seed = 37;
    for (int kind = 0; kind < 16; kind++) {
        struct problem p = make_cblktri(sizes[kind / 4][0], sizes[kind / 4][1], kind & 1, kind >> 1 & 1, &seed);
        number *u = random_numbers(unknowns(&p), &seed);
        starfish_blktri_work work = {.context = context};
        int ierror = -1;
        ASSERT_OK(call(&p, 0, (int)p.x.n, NULL, &ierror, &work));
        assert_int_equal(ierror, 0);
        assert_true(error_of_cblktri(&p, u, &work) <= 1e-11);
        starfish_blktri_free(&work);
        free_problem(&p);
        free(u);
    }
}

/* 1/x d/dx(1/x d/dx) / 4 at x = k / (n + 1), k = 1..n. */
static void example_coefficients(int n, double *lower, double *diag, double *upper)
{
    for (int k = 0; k < n; k++) {
        const double h = 1.0 / (n + 1), x = (k + 1) * h;
        lower[k] = 1 / (2 * x * h) / (2 * (x - h / 2) * h);
        upper[k] = 1 / (2 * x * h) / (2 * (x + h / 2) * h);
        diag[k] = -(lower[k] + upper[k]);
    }
}

/* FISHPACK's own example for CBLKTRI, and the error that its documentation says. */
static void solves_fishpacks_example(void **state)
{
    (void)state;
    enum { M = 50, N = 63, IDIMY = 75 };
    double a[M], b[M], c[M], an[N], bn[N], cn[N], largest = 0;
    number am[M], bm[M], cm[M], y[N][IDIMY];
    starfish_blktri_work work = {.context = context};
    example_coefficients(M, a, b, c);
    example_coefficients(N, an, bn, cn);
    for (int i = 0; i < M; i++)
        am[i] = a[i], bm[i] = b[i] - I, cm[i] = c[i];
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            const double s = (i + 1.0) / (M + 1), t = (j + 1.0) / (N + 1);
            y[j][i] = 3.75 * s * t * (pow(s, 4) + pow(t, 4)) - pow(s * t, 5) * I - (i == M - 1 ? c[i] * pow(t, 5) : 0) -
                      (j == N - 1 ? cn[j] * pow(s, 5) : 0);
        }
    for (int iflg = 0; iflg < 2; iflg++) {
        int ierror = -1;
        ASSERT_OK(starfish_cblktri(iflg, 1, N, an, bn, cn, 1, M, (double *)am, (double *)bm, (double *)cm, IDIMY,
                                   (double *)&y[0][0], &ierror, &work));
        assert_int_equal(ierror, 0);
    }
    starfish_blktri_free(&work);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            largest = fmax(largest, cabs(y[j][i] - pow((i + 1.0) / (M + 1) * (j + 1.0) / (N + 1), 5)));
    if (!(fabs(largest / 1.64572e-5 - 1) < 5e-6))
        fail_msg("discretisation error %.6g", largest);
}

static void cblktri_says_fishpacks_numbers(void **state)
{
    (void)state;
    unsigned seed = 41;
    struct problem p = make_cblktri(6, 7, 1, 1, &seed);
    starfish_blktri_work work = {.context = context};
    number y[42] = {0};
    int ierror = -1;
    ASSERT_FAILS(call(&p, 1, 6, y, &ierror, &work), STARFISH_ERROR_ARGUMENT, "iflg = 0");
    assert_int_equal(ierror, STARFISH_BLKTRI_ARGUMENT);
    ASSERT_FAILS(call(&p, 0, 5, y, &ierror, &work), STARFISH_ERROR_ARGUMENT, "idimy is 5");
    assert_int_equal(ierror, STARFISH_BLKTRI_IDIMY);
    ASSERT_FAILS(call(&p, 0, 6, y, NULL, &work), STARFISH_ERROR_ARGUMENT, "ierror");
    ASSERT_FAILS(call(&p, 0, 6, y, &ierror, NULL), STARFISH_ERROR_ARGUMENT, "work");
    p.x.n = 4;
    ASSERT_FAILS(call(&p, 0, 6, y, &ierror, &work), STARFISH_ERROR_ARGUMENT, "m is 4");
    assert_int_equal(ierror, STARFISH_BLKTRI_M);
    p.x.n = 6;
    ((double *)(uintptr_t)p.y.lower)[3] *= -1;
    ASSERT_FAILS(call(&p, 0, 6, y, &ierror, &work), STARFISH_ERROR_NOT_SYMMETRIZABLE, "an[3]");
    assert_int_equal(ierror, STARFISH_BLKTRI_SIGN);
    ((double *)(uintptr_t)p.y.lower)[3] *= -1;
    ASSERT_OK(call(&p, 0, 6, y, &ierror, &work)); /* which does not look at am, bm and cm */
    p.diag[2] = (double)NAN;
    ASSERT_FAILS(call(&p, 1, 6, y, &ierror, &work), STARFISH_ERROR_ARGUMENT, "diag");
    assert_int_equal(ierror, STARFISH_BLKTRI_ARGUMENT);
    starfish_blktri_free(&work);
    free_problem(&p);
}

/* One handle for both functions, coefficients that look the same but for being pairs. */
static void a_handle_serves_both_kinds(void **state)
{
    (void)state;
    unsigned seed = 43;
    struct problem p = make_cblktri(8, 9, 0, 0, &seed);
    number *u = random_numbers(72, &seed), *f = malloc(72 * sizeof *f);
    starfish_blktri_work work = {.context = context};
    double y[72];
    int ierror = -1;
    ASSERT_OK(call(&p, 0, 8, NULL, &ierror, &work));
    for (int turn = 0; turn < 2; turn++) {
        assert_true(error_of_cblktri(&p, u, &work) <= 1e-11);
        apply(&p, u, f);
        for (int i = 0; i < 72; i++)
            y[i] = cimag(f[i]);
        ASSERT_OK(starfish_blktri(1, 1, 9, p.y.lower, p.y.diag, p.y.upper, 1, 8, p.x.lower, p.x.diag, p.x.upper, 8, y,
                                  &ierror, &work));
        for (int i = 0; i < 72; i++)
            assert_true(fabs(y[i] - cimag(u[i])) <= 1e-11);
    }
    starfish_blktri_free(&work);
    free_problem(&p);
    free(u), free(f);
}

/* ---- Threads -------------------------------------------------------------------------------------------------------
 */

enum { THREADS = 8, SOLVES = 4 };

struct thread {
    const struct problem *problem;
    const number *u;
    starfish_blktri_work *work;
    double error;
};

static void *solve_often(void *data)
{
    struct thread *t = data;
    for (int again = 0; again < SOLVES; again++)
        t->error = fmax(t->error, error_of_cblktri(t->problem, t->u, t->work));
    return NULL;
}

static void threads_solve_at_once(void **state)
{
    (void)state;
    unsigned seed = 47;
    struct problem p[2] = {make_cblktri(20, 31, 0, 1, &seed), make_cblktri(21, 30, 1, 0, &seed)};
    number *u[2] = {random_numbers(unknowns(&p[0]), &seed), random_numbers(unknowns(&p[1]), &seed)};
    starfish_blktri_work work = {.context = context};
    struct thread t[THREADS];
    pthread_t thread[THREADS];
    int ierror = -1;
    ASSERT_OK(call(&p[0], 0, 20, NULL, &ierror, &work));
    for (int i = 0; i < THREADS; i++) {
        t[i] = (struct thread){&p[i % 2], u[i % 2], &work, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, solve_often, &t[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_true(t[i].error <= 1e-11);
    starfish_blktri_free(&work);
    for (int i = 0; i < 2; i++) {
        free_problem(&p[i]);
        free(u[i]);
    }
}

/* ---- All of them ---------------------------------------------------------------------------------------------------
 */

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

int test_complex(const char *name, int cpu_workers, int gpu_workers, int cores)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_random_fields),
        cmocka_unit_test(solves_as_dense_elimination_does),
        cmocka_unit_test(parts_are_real_solutions),
        cmocka_unit_test(singular_problems_lose_a_complex_mean),
        cmocka_unit_test(solves_on_fields),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(three_dimensions_are_real),
        cmocka_unit_test(singular_problems_are_refused),
        cmocka_unit_test(cblktri_recovers_random_fields),
        cmocka_unit_test(solves_fishpacks_example),
        cmocka_unit_test(cblktri_says_fishpacks_numbers),
        cmocka_unit_test(a_handle_serves_both_kinds),
        cmocka_unit_test(threads_solve_at_once),
    };
    workers[STARFISH_CPU] = cpu_workers;
    workers[STARFISH_GPU] = gpu_workers;
    cores_per_worker = cores;
    return cmocka_run_group_tests_name(name, tests, set_up, tear_down);
}
