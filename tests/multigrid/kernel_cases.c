/* Cases of the multigrid kernels. Arrays lie between guard zones, and results are NaN before: what a kernel must not
 * write stays NaN, and what it must not read would spread. */
#include "tests/multigrid/kernel_cases.h"

#include "tests/common/reals.h"

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
    g->device_u = tested->memory->upload(g->u, g->count * size);
    g->device_f = tested->memory->upload(g->f, g->count * size);
}

static void free_grid(struct grid *g)
{
    tested->memory->release();
    free(g->table);
    free(g->u);
    free(g->f);
}

static void *fetch(const void *device, size_t count, size_t size)
{
    void *host = malloc(count > 0 ? count * size : 1);

    tested->memory->download(host, device, count * size);
    return host;
}

/* What is stored for (i,j) and its neighbour at (dx,dy): an entry, or the row's sum; from the five bands and symmetry.
 */
static double stored(const struct grid *g, size_t i, size_t j, int dx, int dy)
{
    const long k = (long)i + dx, l = (long)j + dy;
    const int forward = dy > 0 || (dy == 0 && dx >= 0);

    if (!inside(g->nx, g->ny, k, l))
        return 0;
    const size_t owner = forward ? i + j * g->nx : (size_t)k + (size_t)l * g->nx;
    for (size_t b = 0; b < 5; b++)
        if (ahead[b][0] == (forward ? dx : -dx) && ahead[b][1] == (forward ? dy : -dy))
            return test_real_get(g->table, g->precision, starfish_band_table_start(g->nx, g->ny, b) + owner);
    return (double)NAN;
}

static double naive_diagonal(const struct grid *g, size_t i, size_t j)
{
    double diagonal = stored(g, i, j, 0, 0);

    for (int k = 0; k < 9 && !g->diagonals; k++)
        diagonal -= k == 4 ? 0 : stored(g, i, j, k % 3 - 1, k / 3 - 1);
    return diagonal;
}

/* f - A u at (i,j), with the diagonal as it is. */
static double naive_residual(const struct grid *g, int with_u, size_t i, size_t j)
{
    double value = g->without_f ? 0 : test_real_get(g->f, g->precision, i + j * g->nx);

    for (int k = 0; with_u && k < 9; k++) {
        const long dx = k % 3 - 1, dy = k / 3 - 1;
        const double entry = k == 4 ? naive_diagonal(g, i, j) : stored(g, i, j, (int)dx, (int)dy);
        if (inside(g->nx, g->ny, (long)i + dx, (long)j + dy))
            value -= entry * test_real_get(g->u, g->precision, (size_t)((long)i + dx + ((long)j + dy) * (long)g->nx));
    }
    return value;
}

/* ---- Bands ------------------------------------------------------------------------------------------------------- */

static void check_sums(const struct grid *g, int with_u, const double *device_sums)
{
    double expected = 0, got = 0, *sums = fetch(device_sums, STARFISH_SUMS, sizeof *sums);

    for (size_t j = g->at.y0; j < g->at.y1; j++)
        for (size_t i = g->at.x0; i < g->at.x1; i++)
            expected += pow(naive_residual(g, with_u, i, j), 2);
    for (size_t s = 0; s < STARFISH_SUMS; s++)
        got += sums[s];
    /* each residual is good to 128 eps, and 2 |d| is at most d^2 + 1 */
    assert_true(fabs(got - expected) <=
                (128 * test_real_epsilon(g->precision) + 1e-16 * (double)g->count) * (expected + (double)g->count));
    free(sums);
}

/* What a residual's kernel writes. */
enum results { DEFECT, DEFECT_OF_ZERO, DIAGONAL, AHEAD_IN_X, AHEAD_IN_Y };

static double expected_result(const struct grid *g, enum results what, size_t i, size_t j)
{
    if (what == DIAGONAL)
        return naive_diagonal(g, i, j);
    if (what == AHEAD_IN_X || what == AHEAD_IN_Y)
        return stored(g, i, j, what == AHEAD_IN_X, what == AHEAD_IN_Y);
    return naive_residual(g, what == DEFECT, i, j);
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
        check_rectangle(g, a.result, pitch, with_u ? DEFECT : DEFECT_OF_ZERO);
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
        const double value = test_real_get(got, g->precision, e), diag = naive_diagonal(g, e % g->nx, e / g->nx);
        const double u = with_u ? test_real_get(g->u, g->precision, e) : 0;
        if (!in_rectangle(g, e))
            assert_true(isnan(value));
        else
            assert_true(fabs(value - u - 0.75 * naive_residual(g, with_u, e % g->nx, e / g->nx) / diag) <=
                        32 * test_real_epsilon(g->precision));
    }
    free(got);
}

