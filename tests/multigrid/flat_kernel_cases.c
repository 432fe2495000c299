/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of flat domains on grids with random matrices and random transfers. Arrays lie between guard zones, and
 * results are NaN before: what a kernel must not write stays NaN, and what it must not read would spread. */
#include "tests/multigrid/flat_kernel_cases.h"

#include "multigrid/kernels/flat_factors.h"
#include "multigrid/kernels/flat_ref.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct test_flat_device *tested;

static const struct shape {
    size_t n[3];
    int periodic[2], kept[2]; /* kept: the direction is not coarsened */
    int skew;
    size_t types; /* of columns, with equal couplings across; 0: all columns differ */
} shapes[] = {
    {{1, 1, 1}, {0, 0}, {1, 1}, 0, 0},    {{1, 1, 9}, {1, 1}, {1, 1}, 0, 0},   {{2, 2, 2}, {1, 1}, {0, 0}, 0, 0},
    {{3, 3, 3}, {1, 1}, {0, 0}, 0, 0},    {{5, 1, 7}, {0, 1}, {0, 1}, 0, 0},   {{1, 6, 4}, {1, 0}, {1, 0}, 0, 0},
    {{7, 5, 33}, {0, 0}, {0, 0}, 0, 0},   {{8, 6, 32}, {0, 0}, {0, 1}, 0, 0},  {{9, 8, 16}, {1, 0}, {0, 0}, 0, 0},
    {{33, 7, 5}, {0, 1}, {0, 0}, 0, 0},   {{64, 4, 31}, {1, 1}, {0, 0}, 0, 0}, {{70, 9, 12}, {0, 0}, {0, 0}, 0, 0},
    {{37, 5, 65}, {0, 0}, {1, 0}, 0, 0},  {{6, 3, 128}, {0, 0}, {0, 0}, 0, 0}, {{5, 4, 131}, {1, 0}, {0, 0}, 0, 0},
    {{34, 3, 150}, {0, 0}, {0, 0}, 0, 0}, {{2, 3, 520}, {0, 1}, {0, 0}, 0, 0}, {{130, 6, 3}, {0, 0}, {0, 0}, 0, 0},
    {{5, 4, 3}, {0, 0}, {0, 0}, 1, 0},    {{37, 6, 35}, {0, 0}, {0, 0}, 1, 0}, {{1, 3, 2}, {0, 0}, {1, 0}, 1, 0},
    {{64, 3, 17}, {0, 0}, {0, 0}, 1, 0},  {{5, 4, 3}, {0, 0}, {0, 0}, 0, 2},   {{150, 3, 23}, {0, 0}, {0, 0}, 0, 2},
    {{64, 7, 128}, {0, 0}, {0, 0}, 0, 4}, {{32, 5, 31}, {1, 1}, {0, 1}, 0, 3}, {{37, 6, 50}, {1, 0}, {0, 0}, 0, 4},
    {{96, 4, 121}, {0, 1}, {1, 0}, 0, 1},
};

/* A grid on the device, and in f64 with the same values on the host. */
struct grid {
    starfish_precision precision;
    const struct shape *shape;
    size_t count, coarse_count, y0, y1;
    struct starfish_flat_matrix host, matrix;
    struct starfish_flat_transfer host_transfer[2], transfer[2];
    double *u, *f, *coarse, *other;
    const void *device_u, *device_f, *device_coarse, *device_other;
    double *kept[24]; /* to be freed */
    int kept_count;
};

/* ---- Random numbers, here and there ------------------------------------------------------------------------------ */

static void *upload(const struct grid *g, const double *values, size_t count)
{
    void *rounded = malloc((count > 0 ? count : 1) * sizeof(double));

    for (size_t e = 0; e < count; e++)
        test_real_put(rounded, g->precision, e, values[e]);
    void *device = tested->memory->upload(rounded, count * starfish_real_size(g->precision));
    free(rounded);
    return device;
}

