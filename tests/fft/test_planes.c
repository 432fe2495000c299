/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x and y of whole planes on the CPU against the definition, line by line. */
#include "cases.h"
#include "fft/kernels/planes.h"
#include "tests/fft/strided.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { PLANES = 3, MOST = 16 };
static const double scale = 0.75;

/* One direction of all planes, in place: `stride` is that of the transformed direction. */
static void transform_lines(enum starfish_transform_kind kind, enum starfish_transform_direction direction, size_t n,
                            size_t stride, size_t count, long double *data)
{
    for (size_t line = 0; line < count / n; line++) {
        long double in[MOST], out[MOST], *first = data + line % stride + line / stride * stride * n;
        for (size_t i = 0; i < n; i++)
            in[i] = first[i * stride];
        starfish_transform_ref(kind, direction, n, in, out);
        for (size_t i = 0; i < n; i++)
            first[i * stride] = out[i];
    }
}

static void expect(const enum starfish_transform_kind kind[2], const size_t n[2],
                   enum starfish_transform_direction direction, const void *in, starfish_precision precision,
                   double *expected)
{
    const size_t count = n[0] * n[1] * PLANES;
    long double *data = malloc(count * sizeof *data);
    for (size_t i = 0; i < count; i++)
        data[i] = (long double)real_at(in, i, precision);
    transform_lines(kind[0], direction, n[0], 1, count, data);
    transform_lines(kind[1], direction, n[1], n[0], count, data);
    for (size_t i = 0; i < count; i++)
        expected[i] = (double)(data[i] * (long double)scale);
    free(data);
}

static void check(enum starfish_transform_kind kx, size_t nx, enum starfish_transform_kind ky, size_t ny,
                  enum starfish_transform_direction direction, bool in_place, starfish_precision precision)
{
    struct starfish_transform_cpu *x, *y;
    assert_int_equal(starfish_transform_cpu_create(&x, kx, nx, precision), STARFISH_SUCCESS);
    assert_int_equal(starfish_transform_cpu_create(&y, ky, ny, precision), STARFISH_SUCCESS);
    const size_t count = nx * ny * PLANES, bytes = count * starfish_real_size(precision);
    unsigned char *in = malloc(3 * bytes), *copy = in + bytes, *out = in_place ? in : in + 2 * bytes;
    double *expected = malloc(2 * count * sizeof *expected), *got = expected + count;
    void *workspace = malloc(starfish_transform_planes_cpu_workspace(x, y));
    fill_samples(in, count, precision);
    memcpy(copy, in, bytes);
    if (!in_place)
        poison(out, count, precision);
    expect((const enum starfish_transform_kind[]){kx, ky}, (const size_t[]){nx, ny}, direction, in, precision,
           expected);

    const struct starfish_transform_planes planes = {PLANES, in, out, scale, workspace, {0}};
    starfish_transform_planes_cpu(x, y, direction, &planes);

    for (size_t i = 0; i < count; i++)
        got[i] = real_at(out, i, precision);
    double error = relative_error(got, expected, count);
    if (error > 2 * transform_tolerance(nx > ny ? nx : ny, precision))
        fail_msg("%s %zu, %s %zu: error %g", starfish_transform_name(kx), nx, starfish_transform_name(ky), ny, error);
    if (!in_place)
        assert_memory_equal(in, copy, bytes);
    free(workspace);
    free(expected);
    free(in);
    starfish_transform_cpu_destroy(x);
    starfish_transform_cpu_destroy(y);
}

static void planes_match_the_definition(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{1, 1}, {1, 5}, {6, 1}, {8, 7}, {5, 16}};
    for (enum starfish_transform_kind x = 0; x < STARFISH_TRANSFORM_KINDS; x++)
        for (enum starfish_transform_kind y = 0; y < STARFISH_TRANSFORM_KINDS; y++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                for (int variant = 0; valid_size(x, sizes[i][0]) && valid_size(y, sizes[i][1]) && variant < 8;
                     variant++)
                    check(x, sizes[i][0], y, sizes[i][1], (enum starfish_transform_direction)(variant & 1),
                          (variant & 2) != 0, (starfish_precision)(variant >> 2));
}

/* Against the packed values, as precise. */
static void check_strided(enum starfish_transform_kind kx, enum starfish_transform_kind ky, const size_t n[2],
                          enum starfish_transform_direction direction, enum strided_layout layout,
                          starfish_precision precision)
{
    const bool forward = direction == STARFISH_FORWARD;
    const struct starfish_strides strides = strided_of(layout, n[0], n[1], PLANES);
    const size_t rows = n[1] * PLANES, count = n[0] * rows, bytes = count * starfish_real_size(precision);
    struct starfish_transform_cpu *x, *y;
    assert_int_equal(starfish_transform_cpu_create(&x, kx, n[0], precision), STARFISH_SUCCESS);
    assert_int_equal(starfish_transform_cpu_create(&y, ky, n[1], precision), STARFISH_SUCCESS);
    unsigned char *in = malloc(2 * bytes), *packed = in + bytes;
    double *expected = malloc(2 * count * sizeof *expected), *got = expected + count;
    void *workspace = malloc(starfish_transform_planes_cpu_workspace(x, y));
    fill_samples(in, count, precision);
    expect((const enum starfish_transform_kind[]){kx, ky}, n, direction, in, precision, expected);
    unsigned char *values = strided_spread(&strides, n[0], rows, forward ? in : NULL, precision);
    unsigned char *modes = malloc(bytes);
    memcpy(modes, in, bytes);
    if (forward)
        poison(modes, count, precision);

    const struct starfish_transform_planes planes = {
        PLANES, forward ? values : modes, forward ? modes : values, scale, workspace, strides};
    starfish_transform_planes_cpu(x, y, direction, &planes);

    if (!strided_gather(&strides, n[0], rows, values, packed, precision))
        fail_msg("%zu x %zu, layout %d: written between rows", n[0], n[1], (int)layout);
    if (forward)
        assert_memory_equal(packed, in, bytes);
    for (size_t i = 0; i < count; i++)
        got[i] = real_at(forward ? modes : packed, i, precision);
    const double error = relative_error(got, expected, count);
    if (error > 2 * transform_tolerance(n[0] > n[1] ? n[0] : n[1], precision))
        fail_msg("%s %zu, %s %zu, layout %d: error %g", starfish_transform_name(kx), n[0], starfish_transform_name(ky),
                 n[1], (int)layout, error);
    free(modes);
    free(values);
    free(workspace);
    free(expected);
    free(in);
    starfish_transform_cpu_destroy(x);
    starfish_transform_cpu_destroy(y);
}

static void values_may_have_strides(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{1, 1}, {1, 5}, {6, 1}, {8, 7}, {5, 16}};
    for (enum starfish_transform_kind x = 0; x < STARFISH_TRANSFORM_KINDS; x++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (int variant = 0; variant < 4 * STRIDED_LAYOUTS && valid_size(x, sizes[i][0]); variant++)
                check_strided(x, STARFISH_TRANSFORM_NN_CELL, sizes[i], (enum starfish_transform_direction)(variant & 1),
                              (enum strided_layout)(variant >> 2), (starfish_precision)((variant >> 1) & 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planes_match_the_definition),
                                       cmocka_unit_test(values_may_have_strides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
