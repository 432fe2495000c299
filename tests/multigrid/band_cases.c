/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels on nine-band matrices and on small inverses, compared with their naive references. Arrays lie between
 * guard zones, and results are NaN before: what a kernel must not write stays NaN, and what it must not read would
 * spread. */
#include "multigrid/kernels/band_ref.h"
#include "tests/common/reals.h"
#include "tests/multigrid/kernel_cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct test_multigrid_device *tested;

/* ---- A grid with a random symmetric matrix ----------------------------------------------------------------------- */

struct grid {
    starfish_precision precision;
    size_t nx, ny, count;
    struct starfish_rectangle at;
    void *table, *u, *f;
    double *ref_table, *ref_u, *ref_f; /* the same in f64, for the naive reference */
    struct starfish_band_ref ref;
    int diagonals;                      /* the matrix has them in the place of row sums */
    enum starfish_band_storage storage; /* of the device's matrix; the host's is of reals */
    int without_f;                      /* residuals are of f = NULL */
    struct starfish_band_matrix there;  /* of the device */
    const void *device_u, *device_f;
};

static const int ahead[5][2] = {{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}; /* row sums, E NW N NE */

static int inside(size_t nx, size_t ny, long i, long j)
{
    return i >= 0 && j >= 0 && i < (long)nx && j < (long)ny;
}

static void fill_table(struct grid *g, unsigned *seed)
{
    const size_t size = starfish_band_table_start(g->nx, g->ny, 5);

    g->table = calloc(size, sizeof(double));
    for (size_t b = 0; b < 5; b++)
        for (size_t e = 0; e < g->count; e++)
            if (inside(g->nx, g->ny, (long)(e % g->nx) + ahead[b][0], (long)(e / g->nx) + ahead[b][1]))
                test_real_put(g->table, g->precision, starfish_band_table_start(g->nx, g->ny, b) + e,
                              test_real_random(seed) + (b == 0 ? 12 : 0));
}

/* Entries X, Y and Q in 64ths, which 16 bits hold, of edges and elements that are in the grid; or NW, which is none. */
static double packed_entry(const struct grid *g, size_t b, size_t e, unsigned *seed)
{
    const long i = (long)(e % g->nx) + ahead[b][0], j = (long)(e / g->nx) + ahead[b][1];

    return b != 2 && inside(g->nx, g->ny, i, j) ? rint(64 * test_real_random(seed)) / 64 + (b == 0 ? 24 : 0) : 0;
}

/* The nine bands' entries of a table of X, Y and Q: those of an edge less what the elements on both sides take. */
static void unpack_table(struct grid *g, const double *packed)
{
    const size_t nx = g->nx;
    const double *q = packed + starfish_band_table_start(nx, g->ny, 4);

    for (size_t e = 0; e < g->count; e++) {
        const double here = q[e], west = e % nx > 0 ? q[e - 1] : 0, south = e >= nx ? q[e - nx] : 0;
        const double entries[5] = {packed[starfish_band_table_start(nx, g->ny, 0) + e],
                                   packed[starfish_band_table_start(nx, g->ny, 1) + e] - here - south, west,
                                   packed[starfish_band_table_start(nx, g->ny, 3) + e] - here - west, here};
        for (size_t b = 0; b < 5; b++)
            test_real_put(g->table, g->precision, starfish_band_table_start(nx, g->ny, b) + e, entries[b]);
    }
}

static void make_packed(struct grid *g, unsigned *seed)
{
    const size_t size = starfish_band_table_start(g->nx, g->ny, 5), reals = starfish_band_packed_size(g->nx, g->ny);
    double *table = calloc(size, sizeof *table);
    float *packed = malloc(reals * sizeof *packed);

    for (size_t b = 0; b < 5; b++)
        for (size_t e = 0; e < g->count; e++)
            table[starfish_band_table_start(g->nx, g->ny, b) + e] = packed_entry(g, b, e, seed);
    g->table = calloc(size, sizeof(double));
    unpack_table(g, table);
    const double scale = starfish_band_packed_scale(g->nx, g->ny, table, g->storage);
    assert_true(scale > 0);
    starfish_band_pack(g->nx, g->ny, table, g->storage, scale, packed);
    g->there = starfish_band_packed_point(g->nx, g->ny, tested->memory->upload(packed, reals * sizeof *packed),
                                          g->storage, scale);
    free(table);
    free(packed);
}

static void make_reals(struct grid *g, unsigned *seed)
{
    const size_t size = starfish_real_size(g->precision);

    fill_table(g, seed);
    g->there = starfish_band_table_point(
        g->nx, g->ny, tested->memory->upload(g->table, starfish_band_table_start(g->nx, g->ny, 5) * size), size);
    g->there.diagonals = g->diagonals;
}

/* Which of the kernels by precision and storage. */
static size_t kind_of(const struct grid *g)
{
    return g->storage == STARFISH_BAND_REALS ? (size_t)g->precision : 1 + (size_t)g->storage;
}

static void make_grid(struct grid *g, starfish_precision precision, size_t nx, size_t ny, struct starfish_rectangle at,
                      int diagonals, enum starfish_band_storage storage)
{
    const size_t size = starfish_real_size(precision);
    unsigned seed = (unsigned)(nx * 31 + ny);

    *g = (struct grid){.precision = precision,
                       .nx = nx,
                       .ny = ny,
                       .count = nx * ny,
                       .at = at,
                       .diagonals = diagonals,
                       .storage = storage};
    (storage == STARFISH_BAND_REALS ? make_reals : make_packed)(g, &seed);
    g->u = test_reals(precision, g->count, &seed);
    g->f = test_reals(precision, g->count, &seed);
    g->ref_table = test_doubles(precision, g->table, starfish_band_table_start(nx, ny, 5));
    g->ref_u = test_doubles(precision, g->u, g->count);
    g->ref_f = test_doubles(precision, g->f, g->count);
    g->ref = (struct starfish_band_ref){.n = {nx, ny}, .table = g->ref_table, .diagonals = diagonals};
    g->device_u = tested->memory->upload(g->u, g->count * size);
    g->device_f = tested->memory->upload(g->f, g->count * size);
}

static void free_grid(struct grid *g)
{
    tested->memory->release();
    free(g->table);
    free(g->u);
    free(g->f);
    free(g->ref_table);
    free(g->ref_u);
    free(g->ref_f);
}

static void *fetch(const void *device, size_t count, size_t size)
{
    void *host = malloc(count > 0 ? count * size : 1);

    tested->memory->download(host, device, count * size);
    return host;
}

static double residual_at(const struct grid *g, int with_u, size_t i, size_t j)
{
    return starfish_band_ref_residual(&g->ref, with_u ? g->ref_u : NULL, g->without_f ? NULL : g->ref_f, i, j);
}

static double diagonal_at(const struct grid *g, size_t i, size_t j)
{
    return starfish_band_ref_entry(&g->ref, i, j, 0, 0);
}

/* ---- Bands ------------------------------------------------------------------------------------------------------- */

static void check_sums(const struct grid *g, int with_u, const double *device_sums)
{
    double expected = 0, got = 0, *sums = fetch(device_sums, STARFISH_SUMS, sizeof *sums);

    for (size_t j = g->at.y0; j < g->at.y1; j++)
        for (size_t i = g->at.x0; i < g->at.x1; i++)
            expected += pow(residual_at(g, with_u, i, j), 2);
    for (size_t s = 0; s < STARFISH_SUMS; s++)
        got += sums[s];
    /* each residual is good to 128 eps, and 2 |d| is at most d^2 + 1 */
    assert_true(fabs(got - expected) <=
                (128 * test_real_epsilon(g->precision) + 1e-16 * (double)g->count) * (expected + (double)g->count));
    free(sums);
}

/* What a residual's kernel writes. */
enum results { RESIDUAL, RESIDUAL_OF_ZERO, DIAGONAL, AHEAD_IN_X, AHEAD_IN_Y };

static double expected_result(const struct grid *g, enum results what, size_t i, size_t j)
{
    if (what == DIAGONAL)
        return diagonal_at(g, i, j);
    if (what == AHEAD_IN_X || what == AHEAD_IN_Y)
        return starfish_band_ref_stored(&g->ref, i, j, what == AHEAD_IN_X, what == AHEAD_IN_Y);
    return residual_at(g, what == RESIDUAL, i, j);
}

/* Values of the rectangle, `pitch` apart, of each unknown; between rows nothing is written. */
static void check_rectangle(const struct grid *g, const void *device_values, size_t pitch, enum results what)
{
    const size_t width = g->at.x1 - g->at.x0, count = pitch * (g->at.y1 - g->at.y0);
    void *got = fetch(device_values, count, starfish_real_size(g->precision));

    for (size_t e = 0; e < count; e++) {
        const double value = test_real_get(got, g->precision, e);
        const size_t i = g->at.x0 + e % pitch, j = g->at.y0 + e / pitch;
        if (e % pitch >= width)
            assert_true(isnan(value));
        else
            assert_true(fabs(value - expected_result(g, what, i, j)) <= 128 * test_real_epsilon(g->precision));
    }
    free(got);
}

/* along: AHEAD_IN_X or _Y with the diagonal and these, else without. */
static void check_residual(const struct grid *g, int with_u, int with_result, int with_sums, enum results along)
{
    const size_t size = starfish_real_size(g->precision), width = g->at.x1 - g->at.x0, pitch = width + 3;
    const size_t count = pitch * (g->at.y1 - g->at.y0);
    const int with_diag = along == AHEAD_IN_X || along == AHEAD_IN_Y;
    const struct starfish_band_residual a = {g->there,
                                             g->at,
                                             with_u ? g->device_u : NULL,
                                             g->without_f ? NULL : g->device_f,
                                             with_result ? tested->memory->upload(NULL, count * size) : NULL,
                                             with_diag ? tested->memory->upload(NULL, count * size) : NULL,
                                             with_diag ? tested->memory->upload(NULL, count * size) : NULL,
                                             along == AHEAD_IN_Y,
                                             pitch,
                                             with_sums ? tested->memory->upload(NULL, STARFISH_SUMS * sizeof(double))
                                                       : NULL};

    tested->residual[kind_of(g)](&a);
    if (with_sums)
        check_sums(g, with_u, a.sums);
    if (with_result)
        check_rectangle(g, a.result, pitch, with_u ? RESIDUAL : RESIDUAL_OF_ZERO);
    if (with_diag) {
        check_rectangle(g, a.diag, pitch, DIAGONAL);
        check_rectangle(g, a.ahead, pitch, along);
    }
}

static int in_rectangle(const struct grid *g, size_t e)
{
    const size_t i = e % g->nx, j = e / g->nx;

    return i >= g->at.x0 && i < g->at.x1 && j >= g->at.y0 && j < g->at.y1;
}

static void check_jacobi(const struct grid *g, int with_u)
{
    const size_t size = starfish_real_size(g->precision);
    const struct starfish_band_jacobi a = {.matrix = g->there,
                                           .at = g->at,
                                           .damping = 0.75,
                                           .u = with_u ? g->device_u : NULL,
                                           .f = g->device_f,
                                           .v = tested->memory->upload(NULL, g->count * size)};

    tested->jacobi[kind_of(g)](&a);
    void *got = fetch(a.v, g->count, size);
    for (size_t e = 0; e < g->count; e++) {
        const double value = test_real_get(got, g->precision, e), diag = diagonal_at(g, e % g->nx, e / g->nx);
        const double u = with_u ? test_real_get(g->u, g->precision, e) : 0;
        if (!in_rectangle(g, e))
            assert_true(isnan(value));
        else
            assert_true(fabs(value - u - 0.75 * residual_at(g, with_u, e % g->nx, e / g->nx) / diag) <=
                        32 * test_real_epsilon(g->precision));
    }
    free(got);
}

/* On the rectangle's rows, whole. */
static void check_colours(struct grid *g, size_t parity, int with_u)
{
    const size_t size = starfish_real_size(g->precision);
    const struct starfish_rectangle rows = {0, g->nx, g->at.y0, g->at.y1};
    const struct starfish_band_colours a = {.matrix = g->there,
                                            .at = rows,
                                            .parity = parity,
                                            .damping = 1.25,
                                            .u = with_u ? g->device_u : NULL,
                                            .f = g->device_f,
                                            .v = tested->memory->upload(NULL, g->count * size)};
    double *expected = calloc(g->count, sizeof *expected);

    tested->colours[g->precision](&a);
    void *got = fetch(a.v, g->count, size);
    if (with_u)
        memcpy(expected, g->ref_u, g->count * sizeof *expected);
    starfish_band_ref_colours(&g->ref, parity, a.damping, rows.y0, rows.y1, g->ref_f, expected);
    for (size_t e = 0; e < g->count; e++) {
        const double value = test_real_get(got, g->precision, e);
        if (e / g->nx < rows.y0 || e / g->nx >= rows.y1)
            assert_true(isnan(value));
        else
            assert_true(fabs(value - expected[e]) <= 64 * test_real_epsilon(g->precision));
    }
    free(expected);
    free(got);
}

/* On the rectangle's columns, whole. */
static void check_columns(const struct grid *g, int with_u, int in_place)
{
    const size_t size = starfish_real_size(g->precision), width = g->at.x1 - g->at.x0;
    void *v = tested->memory->upload(in_place ? g->u : NULL, g->count * size);
    const struct starfish_band_columns a = {
        .matrix = g->there,
        .at = {g->at.x0, g->at.x1, 0, g->ny},
        .damping = 0.75,
        .u = in_place ? v
             : with_u ? g->device_u
                      : NULL,
        .f = g->device_f,
        .v = v,
        .work = tested->memory->upload(NULL, starfish_band_columns_work(width, g->ny) * size)};
    double *correction = malloc(2 * g->ny * sizeof *correction);

    tested->columns[kind_of(g)](&a);
    void *got = fetch(v, g->count, size);
    for (size_t i = 0; i < g->nx; i++) {
        starfish_band_ref_line(&g->ref, 1, i, with_u ? g->ref_u : NULL, g->ref_f, correction, correction + g->ny);
        for (size_t j = 0; j < g->ny; j++) {
            const double value = test_real_get(got, g->precision, i + j * g->nx);
            const double u = with_u ? test_real_get(g->u, g->precision, i + j * g->nx) : 0;
            if (i >= g->at.x0 && i < g->at.x1)
                assert_true(fabs(value - u - 0.75 * correction[j]) <= 64 * test_real_epsilon(g->precision));
            else
                assert_true(in_place ? value == u : isnan(value));
        }
    }
    free(correction);
    free(got);
}

static void check_matrix(starfish_precision precision, size_t nx, size_t ny, struct starfish_rectangle at,
                         int diagonals, enum starfish_band_storage storage)
{
    struct grid g;

    make_grid(&g, precision, nx, ny, at, diagonals, storage);
    for (int variant = 0; variant < 6; variant++)
        check_residual(&g, variant % 2, variant / 2 != 1, variant / 2 > 0, RESIDUAL);
    for (int variant = 0; variant < 4; variant++)
        check_residual(&g, variant % 2, 1, variant / 2, variant % 3 ? AHEAD_IN_X : AHEAD_IN_Y);
    g.without_f = 1;
    for (int with_result = 0; with_result < 2; with_result++)
        check_residual(&g, 1, with_result, 1, RESIDUAL);
    g.without_f = 0;
    for (int with_u = 0; with_u < 2; with_u++)
        check_jacobi(&g, with_u);
    for (int variant = 0; variant < 4 && storage == STARFISH_BAND_REALS; variant++)
        check_colours(&g, (size_t)variant / 2, variant % 2);
    for (int variant = 0; variant < 3 && tested->columns[0]; variant++)
        check_columns(&g, variant > 0, variant > 1);
    free_grid(&g);
}

static void check_bands(starfish_precision precision, size_t nx, size_t ny, struct starfish_rectangle at)
{
    for (int diagonals = 0; diagonals < 2; diagonals++)
        check_matrix(precision, nx, ny, at, diagonals, STARFISH_BAND_REALS);
    for (int storage = STARFISH_BAND_F16; storage <= STARFISH_BAND_BF16 && precision == STARFISH_F32; storage++)
        check_matrix(precision, nx, ny, at, 0, (enum starfish_band_storage)storage);
}

static const struct {
    size_t nx, ny;
    struct starfish_rectangle at;
} rectangles[] = {{1, 1, {0, 1, 0, 1}},       {1, 7, {0, 1, 0, 7}},       {7, 1, {0, 7, 0, 1}},
                  {2, 2, {0, 2, 0, 2}},       {3, 5, {0, 3, 0, 5}},       {33, 31, {0, 33, 0, 31}},
                  {33, 31, {5, 17, 3, 4}},    {33, 31, {0, 1, 0, 31}},    {33, 31, {32, 33, 30, 31}},
                  {33, 31, {4, 33, 0, 30}},   {129, 65, {0, 129, 0, 65}}, {67, 130, {1, 66, 1, 129}},
                  {1030, 3, {0, 1030, 0, 3}}, {5, 601, {0, 5, 0, 601}}};

static void bands_are_as_written_out(void **state)
{
    (void)state;
    for (size_t r = 0; r < 2 * sizeof rectangles / sizeof rectangles[0]; r++)
        check_bands((starfish_precision)(r % 2), rectangles[r / 2].nx, rectangles[r / 2].ny, rectangles[r / 2].at);
}

/* Numbers between two of 16 bits, beyond them, and subnormal ones of F16, each as X of two unknowns. */
static void entries_are_rounded_to_nearest(void **state)
{
    (void)state;
    static const struct {
        double value;
        uint16_t f16, bf16;
    } cases[] = {{0, 0, 0},
                 {1, 0x3c00, 0x3f80},
                 {-2.5, 0xc100, 0xc020},
                 {1.0 / 3, 0x3555, 0x3eab},
                 {1 + 0x1p-11, 0x3c00, 0x3f80}, /* ties to even */
                 {1 + 3 * 0x1p-11, 0x3c02, 0x3f80},
                 {1 + 3 * 0x1p-8, 0x3c0c, 0x3f82},
                 {2 - 0x1p-12, 0x4000, 0x4000}, /* a carry into the exponent */
                 {65504, 0x7bff, 0x4780},
                 {0x1p-14, 0x0400, 0x3880},
                 {0x1.8p-24, 0x0002, 0x33c0}, /* subnormal */
                 {-0x1p-24, 0x8001, 0xb380}};
    double table[256] = {0};
    float packed[256];
    assert_true(starfish_band_table_start(2, 1, 5) <= 256 && starfish_band_packed_size(2, 1) <= 256);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        table[starfish_band_table_start(2, 1, 1)] = cases[c].value;
        for (int storage = STARFISH_BAND_F16; storage <= STARFISH_BAND_BF16; storage++) {
            starfish_band_pack(2, 1, table, (enum starfish_band_storage)storage, 1, packed);
            const struct starfish_band_matrix matrix =
                starfish_band_packed_point(2, 1, packed, (enum starfish_band_storage)storage, 1);
            assert_int_equal(*(const uint16_t *)matrix.band[STARFISH_BAND_E],
                             storage == STARFISH_BAND_F16 ? cases[c].f16 : cases[c].bf16);
        }
    }
    /* weak couplings are normal numbers after scaling, or there is no scale */
    table[starfish_band_table_start(2, 1, 3)] = 1;
    table[starfish_band_table_start(2, 1, 1)] = 0x1p28;
    assert_true(starfish_band_packed_scale(2, 1, table, STARFISH_BAND_F16) == 0x1p14);
    assert_true(starfish_band_packed_scale(2, 1, table, STARFISH_BAND_BF16) == 1);
    table[starfish_band_table_start(2, 1, 1)] = 0x1p29;
    assert_true(starfish_band_packed_scale(2, 1, table, STARFISH_BAND_F16) == 0);
}

