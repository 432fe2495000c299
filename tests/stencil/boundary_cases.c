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
static void check_boundary(const struct test_stencil_device *device, const struct test_slab *slab,
                           starfish_precision precision, int faces, int arrays, int in_place)
{
    const struct test_memory *memory = device->memory;
    const size_t real = starfish_real_size(precision), *n = slab->n, plane = n[0] * n[1], count = plane * slab->count;
    unsigned seed = 5;
    void *rhs = test_reals(precision, count, &seed), *got = malloc(count * real), *face[3][2];
    struct starfish_boundary_rhs a = {.n = {n[0], n[1], slab->count}, .first_plane = slab->first, .planes = n[2]};
    for (int f = 0; f < 6; f++) {
        const int axis = f / 2, end = f % 2;
        const size_t values = n[0] * n[1] * n[2] / n[axis];
        face[axis][end] = test_reals(precision, values, &seed);
        a.weight[axis][end] = faces >> f & 1 ? 2 * test_real_random(&seed) : 0;
        a.constant[axis][end] = test_real_random(&seed);
        if (faces >> f & arrays >> f & 1)
            a.face[axis][end] = memory->upload(face[axis][end], values * real);
    }
    a.rhs = memory->upload(rhs, count * real);
    a.result = in_place ? (void *)(uintptr_t)a.rhs : memory->upload(NULL, count * real);
    device->boundary_rhs(precision, &a);
    memory->download(got, a.result, count * real);
    for (size_t e = 0; e < count; e++) {
        const size_t at[3] = {e % n[0], e / n[0] % n[1], slab->first + e / plane};
        double expected = test_real_get(rhs, precision, e);
        for (int axis = 0; axis < 3; axis++)
            for (int end = 0; end < 2; end++) {
                const size_t low = at[axis == 0], high = at[axis == 2 ? 1 : 2], stride = n[axis == 0];
                const double datum = a.face[axis][end] ? test_real_get(face[axis][end], precision, low + stride * high)
                                                       : a.constant[axis][end];
                if (at[axis] == (end ? n[axis] - 1 : 0))
                    expected -= a.weight[axis][end] * datum;
            }
        if (!(fabs(test_real_get(got, precision, e) - expected) <= 32 * test_real_epsilon(precision)))
            fail_msg("%s f%d %zux%zux%zu planes %zu+%zu faces %#x arrays %#x: (%zu,%zu,%zu) is %.17g, not %.17g",
                     memory->name, precision == STARFISH_F32 ? 32 : 64, n[0], n[1], n[2], slab->first, slab->count,
                     (unsigned)faces, (unsigned)arrays, at[0], at[1], at[2], test_real_get(got, precision, e),
                     expected);
    }
    memory->release();
    for (int f = 0; f < 6; f++)
        free(face[f / 2][f % 2]);
    free(rhs);
    free(got);
}

void test_boundary_slab(const struct test_stencil_device *device, const struct test_slab *slab)
{
    static const int faces[] = {0, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x3f};
    static const int arrays[] = {0, 0x3f, 0x15, 0x2a};
    for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++)
        for (int f = 0; f < 8; f++)
            for (int a = 0; a < 4; a++)
                check_boundary(device, slab, (starfish_precision)precision, faces[f], arrays[a], (f + a) % 2);
}

void test_boundary_table(const struct test_stencil_device *device)
{
    for (int s = 0; s < TEST_SLABS; s++)
        test_boundary_slab(device, &test_slabs[s]);
}
