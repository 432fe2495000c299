/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Residual bound: elimination of a diagonally dominant tridiagonal matrix has a small backward error row by row
 * (Higham, Accuracy and Stability of Numerical Algorithms, 9.6), so |A x - d|_k <= C eps (|A|_k |x| + |d|_k), with
 * max norms of x. Cyclic reduction doubles its rows' errors per level, hence the logarithm in C. */
#include "tests/tridiag/batch_cases.h"

#include "tests/common/reals.h"
#include "tridiag/kernels/tridiag_ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BACKWARD_STABILITY 8.0
#define FORWARD_STABILITY 20.0
enum { LONGEST_DENSE = 70, SAMPLED_LINES = 12 };

static double worst;

double test_batch_worst(void)
{
    return worst;
}

/* A case, its arrays on the host and where they are on the device. */
struct data {
    const struct test_batch *test;
    struct starfish_batch batch;
    void *lower, *diag, *upper, *shift, *input, *output; /* host */
    size_t coefficient_count, vector_count;
};

static double element(const struct data *t, const void *array, size_t line, size_t k)
{
    const struct starfish_layout layout = t->batch.coefficients;
    return test_real_get(array, t->test->precision, k * layout.row + line * layout.line);
}

static size_t vector_index(const struct data *t, size_t line, size_t column, size_t k)
{
    const size_t components = (size_t)t->batch.components;
    return k * t->batch.vectors.row + line * t->batch.vectors.line + column / components * t->batch.column +
           column % components;
}

static double shift_of(const struct data *t, size_t line)
{
    return t->shift ? test_real_get(t->shift, t->test->precision, line) : 0;
}

/* ---- Making a case ---------------------------------------------------------------------------------------------- */

static struct starfish_layout layout_of(enum test_layout layout, size_t n, size_t lines)
{
    switch (layout) {
    case TEST_CONTIGUOUS:
        return (struct starfish_layout){1, n};
    case TEST_INTERLEAVED:
        return (struct starfish_layout){lines, 1};
    default:
        return (struct starfish_layout){3, 3 * n + 2};
    }
}

static size_t span(struct starfish_layout layout, size_t n, size_t lines)
{
    return (n - 1) * layout.row + (lines - 1) * layout.line + 1;
}

static void make_row(enum test_matrix matrix, int periodic, size_t k, unsigned *seed, double row[3])
{
    const double a = test_real_random(seed), c = test_real_random(seed), extra = test_real_random(seed);
    double scale = 1;

    if (matrix == TEST_TOEPLITZ) {
        row[0] = row[2] = -1;
        row[1] = periodic ? 2.01 : 2;
        return;
    }
    if (matrix == TEST_WILDLY_SCALED)
        scale = pow(10, 6 * extra);
    row[0] = a * scale;
    row[2] = c * scale;
    row[1] = (fabs(a) + fabs(c) + 0.2 + fabs(extra)) * (a > 0 ? scale : -scale);
    if (matrix == TEST_GENERAL)
        row[1] = k % 2 ? 0 : extra; /* not two in a row, which could be singular */
    if (matrix == TEST_SMALL_DIAGONAL)
        row[1] = 1e-9 * extra;
}

static void make_coefficients(struct data *t, unsigned *seed)
{
    const struct test_batch *test = t->test;
    const size_t lines = t->batch.coefficients.line == 0 ? 1 : test->lines;

    for (size_t l = 0; l < lines; l++)
        for (size_t k = 0; k < test->n; k++) {
            const size_t i = k * t->batch.coefficients.row + l * t->batch.coefficients.line;
            double row[3];
            make_row(test->matrix, test->periodic, k, seed, row);
            if (t->shift) /* which is positive */
                row[1] = fabs(row[1]);
            /* What leads out of an open line may be anything. */
            test_real_put(t->lower, test->precision, i, !test->periodic && k == 0 ? (double)NAN : row[0]);
            test_real_put(t->diag, test->precision, i, row[1]);
            test_real_put(t->upper, test->precision, i, !test->periodic && k + 1 == test->n ? (double)NAN : row[2]);
        }
}

