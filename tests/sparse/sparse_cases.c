/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels of sparse matrices: matrices with rows of very different lengths, empty ones among them, sizes
 * from 1 on and around a chunk and a window of SELL. Arrays lie between guard zones, and results are NaN before. */
#include "tests/sparse/sparse_cases.h"

#include "krylov/kernels/vectors.h"
#include "sparse/pack.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct test_sparse_device *tested;

/* A random matrix: of every fourth row few entries, of the third many; square ones have a dominant diagonal. */
static void random_matrix(struct starfish_csr *a, size_t rows, size_t columns, int dominant)
{
    unsigned seed = (unsigned)(rows + 3 * columns);
    double *dense = calloc(rows * columns, sizeof *dense);
    size_t entries = 0;

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const double chance = i % 4 == 0 ? 0.02 : i == 3 ? 0.9 : 0.1, drawn = test_real_random(&seed);
            dense[i * columns + j] = fabs(drawn) < chance ? drawn / chance : 0;
            if (dominant && i == j)
                dense[i * columns + j] = 4 + 0.1 * (double)columns;
        }
    for (size_t e = 0; e < rows * columns; e++)
        entries += dense[e] != 0;
    assert_int_equal(starfish_csr_create(a, rows, columns, entries), STARFISH_SUCCESS);
    for (size_t i = 0, e = 0; i < rows; i++) {
        a->start[i] = (int)e;
        for (size_t j = 0; j < columns; j++)
            if (dense[i * columns + j] != 0) {
                a->column[e] = (int)j;
                a->value[e++] = dense[i * columns + j];
            }
        a->start[i + 1] = (int)e;
    }
    free(dense);
}

/* The matrix in a format, as a table of the device. */
static struct starfish_sparse upload(const struct starfish_csr *a, starfish_sparse_format format,
                                     starfish_precision precision)
{
    struct starfish_sparse_layout layout;
    size_t words = 0;

    assert_int_equal(starfish_sparse_lay_out(a, format, precision, &layout, &words), STARFISH_SUCCESS);
    int *table = calloc(words + 2, sizeof *table);
    assert_int_equal(starfish_sparse_pack(a, &layout, precision, table), STARFISH_SUCCESS);
    const int *there = tested->memory->upload(table, (words + 2) * sizeof *table);
    free(table);
    return starfish_sparse_at(&layout, there);
}

/* Random numbers of a precision: on the device, and as doubles on the host. */
struct numbers {
    double *host;
    void *device;
};

static struct numbers numbers(starfish_precision precision, size_t count, unsigned *seed)
{
    void *reals = test_reals(precision, count, seed);
    const struct numbers made = {test_doubles(precision, reals, count),
                                 tested->memory->upload(reals, count * starfish_real_size(precision))};

    free(reals);
    return made;
}

