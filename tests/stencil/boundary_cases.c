/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boundary data moved to the right-hand side, against a loop that subtracts the data of its faces from every
 * unknown. */
#include "tests/stencil/stencil_cases.h"

#include "tests/common/reals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

/* Bits of `faces` say which faces have data, of `arrays` which of them as an array. */
struct variant {
    starfish_precision precision;
    int faces, arrays, in_place, factors;
};

/* Data and factors as they are on the host. */
struct host_data {
    void *rhs, *face[3][2];
    double *weight_x, *scale_y;
};

/* Element i, j of the plane k that is counted through all problems. */
static double expected_element(const struct starfish_boundary_rhs *a, const struct host_data *host,
                               starfish_precision precision, double rhs, const size_t at[3])
{
    const size_t nx = a->n[0], ny = a->n[1], problem = at[2] / a->planes;
    const size_t row[3] = {at[0], at[1], at[2] % a->planes}, n[3] = {nx, ny, a->planes};
    const size_t datum[3] = {at[1] + ny * at[2], at[0] + nx * at[2], at[0] + nx * (at[1] + ny * problem)};
    const double scale = host->scale_y ? host->scale_y[at[1]] : 1;
    double expected = rhs;
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++) {
            const double factor = axis == 0 && host->weight_x ? host->weight_x[row[2]] : 1;
            if (row[axis] == (end ? n[axis] - 1 : 0))
                expected -= factor / scale * a->weight[axis][end] *
                            (a->face[axis][end] ? test_real_get(host->face[axis][end], precision, datum[axis])
                                                : a->constant[axis][end]);
        }
    return expected;
}

static void check_boundary(const struct test_stencil_device *device, const struct test_slab *slab,
                           const struct variant *v)
{
    const struct test_memory *memory = device->memory;
    const starfish_precision precision = v->precision;
    const size_t real = starfish_real_size(precision), *n = slab->n, plane = n[0] * n[1], count = plane * slab->count;
    const size_t problems = (slab->first + slab->count + n[2] - 1) / n[2];
    unsigned seed = 5;
    struct host_data host = {.rhs = test_reals(precision, count, &seed)};
    void *got = malloc(count * real);
    struct starfish_boundary_rhs a = {.n = {n[0], n[1], slab->count}, .first_plane = slab->first, .planes = n[2]};
    for (int f = 0; f < 6; f++) {
        const int axis = f / 2, end = f % 2;
        const size_t values = plane * n[2] / n[axis] * problems;
        host.face[axis][end] = test_reals(precision, values, &seed);
        a.weight[axis][end] = v->faces >> f & 1 ? 2 * test_real_random(&seed) : 0;
        a.constant[axis][end] = test_real_random(&seed);
        if (v->faces >> f & v->arrays >> f & 1)
            a.face[axis][end] = memory->upload(host.face[axis][end], values * real);
    }
    host.weight_x = v->factors & TEST_WEIGHT_X ? test_factors(n[2], &seed) : NULL;
    host.scale_y = v->factors & TEST_SCALE_Y ? test_factors(n[1], &seed) : NULL;
    a.weight_x = host.weight_x ? memory->upload(host.weight_x, n[2] * sizeof(double)) : NULL;
    a.scale_y = host.scale_y ? memory->upload(host.scale_y, n[1] * sizeof(double)) : NULL;
    a.rhs = memory->upload(host.rhs, count * real);
    a.result = v->in_place ? (void *)(uintptr_t)a.rhs : memory->upload(NULL, count * real);
    device->boundary_rhs(precision, &a);
    memory->download(got, a.result, count * real);
    for (size_t e = 0; e < count; e++) {
        const size_t at[3] = {e % n[0], e / n[0] % n[1], slab->first + e / plane};
        const double expected = expected_element(&a, &host, precision, test_real_get(host.rhs, precision, e), at);
        if (!(fabs(test_real_get(got, precision, e) - expected) <= 32 * test_real_epsilon(precision)))
            fail_msg("%s f%d %zux%zux%zu planes %zu+%zu faces %#x arrays %#x factors %d: (%zu,%zu,%zu) is %.17g, not "
                     "%.17g",
                     memory->name, precision == STARFISH_F32 ? 32 : 64, n[0], n[1], n[2], slab->first, slab->count,
                     (unsigned)v->faces, (unsigned)v->arrays, v->factors, at[0], at[1], at[2],
                     test_real_get(got, precision, e), expected);
    }
    memory->release();
    for (int f = 0; f < 6; f++)
        free(host.face[f / 2][f % 2]);
    free(host.weight_x), free(host.scale_y), free(host.rhs);
    free(got);
}

void test_boundary_slab(const struct test_stencil_device *device, const struct test_slab *slab)
{
    static const int faces[] = {0, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x3f};
    static const int arrays[] = {0, 0x3f, 0x15, 0x2a};
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++)
        for (int f = 0; f < 8; f++)
            for (int a = 0; a < 4; a++)
                for (int with_factors = 0; with_factors < 2; with_factors++) {
                    const struct variant v = {(starfish_precision)precision, faces[f], arrays[a], (f + a) % 2,
                                              with_factors ? 1 + (f + 2 * a) % TEST_BOTH_FACTORS : 0};
                    check_boundary(device, slab, &v);
                }
}

void test_boundary_table(const struct test_stencil_device *device)
{
    /* Planes of several problems, from the first of one on. */
    static const struct test_slab many[] = {{{5, 3, 4}, 0, 12}, {{1, 2, 3}, 3, 6}, {{2, 4, 1}, 2, 7}};
    for (int s = 0; s < TEST_SLABS; s++)
        test_boundary_slab(device, &test_slabs[s]);
    for (size_t s = 0; s < sizeof many / sizeof many[0]; s++)
        test_boundary_slab(device, &many[s]);
}