static void small_inverses_are_multiplied(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 9, 130};
    for (size_t s = 0; s < 2 * sizeof sizes / sizeof sizes[0]; s++) {
        const starfish_precision precision = (starfish_precision)(s % 2);
        const size_t n = sizes[s / 2], size = starfish_real_size(precision);
        unsigned seed = 5;
        void *matrix = test_reals(precision, n * n, &seed), *f = test_reals(precision, n, &seed);
        for (size_t e = 0; e < n * n; e++)
            test_real_put(matrix, precision, e % n * n + e / n, test_real_get(matrix, precision, e));
        const struct starfish_band_dense a = {n, tested->memory->upload(matrix, n * n * size),
                                              tested->memory->upload(f, n * size),
                                              tested->memory->upload(NULL, n * size)};
        tested->dense[precision](&a);
        void *got = fetch(a.u, n, size);
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += test_real_get(matrix, precision, i * n + j) * test_real_get(f, precision, j);
            assert_true(fabs(test_real_get(got, precision, i) - sum) <= (double)n * test_real_epsilon(precision));
        }
        tested->memory->release();
        free(matrix);
        free(f);
        free(got);
    }
}

static void large_bands_are_as_written_out(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        check_bands((starfish_precision)precision, 1537, 1021, (struct starfish_rectangle){0, 1537, 0, 1021});
        check_bands((starfish_precision)precision, 200003, 5, (struct starfish_rectangle){1, 200003, 0, 5});
    }
}

int test_band_kernels(const struct test_multigrid_device *device, int large_sizes)
{
    const struct CMUnitTest table[] = {
        cmocka_unit_test(bands_are_as_written_out),
        cmocka_unit_test(entries_are_rounded_to_nearest),
        cmocka_unit_test(small_inverses_are_multiplied),
    };
    const struct CMUnitTest large[] = {cmocka_unit_test(large_bands_are_as_written_out)};

    tested = device;
    const int failed = cmocka_run_group_tests_name("bands", table, NULL, NULL);
    return failed + (large_sizes ? cmocka_run_group_tests_name("large bands", large, NULL, NULL) : 0);
}
