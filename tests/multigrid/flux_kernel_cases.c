/* Cases of the kernels on seven-point matrices. Arrays lie between guard zones, and results are NaN before: what a
 * kernel must not write stays NaN, and what it must not read would spread. */
#include "tests/multigrid/flux_kernel_cases.h"

#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct test_flux_device *tested;

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

/* By direction, a letter each: 'o' open, 'p' periodic; capital: decoupled. Coarsened: '-' not, 'd' to half of the size
 * rounded down, 'u' rounded up. */
struct shape {
    size_t n[3];
    const char *ends, *coarsened;
};

enum { DIAGONAL = 6, ENTRIES = 7 };

struct grid {
    starfish_precision precision;
    size_t size, n[3], count, coarse_n[3], coarse_count;
    int stored, periodic[3], decoupled[3];
    double damping;
    /* of the host; 1D tables of tensor form, faces and rest of stored form */
    void *coupling[3], *extra[3], *weight[3], *face[3], *rest, *u, *f, *coarse;
    double *entries; /* of the matrix, ENTRIES for each unknown: to the neighbours below and above in x, y, z, and the
                        diagonal */
    double *prolongation[3], *restriction[3]; /* of one direction: [fine][coarse], [coarse][fine] */
    struct starfish_flux_matrix matrix;       /* of the device */
    struct starfish_flux_transfer transfer[3];
    const void *device_u, *device_f, *device_coarse;
    struct starfish_flux_part at;
};

static double get(const struct grid *g, const void *array, size_t index)
{
    return test_real_get(array, g->precision, index);
}

/* Random in (1/4, 5/4). */
static void *positive(const struct grid *g, size_t count, unsigned *seed)
{
    void *array = test_reals(g->precision, count, seed);

    for (size_t e = 0; e < count; e++)
        test_real_put(array, g->precision, e, 0.75 + 0.5 * get(g, array, e));
    return array;
}

static size_t element(const size_t n[3], const size_t at[3])
{
    return at[0] + n[0] * (at[1] + n[1] * at[2]);
}

static void place(const size_t n[3], size_t e, size_t at[3])
{
    at[0] = e % n[0];
    at[1] = e / n[0] % n[1];
    at[2] = e / n[0] / n[1];
}

static void make_tensor(struct grid *g, unsigned *seed)
{
    g->matrix.lambda = 0.125;
    for (int d = 0; d < 3; d++) {
        const size_t n = g->n[d];
        struct starfish_flux_axis *axis = &g->matrix.axis[d];
        g->coupling[d] = positive(g, n + 1, seed);
        g->extra[d] = positive(g, n, seed);
        g->weight[d] = positive(g, n, seed);
        const double outer = g->periodic[d] && n > 1 ? get(g, g->coupling[d], 0) : 0;
        test_real_put(g->coupling[d], g->precision, 0, outer);
        test_real_put(g->coupling[d], g->precision, n, outer);
        axis->coupling = tested->memory->upload(g->coupling[d], (n + 1) * g->size);
        axis->extra = tested->memory->upload(g->extra[d], n * g->size);
        axis->weight = tested->memory->upload(g->weight[d], n * g->size);
    }
}

static void make_stored(struct grid *g, unsigned *seed)
{
    size_t at[3];

    g->rest = positive(g, g->count, seed);
    g->matrix.rest = tested->memory->upload(g->rest, g->count * g->size);
    for (int d = 0; d < 3; d++) {
        g->face[d] = positive(g, g->count, seed);
        for (size_t e = 0; e < g->count; e++) {
            place(g->n, e, at);
            if (at[d] == 0 && (!g->periodic[d] || g->n[d] == 1))
                test_real_put(g->face[d], g->precision, e, 0);
        }
        g->matrix.face[d] = tested->memory->upload(g->face[d], g->count * g->size);
    }
}

/* ---- The matrix, entry by entry -----------------------------------------------------------------------------------
 */

