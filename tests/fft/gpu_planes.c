/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x and y of whole planes on a GPU against the CPU. Exit status 77 without a device. Arrays lie between guard bytes,
 * once aligned to elements only and once as cudaMalloc aligns. STARFISH_TEST_SMALL leaves the large sizes out. */
#include "cases.h"
#include "fft/kernels/planes.h"
#include "tests/common/memory.h"
#include "tests/fft/strided.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const double scale = 0.75;

struct planes_case {
    enum starfish_transform_kind x, y;
    size_t nx, ny, planes;
    starfish_precision precision;
};

struct variant {
    enum starfish_transform_direction direction;
    bool in_place;
    size_t shift; /* elements between what memory gives and the array */
};

static void expect_equal(const struct planes_case *c, const struct variant *variant, const void *got,
                         const void *expected)
{
    const size_t count = c->nx * c->ny * c->planes;
    double *values = malloc(2 * count * sizeof *values + 1);
    for (size_t i = 0; i < count; i++) {
        values[i] = real_at(got, i, c->precision);
        values[count + i] = real_at(expected, i, c->precision);
    }
    double error = relative_error(values, values + count, count);
    free(values);
    if (error > 3 * transform_tolerance(c->nx > c->ny ? c->nx : c->ny, c->precision))
        fail_msg("%s %zu, %s %zu, %zu planes, f%d, %s%s, shift %zu: error %g", starfish_transform_name(c->x), c->nx,
                 starfish_transform_name(c->y), c->ny, c->planes, c->precision == STARFISH_F32 ? 32 : 64,
                 variant->direction == STARFISH_FORWARD ? "forward" : "backward", variant->in_place ? " in place" : "",
                 variant->shift, error);
}

static void run_on_cpu(const struct planes_case *c, enum starfish_transform_direction direction, const void *in,
                       void *out)
{
    struct starfish_transform_cpu *x, *y;
    assert_int_equal(starfish_transform_cpu_create(&x, c->x, c->nx, c->precision), STARFISH_SUCCESS);
    assert_int_equal(starfish_transform_cpu_create(&y, c->y, c->ny, c->precision), STARFISH_SUCCESS);
    void *workspace = malloc(starfish_transform_planes_cpu_workspace(x, y));
    const struct starfish_transform_planes planes = {c->planes, in, out, scale, workspace, {0}};
    starfish_transform_planes_cpu(x, y, direction, &planes);
    free(workspace);
    starfish_transform_cpu_destroy(x);
    starfish_transform_cpu_destroy(y);
}

static void check_variant(const struct planes_case *c, const struct variant *variant, struct starfish_transform_cuda *x,
                          struct starfish_transform_cuda *y)
{
    const struct test_memory *memory = &test_cuda_memory;
    const size_t real_size = starfish_real_size(c->precision), count = c->nx * c->ny * c->planes;
    const size_t bytes = count * real_size, offset = variant->shift * real_size;
    unsigned char *in = malloc(3 * (bytes + offset) + 1), *expected = in + bytes + offset,
                  *got = expected + bytes + offset;
    fill_samples(in, count + variant->shift, c->precision);
    unsigned char *device_in = memory->upload(in, bytes + offset);
    unsigned char *device_out = variant->in_place ? device_in : memory->upload(NULL, bytes + offset);
    void *workspace = memory->upload(
        NULL, 8 + starfish_transform_planes_cuda_workspace(c->x, c->nx, c->y, c->ny, c->planes, c->precision));
    run_on_cpu(c, variant->direction, in + offset, expected);

    /* Twice, where input is kept: what one call leaves in its work space must not matter to the next. */
    const struct starfish_transform_planes planes = {
        c->planes, device_in + offset, device_out + offset, scale, (unsigned char *)workspace + 8, {0}};
    for (int repeat = 0; repeat < (variant->in_place ? 1 : 2); repeat++)
        test_cuda_check(starfish_transform_planes_cuda(x, y, variant->direction, &planes, NULL));

    memory->download(got, device_out + offset, bytes);
    expect_equal(c, variant, got, expected);
    if (!variant->in_place) {
        memory->download(got, device_in, bytes + offset);
        assert_memory_equal(got, in, bytes + offset);
    }
    memory->release();
    free(in);
}