/* One unknown after the other, in place: the colour of even i first. */
static void relax_naively(const struct grid *g, size_t parity, void *v)
{
    struct grid now = *g;

    now.u = v;
    for (size_t odd = 0; odd < 2; odd++)
        for (size_t j = g->at.y0 + (g->at.y0 + parity) % 2; j < g->at.y1; j += 2)
            for (size_t i = odd; i < g->nx; i += 2) {
                const size_t e = i + j * g->nx;
                const double step = naive_residual(&now, 1, i, j) / naive_diagonal(g, i, j);
                test_real_put(v, g->precision, e, test_real_get(v, g->precision, e) + 1.25 * step);
            }
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
    void *expected = calloc(g->count, size);

    tested->colours[g->precision](&a);
    void *got = fetch(a.v, g->count, size);
    if (with_u)
        memcpy(expected, g->u, g->count * size);
    relax_naively(g, parity, expected);
    for (size_t e = 0; e < g->count; e++) {
        const double value = test_real_get(got, g->precision, e);
        if (e / g->nx < rows.y0 || e / g->nx >= rows.y1)
            assert_true(isnan(value));
        else
            assert_true(fabs(value - test_real_get(expected, g->precision, e)) <= 64 * test_real_epsilon(g->precision));
    }
    free(expected);
    free(got);
}

