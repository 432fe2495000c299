/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The change of basis against the operator that it diagonalises, and what is refused. */
#include "basis_cases.h"
#include "tests/common/check.h"
#include "tests/common/memory.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- One basis and an array of planes ---------------------------------------------------------------------------- */
struct fixture {
    struct basis_rows rows;
    struct starfish_basis_operator op;
    struct starfish_basis basis;
    size_t inner, outer, count;
    double *x; /* exact in the precision */
};

static void begin(struct fixture *f, const struct basis_case *c, size_t n, size_t inner, size_t outer,
                  starfish_precision precision)
{
    unsigned seed = 3;
    f->op = basis_operator(c, n, &f->rows);
    f->inner = inner;
    f->outer = outer;
    f->count = inner * n * outer;
    ASSERT_OK(starfish_basis_create(&f->basis, &f->op, precision));
    f->x = malloc(f->count * sizeof *f->x);
    assert_non_null(f->x);
    for (size_t i = 0; i < f->count; i++)
        f->x[i] = test_real_random(&seed);
}

static void end(struct fixture *f)
{
    free(f->x);
    starfish_basis_destroy(&f->basis);
}

/* values -> values, through arrays of the precision between guards, the output poisoned. */
static void apply(struct fixture *f, enum starfish_transform_direction direction, double scale, double *values)
{
    const starfish_precision precision = f->basis.precision;
    const size_t bytes = f->count * starfish_real_size(precision);
    void *in = test_host_memory.upload(NULL, bytes), *out = test_host_memory.upload(NULL, bytes);
    const struct starfish_basis_columns columns = {f->inner, f->outer, in, out, scale};
    for (size_t i = 0; i < f->count; i++)
        test_real_put(in, precision, i, values[i]);
    starfish_basis_columns_cpu(&f->basis, direction, &columns);
    for (size_t i = 0; i < f->count; i++)
        values[i] = test_real_get(out, precision, i);
    test_host_memory.release();
}

/* Element i of T x, by the definition in basis.h. */
static double operator_at(const struct fixture *f, size_t i)
{
    const size_t n = f->op.n, k = i / f->inner % n, base = i - k * f->inner;
    double sum = f->op.diag[k] * f->x[i];
    if (k > 0 || f->op.periodic)
        sum += f->op.lower[k] * f->x[base + f->inner * ((k + n - 1) % n)];
    if (k + 1 < n || f->op.periodic)
        sum += f->op.upper[k] * f->x[base + f->inner * ((k + 1) % n)];
    return sum;
}

static void check_case(const struct basis_case *c, size_t n, size_t inner, size_t outer, starfish_precision precision)
{
    static struct fixture f;
    begin(&f, c, n, inner, outer, precision);
    double *same = malloc(2 * f.count * sizeof *same), *applied = same + f.count, error = 0;
    for (size_t i = 0; i < f.count; i++)
        same[i] = f.x[i];
    apply(&f, STARFISH_FORWARD, 0.75, same);
    for (size_t i = 0; i < f.count; i++)
        applied[i] = same[i] * f.basis.eigenvalue[i / inner % n];
    apply(&f, STARFISH_BACKWARD, 4.0 / 3, same);
    apply(&f, STARFISH_BACKWARD, 4.0 / 3, applied);

    for (size_t i = 0; i < f.count; i++) {
        /* Not fmax, which takes a NaN for nothing. */
        const double differences[] = {fabs(same[i] - f.x[i]), fabs(applied[i] - operator_at(&f, i))};
        for (int d = 0; d < 2; d++)
            error = differences[d] <= error ? error : differences[d];
    }
    if (!(error <= basis_tolerance(precision)))
        fail_msg("%s, n %zu, inner %zu, f%d: error %g", c->name, n, inner, precision == STARFISH_F32 ? 32 : 64, error);
    if (n > 2) /* few rows may mirror each other by chance */
        assert_int_equal(f.basis.reflected, c->reflected);
    free(same);
    end(&f);
}