static void check(const struct planes_case *c)
{
    if (!valid_size(c->x, c->nx) || !valid_size(c->y, c->ny))
        return;
    struct starfish_transform_cuda *x, *y;
    assert_int_equal(starfish_transform_cuda_create(&x, c->x, c->nx, c->ny * c->planes, c->precision),
                     STARFISH_SUCCESS);
    assert_int_equal(starfish_transform_cuda_create(&y, c->y, c->ny, c->nx * c->planes, c->precision),
                     STARFISH_SUCCESS);
    /* Memory is 8 bytes off an alignment of 16: a shift by those 8 bytes gives the aligned case. */
    const size_t aligned = 8 / starfish_real_size(c->precision);
    for (int i = 0; i < 8; i++) {
        const struct variant variant = {(enum starfish_transform_direction)(i & 1), (i & 2) != 0, i & 4 ? aligned : 0};
        check_variant(c, &variant, x, y);
    }
    starfish_transform_cuda_destroy(x);
    starfish_transform_cuda_destroy(y);
}

static void all_pairs_of_kinds_agree_with_the_cpu(void **state)
{
    (void)state;
    static const size_t sizes[][3] = {{8, 6, 3}, {9, 20, 3}, {20, 13, 40}}; /* the last with many planes */
    for (enum starfish_transform_kind x = 0; x < STARFISH_TRANSFORM_KINDS; x++)
        for (enum starfish_transform_kind y = 0; y < STARFISH_TRANSFORM_KINDS; y++)
            for (int i = 0; i < 3; i++)
                for (int precision = 0; precision < 2; precision++)
                    check(&(struct planes_case){x, y, sizes[i][0], sizes[i][1], sizes[i][2],
                                                (starfish_precision)precision});
}

/* Sizes at the borders of tiles, with primes that cuFFT or products of matrices do, in y alone too, enough planes that
 * tiles wait for each other, and planes that fit into shared memory. */
static void sizes_agree_with_the_cpu(void **state)
{
    (void)state;
    static const size_t sizes[][3] = {{1, 1, 1},    {1, 7, 2},     {2, 2, 1},     {7, 1, 2},      {4, 1, 1},
                                      {64, 63, 5},  {28, 97, 4},   {97, 28, 4},   {100, 60, 7},   {128, 48, 40},
                                      {2, 300, 3},  {300, 2, 3},   {256, 128, 9}, {128, 128, 34}, {90, 84, 67},
                                      {63, 131, 5}, {131, 137, 3}, {32, 32, 32},  {64, 48, 1}};
    static const size_t large[][3] = {{512, 512, 40}, {384, 500, 9}, {1024, 640, 5}, {1600, 2048, 3}};
    const size_t small_count = sizeof sizes / sizeof sizes[0], large_count = sizeof large / sizeof large[0];
    const size_t all = getenv("STARFISH_TEST_SMALL") ? small_count : small_count + large_count;
    for (size_t i = 0; i < all; i++)
        for (int precision = 0; precision < 2; precision++) {
            const size_t *n = i < small_count ? sizes[i] : large[i - small_count];
            check(&(struct planes_case){STARFISH_TRANSFORM_PERIODIC, STARFISH_TRANSFORM_NN_CELL, n[0], n[1], n[2],
                                        (starfish_precision)precision});
            check(&(struct planes_case){STARFISH_TRANSFORM_DD_NODE, STARFISH_TRANSFORM_PERIODIC, n[0], n[1], n[2],
                                        (starfish_precision)precision});
        }
}

/* An array on the device; memory is 8 bytes off an alignment of 16, which `aligned` makes up for. NULL: NaN. */
static unsigned char *upload(const void *contents, size_t bytes, bool aligned)
{
    const size_t lead = aligned ? 8 : 0;
    unsigned char *whole = malloc(lead + bytes);
    memset(whole, 0xFF, lead + bytes);
    if (contents)
        memcpy(whole + lead, contents, bytes);
    unsigned char *device = test_cuda_memory.upload(whole, lead + bytes);
    free(whole);
    return device + lead;
}