/* The neighbour of `at` in direction d; 0 when there is none. */
static int neighbour(const struct grid *g, const size_t at[3], int d, int above, size_t to[3])
{
    const long n = (long)g->n[d], index = (long)at[d] + (above ? 1 : -1);

    memcpy(to, at, 3 * sizeof *to);
    to[d] = (size_t)((index + n) % n);
    return g->periodic[d] || (index >= 0 && index < n);
}

static double coupling(const struct grid *g, const size_t at[3], int d, int above)
{
    size_t owner[3];
    double value;

    if (g->stored) {
        memcpy(owner, at, sizeof owner);
        if (above && !neighbour(g, at, d, 1, owner))
            return 0;
        return get(g, g->face[d], element(g->n, owner));
    }
    value = get(g, g->coupling[d], at[d] + (size_t)above);
    for (int e = 0; e < 3; e++)
        value *= e == d ? 1 : get(g, g->weight[e], at[e]);
    return value;
}

static double rest(const struct grid *g, const size_t at[3])
{
    double sum = 0, volume = 1;

    if (g->stored)
        return get(g, g->rest, element(g->n, at));
    for (int d = 0; d < 3; d++) {
        double term = get(g, g->extra[d], at[d]);
        for (int e = 0; e < 3; e++)
            term *= e == d ? 1 : get(g, g->weight[e], at[e]);
        sum += term;
        volume *= get(g, g->weight[d], at[d]);
    }
    return sum + g->matrix.lambda * volume;
}

static void write_out_matrix(struct grid *g)
{
    size_t at[3];

    g->entries = calloc(g->count * ENTRIES, sizeof *g->entries);
    for (size_t e = 0; e < g->count; e++) {
        double *entry = g->entries + e * ENTRIES;
        place(g->n, e, at);
        entry[DIAGONAL] = rest(g, at);
        for (int d = 0; d < 3; d++)
            for (int above = 0; above < 2; above++) {
                const double value = coupling(g, at, d, above);
                entry[DIAGONAL] += value;
                entry[2 * d + above] = g->decoupled[d] ? 0 : -value;
            }
    }
}

/* ---- Transfers between two grids ----------------------------------------------------------------------------------
 */

/* An entry of a table's 1D matrix, where it does not lead out of the grid; there the weight becomes 0. */
static void put_entry(const struct grid *g, int d, void *weights, size_t index, double *matrix, size_t row,
                      size_t columns, long column)
{
    const double weight = get(g, weights, index);

    if (column >= 0 && column < (long)columns)
        matrix[row * columns + (size_t)column] += weight;
    else if (g->periodic[d])
        matrix[row * columns + (size_t)(column + (long)columns) % columns] += weight;
    else
        test_real_put(weights, g->precision, index, 0);
}

static void make_transfer(struct grid *g, int d, unsigned *seed)
{
    const size_t fine = g->n[d], coarse = g->coarse_n[d];
    struct starfish_flux_transfer *t = &g->transfer[d];
    void *lower = test_reals(g->precision, fine, seed), *upper = test_reals(g->precision, fine, seed);

    *t = (struct starfish_flux_transfer){.fine = fine, .coarse = coarse, .periodic = g->periodic[d]};
    g->prolongation[d] = calloc(fine * coarse, sizeof(double));
    g->restriction[d] = calloc(fine * coarse, sizeof(double));
    for (size_t i = 0; i < fine && fine == coarse; i++)
        g->prolongation[d][i * fine + i] = g->restriction[d][i * fine + i] = 1;
    for (size_t i = 0; i < fine && fine != coarse; i++) {
        const long I = i == 0 ? -1 : ((long)i - 1) / 2;
        put_entry(g, d, lower, i, g->prolongation[d], i, coarse, I);
        put_entry(g, d, upper, i, g->prolongation[d], i, coarse, I + 1);
    }
    if (fine != coarse) {
        t->lower = tested->memory->upload(lower, fine * g->size);
        t->upper = tested->memory->upload(upper, fine * g->size);
    }
    for (int tap = 0; tap < 4 && fine != coarse; tap++) {
        void *gather = test_reals(g->precision, coarse, seed);
        for (size_t I = 0; I < coarse; I++)
            put_entry(g, d, gather, I, g->restriction[d], I, fine, 2 * (long)I - 1 + tap);
        t->gather[tap] = tested->memory->upload(gather, coarse * g->size);
        free(gather);
    }
    free(lower);
    free(upper);
}