static int has_shift(const struct test_batch *test)
{
    return test->coefficients == TEST_PER_LINE_SHIFTED || test->coefficients == TEST_SHARED_SHIFTED;
}

static int is_shared(const struct test_batch *test)
{
    return test->coefficients == TEST_SHARED || test->coefficients == TEST_SHARED_SHIFTED;
}

static struct data make(const struct test_batch *test)
{
    static unsigned seed = 1;
    const size_t components = test->complex_rhs ? 2 : 1;
    const struct starfish_layout lines = layout_of(test->layout, test->n, test->lines);
    struct data t = {.test = test};
    struct starfish_batch *b = &t.batch;

    b->n = test->n;
    b->lines = test->lines;
    b->columns = test->rhs * components;
    b->components = (int)components;
    b->periodic = test->periodic;
    b->algorithm = test->algorithm;
    b->coefficients = is_shared(test) ? (struct starfish_layout){test->layout == TEST_STRIDED ? 2 : 1, 0} : lines;
    b->vectors = (struct starfish_layout){lines.row * components, lines.line * components};
    b->column = (span(lines, test->n, test->lines) + 1) * components;
    t.coefficient_count = span(b->coefficients, test->n, test->lines);
    t.vector_count = b->column * test->rhs;
    t.lower = test_reals(test->precision, t.coefficient_count, &seed);
    t.diag = test_reals(test->precision, t.coefficient_count, &seed);
    t.upper = test_reals(test->precision, t.coefficient_count, &seed);
    t.input = test_reals(test->precision, t.vector_count, &seed);
    t.output = test_reals(test->precision, t.vector_count, &seed);
    assert_true(t.lower && t.diag && t.upper && t.input && t.output);
    if (has_shift(test)) {
        t.shift = test_reals(test->precision, test->lines, &seed);
        for (size_t l = 0; l < test->lines; l++)
            test_real_put(t.shift, test->precision, l, fabs(test_real_get(t.shift, test->precision, l)));
    }
    make_coefficients(&t, &seed);
    return t;
}

static void discard(struct data *t)
{
    free(t->lower);
    free(t->diag);
    free(t->upper);
    free(t->shift);
    free(t->input);
    free(t->output);
}

/* ---- Running it ------------------------------------------------------------------------------------------------- */

static void run(const struct test_batch_device *device, struct data *t)
{
    const struct test_memory *memory = device->memory;
    const size_t size = starfish_real_size(t->test->precision);
    struct starfish_batch *b = &t->batch;

    b->lower = memory->upload(t->lower, t->coefficient_count * size);
    b->diag = memory->upload(t->diag, t->coefficient_count * size);
    b->upper = memory->upload(t->upper, t->coefficient_count * size);
    b->shift = t->shift ? memory->upload(t->shift, b->lines * size) : NULL;
    const size_t matrices = starfish_batch_matrices(b) * b->n;
    b->factors = t->test->keep_factors ? memory->upload(NULL, 2 * matrices * size) : NULL;
    b->border = starfish_batch_has_border(b) ? memory->upload(NULL, matrices * size) : NULL;
    void *output = memory->upload(t->test->in_place ? t->input : NULL, t->vector_count * size);
    b->input = t->test->in_place ? output : memory->upload(t->input, t->vector_count * size);
    b->output = output;
    b->workspace = memory->upload(NULL, device->workspace(b, size));
    if (b->factors || b->border)
        device->prepare[t->test->precision](b);
    device->solve[t->test->precision](b);
    memory->download(t->output, output, t->vector_count * size);
    memory->release();
}

/* ---- Oracles ---------------------------------------------------------------------------------------------------- */

static double bound(const struct data *t)
{
    return BACKWARD_STABILITY * test_real_epsilon(t->test->precision) * (4 + log2((double)t->test->n)) *
           (t->test->periodic ? 4 : 1);
}