static double *download(starfish_precision precision, const void *from, size_t count)
{
    void *reals = malloc(count * sizeof(double) + 1);

    tested->memory->download(reals, from, count * starfish_real_size(precision));
    double *values = test_doubles(precision, reals, count);
    free(reals);
    return values;
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

enum { WITH_X = 1, WITH_BASE = 2, WITH_INVERSE = 4, WITH_RESULT = 8, WITH_SUMS = 16, VARIANTS = 32 };

struct product {
    const struct starfish_csr *a;
    starfish_precision precision;
    struct starfish_sparse matrix;
    struct numbers x, base, inverse;
};

static void check_product(const struct product *p, int variant, size_t first, size_t last)
{
    const size_t n = p->a->rows;
    const double epsilon = 200 * test_real_epsilon(p->precision), factor = -0.7, damping = 0.3;
    const struct starfish_spmv spmv = {
        .matrix = p->matrix,
        .first = first,
        .last = last,
        .factor = factor,
        .damping = damping,
        .x = variant & WITH_X ? p->x.device : NULL,
        .base = variant & WITH_BASE ? p->base.device : NULL,
        .inverse = variant & WITH_INVERSE ? p->inverse.device : NULL,
        .result = variant & WITH_RESULT ? tested->memory->upload(NULL, n * starfish_real_size(p->precision)) : NULL,
        .sums = variant & WITH_SUMS ? tested->memory->upload(NULL, STARFISH_SUMS * sizeof(double)) : NULL};
    double *product = calloc(n + 1, sizeof *product), squares = 0, total = 0;

    if (variant & WITH_X)
        starfish_csr_apply(p->a, p->x.host, product);
    tested->spmv[p->precision](&spmv);
    double *result = spmv.result ? download(p->precision, spmv.result, n) : NULL;
    /* NOLINTBEGIN(clang-analyzer-core.*): arrays are there where the variant has them. */
    for (size_t i = 0; i < n; i++) {
        const double r = (variant & WITH_BASE ? p->base.host[i] : 0) + factor * product[i];
        const double step = (variant & WITH_X ? p->x.host[i] : 0) + damping * p->inverse.host[i] * r;
        const int inside = i >= first && i < last;
        squares += inside ? r * r : 0;
        if (result && inside)
            assert_true(fabs(result[i] - (variant & WITH_INVERSE ? step : r)) <= epsilon * 10);
        else if (result)
            assert_true(isnan(result[i]));
    }
    /* NOLINTEND(clang-analyzer-core.*) */
    double *sums = spmv.sums ? download(STARFISH_F64, spmv.sums, STARFISH_SUMS) : NULL;
    for (size_t i = 0; sums && i < STARFISH_SUMS; i++)
        total += sums[i];
    assert_true(!sums || fabs(total - squares) <= epsilon * 10 * (1 + squares));
    free(product);
    free(result);
    free(sums);
}

static void test_products_of(size_t rows, size_t columns, starfish_sparse_format format, starfish_precision precision)
{
    const size_t most = rows > columns ? rows : columns;
    unsigned seed = 7;
    struct starfish_csr a;

    random_matrix(&a, rows, columns, 0);
    for (int variant = WITH_RESULT; variant < VARIANTS; variant++) {
        const struct product p = {&a,
                                  precision,
                                  upload(&a, format, precision),
                                  numbers(precision, most, &seed),
                                  numbers(precision, most, &seed),
                                  numbers(precision, most, &seed)};
        check_product(&p, variant, 0, rows);
        check_product(&p, variant, rows / 3, rows - rows / 4);
        check_product(&p, variant, rows, rows);
        tested->memory->release();
        free(p.x.host);
        free(p.base.host);
        free(p.inverse.host);
    }
    starfish_csr_destroy(&a);
}

static void test_products(void **state)
{
    static const size_t sizes[][2] = {{1, 1}, {3, 70}, {31, 31}, {33, 20}, {257, 300}, {530, 530}};
    const size_t count = getenv("STARFISH_TEST_SMALL") ? 5 : 6;

    (void)state;
    for (size_t s = 0; s < count; s++)
        for (int format = STARFISH_SPARSE_CSR; format < STARFISH_SPARSE_FORMATS; format++)
            for (int precision = 0; precision < 2; precision++)
                test_products_of(sizes[s][0], sizes[s][1], (starfish_sparse_format)format,
                                 (starfish_precision)precision);
}

/* ---- BiCGStab ---------------------------------------------------------------------------------------------------- */

static double residual_norm(const struct starfish_csr *a, const double *f, const double *u)
{
    double *product = calloc(a->rows + 1, sizeof *product), sum = 0;

    starfish_csr_apply(a, u, product);
    for (size_t i = 0; i < a->rows; i++)
        sum += (f[i] - product[i]) * (f[i] - product[i]); /* NOLINT(clang-analyzer-core.*): as long as the rows */
    free(product);
    return sqrt(sum);
}

/* From zero or a guess; preconditioned by the diagonal, or by a matrix, which is the same diagonal. */
static void test_bicgstab_of(size_t n, starfish_sparse_format format, starfish_precision precision, int zero,
                             int diagonal)
{
    const double tolerance = precision == STARFISH_F32 ? 1e-3 : 1e-9;
    struct starfish_csr a, m;
    unsigned seed = 3;

    random_matrix(&a, n, n, 1);
    const struct numbers f = numbers(precision, n, &seed), u = numbers(precision, n, &seed);
    double *inverse = calloc(n, sizeof *inverse);
    assert_int_equal(starfish_csr_create(&m, n, n, n), STARFISH_SUCCESS);
    for (size_t i = 0; i < n; i++) {
        m.start[i] = m.column[i] = (int)i;
        m.value[i] = inverse[i] = 1 / a.value[starfish_csr_find(&a, i, i)];
    }
    void *reals = calloc(n, sizeof(double));
    for (size_t i = 0; i < n; i++)
        test_real_put(reals, precision, i, inverse[i]);
    const struct starfish_bicgstab bicgstab = {
        .matrix = upload(&a, format, precision),
        .preconditioner = upload(&m, format, precision),
        .inverse = diagonal ? tested->memory->upload(reals, n * starfish_real_size(precision)) : NULL,
        .tolerance = tolerance,
        .iterations = 200,
        .zero = zero,
        .f = f.device,
        .u = zero ? tested->memory->upload(NULL, n * starfish_real_size(precision)) : u.device,
        .work = tested->memory->upload(NULL, STARFISH_BICGSTAB_VECTORS * n * starfish_real_size(precision)),
        .pitch = n};
    double *nothing = calloc(n, sizeof *nothing);
    const double before = residual_norm(&a, f.host, zero ? nothing : u.host);
    tested->bicgstab[precision](&bicgstab);
    double *result = download(precision, bicgstab.u, n);
    assert_true(residual_norm(&a, f.host, result) <= 3 * tolerance * before);
    tested->memory->release();
    starfish_csr_destroy(&a);
    starfish_csr_destroy(&m);
    free(f.host);
    free(u.host);
    free(inverse);
    free(reals);
    free(nothing);
    free(result);
}

static void test_bicgstab(void **state)
{
    static const size_t sizes[] = {1, 2, 40, 300};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int format = STARFISH_SPARSE_CSR; format < STARFISH_SPARSE_FORMATS; format++)
            for (int variant = 0; variant < 8; variant++)
                test_bicgstab_of(sizes[s], (starfish_sparse_format)format, (starfish_precision)(variant & 1),
                                 variant >> 1 & 1, variant >> 2);
}

