/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids of the tests of the kernels on seven-point matrices, and the comparison of results. */
#include "tests/multigrid/flux_grid.h"

#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t real_size(const struct test_flux_grid *g)
{
    return starfish_real_size(g->precision);
}

/* Random numbers of the grid's precision, `middle` + (-1, 1) * `spread`. */
static double *numbers(const struct test_flux_grid *g, size_t count, double middle, double spread, unsigned *seed)
{
    double *array = test_reals(STARFISH_F64, count, seed);

    for (size_t e = 0; e < count; e++) {
        array[e] = middle + spread * array[e];
        if (g->precision == STARFISH_F32)
            array[e] = (double)(float)array[e];
    }
    return array;
}

/* In (1/4, 5/4). */
static double *positive(const struct test_flux_grid *g, size_t count, unsigned *seed)
{
    return numbers(g, count, 0.75, 0.5, seed);
}

void *test_flux_upload(const struct test_flux_grid *g, const double *values, size_t count)
{
    void *rounded = malloc((count > 0 ? count : 1) * sizeof(double));

    for (size_t e = 0; e < count; e++)
        test_real_put(rounded, g->precision, e, values[e]);
    void *device = g->device->memory->upload(rounded, count * real_size(g));
    free(rounded);
    return device;
}

double *test_flux_download(const struct test_flux_grid *g, const void *device, size_t count)
{
    void *got = malloc(count * sizeof(double));

    g->device->memory->download(got, device, count * real_size(g));
    double *values = test_doubles(g->precision, got, count);
    free(got);
    return values;
}