/* middle + (-1, 1) * spread, in the precision. */
static double *numbers(struct grid *g, size_t count, double middle, double spread, unsigned *seed)
{
    double *array = test_reals(STARFISH_F64, count, seed);

    if (!array)
        abort();
    for (size_t e = 0; e < count; e++) {
        array[e] = middle + spread * array[e];
        if (g->precision == STARFISH_F32)
            array[e] = (double)(float)array[e];
    }
    g->kept[g->kept_count++] = array;
    return array;
}

static void make_array(struct grid *g, size_t count, const void **host, const void **device, unsigned *seed)
{
    double *values = numbers(g, count, 0.75, 0.5, seed);

    *host = values;
    *device = upload(g, values, count);
}

/* None on the sides. */
static void make_corners(struct grid *g, unsigned *seed)
{
    const size_t nx = g->shape->n[0], ny = g->shape->n[1];
    double *corner = numbers(g, (nx + 1) * (ny + 1), 0, 0.125, seed);

    for (size_t j = 0; j <= ny; j++)
        for (size_t i = 0; i <= nx; i++)
            if (i == 0 || j == 0 || i == nx || j == ny)
                corner[i + (nx + 1) * j] = 0;
    g->host.corner = corner;
    g->matrix.corner = upload(g, corner, (nx + 1) * (ny + 1));
}

/* Makes all couplings across equal, and columns of a few types by their mass and lift: of two, one on the sides. */
static void make_types(struct grid *g, double *const face[2], const double *b, const double *c)
{
    const size_t nx = g->shape->n[0], ny = g->shape->n[1], size = starfish_flat_factors_size(g->shape->n[2]);
    double *mass = (double *)(uintptr_t)g->host.mass, *lift = (double *)(uintptr_t)g->host.lift;
    double *type = calloc(nx * ny, sizeof *type), *factors = calloc(g->shape->types * size, sizeof *factors);

    for (size_t i = 0; i < (nx + 1) * ny; i++)
        face[0][i] = 0.75;
    for (size_t i = 0; i < nx * (ny + 1); i++)
        face[1][i] = 0.5;
    for (size_t i = 0; i < nx * ny; i++) {
        const size_t x = i % nx;
        type[i] = g->shape->types == 2 ? x == 0 || x + 1 == nx : (double)(i % 7 % g->shape->types);
        mass[i] = 0.25 + type[i];
        lift[i] = 1 - 0.125 * type[i];
    }
    for (size_t t = 0; t < g->shape->types; t++) {
        const struct starfish_flat_column line = {.nz = g->shape->n[2],
                                                  .mass = 0.25 + (double)t,
                                                  .lift = 1 - 0.125 * (double)t,
                                                  .faces = 2.5,
                                                  .a = g->host.a,
                                                  .b = b,
                                                  .c = c,
                                                  .d = g->host.d};
        starfish_flat_factors(&line, factors + t * size);
    }
    g->matrix.types = g->shape->types;
    g->matrix.mass = upload(g, mass, nx * ny);
    g->matrix.lift = upload(g, lift, nx * ny);
    g->matrix.type = upload(g, type, nx * ny);
    g->matrix.factors = upload(g, factors, g->shape->types * size);
    free(type);
    free(factors);
}

/* No coupling through the only column of a periodic direction; none below the ground or above the top. */
static void make_matrix(struct grid *g, unsigned *seed)
{
    const size_t nx = g->shape->n[0], ny = g->shape->n[1], nz = g->shape->n[2];
    struct starfish_flat_matrix *host = &g->host;
    double *face[2] = {numbers(g, (nx + 1) * ny, 0.75, 0.5, seed), numbers(g, nx * (ny + 1), 0.75, 0.5, seed)};
    double *b = numbers(g, nz, 3, 2, seed), *c = numbers(g, nz, 3, 2, seed);

    memcpy(host->n, g->shape->n, sizeof host->n);
    memcpy(host->periodic, g->shape->periodic, sizeof host->periodic);
    if (nx > 6 && !host->periodic[0]) { /* as of a box */
        host->own[0] = 2;
        host->own[1] = nx - 3;
    }
    g->matrix = *host;
    b[0] = c[nz - 1] = 0;
    if (host->periodic[0] && nx == 1)
        memset(face[0], 0, 2 * ny * sizeof(double));
    if (host->periodic[1] && ny == 1)
        memset(face[1], 0, 2 * nx * sizeof(double));
    make_array(g, nx * ny, &host->mass, &g->matrix.mass, seed);
    make_array(g, nx * ny, &host->lift, &g->matrix.lift, seed);
    make_array(g, nz, &host->a, &g->matrix.a, seed);
    make_array(g, nz, &host->d, &g->matrix.d, seed);
    if (g->shape->skew)
        make_corners(g, seed);
    if (g->shape->types > 0)
        make_types(g, face, b, c);
    host->face_x = face[0];
    host->face_y = face[1];
    host->b = b;
    host->c = c;
    g->matrix.face_x = upload(g, face[0], (nx + 1) * ny);
    g->matrix.face_y = upload(g, face[1], nx * (ny + 1));
    g->matrix.b = upload(g, b, nz);
    g->matrix.c = upload(g, c, nz);
}