/* ---- Rows of approximate inverses -------------------------------------------------------------------------------- */

/* A A^T of a random matrix: symmetric positive definite. */
static void definite_matrix(struct starfish_csr *a, size_t n)
{
    struct starfish_csr b, transposed;

    random_matrix(&b, n, n, 1);
    assert_int_equal(starfish_csr_transpose(&b, &transposed), STARFISH_SUCCESS);
    assert_int_equal(starfish_csr_product(&b, NULL, &transposed, a), STARFISH_SUCCESS);
    starfish_csr_destroy(&b);
    starfish_csr_destroy(&transposed);
}

/* Nine points of a square grid, whose rows have 4 to 9 entries, or two more to the left and right: up to 11. */
static void grid_matrix(struct starfish_csr *a, int side, int wide)
{
    int next = 0;

    assert_int_equal(starfish_csr_create(a, (size_t)(side * side), (size_t)(side * side), (size_t)(11 * side * side)),
                     STARFISH_SUCCESS);
    for (int i = 0; i < side * side; i++) {
        a->start[i] = next;
        for (int j = 0; j < side * side; j++) {
            const int across = abs(i % side - j % side), down = abs(i / side - j / side);
            if (down > 1 || across > 1 + (wide && down == 0))
                continue;
            a->column[next] = j;
            a->value[next++] = i == j ? 8 + 0.1 * (i % 5) : -1.0 / (1 + across);
        }
    }
    a->start[side * side] = next;
}

