/* Cases of the kernels on volumes. Arrays lie between guard zones, and results are NaN before. */
#include "tests/multigrid/weigh_cases.h"

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
    void *weight[3], *v;
    struct starfish_volumes at;
    const void *device_v;
};

static void make_grid(struct grid *g, starfish_precision precision, const size_t n[3], size_t z0, size_t z1)
{
    unsigned seed = (unsigned)(n[0] + 7 * n[1]);

    *g = (struct grid){.precision = precision, .count = n[0] * n[1] * n[2], .at = {.z0 = z0, .z1 = z1}};
    for (int d = 0; d < 3; d++) {
        g->at.n[d] = n[d];
        g->weight[d] = test_reals(precision, n[d], &seed);
        g->at.weight[d] = tested->memory->upload(g->weight[d], n[d] * starfish_real_size(precision));
    }
    g->v = test_reals(precision, g->count, &seed);
    g->device_v = tested->memory->upload(g->v, g->count * starfish_real_size(precision));
}

static void free_grid(struct grid *g)
{
    tested->memory->release();
    for (int d = 0; d < 3; d++)
        free(g->weight[d]);
    free(g->v);
}

static double volume(const struct grid *g, size_t e)
{
    const size_t i = e % g->at.n[0], j = e / g->at.n[0] % g->at.n[1], k = e / g->at.n[0] / g->at.n[1];

    return test_real_get(g->weight[0], g->precision, i) * test_real_get(g->weight[1], g->precision, j) *
           test_real_get(g->weight[2], g->precision, k);
}

static int inside(const struct grid *g, size_t e)
{
    const size_t k = e / g->at.n[0] / g->at.n[1];

    return k >= g->at.z0 && k < g->at.z1;
}

static void check_weigh(struct grid *g, int weighs_values, int weighs_offset, int in_place)
{
    const size_t bytes = g->count * starfish_real_size(g->precision);
    void *result = tested->memory->upload(in_place ? g->v : NULL, bytes), *host = malloc(bytes);
    const struct starfish_weigh weigh = {.at = g->at,
                                         .weighs_values = weighs_values,
                                         .weighs_offset = weighs_offset,
                                         .scale = -1.5,
                                         .offset = 0.75,
                                         .v = in_place ? result : g->device_v,
                                         .result = result};

    tested->weigh[g->precision](&weigh);
    tested->memory->download(host, result, bytes);
    for (size_t e = 0; e < g->count; e++) {
        const double v = test_real_get(g->v, g->precision, e), is = test_real_get(host, g->precision, e);
        const double wanted = -1.5 * v * (weighs_values ? volume(g, e) : 1) + 0.75 * (weighs_offset ? volume(g, e) : 1);
        if (inside(g, e))
            assert_true(fabs(is - wanted) <= 8 * test_real_epsilon(g->precision));
        else
            assert_true(in_place ? is == v : isnan(is));
    }
    free(host);
}

static void check_sum(struct grid *g, int weighs_values)
{
    static double host[STARFISH_SUMS];
    double *sums = tested->memory->upload(NULL, sizeof host), sum = 0, wanted = 0;
    const struct starfish_volume_sum arguments = {
        .at = g->at, .weighs_values = weighs_values, .v = g->device_v, .sums = sums};

    tested->sum[g->precision](&arguments);
    tested->memory->download(host, sums, sizeof host);
    for (size_t s = 0; s < STARFISH_SUMS; s++)
        sum += host[s];
    for (size_t e = 0; e < g->count; e++)
        if (inside(g, e))
            wanted += test_real_get(g->v, g->precision, e) * (weighs_values ? volume(g, e) : 1);
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