/* Values in rows that lie apart, modes packed: as packed values are transformed, and nothing else is written. */
static void check_strided(const struct planes_case *c, enum starfish_transform_direction direction,
                          enum strided_layout layout, struct starfish_transform_cuda *x,
                          struct starfish_transform_cuda *y)
{
    const bool forward = direction == STARFISH_FORWARD, aligned = layout == STRIDED_ALIGNED;
    const struct variant variant = {direction, false, aligned ? 8 / starfish_real_size(c->precision) : 0};
    const struct starfish_strides strides = strided_of(layout, c->nx, c->ny, c->planes);
    const size_t rows = c->ny * c->planes, real_size = starfish_real_size(c->precision);
    const size_t bytes = c->nx * rows * real_size, apart = strided_count(&strides, c->nx, rows) * real_size;
    unsigned char *in = malloc(3 * bytes), *expected = in + bytes, *got = expected + bytes;
    fill_samples(in, c->nx * rows, c->precision);
    run_on_cpu(c, direction, in, expected);

    unsigned char *values = strided_spread(&strides, c->nx, rows, forward ? in : NULL, c->precision);
    unsigned char *device_values = upload(values, apart, aligned);
    unsigned char *device_modes = upload(forward ? NULL : in, bytes, aligned);
    void *workspace = test_cuda_memory.upload(
        NULL, 8 + starfish_transform_planes_cuda_workspace(c->x, c->nx, c->y, c->ny, c->planes, c->precision));
    const struct starfish_transform_planes planes = {
        c->planes, forward ? device_values : device_modes, forward ? device_modes : device_values,
        scale,     (unsigned char *)workspace + 8,         strides};
    test_cuda_check(starfish_transform_planes_cuda(x, y, direction, &planes, NULL));

    test_cuda_memory.download(values, device_values, apart);
    if (!strided_gather(&strides, c->nx, rows, values, got, c->precision))
        fail_msg("%s %zu, %s %zu, %zu planes, layout %d: written between rows", starfish_transform_name(c->x), c->nx,
                 starfish_transform_name(c->y), c->ny, c->planes, (int)layout);
    if (forward) {
        assert_memory_equal(got, in, bytes);
        test_cuda_memory.download(got, device_modes, bytes);
    }
    expect_equal(c, &variant, got, expected);
    test_cuda_memory.release();
    free(values);
    free(in);
}

static void check_layouts(const struct planes_case *c)
{
    struct starfish_transform_cuda *x, *y;
    assert_int_equal(starfish_transform_cuda_create(&x, c->x, c->nx, c->ny * c->planes, c->precision),
                     STARFISH_SUCCESS);
    assert_int_equal(starfish_transform_cuda_create(&y, c->y, c->ny, c->nx * c->planes, c->precision),
                     STARFISH_SUCCESS);
    for (enum strided_layout layout = 0; layout < STRIDED_LAYOUTS; layout++) {
        check_strided(c, STARFISH_FORWARD, layout, x, y);
        check_strided(c, STARFISH_BACKWARD, layout, x, y);
    }
    starfish_transform_cuda_destroy(x);
    starfish_transform_cuda_destroy(y);
}

static void values_may_have_strides(void **state)
{
    (void)state;
    static const size_t sizes[][3] = {{1, 1, 1},     {1, 7, 2},      {7, 1, 2},     {9, 20, 3},
                                      {20, 13, 40},  {100, 60, 7},   {97, 28, 4},   {300, 2, 3},
                                      {128, 48, 40}, {128, 128, 34}, {256, 128, 9}, {131, 137, 3}};
    static const enum starfish_transform_kind kinds[][2] = {{STARFISH_TRANSFORM_PERIODIC, STARFISH_TRANSFORM_NN_CELL},
                                                            {STARFISH_TRANSFORM_DD_NODE, STARFISH_TRANSFORM_PERIODIC},
                                                            {STARFISH_TRANSFORM_NN_CELL, STARFISH_TRANSFORM_DD_NODE}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            for (int precision = 0; precision < 2; precision++)
                check_layouts(&(struct planes_case){kinds[k][0], kinds[k][1], sizes[i][0], sizes[i][1], sizes[i][2],
                                                    (starfish_precision)precision});
}

static void nothing_is_done_for_no_planes(void **state)
{
    (void)state;
    check(&(struct planes_case){STARFISH_TRANSFORM_PERIODIC, STARFISH_TRANSFORM_NN_CELL, 8, 8, 0, STARFISH_F64});
}

int main(void)
{
    if (test_cuda_devices() == 0) {
        puts("no CUDA device");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_of_kinds_agree_with_the_cpu),
        cmocka_unit_test(sizes_agree_with_the_cpu),
        cmocka_unit_test(values_may_have_strides),
        cmocka_unit_test(nothing_is_done_for_no_planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