/* Interchanges compare rows, so their error is small against the whole matrix only. */
static long double matrix_norm(const struct data *t, size_t line)
{
    long double norm = 0;

    for (size_t k = 0; k < t->test->n; k++) {
        const double lower = k > 0 || t->test->periodic ? element(t, t->lower, line, k) : 0;
        const double upper = k + 1 < t->test->n || t->test->periodic ? element(t, t->upper, line, k) : 0;
        norm = fmaxl(norm,
                     fabsl((long double)element(t, t->diag, line, k) + shift_of(t, line)) + fabs(lower) + fabs(upper));
    }
    return norm;
}

static void check_residual(const struct data *t, size_t line, size_t column)
{
    const struct test_batch *test = t->test;
    const size_t n = test->n;
    const long double norm = test->algorithm == STARFISH_ALGORITHM_PIVOTED ? matrix_norm(t, line) : 0;
    long double largest = 0;

    for (size_t k = 0; k < n; k++)
        largest = fmaxl(
            largest, fabsl((long double)test_real_get(t->output, test->precision, vector_index(t, line, column, k))));
    for (size_t k = 0; k < n; k++) {
        const long double d = test_real_get(t->input, test->precision, vector_index(t, line, column, k));
        const long double x = test_real_get(t->output, test->precision, vector_index(t, line, column, k));
        const long double diag = (long double)element(t, t->diag, line, k) + shift_of(t, line);
        long double residual = diag * x - d, size = fabsl(diag) * largest + fabsl(d);
        if (k > 0 || test->periodic) {
            const long double lower = element(t, t->lower, line, k);
            residual +=
                lower * test_real_get(t->output, test->precision, vector_index(t, line, column, (k + n - 1) % n));
            size += fabsl(lower) * largest;
        }
        if (k + 1 < n || test->periodic) {
            const long double upper = element(t, t->upper, line, k);
            residual += upper * test_real_get(t->output, test->precision, vector_index(t, line, column, (k + 1) % n));
            size += fabsl(upper) * largest;
        }
        size = fmaxl(size, norm * largest);
        const double relative = (double)(fabsl(residual) / size) / bound(t);
        if (!(relative <= 1))
            fail_msg(
                "algorithm %d f%d matrix %d layout %d coefficients %d periodic %d complex %d in place %d kept %d: n "
                "%zu, lines %zu, rhs %zu: residual of row %zu, line %zu, column %zu is %g of its bound",
                test->algorithm, test->precision == STARFISH_F32 ? 32 : 64, test->matrix, test->layout,
                test->coefficients, test->periodic, test->complex_rhs, test->in_place, test->keep_factors, n,
                test->lines, test->rhs, k, line, column, relative);
        worst = fmax(worst, relative);
    }
}

/* Dense elimination; only where the condition is known to be small. */
static void check_reference(const struct data *t, size_t line, size_t column)
{
    const size_t n = t->test->n;
    double *row = calloc(3 * n, sizeof *row);
    long double *x = calloc(n, sizeof *x), largest = 0, error = 0;
    assert_true(row && x);
    for (size_t k = 0; k < n; k++) {
        row[k] = k > 0 || t->test->periodic ? element(t, t->lower, line, k) : 0;
        row[n + k] = element(t, t->diag, line, k);
        row[2 * n + k] = k + 1 < n || t->test->periodic ? element(t, t->upper, line, k) : 0;
        x[k] = test_real_get(t->input, t->test->precision, vector_index(t, line, column, k));
    }
    const struct starfish_tridiag_ref_line reference = {.n = n,
                                                        .periodic = t->test->periodic,
                                                        .lower = row,
                                                        .diag = row + n,
                                                        .upper = row + 2 * n,
                                                        .shift = shift_of(t, line)};
    assert_int_equal(starfish_tridiag_ref_solve(&reference, x), 0);
    for (size_t k = 0; k < n; k++) {
        const long double own = test_real_get(t->output, t->test->precision, vector_index(t, line, column, k));
        largest = fmaxl(largest, fabsl(x[k]));
        error = fmaxl(error, fabsl(own - x[k]));
    }
    /* |A^-1| |A| is at most 2 (1 + 1 / 0.2) for these rows. */
    assert_true(error <= FORWARD_STABILITY * 12 * (long double)test_real_epsilon(t->test->precision) * largest);
    free(row);
    free(x);
}