double *test_flux_copy(const double *values, size_t count)
{
    double *copy = calloc(count, sizeof *copy);

    if (values)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

void *test_flux_result(const struct test_flux_grid *g)
{
    return g->device->memory->upload(NULL, g->count * real_size(g));
}

void *test_flux_work(const struct test_flux_grid *g)
{
    return g->device->memory->upload(NULL, starfish_flux_work(g->n[0]) * real_size(g));
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

static void make_tensor(struct test_flux_grid *g, struct starfish_flux_matrix *host, unsigned *seed)
{
    g->matrix.lambda = host->lambda = 0.125;
    for (int d = 0; d < 3; d++) {
        const size_t n = g->n[d];
        double *coupling = positive(g, n + 1, seed), *extra = positive(g, n, seed), *weight = positive(g, n, seed);
        coupling[0] = coupling[n] = host->axis[d].periodic && n > 1 ? coupling[0] : 0;
        host->axis[d].coupling = coupling;
        host->axis[d].extra = extra;
        host->axis[d].weight = weight;
        g->matrix.axis[d].coupling = test_flux_upload(g, coupling, n + 1);
        g->matrix.axis[d].extra = test_flux_upload(g, extra, n);
        g->matrix.axis[d].weight = test_flux_upload(g, weight, n);
    }
}

static void make_stored(struct test_flux_grid *g, struct starfish_flux_matrix *host, unsigned *seed)
{
    const size_t before[3] = {1, g->n[0], g->n[0] * g->n[1]};
    const int has_rest = g->n[0] < 60 || g->n[0] % 2 == 0; /* small ones may be singular */
    double *rest = has_rest ? positive(g, g->count, seed) : NULL;

    host->rest = rest;
    g->matrix.rest = has_rest ? test_flux_upload(g, rest, g->count) : NULL;
    for (int d = 0; d < 3; d++) {
        if (d > 0 && g->n[d] == 1)
            continue;
        double *face = positive(g, g->count, seed);
        for (size_t e = 0; e < g->count && (!host->axis[d].periodic || g->n[d] == 1); e++)
            if (e / before[d] % g->n[d] == 0)
                face[e] = 0;
        host->face[d] = face;
        g->matrix.face[d] = test_flux_upload(g, face, g->count);
    }
}

static void make_matrix(struct test_flux_grid *g, unsigned *seed)
{
    struct starfish_flux_matrix host = g->matrix;

    (g->stored ? make_stored : make_tensor)(g, &host, seed);
    assert_int_equal(starfish_flux_ref_create(&g->ref, &host), 0);
    for (int d = 0; d < 3; d++) {
        free((void *)(uintptr_t)host.axis[d].coupling);
        free((void *)(uintptr_t)host.axis[d].extra);
        free((void *)(uintptr_t)host.axis[d].weight);
        free((void *)(uintptr_t)host.face[d]);
    }
    free((void *)(uintptr_t)host.rest);
}

/* ---- Transfers --------------------------------------------------------------------------------------------------- */

/* Where a weight leads out of an open grid of n unknowns it must be 0. */
static double inner(double weight, long index, size_t n, int periodic)
{
    return periodic || (index >= 0 && index < (long)n) ? weight : 0;
}

static void make_transfer(struct test_flux_grid *g, int d, int pairs, unsigned *seed)
{
    const size_t fine = g->n[d], coarse = g->coarse_n[d];
    const int periodic = g->matrix.axis[d].periodic;
    struct starfish_flux_transfer *t = &g->transfer[d], *host = &g->host_transfer[d];

    *t = *host = (struct starfish_flux_transfer){.fine = fine, .coarse = coarse, .periodic = periodic};
    if (fine == coarse)
        return;
    double *lower = numbers(g, fine, 0, 1, seed), *upper = numbers(g, fine, 0, 1, seed);
    for (size_t i = 0; i < fine && pairs; i++) {
        lower[i] = i % 2;
        upper[i] = i % 2 == 0;
    }
    for (size_t i = 0; i < fine && !pairs; i++) {
        const long I = i == 0 ? -1 : ((long)i - 1) / 2;
        lower[i] = inner(lower[i], I, coarse, periodic);
        upper[i] = inner(upper[i], I + 1, coarse, periodic);
    }
    host->lower = lower;
    host->upper = upper;
    t->lower = test_flux_upload(g, lower, fine);
    t->upper = test_flux_upload(g, upper, fine);
    t->pairs = pairs;
    for (int tap = 0; tap < 4; tap++) {
        double *gather = pairs ? numbers(g, coarse, tap == 1 || tap == 2, 0, seed) : numbers(g, coarse, 0, 1, seed);
        for (size_t I = 0; I < coarse; I++)
            gather[I] = inner(gather[I], 2 * (long)I - 1 + tap, fine, periodic && !pairs);
        host->gather[tap] = gather;
        t->gather[tap] = test_flux_upload(g, gather, coarse);
    }
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

static void make_grid(struct test_flux_grid *g, const struct test_flux_shape *shape)
{
    unsigned seed = (unsigned)(shape->n[0] * 31 + shape->n[1] * 7 + shape->n[2]);

    g->count = g->coarse_count = 1;
    g->damping = 0.75;
    for (int d = 0; d < 3; d++) {
        const char end = shape->ends[d];
        g->n[d] = shape->n[d];
        g->coarse_n[d] = shape->coarsened[d] == '-' ? g->n[d] : (g->n[d] + (shape->coarsened[d] != 'd')) / 2;
        g->count *= g->n[d];
        g->coarse_count *= g->coarse_n[d];
        g->matrix.axis[d] = (struct starfish_flux_axis){
            .n = g->n[d], .periodic = end == 'p' || end == 'P', .decoupled = end == 'O' || end == 'P'};
        make_transfer(g, d, shape->coarsened[d] == 'b', &seed);
    }
    make_matrix(g, &seed);
    g->u = numbers(g, g->count, 0, 1, &seed);
    g->f = numbers(g, g->count, 0, 1, &seed);
    g->coarse = numbers(g, g->coarse_count, 0, 1, &seed);
    g->device_u = test_flux_upload(g, g->u, g->count);
    g->device_f = test_flux_upload(g, g->f, g->count);
    g->device_coarse = test_flux_upload(g, g->coarse, g->coarse_count);
}

static void free_grid(struct test_flux_grid *g)
{
    g->device->memory->release();
    starfish_flux_ref_destroy(&g->ref);
    for (int d = 0; d < 3; d++) {
        free((void *)(uintptr_t)g->host_transfer[d].lower);
        free((void *)(uintptr_t)g->host_transfer[d].upper);
        for (int tap = 0; tap < 4; tap++)
            free((void *)(uintptr_t)g->host_transfer[d].gather[tap]);
    }
    free(g->u);
    free(g->f);
    free(g->coarse);
}

void test_flux_shape(const struct test_flux_device *device, const struct test_flux_shape *shape,
                     void (*check)(struct test_flux_grid *grid, int thirds))
{
    for (int form = 0; form < 8; form++) {
        struct test_flux_grid g = {
            .device = device, .precision = (starfish_precision)(form % 2), .stored = form / 2 % 2};
        make_grid(&g, shape);
        check(&g, form / 4);
        free_grid(&g);
    }
}

struct starfish_flux_part test_flux_part(const size_t n[3], int thirds)
{
    if (!thirds)
        return (struct starfish_flux_part){0, n[1], 0, n[2]};
    return (struct starfish_flux_part){n[1] / 3, n[1] - n[1] / 4, n[2] / 3, n[2] - n[2] / 4};
}

int test_flux_in_part(const struct starfish_flux_part *at, const size_t n[3], size_t e)
{
    const size_t j = e / n[0] % n[1], k = e / n[0] / n[1];

    return j >= at->y0 && j < at->y1 && k >= at->z0 && k < at->z1;
}

void test_flux_compare(const struct test_flux_grid *g, const size_t n[3], const void *device, const double *expected,
                       const double *before, double tolerance)
{
    const size_t count = n[0] * n[1] * n[2];
    double *got = test_flux_download(g, device, count);

    for (size_t e = 0; e < count; e++) {
        if (test_flux_in_part(&g->at, n, e)) {
            if (!(fabs(got[e] - expected[e]) <= tolerance * test_real_epsilon(g->precision)))
                fail_msg("%g for %g at element %zu of %zu %zu %zu", got[e], expected[e], e, n[0], n[1], n[2]);
        } else
            assert_true(before ? got[e] == before[e] : isnan(got[e]));
    }
    free(got);
}
