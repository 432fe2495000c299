/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 2D problems in complex numbers: against elimination of the whole matrix, by f = A u, and against the real solver. */
#include "tests/poisson/complex.h"
#include "tests/common/about.h"

#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/poisson/complex_cases.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

enum { METHODS = 4 };
static const starfish_method methods[METHODS] = {STARFISH_METHOD_AUTO, STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI,
                                                 STARFISH_METHOD_BLKTRI_PRODUCT};

/* Solves in the precision of the plan. */
static void solve(starfish_plan *plan, starfish_precision precision, const number *f, number *u, size_t count,
                  struct starfish_result *info)
{
    if (precision == STARFISH_F64) {
        ASSERT_OK(starfish_plan_solve(plan, NULL, f, u, info));
        return;
    }
    float _Complex *narrow = malloc(count * sizeof *narrow);
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float _Complex)f[i];
    ASSERT_OK(starfish_plan_solve(plan, NULL, narrow, narrow, info));
    for (size_t i = 0; i < count; i++)
        u[i] = (number)narrow[i];
    free(narrow);
}

/* ---- Solutions -----------------------------------------------------------------------------------------------------
 */

static void check_recovers(const struct problem *p, const struct starfish_poisson_options *options, unsigned *seed)
{
    const size_t count = complex_unknowns(p);
    const double bound = options->precision == STARFISH_F64 ? 1e-11 : 2e-3;
    number *u = complex_random(count, seed), *f = malloc(count * sizeof *f), *v = malloc(count * sizeof *v);
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_plan *plan;
    complex_apply(p, u, f);
    ASSERT_OK(complex_plan(p, options, &plan));
    solve(plan, options->precision, f, v, count, &info);
    const double error = complex_difference(u, v, count);
    if (!(error <= bound && info.residual_max <= bound))
        fail_msg("%s, complex line %d, precision %d, %zu x %zu, periodic %d, %d: error %g, residual %g",
                 test_about(plan).method, p->complex_line, (int)options->precision, p->x.n, p->y.n, p->x.periodic,
                 p->y.periodic, error, info.residual_max);
    starfish_plan_destroy(plan);
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
            struct problem p = complex_problem(sizes[s][0], kind & 1, sizes[s][1], kind >> 1 & 1, complex_line, &seed);
            check_recovers(&p, &options, &seed);
            complex_free_problem(&p);
        }
}

/* Gaussian elimination with partial pivoting of the matrix whose columns are A's. */
static void solve_densely(const struct problem *p, number *x)
{
    const size_t n = complex_unknowns(p);
    number *column = malloc(n * sizeof *column), *unit = calloc(n, sizeof *unit),
           *matrix = malloc(n * n * sizeof *matrix);
    for (size_t j = 0; j < n; j++) {
        unit[j] = 1;
        complex_apply(p, unit, column);
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
        struct problem p = complex_problem(6, kind & 1, 7, kind >> 1 & 1, kind >> 2 & 1, &seed);
        number *f = complex_random(complex_unknowns(&p), &seed), *u = malloc(complex_unknowns(&p) * sizeof *u);
        starfish_plan *plan;
        options.method = kind >> 3 ? STARFISH_METHOD_BLKTRI_PRODUCT : STARFISH_METHOD_BLKTRI;
        options.complex_rhs = 1;
        options.refinements = kind & 1;
        ASSERT_OK(complex_plan(&p, &options, &plan));
        ASSERT_OK(starfish_plan_solve(plan, NULL, f, u, NULL));
        solve_densely(&p, f);
        assert_true(complex_difference(u, f, complex_unknowns(&p)) <= 1e-12);
        starfish_plan_destroy(plan);
        complex_free_problem(&p);
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
        struct problem p = complex_problem(37, kind & 1, 29, kind & 1, 0, &seed);
        const size_t count = complex_unknowns(&p);
        number *f = complex_random(count, &seed);
        double *part[2] = {malloc(count * sizeof(double)), malloc(count * sizeof(double))};
        starfish_plan *plan;
        for (size_t i = 0; i < count; i++)
            part[0][i] = creal(f[i]), part[1][i] = cimag(f[i]);
        options.method = methods[kind >> 2];
        ASSERT_OK(complex_plan(&p, &options, &plan));
        for (int i = 0; i < 2; i++)
            ASSERT_OK(starfish_plan_solve(plan, NULL, part[i], part[i], NULL));
        starfish_plan_destroy(plan);
        options.complex_rhs = 1;
        p.complex_line = kind >> 1 & 1;
        ASSERT_OK(complex_plan(&p, &options, &plan));
        ASSERT_OK(starfish_plan_solve(plan, NULL, f, f, NULL));
        starfish_plan_destroy(plan);
        for (size_t i = 0; i < count; i++)
            assert_true(cabs(f[i] - (part[0][i] + part[1][i] * I)) <= 1e-13);
        complex_free_problem(&p);
        free(f), free(part[0]), free(part[1]);
    }
}