/* Elements between and beyond those of the lines keep the poison. */
static void check_gaps(const struct data *t)
{
    unsigned char *seen = calloc(t->vector_count, 1);
    assert_non_null(seen);
    for (size_t column = 0; column < t->batch.columns; column++)
        for (size_t line = 0; line < t->test->lines; line++)
            for (size_t k = 0; k < t->test->n; k++)
                seen[vector_index(t, line, column, k)] = 1;
    for (size_t i = 0; i < t->vector_count; i++)
        assert_true(seen[i] || isnan(test_real_get(t->output, t->test->precision, i)));
    free(seen);
}

void test_batch_case(const struct test_batch_device *device, const struct test_batch *test)
{
    struct data t = make(test);
    const size_t step = test->lines > SAMPLED_LINES ? test->lines / SAMPLED_LINES : 1;

    run(device, &t);
    for (size_t column = 0; column < t.batch.columns; column++)
        for (size_t line = 0; line < test->lines;
             line = line + step >= test->lines && line + 1 < test->lines ? test->lines - 1 : line + step) {
            check_residual(&t, line, column);
            if (test->matrix == TEST_DOMINANT && test->n <= LONGEST_DENSE)
                check_reference(&t, line, column);
        }
    if (!test->in_place)
        check_gaps(&t);
    discard(&t);
}

/* ---- Tables ----------------------------------------------------------------------------------------------------- */

static const int algorithms[] = {STARFISH_ALGORITHM_AUTO,       STARFISH_ALGORITHM_THOMAS,  STARFISH_ALGORITHM_TILED,
                                 STARFISH_ALGORITHM_CR,         STARFISH_ALGORITHM_PCR,     STARFISH_ALGORITHM_CR_PCR,
                                 STARFISH_ALGORITHM_PCR_THOMAS, STARFISH_ALGORITHM_PIVOTED, STARFISH_BATCH_CR_IN_PLACE};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

void test_batch_table(const struct test_batch_device *device, size_t sizes)
{
    static const size_t n[] = {1, 2, 3, 7, 8, 9, 16, 17, 31, 33, 64, 65, 100, 130, 257};
    static const size_t lines[] = {1, 2, 5, 33, 70};
    static const size_t rhs[] = {1, 1, 2, 3, 9};
    size_t number = 0;

    for (int a = 0; a < ALGORITHMS; a++)
        for (int matrix = 0; matrix < TEST_MATRICES; matrix++)
            for (int kinds = 0; kinds < TEST_LAYOUTS * TEST_COEFFICIENTS * 2; kinds++)
                for (size_t s = 0; s < sizes; s++, number++) {
                    const struct test_batch test = {
                        .precision = (starfish_precision)(number % 2),
                        .algorithm = algorithms[a],
                        .matrix = (enum test_matrix)matrix,
                        .layout = (enum test_layout)(kinds % TEST_LAYOUTS),
                        .coefficients = (enum test_coefficients)(kinds / TEST_LAYOUTS % TEST_COEFFICIENTS),
                        .periodic = kinds / TEST_LAYOUTS / TEST_COEFFICIENTS,
                        .complex_rhs = number / 2 % 3 == 0,
                        .in_place = number % 5 == 0,
                        .keep_factors = algorithms[a] == STARFISH_ALGORITHM_THOMAS && number % 3 > 0,
                        .n = n[(number * 7 + number / 15) % (sizeof n / sizeof *n)],
                        .lines = lines[(number * 3 + number / 5) % (sizeof lines / sizeof *lines)],
                        .rhs = rhs[number / 7 % (sizeof rhs / sizeof *rhs)]};
                    if (matrix < TEST_GENERAL || algorithms[a] == STARFISH_ALGORITHM_PIVOTED)
                        test_batch_case(device, &test);
                }
}