/* The correction of column i, from the top of elimination. */
static void solve_column(const struct grid *g, int with_u, size_t i, double *correction)
{
    double *c = malloc(g->ny * sizeof *c);

    for (size_t j = 0; j < g->ny; j++) {
        const double lower = stored(g, i, j, 0, -1);
        const double pivot = naive_diagonal(g, i, j) - (j > 0 ? lower * c[j - 1] : 0);
        c[j] = stored(g, i, j, 0, 1) / pivot;
        correction[j] = (naive_residual(g, with_u, i, j) - (j > 0 ? lower * correction[j - 1] : 0)) / pivot;
    }
    for (size_t j = g->ny - 1; j-- > 0;)
        correction[j] -= c[j] * correction[j + 1];
    free(c);
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
    double *correction = malloc(g->ny * sizeof *correction);

    tested->columns[kind_of(g)](&a);
    void *got = fetch(v, g->count, size);
    for (size_t i = 0; i < g->nx; i++) {
        solve_column(g, with_u, i, correction);
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

/* f stands for the correction, of which the rectangle is taken from the start. */
static void check_update(const struct grid *g, int with_u, int in_place)
{
    const size_t size = starfish_real_size(g->precision);
    void *v = tested->memory->upload(in_place ? g->u : NULL, g->count * size);
    const struct starfish_vector_update a = {g->nx,       g->at, 0.7, in_place ? v : with_u ? g->device_u : NULL,
                                             g->device_f, g->nx, v};

    tested->update[g->precision](&a);
    void *got = fetch(v, g->count, size);
    for (size_t e = 0; e < g->count; e++) {
        const double value = test_real_get(got, g->precision, e), before = test_real_get(g->u, g->precision, e);
        if (in_rectangle(g, e)) {
            const size_t c = (e % g->nx - g->at.x0) + (e / g->nx - g->at.y0) * g->nx;
            const double expected = (with_u ? before : 0) + 0.7 * test_real_get(g->f, g->precision, c);
            assert_true(fabs(value - expected) <= 4 * test_real_epsilon(g->precision));
        } else
            assert_true(in_place ? value == before : isnan(value));
    }
    free(got);
}

/* v = f + 0.7 v: v is the correction, whose rectangle lies where it is in the grid. */
static void check_update_of_correction(const struct grid *g)
{
    const size_t size = starfish_real_size(g->precision);
    char *v = tested->memory->upload(g->u, g->count * size);
    const struct starfish_vector_update a = {g->nx, g->at, 0.7, g->device_f, v + (g->at.x0 + g->at.y0 * g->nx) * size,
                                             g->nx, v};

    tested->update[g->precision](&a);
    void *got = fetch(v, g->count, size);
    for (size_t e = 0; e < g->count; e++) {
        const double value = test_real_get(got, g->precision, e), before = test_real_get(g->u, g->precision, e);
        const double updated = test_real_get(g->f, g->precision, e) + 0.7 * before;
        assert_true(fabs(value - (in_rectangle(g, e) ? updated : before)) <= 4 * test_real_epsilon(g->precision));
    }
    free(got);
}

static void check_product(const struct grid *g)
{
    const struct starfish_vector_product a = {g->nx, g->at, g->device_u, g->device_f,
                                              tested->memory->upload(NULL, STARFISH_SUMS * sizeof(double))};
    double expected = 0, size = 0, got = 0;

    tested->product[g->precision](&a);
    double *sums = fetch(a.sums, STARFISH_SUMS, sizeof *sums);
    for (size_t s = 0; s < STARFISH_SUMS; s++)
        got += sums[s];
    for (size_t e = 0; e < g->count; e++) {
        const double term = test_real_get(g->u, g->precision, e) * test_real_get(g->f, g->precision, e);
        expected += in_rectangle(g, e) ? term : 0;
        size += in_rectangle(g, e) ? fabs(term) : 0;
    }
    assert_true(fabs(got - expected) <= 1e-13 * size);
    free(sums);
}

static void check_copy(const struct grid *g)
{
    const size_t size = starfish_real_size(g->precision);
    const struct starfish_vector_update a = {
        .nx = g->nx, .at = g->at, .u = g->device_u, .v = tested->memory->upload(NULL, g->count * size)};

    tested->update[g->precision](&a);
    void *got = fetch(a.v, g->count, size);
    for (size_t e = 0; e < g->count; e++) {
        const double value = test_real_get(got, g->precision, e);
        assert_true(in_rectangle(g, e) ? value == test_real_get(g->u, g->precision, e) : isnan(value));
    }
    free(got);
}

static void check_precisions(size_t nx, size_t ny, struct starfish_rectangle at, int zero)
{
    const size_t count = nx * ny;
    unsigned seed = 7;
    double *high = test_reals(STARFISH_F64, count, &seed);
    float *low = test_reals(STARFISH_F32, count, &seed);
    double *device_high = tested->memory->upload(high, count * sizeof *high);
    float *device_low = tested->memory->upload(low, count * sizeof *low);
    const struct starfish_vector_widen widen = {nx, at, 0.125, zero, device_low, device_high};
    const struct starfish_vector_narrow narrow = {nx, at, 4096, device_high, device_low};

    tested->widen(&widen);
    tested->narrow(&narrow);
    double *got_high = fetch(device_high, count, sizeof *high);
    float *got_low = fetch(device_low, count, sizeof *low);
    for (size_t e = 0; e < count; e++) {
        const size_t i = e % nx, j = e / nx;
        const int in = i >= at.x0 && i < at.x1 && j >= at.y0 && j < at.y1;
        assert_true(got_high[e] == (in ? (zero ? 0 : high[e]) + 0.125 * (double)low[e] : high[e]));
        assert_true(got_low[e] == (in ? (float)(4096 * got_high[e]) : low[e]));
    }
    tested->memory->release();
    free(high);
    free(low);
    free(got_high);
    free(got_low);
}

static void check_matrix(starfish_precision precision, size_t nx, size_t ny, struct starfish_rectangle at,
                         int diagonals, enum starfish_band_storage storage)
{
    struct grid g;

    make_grid(&g, precision, nx, ny, at, diagonals, storage);
    for (int variant = 0; variant < 6; variant++)
        check_residual(&g, variant % 2, variant / 2 != 1, variant / 2 > 0, DEFECT);
    for (int variant = 0; variant < 4; variant++)
        check_residual(&g, variant % 2, 1, variant / 2, variant % 3 ? AHEAD_IN_X : AHEAD_IN_Y);
    g.without_f = 1;
    for (int with_result = 0; with_result < 2; with_result++)
        check_residual(&g, 1, with_result, 1, DEFECT);
    g.without_f = 0;
    for (int with_u = 0; with_u < 2; with_u++)
        check_jacobi(&g, with_u);
    for (int variant = 0; variant < 4 && storage == STARFISH_BAND_REALS; variant++)
        check_colours(&g, (size_t)variant / 2, variant % 2);
    for (int variant = 0; variant < 3 && tested->columns[0]; variant++)
        check_columns(&g, variant > 0, variant > 1);
    free_grid(&g);
}

static void check_vectors(starfish_precision precision, size_t nx, size_t ny, struct starfish_rectangle at)
{
    struct grid g;

    make_grid(&g, precision, nx, ny, at, 0, STARFISH_BAND_REALS);
    check_update(&g, 0, 0);
    check_update(&g, 1, 0);
    check_update(&g, 1, 1);
    check_update_of_correction(&g);
    check_product(&g);
    check_copy(&g);
    free_grid(&g);
    check_precisions(nx, ny, at, 0);
    check_precisions(nx, ny, at, 1);
}

static void check_bands(starfish_precision precision, size_t nx, size_t ny, struct starfish_rectangle at)
{
    for (int diagonals = 0; diagonals < 2; diagonals++)
        check_matrix(precision, nx, ny, at, diagonals, STARFISH_BAND_REALS);
    for (int storage = STARFISH_BAND_F16; storage <= STARFISH_BAND_BF16 && precision == STARFISH_F32; storage++)
        check_matrix(precision, nx, ny, at, 0, (enum starfish_band_storage)storage);
    check_vectors(precision, nx, ny, at);
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

/* ---- Transfers --------------------------------------------------------------------------------------------------- */

/* Sizes of a direction: elements 2^k and odd numbers, with and without unknowns at the ends. */
struct direction {
    size_t fine, coarse, stride, origin;
};
static const struct direction directions[] = {{1, 1, 1, 0}, {5, 5, 1, 0},   {3, 1, 2, 1},     {7, 3, 2, 1},
                                              {5, 3, 2, 0}, {4, 2, 2, 1},   {4, 3, 2, 0},     {6, 3, 2, 1},
                                              {2, 2, 2, 0}, {63, 31, 2, 1}, {1031, 515, 2, 1}};

struct transfer {
    starfish_precision precision;
    struct direction size[2];
    void *left[2], *right[2], *fine, *coarse;
    struct starfish_transfer_axis axis[2]; /* of the device */
};

/* The prolongation of one direction: how much of coarse unknown I there is in fine unknown i. */
static double entry(const struct transfer *t, int d, size_t i, size_t I)
{
    const size_t F = t->size[d].stride * I + t->size[d].origin;

    if (i == F)
        return 1;
    if (t->size[d].stride == 1)
        return 0;
    if (i + 1 == F)
        return test_real_get(t->left[d], t->precision, I);
    return i == F + 1 ? test_real_get(t->right[d], t->precision, I) : 0;
}

static void make_transfer(struct transfer *t, starfish_precision precision, struct direction x, struct direction y)
{
    const size_t size = starfish_real_size(precision);
    unsigned seed = (unsigned)(x.fine + 3 * y.fine);

    *t = (struct transfer){.precision = precision, .size = {x, y}};
    for (int d = 0; d < 2; d++) {
        const struct direction *n = &t->size[d];
        t->left[d] = test_reals(precision, n->coarse, &seed);
        t->right[d] = test_reals(precision, n->coarse, &seed);
        t->axis[d] = (struct starfish_transfer_axis){n->fine,
                                                     n->coarse,
                                                     n->stride,
                                                     n->origin,
                                                     tested->memory->upload(t->left[d], n->coarse * size),
                                                     tested->memory->upload(t->right[d], n->coarse * size)};
    }
    t->fine = test_reals(precision, x.fine * y.fine, &seed);
    t->coarse = test_reals(precision, x.coarse * y.coarse, &seed);
}

static void free_transfer(struct transfer *t)
{
    tested->memory->release();
    for (int d = 0; d < 2; d++) {
        free(t->left[d]);
        free(t->right[d]);
    }
    free(t->fine);
    free(t->coarse);
}

/* A rectangle's rows and columns, cut at thirds. */
static struct starfish_rectangle part_of(size_t nx, size_t ny, int whole)
{
    return whole ? (struct starfish_rectangle){0, nx, 0, ny}
                 : (struct starfish_rectangle){nx / 3, nx - nx / 4, ny / 3, ny - ny / 4};
}

static void check_restrict(const struct transfer *t, int whole)
{
    const size_t size = starfish_real_size(t->precision), nx = t->size[0].coarse, fx = t->size[0].fine;
    const struct starfish_rectangle at = part_of(nx, t->size[1].coarse, whole);
    size_t rows[2];

    starfish_transfer_fine(&t->axis[1], at.y0, at.y1, rows);
    const char *first = (const char *)t->fine + rows[0] * fx * size;
    const struct starfish_restrict a = {{t->axis[0], t->axis[1]},
                                        at,
                                        tested->memory->upload(first, (rows[1] - rows[0]) * fx * size),
                                        rows[0],
                                        tested->memory->upload(NULL, nx * t->size[1].coarse * size)};
    tested->restrict_residual[t->precision](&a);
    void *got = fetch(a.coarse, nx * t->size[1].coarse, size);
    for (size_t e = 0; e < nx * t->size[1].coarse; e++) {
        const size_t I = e % nx, J = e / nx;
        const double value = test_real_get(got, t->precision, e);
        double sum = 0;
        if (I < at.x0 || I >= at.x1 || J < at.y0 || J >= at.y1) {
            assert_true(isnan(value));
            continue;
        }
        for (size_t j = rows[0]; j < rows[1]; j++)
            for (size_t i = 2 * I > 2 ? I - 2 : 0; i < fx && i < 2 * I + 4; i++)
                sum += entry(t, 0, i, I) * entry(t, 1, j, J) * test_real_get(t->fine, t->precision, i + j * fx);
        assert_true(fabs(value - sum) <= 16 * test_real_epsilon(t->precision));
    }
    free(got);
}

static void check_prolong(const struct transfer *t, int whole, int zero)
{
    const size_t size = starfish_real_size(t->precision), nx = t->size[0].fine, cx = t->size[0].coarse;
    const size_t count = nx * t->size[1].fine;
    const struct starfish_rectangle at = part_of(nx, t->size[1].fine, whole);
    const struct starfish_prolong a = {{t->axis[0], t->axis[1]},
                                       at,
                                       zero,
                                       tested->memory->upload(t->coarse, cx * t->size[1].coarse * size),
                                       tested->memory->upload(zero ? NULL : t->fine, count * size)};
    if (nx == 0)
        fail();
    tested->prolong[t->precision](&a);
    void *got = fetch(a.u, count, size);
    for (size_t e = 0; e < count; e++) {
        const size_t i = e % nx, j = e / nx;
        const double value = test_real_get(got, t->precision, e), before = test_real_get(t->fine, t->precision, e);
        double sum = zero ? 0 : before;
        if (i < at.x0 || i >= at.x1 || j < at.y0 || j >= at.y1) {
            assert_true(zero ? isnan(value) : value == before);
            continue;
        }
        for (size_t J = j / 2 > 0 ? j / t->size[1].stride - 1 : 0; J < t->size[1].coarse && J <= j + 1; J++)
            for (size_t I = i / 2 > 0 ? i / t->size[0].stride - 1 : 0; I < cx && I <= i + 1; I++)
                sum += entry(t, 0, i, I) * entry(t, 1, j, J) * test_real_get(t->coarse, t->precision, I + J * cx);
        assert_true(fabs(value - sum) <= 16 * test_real_epsilon(t->precision));
    }
    free(got);
}

static void check_transfer(starfish_precision precision, struct direction x, struct direction y)
{
    struct transfer t;

    make_transfer(&t, precision, x, y);
    for (int whole = 0; whole < 2; whole++) {
        check_restrict(&t, whole);
        check_prolong(&t, whole, 0);
        check_prolong(&t, whole, 1);
    }
    free_transfer(&t);
}

static void transfers_are_as_written_out(void **state)
{
    (void)state;
    enum { COUNT = sizeof directions / sizeof directions[0] - 1 };
    for (int x = 0; x < COUNT; x++)
        for (int y = 0; y < COUNT; y++)
            check_transfer((starfish_precision)((x + y) % 2), directions[x], directions[y]);
    for (int precision = 0; precision < 2; precision++)
        check_transfer((starfish_precision)precision, directions[COUNT], directions[3]);
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static void large_sizes_too(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        check_bands((starfish_precision)precision, 1537, 1021, (struct starfish_rectangle){0, 1537, 0, 1021});
        check_bands((starfish_precision)precision, 200003, 5, (struct starfish_rectangle){1, 200003, 0, 5});
        check_transfer((starfish_precision)precision, directions[10], (struct direction){513, 256, 2, 1});
    }
}

int test_multigrid_kernels(const struct test_multigrid_device *device, int large_sizes)
{
    const struct CMUnitTest table[] = {
        cmocka_unit_test(bands_are_as_written_out),
        cmocka_unit_test(entries_are_rounded_to_nearest),
        cmocka_unit_test(small_inverses_are_multiplied),
        cmocka_unit_test(transfers_are_as_written_out),
    };
    const struct CMUnitTest large[] = {cmocka_unit_test(large_sizes_too)};

    tested = device;
    const int failed = cmocka_run_group_tests_name("table", table, NULL, NULL);
    return failed + (large_sizes ? cmocka_run_group_tests_name("large sizes", large, NULL, NULL) : 0);
}