/* Rows that sum to zero, symmetric: the mean of either part is free. */
static void singular_problems_lose_a_complex_mean(void **state)
{
    (void)state;
    enum { N = 9 };
    unsigned seed = 23;
    struct problem p = complex_problem(N, 1, N, 1, 0, &seed);
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
        number *u = complex_random(N * N, &seed), f[N * N], mean = 0;
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        starfish_plan *plan;
        for (int i = 0; i < N * N; i++)
            mean += u[i] / (N * N);
        for (int i = 0; i < N * N; i++)
            u[i] -= mean;
        complex_apply(&p, u, f);
        for (int i = 0; i < N * N; i++)
            f[i] += 0.25 - 0.75 * I;
        options.method =
            (starfish_method[]){STARFISH_METHOD_AUTO, STARFISH_METHOD_BLKTRI, STARFISH_METHOD_BLKTRI_PRODUCT}[form];
        options.complex_rhs = options.check_residual = 1;
        options.refinements = form; /* which have to leave the mean alone */
        ASSERT_OK(complex_plan(&p, &options, &plan));
        assert_int_equal(test_about(plan).singular, 1);
        ASSERT_OK(starfish_plan_solve(plan, NULL, f, f, &info));
        assert_true(complex_difference(u, f, N * N) <= 1e-12);
        assert_true(fabs(info.pertrb - 0.25) <= 1e-13 && fabs(info.pertrb_imaginary + 0.75) <= 1e-13);
        assert_true(info.residual_max <= 1e-13);
        starfish_plan_destroy(plan);
        free(u);
    }
    complex_free_problem(&p);
}

/* Between fields, the right-hand side in the solution's place, and a plan that says what it is. */
static void solves_on_fields(void **state)
{
    (void)state;
    unsigned seed = 53;
    struct problem p = complex_problem(15, 1, 14, 0, 1, &seed);
    number *u = complex_random(complex_unknowns(&p), &seed), *f = malloc(complex_unknowns(&p) * sizeof *f);
    starfish_plan *plan;
    starfish_field *field;
    starfish_job *job;
    complex_apply(&p, u, f);
    ASSERT_OK(complex_plan(&p, NULL, &plan));
    assert_string_equal(test_about(plan).method, "blktri");
    assert_non_null(strstr(test_about(plan).reason, "axis x is complex"));
    ASSERT_OK(starfish_poisson_field(plan, f, &field));
    ASSERT_OK(starfish_poisson_submit_field(plan, NULL, field, field, &job));
    ASSERT_OK(starfish_job_finish(job, NULL));
    starfish_field_destroy(field);
    assert_true(complex_difference(u, f, complex_unknowns(&p)) <= 1e-11);
    starfish_plan_destroy(plan);
    complex_free_problem(&p);
    free(u), free(f);
}

/* ---- Errors --------------------------------------------------------------------------------------------------------
 */

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    unsigned seed = 29;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct problem p = complex_problem(6, 0, 5, 0, 1, &seed);
    starfish_plan *plan;
    options.method = STARFISH_METHOD_SLAB;
    ASSERT_FAILS(complex_plan(&p, &options, &plan), STARFISH_ERROR_UNSUPPORTED, "axis x");
    assert_null(plan);
    options.method = STARFISH_METHOD_AUTO;
    options.mode_blocks = 2;
    options.complex_rhs = 1;
    ASSERT_FAILS(complex_plan(&p, &options, &plan), STARFISH_ERROR_ARGUMENT, "mode_blocks");
    options.size--;
    ASSERT_FAILS(complex_plan(&p, &options, &plan), STARFISH_ERROR_ARGUMENT, "options.size");
    p.diag[3] = (double)NAN * I;
    ASSERT_FAILS(complex_plan(&p, NULL, &plan), STARFISH_ERROR_ARGUMENT, "axis x.diag");
    complex_free_problem(&p);

    p = complex_problem(6, 0, 6, 0, 1, &seed);
    struct starfish_axis wide = p.y, uniform = test_axis("dd node", 6, 0, 1);
    wide.complex_line = 1;
    wide.lower = (const double *)p.lower;
    wide.diag = (const double *)p.diag;
    wide.upper = (const double *)p.upper;
    ASSERT_FAILS(starfish_separable2d_plan_create(complex_context, &p.x, &wide, 0, NULL, &plan),
                 STARFISH_ERROR_UNSUPPORTED, "axis y must be real");
    uniform.complex_line = 1;
    ASSERT_FAILS(starfish_separable2d_plan_create(complex_context, &uniform, &p.y, 0, NULL, &plan),
                 STARFISH_ERROR_ARGUMENT, "axis x.complex_line");
    complex_free_problem(&p);
}

