/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the kernels on volumes, compared with their naive references. Arrays lie between guard zones, and results
 * are NaN before. */
#include "tests/multigrid/weigh_cases.h"

#include "multigrid/kernels/flux_ref.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct test_weigh_device *tested;

struct grid {
    starfish_precision precision;
    size_t count;
    double *weight[3], *v;               /* of the host, in f64 for the naive reference */
    struct starfish_volumes host_at, at; /* of the host and of the device */
    const void *device_v;
};

/* Random numbers of the precision, as doubles, and the device's copy of them. */
static double *numbers(starfish_precision precision, size_t count, unsigned *seed, const void **device)
{
    void *reals = test_reals(precision, count, seed);
    double *values = test_doubles(precision, reals, count);

    *device = tested->memory->upload(reals, count * starfish_real_size(precision));
    free(reals);
    return values;
}

static void make_grid(struct grid *g, starfish_precision precision, const size_t n[3], size_t z0, size_t z1)
{
    unsigned seed = (unsigned)(n[0] + 7 * n[1]);

    *g = (struct grid){.precision = precision, .count = n[0] * n[1] * n[2], .at = {.z0 = z0, .z1 = z1}};
    for (int d = 0; d < 3; d++) {
        g->at.n[d] = n[d];
        g->weight[d] = numbers(precision, n[d], &seed, &g->at.weight[d]);
    }
    g->host_at = g->at;
    for (int d = 0; d < 3; d++)
        g->host_at.weight[d] = g->weight[d];
    g->v = numbers(precision, g->count, &seed, &g->device_v);
}

static void free_grid(struct grid *g)
{
    tested->memory->release();
    for (int d = 0; d < 3; d++)
        free(g->weight[d]);
    free(g->v);
}

static int inside(const struct grid *g, size_t e)
{
    const size_t k = e / g->at.n[0] / g->at.n[1];

    return k >= g->at.z0 && k < g->at.z1;
}

static void check_weigh(struct grid *g, int weighs_values, int weighs_offset, int in_place)
{
    const size_t size = starfish_real_size(g->precision), bytes = g->count * size;
    void *result = tested->memory->upload(NULL, bytes), *host = malloc(bytes);
    double *expected = malloc(g->count * sizeof *expected);
    struct starfish_weigh weigh = {.at = g->at,
                                   .weighs_values = weighs_values,
                                   .weighs_offset = weighs_offset,
                                   .scale = -1.5,
                                   .offset = 0.75,
                                   .v = g->device_v,
                                   .result = result};

    if (in_place) {
        tested->memory->download(host, g->device_v, bytes);
        weigh.v = weigh.result = result = tested->memory->upload(host, bytes);
    }
    tested->weigh[g->precision](&weigh);
    tested->memory->download(host, result, bytes);
    weigh.at = g->host_at;
    weigh.v = g->v;
    weigh.result = expected;
    starfish_weigh_ref(&weigh);
    for (size_t e = 0; e < g->count; e++) {
        const double is = test_real_get(host, g->precision, e);
        if (inside(g, e))
            assert_true(fabs(is - expected[e]) <= 8 * test_real_epsilon(g->precision));
        else
            assert_true(in_place ? is == g->v[e] : isnan(is));
    }
    free(host);
    free(expected);
}

static void check_sum(struct grid *g, int weighs_values)
{
    static double host[STARFISH_SUMS];
    double *sums = tested->memory->upload(NULL, sizeof host), sum = 0;
    struct starfish_volume_sum arguments = {
        .at = g->at, .weighs_values = weighs_values, .v = g->device_v, .sums = sums};

    tested->sum[g->precision](&arguments);
    tested->memory->download(host, sums, sizeof host);
    for (size_t s = 0; s < STARFISH_SUMS; s++)
        sum += host[s];
    arguments.at = g->host_at;
    arguments.v = g->v;
    const double wanted = starfish_volume_sum_ref(&arguments);
    assert_true(fabs(sum - wanted) <= 4 * test_real_epsilon(g->precision) * (double)g->count);
}

static void volumes_are_those_of_the_definition(void **state)
{
    (void)state;
    static const size_t sizes[][5] = {
        {1, 1, 1, 0, 1}, {7, 5, 6, 0, 6}, {33, 4, 9, 2, 7}, {300, 3, 2, 1, 1}, {5, 70, 60, 3, 60}};
    for (int p = 0; p < 2; p++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            struct grid g;
            make_grid(&g, (starfish_precision)p, sizes[s], sizes[s][3], sizes[s][4]);
            for (int way = 0; way < 8; way++)
                check_weigh(&g, way & 1, way >> 1 & 1, way >> 2);
            check_sum(&g, 0);
            check_sum(&g, 1);
            free_grid(&g);
        }
}

int test_weigh_kernels(const struct test_weigh_device *device)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(volumes_are_those_of_the_definition)};

    tested = device;
    return cmocka_run_group_tests_name(device->memory->name, tests, NULL, NULL);
}