void test_batch_long_lines(const struct test_batch_device *device, size_t longest)
{
    static const size_t n[] = {511,  512,  513,  1000, 1023, 1025,  2047,   2048,
                               2049, 4096, 4097, 5001, 8192, 70001, 300001, 2100001};

    for (int a = 0; a < ALGORITHMS; a++)
        for (size_t i = 0; i < sizeof n / sizeof *n && n[i] <= longest; i++)
            for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
                const struct test_batch test = {.precision = (starfish_precision)((i + (size_t)layout) % 2),
                                                .algorithm = algorithms[a],
                                                .layout = (enum test_layout)layout,
                                                .coefficients = (enum test_coefficients)(i % TEST_COEFFICIENTS),
                                                .periodic = i % 3 == 1,
                                                .complex_rhs = i % 4 == 2,
                                                .n = n[i],
                                                .lines = n[i] > 10000 ? 1 + (size_t)layout : 9,
                                                .rhs = 1 + i % 2};
                if (n[i] <= starfish_batch_longest_cuda(test.algorithm, starfish_real_size(test.precision)))
                    test_batch_case(device, &test);
            }
}

void test_batch_many_lines(const struct test_batch_device *device, size_t unknowns)
{
    static const size_t n[] = {17, 100, 513, 1000};
    static const enum test_coefficients coefficients[] = {TEST_SHARED, TEST_SHARED_SHIFTED, TEST_PER_LINE};
    size_t number = 0;

    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (int layout = TEST_CONTIGUOUS; layout <= TEST_INTERLEAVED; layout++)
            for (size_t c = 0; c < sizeof coefficients / sizeof *coefficients; c++, number++) {
                const struct test_batch test = {.precision = (starfish_precision)((number + i) % 2),
                                                .algorithm = STARFISH_ALGORITHM_AUTO,
                                                .layout = (enum test_layout)layout,
                                                .coefficients = coefficients[c],
                                                .periodic = number % 5 == 2,
                                                .in_place = number % 4 == 1,
                                                .n = n[i],
                                                .lines = unknowns / n[i] + 3,
                                                .rhs = 1 + (number % 8 == 3)};
                test_batch_case(device, &test);
            }
}

/* Lines whose lower entries are the upper ones of the row before, the same memory: as with arrays of their own, bit by
 * bit. */
static void check_one_array(const struct test_batch_device *device, starfish_precision precision, size_t n,
                            size_t lines)
{
    const size_t count = n * lines, size = starfish_real_size(precision);
    unsigned seed = (unsigned)(n + lines);
    void *entries = test_reals(precision, count + 1, &seed), *diag = test_reals(precision, count, &seed);
    void *input = test_reals(precision, count, &seed), *got[2] = {malloc(count * size), malloc(count * size)};

    for (size_t i = 0; i < count; i++)
        test_real_put(diag, precision, i, 3 + test_real_get(diag, precision, i));
    for (size_t i = 0; i <= count; i += n) /* leads out of a line */
        test_real_put(entries, precision, i, (double)NAN);
    for (int apart = 0; apart < 2; apart++) {
        struct starfish_batch b = {.n = n,
                                   .lines = lines,
                                   .columns = 1,
                                   .components = 1,
                                   .coefficients = {1, n},
                                   .vectors = {1, n},
                                   .algorithm = STARFISH_ALGORITHM_THOMAS};
        const char *lower = device->memory->upload(entries, (count + 1) * size);
        b.lower = lower;
        b.upper = apart ? device->memory->upload((char *)entries + size, count * size) : (const void *)(lower + size);
        b.diag = device->memory->upload(diag, count * size);
        b.input = device->memory->upload(input, count * size);
        b.output = device->memory->upload(NULL, count * size);
        b.workspace = device->memory->upload(NULL, device->workspace(&b, size));
        device->solve[precision](&b);
        device->memory->download(got[apart], b.output, count * size);
        device->memory->release();
    }
    for (size_t i = 0; i < count; i++)
        assert_true(test_real_get(got[0], precision, i) == test_real_get(got[1], precision, i));
    free(entries);
    free(diag);
    free(input);
    free(got[0]);
    free(got[1]);
}

