/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The algebra of vectors on rectangles of a grid: updates, copies, inner products and changes of precision. Arrays lie
 * between guard zones, and results are NaN before. */
#include "tests/krylov/vector_cases.h"

#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct test_vector_device *tested;

struct grid {
    starfish_precision precision;
    size_t nx, ny, count;
    struct starfish_rectangle at;
    void *u, *f;
    const void *device_u, *device_f;
};

static void make_grid(struct grid *g, starfish_precision precision, size_t nx, size_t ny, struct starfish_rectangle at)
{
    const size_t bytes = nx * ny * starfish_real_size(precision);
    unsigned seed = (unsigned)(nx * 31 + ny);

    *g = (struct grid){.precision = precision, .nx = nx, .ny = ny, .count = nx * ny, .at = at};
    g->u = test_reals(precision, g->count, &seed);
    g->f = test_reals(precision, g->count, &seed);
    g->device_u = tested->memory->upload(g->u, bytes);
    g->device_f = tested->memory->upload(g->f, bytes);
}

static void free_grid(struct grid *g)
{
    tested->memory->release();
    free(g->u);
    free(g->f);
}

static void *fetch(const void *device, size_t count, size_t size)
{
    void *host = malloc(count > 0 ? count * size : 1);

    tested->memory->download(host, device, count * size);
    return host;
}

static int in_rectangle(const struct grid *g, size_t e)
{
    const size_t i = e % g->nx, j = e / g->nx;

    return i >= g->at.x0 && i < g->at.x1 && j >= g->at.y0 && j < g->at.y1;
}

/* f stands for the correction, of which the rectangle is taken from the start. */
static void check_update(const struct grid *g, int with_u, int in_place)
{
    const size_t size = starfish_real_size(g->precision);
    void *v = tested->memory->upload(in_place ? g->u : NULL, g->count * size);
    const struct starfish_vector_update a = {g->nx,       g->at, 0.7, in_place ? v : with_u ? g->device_u : NULL,
                                             g->device_f, g->nx, v,   NULL};

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
                                             g->nx, v,     NULL};

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
    const struct starfish_vector_product a = {.nx = g->nx,
                                              .at = g->at,
                                              .u = g->device_u,
                                              .v = g->device_f,
                                              .sums = tested->memory->upload(NULL, STARFISH_SUMS * sizeof(double))};
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
    const struct starfish_vector_widen widen = {nx, at, 0.125, zero, device_low, device_high, NULL};
    const struct starfish_vector_narrow narrow = {nx, at, 4096, device_high, device_low, NULL};

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

static void check_vectors(starfish_precision precision, size_t nx, size_t ny, struct starfish_rectangle at)
{
    struct grid g;

    make_grid(&g, precision, nx, ny, at);
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

static const struct {
    size_t nx, ny;
    struct starfish_rectangle at;
} rectangles[] = {{1, 1, {0, 1, 0, 1}},       {1, 7, {0, 1, 0, 7}},        {7, 1, {0, 7, 0, 1}},
                  {2, 2, {0, 2, 0, 2}},       {3, 5, {0, 3, 0, 5}},        {33, 31, {0, 33, 0, 31}},
                  {33, 31, {5, 17, 3, 4}},    {33, 31, {0, 1, 0, 31}},     {33, 31, {32, 33, 30, 31}},
                  {33, 31, {4, 33, 0, 30}},   {129, 65, {0, 129, 0, 65}},  {67, 130, {1, 66, 1, 129}},
                  {1030, 3, {0, 1030, 0, 3}}, {5, 601, {0, 5, 0, 601}},    {31, 1, {0, 31, 0, 1}},
                  {257, 1, {0, 257, 0, 1}},   {70001, 1, {0, 70001, 0, 1}}};

static void vectors_are_as_written_out(void **state)
{
    (void)state;
    for (size_t r = 0; r < 2 * sizeof rectangles / sizeof rectangles[0]; r++)
        check_vectors((starfish_precision)(r % 2), rectangles[r / 2].nx, rectangles[r / 2].ny, rectangles[r / 2].at);
}

static void large_vectors_are_as_written_out(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        check_vectors((starfish_precision)precision, 1537, 1021, (struct starfish_rectangle){0, 1537, 0, 1021});
        check_vectors((starfish_precision)precision, 200003, 5, (struct starfish_rectangle){1, 200003, 0, 5});
    }
}

int test_vector_kernels(const struct test_vector_device *device, int large_sizes)
{
    const struct CMUnitTest table[] = {cmocka_unit_test(vectors_are_as_written_out)};
    const struct CMUnitTest large[] = {cmocka_unit_test(large_vectors_are_as_written_out)};

    tested = device;
    const int failed = cmocka_run_group_tests_name("vectors", table, NULL, NULL);
    return failed + (large_sizes ? cmocka_run_group_tests_name("large vectors", large, NULL, NULL) : 0);
}