static void make_transfer(struct grid *g, int d, unsigned *seed)
{
    const size_t fine = g->shape->n[d];
    struct starfish_flat_transfer *host = &g->host_transfer[d];

    *host = (struct starfish_flat_transfer){
        .fine = fine, .coarse = g->shape->kept[d] ? fine : (fine + 1) / 2, .periodic = g->shape->periodic[d]};
    g->transfer[d] = *host;
    double *lower = numbers(g, fine, 0.75, 0.5, seed);
    if (fine % 2 == 1)
        lower[fine - 1] = 0; /* the centre of its coarse cell */
    host->lower = lower;
    g->transfer[d].lower = upload(g, lower, fine);
    make_array(g, fine, &host->upper, &g->transfer[d].upper, seed);
}

static void make_grid(struct grid *g, const struct shape *shape, starfish_precision precision)
{
    unsigned seed = 4711;

    *g = (struct grid){.precision = precision, .shape = shape, .count = shape->n[0] * shape->n[1] * shape->n[2]};
    make_matrix(g, &seed);
    for (int d = 0; d < 2; d++)
        make_transfer(g, d, &seed);
    g->coarse_count = g->transfer[0].coarse * g->transfer[1].coarse * shape->n[2];
    g->u = numbers(g, g->count, 0, 1, &seed);
    g->f = numbers(g, g->count, 0, 1, &seed);
    g->coarse = numbers(g, g->coarse_count, 0, 1, &seed);
    g->other = numbers(g, g->count, 0, 1, &seed);
    g->device_u = upload(g, g->u, g->count);
    g->device_f = upload(g, g->f, g->count);
    g->device_coarse = upload(g, g->coarse, g->coarse_count);
    g->device_other = upload(g, g->other, g->count);
}

static void free_grid(struct grid *g)
{
    for (int k = 0; k < g->kept_count; k++)
        free(g->kept[k]);
    tested->memory->release();
}

/* ---- Comparison -------------------------------------------------------------------------------------------------- */

static void *result(const struct grid *g, size_t count)
{
    return tested->memory->upload(NULL, count * starfish_real_size(g->precision));
}

static void *work(const struct grid *g)
{
    const size_t bytes = tested->work(&g->matrix, starfish_real_size(g->precision));

    return tested->memory->upload(NULL, bytes > 0 ? bytes : 8);
}

static double *copy(const double *values, size_t count)
{
    double *made = calloc(count, sizeof *made);

    if (values)
        memcpy(made, values, count * sizeof *made);
    return made;
}

/* Rows y0 .. y1-1 of rows of `size` are expected, the others are NaN still. */
static void compare(const struct grid *g, const void *device, const double *expected, const size_t n[2],
                    double tolerance)
{
    const size_t count = n[0] * n[1];
    void *got = malloc((count + 1) * sizeof(double));

    tested->memory->download(got, device, count * starfish_real_size(g->precision));
    for (size_t e = 0; e < count; e++) {
        const double value = test_real_get(got, g->precision, e);
        if (e / n[0] < g->y0 || e / n[0] >= g->y1)
            assert_true(isnan(value));
        else
            assert_true(fabs(value - expected[e]) <=
                        tolerance * test_real_epsilon(g->precision) * (1 + fabs(expected[e])));
    }
    free(got);
}