static void the_operator_is_diagonalised(void **state)
{
    (void)state;
    static const size_t shapes[][2] = {{1, 3}, {1, 70}, {3, 2}, {33, 2}, {64, 1}, {100, 1}};
    for (int c = 0; c < BASIS_CASES; c++)
        for (int i = 0; i < BASIS_SIZES; i++)
            for (int s = 0; s < 6; s++)
                for (int precision = 0; precision < 2; precision++)
                    check_case(&basis_cases[c], basis_sizes[i], shapes[s][0], shapes[s][1],
                               (starfish_precision)precision);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */
enum { THREADS = 4, THREAD_N = 96, THREAD_COUNT = 40 * THREAD_N * 3 };

struct thread {
    const struct starfish_basis *basis;
    double in[THREAD_COUNT], out[THREAD_COUNT];
};

static void *transform_in_thread(void *data)
{
    struct thread *thread = data;
    starfish_basis_columns_cpu(thread->basis, STARFISH_FORWARD,
                               &(struct starfish_basis_columns){40, 3, thread->in, thread->out, 1});
    return NULL;
}

static void threads_share_a_basis(void **state)
{
    (void)state;
    static struct fixture f;
    pthread_t threads[THREADS];
    begin(&f, &basis_cases[4], THREAD_N, 40, 3, STARFISH_F64);
    struct thread *data = calloc(THREADS, sizeof *data);
    assert_non_null(data);
    for (int t = 0; t < THREADS; t++) {
        data[t].basis = &f.basis;
        for (size_t i = 0; i < f.count; i++)
            data[t].in[i] = f.x[(i + (size_t)t) % f.count];
        assert_int_equal(pthread_create(&threads[t], NULL, transform_in_thread, &data[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(threads[t], NULL), 0);
    for (int t = 0; t < THREADS; t++) {
        static double expected[THREAD_COUNT];
        for (size_t i = 0; i < f.count; i++)
            expected[i] = f.x[(i + (size_t)t) % f.count];
        apply(&f, STARFISH_FORWARD, 1, expected);
        assert_memory_equal(data[t].out, expected, sizeof expected);
    }
    free(data);
    end(&f);
}

/* Sums over more terms than one product takes. */
static void long_directions_are_cut_into_products(void **state)
{
    (void)state;
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    for (int precision = 0; precision < 2; precision++) {
        check_case(&basis_cases[2], 700, 5, 1, (starfish_precision)precision);
        check_case(&basis_cases[2], 600, 40, 1, (starfish_precision)precision);
        check_case(&basis_cases[2], 700, 1, 40, (starfish_precision)precision);
    }
}

static void nothing_is_done_for_an_empty_batch(void **state)
{
    (void)state;
    static struct fixture f;
    begin(&f, &basis_cases[0], 4, 1, 1, STARFISH_F64);
    const struct starfish_basis_columns no_lanes = {0, 5, NULL, NULL, 1}, no_planes = {5, 0, NULL, NULL, 1};
    starfish_basis_columns_cpu(&f.basis, STARFISH_FORWARD, &no_lanes);
    starfish_basis_columns_cpu(&f.basis, STARFISH_BACKWARD, &no_planes);
    end(&f);
}

/* ---- Eigenvalues ------------------------------------------------------------------------------------------------- */
static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void check_eigenvalues(const struct basis_case *c, enum starfish_transform_kind kind, size_t n)
{
    static double expected[BASIS_MOST];
    static struct fixture f;
    begin(&f, c, n, 1, 1, STARFISH_F64);
    starfish_transform_eigenvalues(kind, n, 1, expected);
    qsort(expected, n, sizeof *expected, ascending);
    qsort(f.basis.eigenvalue, n, sizeof *expected, ascending);
    for (size_t k = 0; k < n; k++)
        if (!(fabs(f.basis.eigenvalue[k] - expected[k]) <= 1e-14 * (double)(4 + n)))
            fail_msg("%s, n %zu: eigenvalue %zu is %.17g, not %.17g", c->name, n, k, f.basis.eigenvalue[k],
                     expected[k]);
    end(&f);
}

static void uniform_grids_have_the_transforms_eigenvalues(void **state)
{
    (void)state;
    for (int i = 0; i < BASIS_SIZES; i++) {
        if (basis_sizes[i] > 1) /* a single row has both ends */
            check_eigenvalues(&basis_cases[1], STARFISH_TRANSFORM_NN_CELL, basis_sizes[i]);
        check_eigenvalues(&basis_cases[7], STARFISH_TRANSFORM_PERIODIC, basis_sizes[i]);
    }
}

/* Where rows sum to zero, constants are one mode alone, whose eigenvalue is exactly zero. */
static void check_constant(const struct basis_case *c, size_t n)
{
    static struct fixture f;
    static double x[BASIS_MOST];
    begin(&f, c, n, 1, 1, STARFISH_F64);
    const size_t constant = c->end == 0 ? f.basis.constant : n;
    assert_int_equal(f.basis.constant, constant);
    assert_true(c->end != 0 || (constant < n && f.basis.eigenvalue[constant] == 0));
    for (size_t k = 0; k < n; k++) {
        assert_true(k == constant || f.basis.eigenvalue[k] != 0);
        x[k] = 1;
    }
    apply(&f, STARFISH_FORWARD, 1, x);
    for (size_t k = 0; constant < n && k < n; k++)
        if ((fabs(x[k]) > 1e-11) != (k == constant))
            fail_msg("%s, n %zu: mode %zu of a constant is %g", c->name, n, k, x[k]);
    end(&f);
}

static void the_constant_mode_is_known(void **state)
{
    (void)state;
    for (int c = 0; c < BASIS_CASES; c++)
        for (int i = 0; i < BASIS_SIZES; i++)
            check_constant(&basis_cases[c], basis_sizes[i]);
}

/* Cells that grow by a factor of 1e6, from one end or from both, between two Dirichlet ends. */
static void grow(struct basis_rows *rows, size_t n, int mirrored, double sign)
{
    const double step = pow(10, 6.0 / (double)(mirrored ? n / 2 : n));
    for (size_t k = 0; k < n; k++) {
        const int falling = mirrored && k >= n / 2, peak = mirrored && (k == n / 2 || k + 1 == n / 2);
        const double width = pow(step, (double)(falling ? n - 1 - k : k));
        const double narrow = 2 / (width * width * (1 + 1 / step)); /* coupling to the narrower neighbour */
        const double wide = 2 / (width * width * (1 + (peak ? 1 : step)));
        rows->lower[k] = sign * (falling ? wide : narrow);
        rows->upper[k] = sign * (falling ? narrow : wide);
        rows->diag[k] = -(rows->lower[k] + rows->upper[k]) * (k == 0 || k == n - 1 ? 1.5 : 1);
    }
}

/* Elimination without pivoting, which loses nothing here. */
static void eliminate(const struct fixture *f, long double *x)
{
    const size_t n = f->op.n;
    static long double pivot[BASIS_MOST];
    pivot[0] = (long double)f->op.diag[0];
    x[0] = (long double)f->x[0];
    for (size_t k = 1; k < n; k++) {
        const long double factor = (long double)f->op.lower[k] / pivot[k - 1];
        pivot[k] = (long double)f->op.diag[k] - factor * (long double)f->op.upper[k - 1];
        x[k] = (long double)f->x[k] - factor * x[k - 1];
    }
    x[n - 1] /= pivot[n - 1];
    for (size_t k = n - 1; k-- > 0;)
        x[k] = (x[k] - (long double)f->op.upper[k] * x[k + 1]) / pivot[k];
}

/* Of a solve with f->rows; the fixture ends. */
static double error_of_fixture(struct fixture *f, double *estimate)
{
    const size_t n = f->op.n;
    static long double exact[BASIS_MOST];
    static double x[BASIS_MOST];
    double error = 0, size = 0;
    starfish_basis_destroy(&f->basis);
    ASSERT_OK(starfish_basis_create(&f->basis, &f->op, STARFISH_F64));
    *estimate = starfish_basis_error(&f->basis, 0);
    eliminate(f, exact);

    memcpy(x, f->x, n * sizeof *x);
    apply(f, STARFISH_FORWARD, 1, x);
    for (size_t k = 0; k < n; k++)
        x[k] /= f->basis.eigenvalue[k];
    apply(f, STARFISH_BACKWARD, 1, x);

    for (size_t k = 0; k < n; k++) {
        const double here = fabs(x[k] - (double)exact[k]);
        error = here <= error ? error : here;
        size = fmax(size, fabs((double)exact[k]));
    }
    end(f);
    return error / size;
}

static double error_of_a_solve(size_t n, int mirrored, double sign, double reflection, double *estimate)
{
    static struct fixture f;
    begin(&f, &basis_cases[0], n, 1, 1, STARFISH_F64);
    grow(&f.rows, n, mirrored, sign);
    f.op.reflection = reflection;
    assert_int_equal(starfish_basis_is_reflected(&f.op), mirrored && reflection >= 0);
    return error_of_fixture(&f, estimate);
}

/* Spacings that grow by 40,000 from both ends, as differences of rounded coordinates: almost mirrored. Its modes
 * come in pairs that nearly agree, and LAPACK may find all eigenvalues and leave pairs of vectors that are not
 * orthogonal. */
static double error_of_rounded_coordinates(size_t n, double *estimate)
{
    static struct fixture f;
    static double x[BASIS_MOST + 1];
    const double step = pow(40000, 2.0 / (double)n);
    begin(&f, &basis_cases[0], n, 1, 1, STARFISH_F64);
    for (size_t k = 0; k <= n; k++)
        x[k + 1] = x[k] + pow(step, (double)(k <= n / 2 ? k : n - k));
    for (size_t k = 0; k < n + 1; k++)
        x[k] /= x[n + 1];
    x[n + 1] = 1;
    for (size_t k = 0; k < n; k++) {
        const double before = x[k + 1] - x[k], after = x[k + 2] - x[k + 1], width = (before + after) / 2;
        f.rows.lower[k] = 1 / (before * width);
        f.rows.upper[k] = 1 / (after * width);
        f.rows.diag[k] = -(f.rows.lower[k] + f.rows.upper[k]);
    }
    return error_of_fixture(&f, estimate);
}

static void wrong_vectors_are_noticed(void **state)
{
    (void)state;
    for (size_t n = 100; n < 300; n += 5) {
        double estimate = 0;
        const double error = error_of_rounded_coordinates(n, &estimate);
        if (!(error <= 100 * estimate))
            fail_msg("n %zu: error %g, estimated %g", n, error, estimate);
    }
}

static void strong_stretching_costs_no_digits(void **state)
{
    (void)state;
    for (int mirrored = 0; mirrored < 2; mirrored++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double estimate = 0;
            const double error = error_of_a_solve(100, mirrored, sign, STARFISH_BASIS_EXACT, &estimate);
            if (!(error <= 1e-13))
                fail_msg("mirrored %d, sign %d: error %g", mirrored, sign, error);
            assert_true(estimate < STARFISH_BASIS_REFINE && error <= 10 * estimate);
        }
}

/* Without the fold its modes are pairs that differ by less than a rounding, for which LAPACK's MRRR may give up. */
static void clusters_are_served(void **state)
{
    (void)state;
    double estimate = 0;
    const double error = error_of_a_solve(100, 1, 1, -1, &estimate);
    assert_true(error <= 10 * estimate);
    assert_true(error <= 1e-3);
}

static void lost_digits_are_estimated(void **state)
{
    (void)state;
    struct starfish_basis basis = {.n = 3, .scaling = 3, .eigenvalue = (double[]){-8, -2, 0}};
    assert_true(starfish_basis_error(&basis, 0) == 4 * DBL_EPSILON);
    assert_true(starfish_basis_error(&basis, -2) == 5 * DBL_EPSILON);
    assert_true(starfish_basis_error(&basis, 2) == 3 * DBL_EPSILON);
    basis.relative = 1;
    assert_true(starfish_basis_error(&basis, 0) == 3 * DBL_EPSILON);
    basis.asymmetry = DBL_EPSILON;
    assert_true(starfish_basis_error(&basis, 0) == 12 * DBL_EPSILON);
    basis.relative = 0;
    basis.asymmetry = 0;
    basis.eigenvalue = (double[]){0, 0, 0};
    assert_true(starfish_basis_error(&basis, 0) == DBL_EPSILON);
}

/* ---- Symmetry ---------------------------------------------------------------------------------------------------- */
static int finds_reflection(double disturbance, double allowed)
{
    static struct basis_rows rows;
    struct starfish_basis basis;
    struct starfish_basis_operator op = basis_operator(&basis_cases[4], 9, &rows);
    rows.diag[2] *= 1 + disturbance;
    op.reflection = allowed;
    ASSERT_OK(starfish_basis_create(&basis, &op, STARFISH_F64));
    const int found = basis.reflected;
    assert_int_equal(basis.even, found ? 5 : 9);
    starfish_basis_destroy(&basis);
    return found;
}

static void reflection_is_found_up_to_the_rounding_allowed(void **state)
{
    (void)state;
    assert_true(finds_reflection(0, 0));
    assert_true(finds_reflection(4 * DBL_EPSILON, STARFISH_BASIS_EXACT));
    assert_false(finds_reflection(1e-12, STARFISH_BASIS_EXACT));
    assert_true(finds_reflection(1e-12, 1e-11));
    assert_false(finds_reflection(0, -1));
}

/* ---- Weights ----------------------------------------------------------------------------------------------------- */
static void forward_takes_weighted_values(void **state)
{
    enum { N = 9 };
    (void)state;
    static struct basis_rows rows;
    struct starfish_basis_operator op = basis_operator(&basis_cases[4], N, &rows);
    struct starfish_basis plain, weighted;
    double weight[N], x[N], weighted_x[N], expected[N], got[N], back[N];
    unsigned seed = 11;
    for (size_t k = 0; k < N; k++) {
        weight[k] = 2 + test_real_random(&seed);
        x[k] = test_real_random(&seed);
        weighted_x[k] = weight[k] * x[k];
    }
    op.reflection = -1;
    ASSERT_OK(starfish_basis_create(&plain, &op, STARFISH_F64));
    op.reflection = STARFISH_BASIS_EXACT;
    op.weight = weight;
    ASSERT_OK(starfish_basis_create(&weighted, &op, STARFISH_F64));
    assert_false(weighted.reflected);
    starfish_basis_columns_cpu(&plain, STARFISH_FORWARD,
                               &(struct starfish_basis_columns){1, 1, weighted_x, expected, 1});
    starfish_basis_columns_cpu(&weighted, STARFISH_FORWARD, &(struct starfish_basis_columns){1, 1, x, got, 1});
    starfish_basis_columns_cpu(&weighted, STARFISH_BACKWARD, &(struct starfish_basis_columns){1, 1, got, back, 1});
    for (size_t k = 0; k < N; k++) {
        assert_true(fabs(got[k] - expected[k]) <= basis_tolerance(STARFISH_F64));
        assert_true(fabs(back[k] - weighted_x[k]) <= basis_tolerance(STARFISH_F64));
    }
    starfish_basis_destroy(&plain);
    starfish_basis_destroy(&weighted);
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */
static void check_refused(struct starfish_basis_operator op, starfish_precision precision, starfish_status status,
                          const char *part)
{
    struct starfish_basis basis;
    ASSERT_FAILS(starfish_basis_create(&basis, &op, precision), status, part);
    assert_null(basis.eigenvalue);
    starfish_basis_destroy(&basis);
}

static void operators_without_real_eigenvectors_are_refused(void **state)
{
    (void)state;
    double one[] = {1, 1, 1}, two[] = {1, 2, 1}, sign[] = {1, -1, 1}, hole[] = {1, 0, 1}, bad[] = {1, 1, (double)NAN};
    double tiny[] = {1, 1e-50, 1e-50};
    const starfish_status complex = STARFISH_ERROR_NOT_SYMMETRIZABLE;
    check_refused((struct starfish_basis_operator){0, 0, one, one, one, 0, NULL, NULL}, STARFISH_F64,
                  STARFISH_ERROR_ARGUMENT, "not in 1..");
    check_refused((struct starfish_basis_operator){3, 0, one, bad, one, 0, NULL, NULL}, STARFISH_F64,
                  STARFISH_ERROR_ARGUMENT, "row 2");
    check_refused((struct starfish_basis_operator){3, 0, sign, one, one, 0, NULL, NULL}, STARFISH_F64, complex,
                  "lower[1]");
    check_refused((struct starfish_basis_operator){3, 0, hole, one, one, 0, NULL, NULL}, STARFISH_F64, complex,
                  "one-sided");
    check_refused((struct starfish_basis_operator){3, 1, two, one, one, 0, NULL, NULL}, STARFISH_F64, complex,
                  "products");
    check_refused((struct starfish_basis_operator){3, 0, tiny, one, one, 0, NULL, NULL}, STARFISH_F32, complex,
                  "scaling");
}

/* Rows that do not couple, and a scaling beyond what products of the entries could hold. */
static void unusual_operators_are_served(void **state)
{
    (void)state;
    double lower[] = {0, 1, 0, 1e-200}, diag[] = {1, 2, 3, 4}, upper[] = {4, 0, 1e200, 0};
    struct starfish_basis basis;
    struct starfish_basis_operator op = {4, 0, lower, diag, upper, STARFISH_BASIS_EXACT, NULL, NULL};
    double in[] = {1, -2, 3e200, 4}, modes[4], out[4] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    ASSERT_OK(starfish_basis_create(&basis, &op, STARFISH_F64));
    assert_true(basis.scaling > 1.99e200 && basis.scaling < 2.01e200);
    starfish_basis_columns_cpu(&basis, STARFISH_FORWARD, &(struct starfish_basis_columns){1, 1, in, modes, 1});
    starfish_basis_columns_cpu(&basis, STARFISH_BACKWARD, &(struct starfish_basis_columns){1, 1, modes, out, 1});
    for (int k = 0; k < 4; k++)
        assert_true(fabs(out[k] - in[k]) <= 1e-14 * fabs(in[k]));
    starfish_basis_destroy(&basis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_operator_is_diagonalised),
        cmocka_unit_test(long_directions_are_cut_into_products),
        cmocka_unit_test(threads_share_a_basis),
        cmocka_unit_test(nothing_is_done_for_an_empty_batch),
        cmocka_unit_test(uniform_grids_have_the_transforms_eigenvalues),
        cmocka_unit_test(the_constant_mode_is_known),
        cmocka_unit_test(strong_stretching_costs_no_digits),
        cmocka_unit_test(clusters_are_served),
        cmocka_unit_test(wrong_vectors_are_noticed),
        cmocka_unit_test(lost_digits_are_estimated),
        cmocka_unit_test(reflection_is_found_up_to_the_rounding_allowed),
        cmocka_unit_test(forward_takes_weighted_values),
        cmocka_unit_test(operators_without_real_eigenvectors_are_refused),
        cmocka_unit_test(unusual_operators_are_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