static int by_column(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Nine entries in each row, far apart: nine rows have up to 81 columns. Not symmetric. */
static void scattered_matrix(struct starfish_csr *a, size_t n)
{
    enum { LENGTH = 9 };

    assert_int_equal(starfish_csr_create(a, n, n, LENGTH * n), STARFISH_SUCCESS);
    for (size_t i = 0; i <= n; i++)
        a->start[i] = (int)(LENGTH * i);
    for (size_t i = 0; i < n; i++) {
        int *column = a->column + LENGTH * i;
        for (size_t k = 0; k < LENGTH; k++) /* n is a prime: no column twice */
            column[k] = (int)((i + k * (1 + i * i % (n - 1))) % n);
        qsort(column, LENGTH, sizeof *column, by_column);
        for (size_t k = 0; k < LENGTH; k++)
            a->value[LENGTH * i + k] = column[k] == (int)i ? 12 : 1 + 0.1 * (double)((i + k) % 7);
    }
}

static struct starfish_local_matrix upload_csr(const struct starfish_csr *a)
{
    const size_t entries = starfish_csr_entries(a);

    return (struct starfish_local_matrix){tested->memory->upload(a->start, (a->rows + 1) * sizeof(int)),
                                          tested->memory->upload(a->column, entries * sizeof(int)),
                                          tested->memory->upload(a->value, entries * sizeof(double))};
}

/* The least squares' gradient is zero: row k of M A - I has no part along the rows of A that its pattern names. */
static void check_least_squares(const struct starfish_csr *a, const struct starfish_csr *m)
{
    struct starfish_csr product;

    assert_int_equal(starfish_csr_product(m, NULL, a, &product), STARFISH_SUCCESS);
    for (size_t k = 0; k < a->rows; k++)
        for (int e = m->start[k]; e < m->start[k + 1]; e++) {
            double gradient = 0, size = 0;
            for (int f = a->start[m->column[e]]; f < a->start[m->column[e] + 1]; f++) {
                const int at = starfish_csr_find(&product, k, (size_t)a->column[f]);
                const double left = (at < 0 ? 0 : product.value[at]) - (a->column[f] == (int)k);
                gradient += left * a->value[f];
                size += fabs(a->value[f]);
            }
            assert_true(fabs(gradient) <= 1e-9 * size);
        }
    starfish_csr_destroy(&product);
}

/* G A G^T has ones on its diagonal, and G A nothing else on the pattern of G. */
static void check_triangular(const struct starfish_csr *a, const struct starfish_csr *g)
{
    struct starfish_csr product;

    assert_int_equal(starfish_csr_product(g, NULL, a, &product), STARFISH_SUCCESS);
    for (size_t i = 0; i < a->rows; i++) {
        double diagonal = 0;
        for (int e = g->start[i]; e < g->start[i + 1]; e++) {
            const double value = product.value[starfish_csr_find(&product, i, (size_t)g->column[e])];
            diagonal += value * g->value[e];
            assert_true(g->column[e] == (int)i || fabs(value) <= 1e-9);
        }
        assert_true(fabs(diagonal - 1) <= 1e-9);
    }
    starfish_csr_destroy(&product);
}

static void invert(const struct starfish_csr *a, int triangular, struct starfish_csr *m)
{
    struct starfish_local_inverse kernel = {.last = m->rows, .triangular = triangular};
    const size_t entries = starfish_csr_entries(m);

    for (size_t i = 0; i < m->rows; i++) {
        const size_t length = (size_t)(m->start[i + 1] - m->start[i]);
        kernel.longest = length > kernel.longest ? length : kernel.longest;
    }
    kernel.matrix = upload_csr(a);
    kernel.pattern_start = tested->memory->upload(m->start, (m->rows + 1) * sizeof(int));
    kernel.pattern_column = tested->memory->upload(m->column, entries * sizeof(int));
    kernel.work = tested->memory->upload(NULL, starfish_local_inverse_work_on_core(kernel.longest) *
                                                   tested->rows_at_once * sizeof(double));
    kernel.result = tested->memory->upload(NULL, entries * sizeof(double));
    tested->local_inverse(&kernel);
    tested->memory->download(m->value, kernel.result, entries * sizeof(double));
    tested->memory->release();
}

static void test_local_inverses(void **state)
{
    static const size_t sizes[] = {1, 2, 37, 90};
    enum { DEFINITE = sizeof sizes / sizeof sizes[0], SIDE = 13 };

    (void)state;
    for (size_t s = 0; s < DEFINITE + 2; s++) {
        struct starfish_csr a, m, g;
        if (s < DEFINITE)
            definite_matrix(&a, sizes[s]);
        else
            grid_matrix(&a, SIDE, s > DEFINITE);
        assert_int_equal(starfish_csr_rows(&a, 0, a.rows, &m), STARFISH_SUCCESS);
        assert_int_equal(starfish_csr_lower(&a, &g), STARFISH_SUCCESS);
        invert(&a, 0, &m);
        check_least_squares(&a, &m);
        invert(&a, 1, &g);
        check_triangular(&a, &g);
        starfish_csr_destroy(&a);
        starfish_csr_destroy(&m);
        starfish_csr_destroy(&g);
    }
}

static void test_scattered_rows(void **state)
{
    struct starfish_csr a, m;

    (void)state;
    scattered_matrix(&a, 293);
    assert_int_equal(starfish_csr_rows(&a, 0, a.rows, &m), STARFISH_SUCCESS);
    invert(&a, 0, &m);
    check_least_squares(&a, &m);
    starfish_csr_destroy(&a);
    starfish_csr_destroy(&m);
}

int test_sparse_kernels(const struct test_sparse_device *device)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_bicgstab),
                                       cmocka_unit_test(test_local_inverses), cmocka_unit_test(test_scattered_rows)};

    tested = device;
    return cmocka_run_group_tests_name(device->memory->name, tests, NULL, NULL);
}