static void make_grid(struct grid *g, starfish_precision precision, int stored, const struct shape *shape)
{
    unsigned seed = (unsigned)(shape->n[0] * 31 + shape->n[1] * 7 + shape->n[2]);

    *g = (struct grid){.precision = precision,
                       .size = starfish_real_size(precision),
                       .count = 1,
                       .coarse_count = 1,
                       .stored = stored,
                       .damping = 0.75};
    for (int d = 0; d < 3; d++) {
        g->n[d] = shape->n[d];
        g->coarse_n[d] = shape->coarsened[d] == '-' ? g->n[d] : (g->n[d] + (shape->coarsened[d] == 'u')) / 2;
        g->count *= g->n[d];
        g->coarse_count *= g->coarse_n[d];
        g->periodic[d] = shape->ends[d] == 'p' || shape->ends[d] == 'P';
        g->decoupled[d] = shape->ends[d] == 'O' || shape->ends[d] == 'P';
        g->matrix.axis[d] =
            (struct starfish_flux_axis){.n = g->n[d], .periodic = g->periodic[d], .decoupled = g->decoupled[d]};
        make_transfer(g, d, &seed);
    }
    (stored ? make_stored : make_tensor)(g, &seed);
    write_out_matrix(g);
    g->u = test_reals(precision, g->count, &seed);
    g->f = test_reals(precision, g->count, &seed);
    g->coarse = test_reals(precision, g->coarse_count, &seed);
    g->device_u = tested->memory->upload(g->u, g->count * g->size);
    g->device_f = tested->memory->upload(g->f, g->count * g->size);
    g->device_coarse = tested->memory->upload(g->coarse, g->coarse_count * g->size);
}

static void free_grid(struct grid *g)
{
    tested->memory->release();
    for (int d = 0; d < 3; d++) {
        free(g->coupling[d]);
        free(g->extra[d]);
        free(g->weight[d]);
        free(g->face[d]);
        free(g->prolongation[d]);
        free(g->restriction[d]);
    }
    free(g->rest);
    free(g->entries);
    free(g->u);
    free(g->f);
    free(g->coarse);
}

static void *work_of(const struct grid *g)
{
    return tested->memory->upload(NULL, starfish_flux_work(g->n[0]) * g->size);
}

static void *result_of(const struct grid *g)
{
    return tested->memory->upload(NULL, g->count * g->size);
}

static double *doubles(const struct grid *g, const void *array, size_t count)
{
    double *copy = malloc(count * sizeof *copy);

    for (size_t e = 0; e < count; e++)
        copy[e] = array ? get(g, array, e) : 0;
    return copy;
}

/* ---- The definition -----------------------------------------------------------------------------------------------
 */

/* f - A u. */
static double *naive_residuals(const struct grid *g, const double *u, const double *f)
{
    double *result = malloc(g->count * sizeof *result);
    size_t at[3], to[3];

    for (size_t e = 0; e < g->count; e++) {
        const double *entry = g->entries + e * ENTRIES;
        result[e] = f[e] - entry[DIAGONAL] * u[e];
        place(g->n, e, at);
        for (int side = 0; side < DIAGONAL; side++)
            if (neighbour(g, at, side / 2, side % 2, to))
                result[e] -= entry[side] * u[element(g->n, to)];
    }
    return result;
}

/* `matrix` of n[d] columns and `rows` rows along one direction of an array of n[]; n[d] becomes rows. */
static double *along(double *array, size_t n[3], int d, const double *matrix, size_t rows)
{
    const size_t before = d == 0 ? 1 : d == 1 ? n[0] : n[0] * n[1], columns = n[d];
    const size_t after = n[0] * n[1] * n[2] / before / columns;
    double *result = calloc(before * rows * after, sizeof *result);

    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            for (size_t e = 0; e < before * after && matrix[r * columns + c] != 0; e++)
                result[e % before + before * (r + rows * (e / before))] +=
                    matrix[r * columns + c] * array[e % before + before * (c + columns * (e / before))];
    free(array);
    n[d] = rows;
    return result;
}