static void compare_fine(const struct grid *g, const void *device, const double *expected, double tolerance)
{
    compare(g, device, expected, (const size_t[]){g->shape->n[0] * g->shape->n[2], g->shape->n[1]}, tolerance);
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

static double *reference_residual(const struct grid *g, int with_u, int with_f)
{
    double *u = copy(with_u ? g->u : NULL, g->count), *f = copy(with_f ? g->f : NULL, g->count);
    double *expected = malloc(g->count * sizeof *expected);

    starfish_flat_ref_residual(&g->host, u, f, expected);
    free(u);
    free(f);
    return expected;
}

/* The sum of u v over the rows, their own columns alone, of sums on the device. */
static void compare_sums(const struct grid *g, const double *device_sums, const double *u, const double *v)
{
    const size_t nx = g->shape->n[0], row = nx * g->shape->n[2], *own = g->matrix.own;
    static double sums[STARFISH_SUMS];
    double sum = 0, wanted = 0, size = 0;

    tested->memory->download(sums, device_sums, sizeof sums);
    for (size_t s = 0; s < STARFISH_SUMS; s++)
        sum += sums[s];
    for (size_t e = row * g->y0; e < row * g->y1; e++) {
        if (own[1] > 0 && (e % nx < own[0] || e % nx >= own[1]))
            continue;
        wanted += u[e] * v[e];
        size += fabs(u[e] * v[e]);
    }
    assert_true(fabs(sum - wanted) <= 256 * test_real_epsilon(g->precision) * (1 + size));
}

static double *device_sums(int wanted)
{
    return wanted ? tested->memory->upload(NULL, STARFISH_SUMS * sizeof(double)) : NULL;
}

static void check_residual(const struct grid *g, int with_u, int with_f, int with_result, int with_sums)
{
    const struct starfish_flat_residual a = {.matrix = g->matrix,
                                             .y0 = g->y0,
                                             .y1 = g->y1,
                                             .u = with_u ? g->device_u : NULL,
                                             .f = with_f ? g->device_f : NULL,
                                             .result = with_result ? result(g, g->count) : NULL,
                                             .sums = device_sums(with_sums),
                                             .work = work(g)};
    double *expected = reference_residual(g, with_u, with_f);

    tested->residual[g->precision](&a);
    if (with_result)
        compare_fine(g, a.result, expected, 64);
    if (with_sums)
        compare_sums(g, a.sums, expected, expected);
    free(expected);
}

static void check_sizes(const struct grid *g)
{
    const struct starfish_flat_sizes a = {
        .matrix = g->matrix, .y0 = g->y0, .y1 = g->y1, .u = g->device_u, .sums = device_sums(1)};
    double *expected = malloc(g->count * sizeof *expected);

    starfish_flat_ref_sizes(&g->host, g->u, expected);
    tested->sizes[g->precision](&a);
    compare_sums(g, a.sums, expected, expected);
    free(expected);
}

/* Of u + factor * scalar * correction; a factor of 0 forbids a look at the correction, which is not a number then. */
static void check_combined(const struct grid *g, int with_u, int energy, double factor)
{
    const double scalar = -0.75;
    const struct starfish_flat_residual a = {.matrix = g->matrix,
                                             .y0 = g->y0,
                                             .y1 = g->y1,
                                             .u = with_u ? g->device_u : NULL,
                                             .f = energy ? NULL : g->device_f,
                                             .result = energy ? NULL : result(g, g->count),
                                             .sums = device_sums(1),
                                             .work = work(g),
                                             .correction = factor == 0 ? result(g, g->count) : g->device_other,
                                             .factor = factor,
                                             .scalar = tested->memory->upload(&scalar, sizeof scalar),
                                             .v = result(g, g->count),
                                             .energy = energy};
    double *w = copy(with_u ? g->u : NULL, g->count), *f = copy(energy ? NULL : g->f, g->count);
    double *expected = malloc(g->count * sizeof *expected);

    for (size_t e = 0; e < g->count; e++)
        w[e] += factor * scalar * g->other[e];
    starfish_flat_ref_residual(&g->host, w, f, expected);
    tested->residual[g->precision](&a);
    compare_fine(g, a.v, w, 4);
    if (a.result)
        compare_fine(g, a.result, expected, 128);
    compare_sums(g, a.sums, energy ? w : expected, expected);
    free(w);
    free(f);
    free(expected);
}

/* The same in f64 of a correction in f32, or of none, with the result in f32, which is the residual over 0.5. */
static void check_lower(const struct grid *g, int with_u, int with_correction)
{
    const double scalar = 8, factor = 0.0625;
    const struct grid lower = {.precision = STARFISH_F32, .shape = g->shape, .y0 = g->y0, .y1 = g->y1};
    const struct starfish_flat_residual a = {.matrix = g->matrix,
                                             .y0 = g->y0,
                                             .y1 = g->y1,
                                             .u = with_u ? g->device_u : NULL,
                                             .f = g->device_f,
                                             .result = result(&lower, g->count),
                                             .sums = device_sums(1),
                                             .work = work(g),
                                             .correction = with_correction ? upload(&lower, g->other, g->count) : NULL,
                                             .factor = factor,
                                             .scalar = tested->memory->upload(&scalar, sizeof scalar),
                                             .v = with_correction ? result(g, g->count) : NULL,
                                             .lower = 1};
    double *w = copy(with_u ? g->u : NULL, g->count), *expected = malloc(g->count * sizeof *expected);

    for (size_t e = 0; e < g->count && with_correction; e++)
        w[e] += 0.5 * (double)(float)g->other[e];
    starfish_flat_ref_residual(&g->host, w, g->f, expected);
    tested->residual[STARFISH_F64](&a);
    if (with_correction)
        compare_fine(g, a.v, w, 4);
    compare_sums(g, a.sums, expected, expected);
    for (size_t e = 0; e < g->count; e++)
        expected[e] *= 2;
    compare_fine(&lower, a.result, expected, 2);
    free(w);
    free(expected);
}

static void check_smooth(const struct grid *g, enum starfish_flat_columns columns, int with_u, int with_coarse)
{
    struct starfish_flat_smooth a = {.matrix = g->matrix,
                                     .transfer = {g->transfer[0], g->transfer[1]},
                                     .y0 = g->y0,
                                     .y1 = g->y1,
                                     .columns = columns,
                                     .damping = 0.625,
                                     .u = with_u ? g->device_u : NULL,
                                     .f = g->device_f,
                                     .coarse = with_coarse ? g->device_coarse : NULL,
                                     .v = result(g, g->count),
                                     .work = work(g),
                                     .sums = device_sums(!with_u)};
    double *expected = copy(with_u ? g->u : NULL, g->count), *residual = malloc(g->count * sizeof *residual);

    tested->smooth[g->precision](&a);
    if (with_coarse)
        starfish_flat_ref_prolong(g->host_transfer, g->shape->n[2], g->coarse, expected);
    assert_int_equal(starfish_flat_ref_smooth(&g->host, columns, a.damping, g->f, expected, residual), 0);
    compare_fine(g, a.v, expected, 512);
    if (a.sums)
        compare_sums(g, a.sums, g->f, expected);
    free(expected);
    free(residual);
}

static void check_prolong(const struct grid *g, int with_u)
{
    struct starfish_flat_prolong a = {.transfer = {g->transfer[0], g->transfer[1]},
                                      .layers = g->shape->n[2],
                                      .y0 = g->y0,
                                      .y1 = g->y1,
                                      .coarse = g->device_coarse,
                                      .u = with_u ? g->device_u : NULL,
                                      .v = result(g, g->count),
                                      .work = work(g)};
    double *expected = copy(with_u ? g->u : NULL, g->count);

    tested->prolong[g->precision](&a);
    starfish_flat_ref_prolong(g->host_transfer, g->shape->n[2], g->coarse, expected);
    compare_fine(g, a.v, expected, 32);
    free(expected);
}

static void check_restrict(const struct grid *fine, int with_u, int thirds)
{
    struct grid g = *fine;
    const size_t rows = g.transfer[1].coarse;
    g.y0 = thirds ? rows / 3 : 0;
    g.y1 = thirds ? rows - rows / 3 : rows;
    const struct starfish_flat_restrict a = {.matrix = g.matrix,
                                             .transfer = {g.transfer[0], g.transfer[1]},
                                             .y0 = g.y0,
                                             .y1 = g.y1,
                                             .u = with_u ? g.device_u : NULL,
                                             .f = g.device_f,
                                             .coarse = result(&g, g.coarse_count),
                                             .work = work(&g)};
    double *residual = reference_residual(&g, with_u, 1), *expected = malloc(g.coarse_count * sizeof *expected);

    tested->restrict_residual[g.precision](&a);
    starfish_flat_ref_restrict(g.host_transfer, g.shape->n[2], residual, expected);
    compare(&g, a.coarse, expected, (const size_t[]){g.transfer[0].coarse * g.shape->n[2], rows}, 256);
    free(residual);
    free(expected);
}

/* There with scales, and as it is; and back. */
static void check_arrange(struct grid *g, int back, int with_scales)
{
    const size_t nx = g->shape->n[0], ny = g->shape->n[1], nz = g->shape->n[2];
    const double *column = g->host.mass, *layer = g->host.a;
    const struct starfish_flat_arrange a = {
        .nx = nx,
        .nz = nz,
        .x1 = nx,
        .y1 = ny,
        .z1 = nz,
        .row = nx,
        .plane = nx * ny,
        .columns = nx,
        .back = back,
        .column = with_scales ? tested->memory->upload(column, nx * ny * sizeof(double)) : NULL,
        .layer = with_scales ? tested->memory->upload(layer, nz * sizeof(double)) : NULL,
        .from = g->device_u,
        .to = result(g, g->count)};
    double *expected = malloc(g->count * sizeof *expected);

    tested->arrange[g->precision](&a);
    for (size_t j = 0; j < ny; j++)
        for (size_t k = 0; k < nz; k++)
            for (size_t i = 0; i < nx; i++) {
                const size_t user = i + nx * (j + ny * k), grid = i + nx * (k + nz * j);
                expected[back ? user : grid] =
                    g->u[back ? grid : user] * (with_scales ? column[i + nx * j] * layer[k] : 1);
            }
    g->y0 = 0;
    g->y1 = ny;
    compare_fine(g, a.to, expected, 2);
    free(expected);
}

static void check_all(struct grid *g, int thirds)
{
    const size_t ny = g->shape->n[1];

    g->y0 = thirds ? ny / 3 : 0;
    g->y1 = thirds ? ny - ny / 3 : ny;
    check_residual(g, 1, 1, 1, 0);
    check_residual(g, 1, 0, 1, 1);
    check_residual(g, 0, 1, 1, 1);
    check_residual(g, 1, 1, 0, 1);
    check_sizes(g);
    for (int with_u = 0; with_u < 2; with_u++) {
        check_combined(g, with_u, 0, 0.5);
        check_combined(g, with_u, 1, 0.5);
    }
    check_combined(g, 1, 0, 0);
    for (int given = 1; given < 4 && g->precision == STARFISH_F64; given++)
        check_lower(g, given % 2, given / 2);
    for (int columns = STARFISH_FLAT_ALL; columns <= STARFISH_FLAT_ODD; columns++)
        for (int given = 0; given < 4; given++)
            check_smooth(g, (enum starfish_flat_columns)columns, given % 2, given / 2);
    check_prolong(g, 0);
    check_prolong(g, 1);
    check_restrict(g, 0, thirds);
    check_restrict(g, 1, thirds);
}

static void kernels_are_as_written_out(void **state)
{
    struct grid grid;

    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
            make_grid(&grid, &shapes[s], (starfish_precision)precision);
            check_all(&grid, 0);
            check_all(&grid, 1);
            for (int back = 0; back < 2; back++)
                check_arrange(&grid, back, !back);
            check_arrange(&grid, 0, 0);
            free_grid(&grid);
        }
}

int test_flat_kernels(const struct test_flat_device *device)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_are_as_written_out)};

    tested = device;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