void test_batch_one_array(const struct test_batch_device *device)
{
    static const size_t n[] = {1, 2, 7, 8, 9, 16, 17, 100}, lines[] = {1, 4, 8, 21};

    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++)
        for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++)
            for (int precision = 0; precision < 2; precision++)
                check_one_array(device, (starfish_precision)precision, n[i], lines[l]);
}

/* ---- Stability -------------------------------------------------------------------------------------------------- */

enum { GROWTH_LINES = 4, GROWTH_ROWS = 5 };

/* Lines of constant coefficients. */
static void prepare_growth(const struct test_batch_device *device, struct starfish_batch b,
                           const double rows[GROWTH_LINES][3], struct starfish_batch_growth growth[GROWTH_LINES])
{
    const size_t bytes = GROWTH_LINES * GROWTH_ROWS * sizeof(double);
    double array[3][GROWTH_LINES * GROWTH_ROWS];

    for (int c = 0; c < 3; c++)
        for (int i = 0; i < GROWTH_LINES * GROWTH_ROWS; i++)
            array[c][i] = rows[i / GROWTH_ROWS][c];
    b.n = GROWTH_ROWS;
    b.lines = GROWTH_LINES;
    b.columns = 1;
    b.components = 1;
    b.coefficients = b.vectors = (struct starfish_layout){1, GROWTH_ROWS};
    b.lower = device->memory->upload(array[0], bytes);
    b.diag = device->memory->upload(array[1], bytes);
    b.upper = device->memory->upload(array[2], bytes);
    b.border = starfish_batch_has_border(&b) ? device->memory->upload(NULL, bytes) : NULL;
    b.growth = device->memory->upload(NULL, GROWTH_LINES * sizeof *growth);
    b.workspace = device->memory->upload(NULL, device->workspace(&b, sizeof(double)));
    device->prepare[STARFISH_F64](&b);
    device->memory->download(growth, b.growth, GROWTH_LINES * sizeof *growth);
    device->memory->release();
}

/* A dominant matrix grows no entry; a zero pivot breaks down at once; a tiny pivot grows by its inverse. */
void test_batch_growth(const struct test_batch_device *device)
{
    static const double rows[GROWTH_LINES][3] = {{1, 2, 1}, {1, 0, 1}, {1, 1e-6, 1}, {1, 1e-310, 1}};
    struct starfish_batch_growth growth[GROWTH_LINES];

    prepare_growth(device, (struct starfish_batch){.algorithm = STARFISH_ALGORITHM_THOMAS}, rows, growth);
    assert_true(growth[0].from_top == 1);
    assert_true(isinf(growth[1].from_top));
    assert_true(growth[2].from_top > 0.99e6 && growth[2].from_top < 1.01e6);
    assert_true(isinf(growth[3].from_top));
}

/* Weakly dominant with signs that make it regular, and dominant: stable in every order, and not tried where that is
 * seen. Strong skew entries: stable as it happens. Small pivots: trials see what they do. */
void test_batch_stability(const struct test_batch_device *device)
{
    static const double rows[GROWTH_LINES][3] = {{1, 2, -1}, {-1, -2.5, 1}, {-1, 0.9, 1}, {0.7, 1e-9, 1}};

    for (int a = 0; a < ALGORITHMS; a++)
        for (int periodic = 0; periodic < 2 && algorithms[a] != STARFISH_ALGORITHM_PIVOTED; periodic++) {
            const struct starfish_batch b = {.algorithm = algorithms[a], .periodic = periodic};
            struct starfish_batch_growth growth[GROWTH_LINES];
            prepare_growth(device, b, rows, growth);
            for (int stable = 0; stable < 2; stable++)
                assert_true(growth[stable].any_order == 1);
            assert_true(isinf(growth[2].any_order) && isinf(growth[3].any_order));
            assert_true(growth[2].trials > 0 && growth[2].trials < 16);
            assert_true(growth[3].trials > 1e3);
        }
}