/* u + P coarse, either zero without it. */
static double *naive_corrected(const struct grid *g, int with_u, int with_coarse)
{
    double *sum = doubles(g, with_u ? g->u : NULL, g->count), *coarse = doubles(g, g->coarse, g->coarse_count);
    size_t n[3] = {g->coarse_n[0], g->coarse_n[1], g->coarse_n[2]};

    for (int d = 0; d < 3; d++)
        coarse = along(coarse, n, d, g->prolongation[d], g->n[d]);
    for (size_t e = 0; e < g->count && with_coarse; e++)
        sum[e] += coarse[e];
    free(coarse);
    return sum;
}

/* ---- Comparison -------------------------------------------------------------------------------------------------- */

static int in_part(const struct starfish_flux_part *at, const size_t where[3])
{
    return where[1] >= at->y0 && where[1] < at->y1 && where[2] >= at->z0 && where[2] < at->z1;
}

/* Expected on the part, and elsewhere what was there: NaN, or `before`. */
static void check_result(const struct grid *g, const size_t n[3], const void *device, const double *expected,
                         const void *before, double tolerance)
{
    const size_t count = n[0] * n[1] * n[2];
    void *got = malloc(count * g->size);
    size_t at[3];

    tested->memory->download(got, device, count * g->size);
    for (size_t e = 0; e < count; e++) {
        const double value = get(g, got, e);
        place(n, e, at);
        if (in_part(&g->at, at)) {
            if (!(fabs(value - expected[e]) <= tolerance * test_real_epsilon(g->precision)))
                fail_msg("%g for %g at %zu %zu %zu of %zu %zu %zu", value, expected[e], at[0], at[1], at[2], n[0], n[1],
                         n[2]);
        } else
            assert_true(before ? value == get(g, before, e) : isnan(value));
    }
    free(got);
}

/* ---- Residual ------------------------------------------------------------------------------------------------------
 */

static void check_sums(const struct grid *g, const double *expected, const double *device_sums)
{
    double sums[STARFISH_SUMS], sum = 0, got = 0;
    size_t at[3];

    tested->memory->download(sums, device_sums, sizeof sums);
    for (size_t s = 0; s < STARFISH_SUMS; s++)
        got += sums[s];
    for (size_t e = 0; e < g->count; e++) {
        place(g->n, e, at);
        sum += in_part(&g->at, at) ? expected[e] * expected[e] : 0;
    }
    assert_true(fabs(got - sum) <=
                (256 * test_real_epsilon(g->precision) + 1e-16 * (double)g->count) * (sum + (double)g->count));
}

static void check_residual(const struct grid *g, int with_u, int with_f, int with_result, int with_sums)
{
    const struct starfish_flux_residual a = {
        .matrix = g->matrix,
        .at = g->at,
        .u = with_u ? g->device_u : NULL,
        .f = with_f ? g->device_f : NULL,
        .result = with_result ? result_of(g) : NULL,
        .sums = with_sums ? tested->memory->upload(NULL, STARFISH_SUMS * sizeof(double)) : NULL,
        .work = work_of(g)};
    double *u = doubles(g, with_u ? g->u : NULL, g->count), *f = doubles(g, with_f ? g->f : NULL, g->count);
    double *expected = naive_residuals(g, u, f);

    tested->residual[g->precision](&a);
    if (with_result)
        check_result(g, g->n, a.result, expected, NULL, 128);
    if (with_sums)
        check_sums(g, expected, a.sums);
    free(u);
    free(f);
    free(expected);
}

static void check_residual_in_place(const struct grid *g)
{
    void *rhs = tested->memory->upload(g->f, g->count * g->size);
    const struct starfish_flux_residual a = {
        .matrix = g->matrix, .at = g->at, .u = g->device_u, .f = rhs, .result = rhs, .work = work_of(g)};
    double *u = doubles(g, g->u, g->count), *f = doubles(g, g->f, g->count), *expected = naive_residuals(g, u, f);

    tested->residual[g->precision](&a);
    check_result(g, g->n, rhs, expected, g->f, 128);
    free(u);
    free(f);
    free(expected);
}