static void three_dimensions_are_real(void **state)
{
    (void)state;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem p = {
        .axis = {test_axis("periodic", 4, 0, 1), test_axis("dd node", 4, 0, 1), test_axis("dd node", 4, 0, 1)},
        .lambda = 0};
    starfish_plan *plan;
    options.complex_rhs = 1;
    ASSERT_FAILS(starfish_poisson_plan_create(complex_context, &p, &options, &plan), STARFISH_ERROR_UNSUPPORTED,
                 "starfish_separable2d_plan_create");
    p.axis[1].complex_line = 1;
    ASSERT_FAILS(starfish_poisson_plan_create(complex_context, &p, NULL, &plan), STARFISH_ERROR_UNSUPPORTED,
                 "starfish_separable2d_plan_create");
}

/* Eigenvalues of both directions that cancel are found where x is real; where it is not, only the constant mode is. */
static void singular_problems_are_refused(void **state)
{
    (void)state;
    enum { N = 6 };
    unsigned seed = 31;
    struct problem p = complex_problem(N, 1, N, 1, 0, &seed);
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
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
    ASSERT_FAILS(complex_plan(&p, &options, &plan), STARFISH_ERROR_SINGULAR, "mode");
    for (int i = 0; i < N; i++)
        ((double *)(uintptr_t)p.y.diag)[i] = -2;
    p.complex_line = 1;
    ASSERT_FAILS(complex_plan(&p, &options, &plan), STARFISH_ERROR_SINGULAR, "complex");
    p.lambda = -1;
    ASSERT_OK(complex_plan(&p, &options, &plan));
    starfish_plan_destroy(plan);
    complex_free_problem(&p);
}

/* Rows sum to zero only where both parts of a sum do, and are coupled where either part of an entry is not zero. */
static void imaginary_parts_make_problems_regular(void **state)
{
    (void)state;
    enum { N = 6, KINDS = 4 };
    static const struct {
        int coupled, periodic;
        number coupling, shift;
    } kinds[KINDS] = {{0, 0, 0, -0.5 * I}, {1, 0, 1, -0.5 * I}, {1, 1, I, -0.5}, {1, 0, I, -0.5}};
    unsigned seed = 8;
    for (int kind = 0; kind < KINDS * 2; kind++) {
        const size_t n = kind % 2 ? 1 : N;
        struct problem p = complex_problem(n, kinds[kind / 2].periodic, N, 0, 1, &seed);
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        options.check_residual = 1;
        for (size_t i = 0; i < n; i++) {
            const int first = i == 0 && !p.x.periodic, last = i + 1 == n && !p.x.periodic;
            p.lower[i] = first ? 0 : kinds[kind / 2].coupling;
            p.upper[i] = last ? 0 : kinds[kind / 2].coupling;
            p.diag[i] = kinds[kind / 2].shift - p.lower[i] - p.upper[i];
        }
        for (size_t j = 0; j < N; j++) {
            ((double *)(uintptr_t)p.y.lower)[j] = j > 0;
            ((double *)(uintptr_t)p.y.upper)[j] = j + 1 < N;
            ((double *)(uintptr_t)p.y.diag)[j] = -p.y.lower[j] - p.y.upper[j];
        }
        p.lambda = 0;
        check_recovers(&p, &options, &seed);
        complex_free_problem(&p);
    }
}

static void imaginary_parts_have_the_range_of_the_precision(void **state)
{
    (void)state;
    unsigned seed = 9;
    struct problem p = complex_problem(3, 0, 4, 0, 1, &seed);
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    options.precision = STARFISH_F32;
    p.diag[1] = -4 + 1e300 * I;
    ASSERT_FAILS(complex_plan(&p, &options, &plan), STARFISH_ERROR_ARGUMENT, "the imaginary part of diag[1]");
    complex_free_problem(&p);
}

/* ---- All of them ---------------------------------------------------------------------------------------------------
 */

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
        cmocka_unit_test(imaginary_parts_make_problems_regular),
        cmocka_unit_test(imaginary_parts_have_the_range_of_the_precision),
        cmocka_unit_test(cblktri_recovers_random_fields),
        cmocka_unit_test(solves_fishpacks_example),
        cmocka_unit_test(cblktri_says_fishpacks_numbers),
        cmocka_unit_test(a_handle_serves_both_kinds),
        cmocka_unit_test(threads_solve_at_once),
    };
    return TEST_GROUP(name, tests, &complex_context, gpu_workers, cpu_workers, cores);
}