/* ---- Smoothing --------------------------------------------------------------------------------------------------- */

/* Every unknown of the colour, or all, from the values before. */
static void relax_naively(const struct grid *g, double *v, const double *f, int colour)
{
    double *residual = naive_residuals(g, v, f);
    size_t at[3];

    for (size_t e = 0; e < g->count; e++) {
        place(g->n, e, at);
        if (colour == 2 || (at[0] + at[1] + at[2]) % 2 == (size_t)colour)
            v[e] += g->damping * residual[e] / g->entries[e * ENTRIES + DIAGONAL];
    }
    free(residual);
}

static void check_smooth(const struct grid *g, enum starfish_flux_order order, int with_u, int with_coarse)
{
    struct starfish_flux_smooth a = {.matrix = g->matrix,
                                     .at = g->at,
                                     .order = order,
                                     .damping = g->damping,
                                     .u = with_u ? g->device_u : NULL,
                                     .f = g->device_f,
                                     .coarse = with_coarse ? g->device_coarse : NULL,
                                     .v = result_of(g),
                                     .work = work_of(g)};
    double *expected = naive_corrected(g, with_u, with_coarse), *f = doubles(g, g->f, g->count);

    memcpy(a.transfer, g->transfer, sizeof a.transfer);
    tested->smooth[g->precision](&a);
    if (order == STARFISH_FLUX_AT_ONCE)
        relax_naively(g, expected, f, 2);
    else {
        relax_naively(g, expected, f, order == STARFISH_FLUX_ODD_FIRST);
        relax_naively(g, expected, f, order != STARFISH_FLUX_ODD_FIRST);
    }
    check_result(g, g->n, a.v, expected, NULL, 128);
    free(expected);
    free(f);
}

/* ---- Transfers --------------------------------------------------------------------------------------------------- */

/* A part of a grid of ny * nz rows; thirds: its middle, where it has one. */
static struct starfish_flux_part part_of(const size_t n[3], int thirds)
{
    if (!thirds)
        return (struct starfish_flux_part){0, n[1], 0, n[2]};
    return (struct starfish_flux_part){n[1] / 3, n[1] - n[1] / 4, n[2] / 3, n[2] - n[2] / 4};
}

static void check_restrict(const struct grid *fine, int thirds, int with_u)
{
    struct grid g = *fine;
    struct starfish_flux_restrict a = {.matrix = g.matrix,
                                       .at = part_of(g.coarse_n, thirds),
                                       .u = with_u ? g.device_u : NULL,
                                       .f = g.device_f,
                                       .coarse = tested->memory->upload(NULL, g.coarse_count * g.size),
                                       .work = work_of(fine)};
    double *u = doubles(&g, with_u ? g.u : NULL, g.count), *f = doubles(&g, g.f, g.count);
    double *expected = naive_residuals(&g, u, f);
    size_t n[3] = {g.n[0], g.n[1], g.n[2]};

    g.at = a.at;
    memcpy(a.transfer, g.transfer, sizeof a.transfer);
    tested->restrict_residual[g.precision](&a);
    for (int d = 0; d < 3; d++)
        expected = along(expected, n, d, g.restriction[d], g.coarse_n[d]);
    check_result(&g, g.coarse_n, a.coarse, expected, NULL, 2048);
    free(expected);
    free(u);
    free(f);
}

static void check_prolong(const struct grid *g, int with_u, int in_place)
{
    void *v = in_place ? tested->memory->upload(g->u, g->count * g->size) : result_of(g);
    struct starfish_flux_prolong a = {.at = g->at,
                                      .coarse = g->device_coarse,
                                      .u = in_place ? v
                                           : with_u ? g->device_u
                                                    : NULL,
                                      .v = v,
                                      .work = work_of(g)};
    double *expected = naive_corrected(g, with_u, 1);

    memcpy(a.transfer, g->transfer, sizeof a.transfer);
    tested->prolong[g->precision](&a);
    check_result(g, g->n, v, expected, in_place ? g->u : NULL, 32);
    free(expected);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* (T x) at `at`, T the part of the matrix along direction d. */
static double along_line(const struct grid *g, const double *x, int d, const size_t at[3])
{
    const size_t e = element(g->n, at);
    const double *entry = g->entries + e * ENTRIES;
    double sum = entry[DIAGONAL] * x[e];
    size_t to[3];

    for (int above = 0; above < 2; above++)
        if (neighbour(g, at, d, above, to))
            sum += entry[2 * d + above] * x[element(g->n, to)];
    return sum;
}

/* The step that was made, v - u over the damping, must solve the lines' equations, and be zero on lines of the other
 * colour. */
static void check_steps(const struct grid *g, const struct starfish_flux_lines *a, int in_place)
{
    const double tolerance = 512 * test_real_epsilon(g->precision);
    double *u = doubles(g, a->u ? g->u : NULL, g->count), *f = doubles(g, g->f, g->count),
           *residual = naive_residuals(g, u, f);
    void *got = malloc(g->count * g->size);
    size_t at[3];

    tested->memory->download(got, a->v, g->count * g->size);
    double *x = doubles(g, got, g->count);
    for (size_t e = 0; e < g->count; e++)
        x[e] = (x[e] - u[e]) / g->damping;
    for (size_t e = 0; e < g->count; e++) {
        place(g->n, e, at);
        const size_t colour = (at[0] + at[1] + at[2] - at[a->direction]) % 2;
        if (!in_part(&a->at, at))
            assert_true(in_place ? x[e] == 0 : isnan(x[e]));
        else if (a->which != STARFISH_FLUX_ALL_LINES && colour != (a->which == STARFISH_FLUX_ODD_LINES))
            assert_true(x[e] == 0);
        else
            assert_true(fabs(along_line(g, x, a->direction, at) - residual[e]) <= tolerance);
    }
    free(x);
    free(got);
    free(u);
    free(f);
    free(residual);
}

static void check_lines(const struct grid *g, int d, enum starfish_flux_lines_of which, int with_u, int in_place)
{
    void *v = in_place ? tested->memory->upload(g->u, g->count * g->size) : result_of(g);
    struct starfish_flux_lines a = {.matrix = g->matrix,
                                    .at = g->at,
                                    .direction = d,
                                    .which = which,
                                    .damping = g->damping,
                                    .u = in_place ? v
                                         : with_u ? g->device_u
                                                  : NULL,
                                    .f = g->device_f,
                                    .v = v};

    if (d == 1)
        a.at.y0 = 0, a.at.y1 = g->n[1];
    if (d == 2)
        a.at.z0 = 0, a.at.z1 = g->n[2];
    a.work = tested->memory->upload(NULL, tested->lines_work(&a, g->size));
    tested->lines[g->precision](&a);
    check_steps(g, &a, in_place);
}

/* Whether lines along d of one colour are never neighbours. */
static int colours_are_apart(const struct grid *g, int d)
{
    for (int e = 0; e < 3; e++)
        if (e != d && g->periodic[e] && g->n[e] % 2 != 0 && g->n[e] > 1)
            return 0;
    return 1;
}

static void check_all_lines(struct grid *g, int thirds)
{
    g->at = part_of(g->n, thirds);
    for (int d = 0; d < 3; d++) {
        if (g->decoupled[d])
            continue;
        for (int with_u = 0; with_u < 2; with_u++) {
            check_lines(g, d, STARFISH_FLUX_ALL_LINES, with_u, 0);
            check_lines(g, d, STARFISH_FLUX_EVEN_LINES, with_u, 0);
            check_lines(g, d, STARFISH_FLUX_ODD_LINES, with_u, 0);
        }
        if (!colours_are_apart(g, d))
            continue;
        check_lines(g, d, STARFISH_FLUX_EVEN_LINES, 1, 1);
        check_lines(g, d, STARFISH_FLUX_ODD_LINES, 1, 1);
    }
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static const enum starfish_flux_order orders[] = {STARFISH_FLUX_AT_ONCE, STARFISH_FLUX_EVEN_FIRST,
                                                  STARFISH_FLUX_ODD_FIRST};
enum { ORDERS = sizeof orders / sizeof orders[0] };

static void check_points(struct grid *g, int thirds)
{
    g->at = part_of(g->n, thirds);
    check_residual(g, 1, 1, 1, 0);
    check_residual(g, 1, 0, 1, 1);
    check_residual(g, 0, 1, 1, 1);
    check_residual(g, 1, 1, 0, 1);
    check_residual_in_place(g);
    for (size_t o = 0; o < ORDERS; o++)
        for (int given = 0; given < 4; given++)
            check_smooth(g, orders[o], given % 2, given / 2);
    check_restrict(g, thirds, 1);
    check_restrict(g, thirds, 0);
    check_prolong(g, 1, 0);
    check_prolong(g, 0, 0);
    check_prolong(g, 1, 1);
}

static void check_shape(const struct shape *shape, void (*check)(struct grid *g, int thirds))
{
    for (int form = 0; form < 8; form++) {
        struct grid g;
        make_grid(&g, (starfish_precision)(form % 2), form / 2 % 2, shape);
        check(&g, form / 4);
        free_grid(&g);
    }
}

static const struct shape shapes[] = {
    {{1, 1, 1}, "ooo", "---"},    {{1, 1, 1}, "ppp", "---"},    {{2, 2, 2}, "ppp", "ddd"},
    {{3, 3, 3}, "ppp", "uuu"},    {{2, 3, 4}, "opo", "dud"},    {{5, 1, 6}, "opp", "u-d"},
    {{7, 7, 7}, "ooo", "ddd"},    {{7, 7, 7}, "ooo", "uuu"},    {{8, 6, 10}, "ppp", "ddd"},
    {{9, 5, 7}, "ppp", "uuu"},    {{12, 9, 1}, "poo", "dd-"},   {{17, 1, 1}, "ooo", "d--"},
    {{1, 12, 5}, "opo", "-dd"},   {{1, 1, 33}, "oop", "--u"},   {{10, 11, 12}, "ooO", "du-"},
    {{10, 12, 11}, "oOo", "d-u"}, {{11, 10, 12}, "Ooo", "-dd"}, {{9, 8, 7}, "PpP", "-d-"},
    {{16, 8, 8}, "oPp", "--d"},   {{33, 9, 6}, "ooo", "ud-"},   {{70, 5, 4}, "pop", "ddd"},
    {{131, 11, 7}, "ooo", "ddd"}, {{64, 34, 6}, "ooo", "ddd"},  {{67, 35, 5}, "ppp", "uuu"},
    {{62, 30, 16}, "opo", "ddd"}, {{90, 15, 22}, "poo", "d-d"},
};

static void points_are_as_written_out(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        check_shape(&shapes[s], check_points);
}

static void lines_are_solved(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        check_shape(&shapes[s], check_all_lines);
}

/* Strips of a plane that is larger than what the CPU keeps in the cache. */
static void wide_planes_are_as_written_out(void **state)
{
    static const struct shape wide = {{2080, 12, 2}, "opo", "dud"};

    (void)state;
    check_shape(&wide, check_points);
    check_shape(&wide, check_all_lines);
}

static void large_sizes_too(void **state)
{
    static const struct shape large[] = {{{129, 100, 65}, "ooo", "ddd"}, {{96, 65, 130}, "pop", "dud"}};

    (void)state;
    for (size_t s = 0; s < sizeof large / sizeof large[0]; s++) {
        check_shape(&large[s], check_points);
        check_shape(&large[s], check_all_lines);
    }
}

int test_flux_kernels(const struct test_flux_device *device, int large_sizes)
{
    const struct CMUnitTest table[] = {
        cmocka_unit_test(points_are_as_written_out),
        cmocka_unit_test(lines_are_solved),
        cmocka_unit_test(wide_planes_are_as_written_out),
    };
    const struct CMUnitTest large[] = {cmocka_unit_test(large_sizes_too)};

    tested = device;
    const int failed = cmocka_run_group_tests_name("table", table, NULL, NULL);
    return failed + (large_sizes ? cmocka_run_group_tests_name("large sizes", large, NULL, NULL) : 0);
}
