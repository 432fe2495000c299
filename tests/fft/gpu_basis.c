/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA change of basis against the CPU's, which test_basis.c checks against the operator. Exit status 77 without a
 * device. STARFISH_TEST_SMALL leaves the large sizes out. */
#include "basis_cases.h"
#include "tests/common/check.h"
#include "tests/common/memory.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct shape {
    size_t inner, outer;
};

/* On the device, at an address that is a multiple of 16 bytes or of a real's alone. */
static void *placed(const void *contents, size_t bytes, int aligned)
{
    char *piece = test_cuda_memory.upload(NULL, bytes + 16);
    piece += ((uintptr_t)piece % 16 == 0) == aligned ? 0 : 8;
    if (contents)
        test_cuda_check(cudaMemcpy(piece, contents, bytes, cudaMemcpyHostToDevice));
    return piece;
}

/* Relative to the largest element, so that the scaling of modes does not count. */
static double difference(const void *got, const void *expected, size_t count, starfish_precision precision)
{
    double error = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = test_real_get(expected, precision, i);
        const double here = fabs(test_real_get(got, precision, i) - value);
        error = here <= error ? error : here;
        size = fmax(size, fabs(value));
    }
    return error / size;
}

static void check_direction(const struct starfish_basis *basis, struct starfish_basis_cuda *plan,
                            enum starfish_transform_direction direction, struct shape shape, const char *name,
                            int aligned)
{
    const size_t count = shape.inner * basis->n * shape.outer, bytes = count * starfish_real_size(basis->precision);
    unsigned seed = 5;
    void *in = test_reals(basis->precision, count, &seed), *expected = calloc(2 * count, sizeof(double));
    assert_true(in && expected);
    void *got = (char *)expected + bytes;
    void *device_in = placed(in, bytes, aligned), *device_out = placed(NULL, bytes, aligned);
    const struct starfish_basis_columns cpu = {shape.inner, shape.outer, in, expected, 0.75};
    const struct starfish_basis_columns cuda = {shape.inner, shape.outer, device_in, device_out, 0.75};
    cudaStream_t stream;

    test_cuda_check(cudaStreamCreate(&stream));
    starfish_basis_columns_cpu(basis, direction, &cpu);
    test_cuda_check(starfish_basis_columns_cuda(plan, direction, &cuda, stream));

    test_cuda_check(cudaStreamSynchronize(stream));
    test_cuda_memory.download(got, device_out, bytes);
    const double error = difference(got, expected, count, basis->precision);
    if (!(error <= basis_tolerance(basis->precision)))
        fail_msg("%s %s, n %zu, inner %zu, f%d: error %g", name, direction == STARFISH_FORWARD ? "forward" : "backward",
                 basis->n, shape.inner, basis->precision == STARFISH_F32 ? 32 : 64, error);
    test_cuda_check(cudaStreamDestroy(stream));
    test_cuda_memory.release();
    free(in);
    free(expected);
}

static void check_case(const struct basis_case *c, size_t n, const struct shape *shapes, int shape_count,
                       starfish_precision precision)
{
    static struct basis_rows rows;
    const struct starfish_basis_operator op = basis_operator(c, n, &rows);
    struct starfish_basis basis;
    struct starfish_basis_cuda *plan;
    ASSERT_OK(starfish_basis_create(&basis, &op, precision));
    ASSERT_OK(starfish_basis_cuda_create(&plan, &basis));
    for (int s = 0; s < shape_count; s++)
        for (int way = 0; way < 4; way++)
            check_direction(&basis, plan, (enum starfish_transform_direction)(way / 2), shapes[s], c->name, way % 2);
    starfish_basis_cuda_destroy(plan);
    starfish_basis_destroy(&basis);
}

static void cuda_agrees_with_the_cpu(void **state)
{
    (void)state;
    static const struct shape shapes[] = {{1, 3}, {1, 70}, {3, 2}, {64, 5}, {100, 1}};
    static const int cases[] = {2, 4}; /* the kernels know whether it is reflected, and nothing else */
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < BASIS_SIZES; i++)
            for (int precision = 0; precision < 2; precision++)
                check_case(&basis_cases[cases[c]], basis_sizes[i], shapes, 5, (starfish_precision)precision);
}

static void large_planes_agree_with_the_cpu(void **state)
{
    (void)state;
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    static const struct shape shape = {257, 3}, wide = {512, 4}, many = {2, 70000}, lines = {1, 511};
    for (int precision = 0; precision < 2; precision++) {
        check_case(&basis_cases[2], 512, &shape, 1, (starfish_precision)precision);
        check_case(&basis_cases[4], 511, &wide, 1, (starfish_precision)precision);
        check_case(&basis_cases[2], 511, &lines, 1, (starfish_precision)precision);
        check_case(&basis_cases[4], 511, &lines, 1, (starfish_precision)precision);
        check_case(&basis_cases[4], 6, &many, 1, (starfish_precision)precision); /* more planes than a grid's rows */
    }
}

static double error_of(const float *got, const double *exact, size_t count)
{
    double error = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        const double here = (double)got[i] - exact[i];
        error += here * here;
        size += exact[i] * exact[i];
    }
    return sqrt(error / size);
}

/* A field of ones and more, whose sums grow, so that sums that are truncated end up too small. */
static void check_error(struct starfish_basis *basis, enum starfish_transform_direction direction, size_t inner)
{
    const size_t count = inner * basis->n, odd = basis->n - basis->even;
    const size_t entries = basis->even * basis->even + odd * odd;
    float *in = calloc(3 * count, sizeof *in), *const single = basis->matrix[direction];
    double *wide = calloc(2 * count + entries, sizeof *wide);
    unsigned seed = 3;
    assert_true(in && wide);
    float *expected = in + count, *got = expected + count;
    double *exact = wide + count, *matrix = exact + count;
    for (size_t i = 0; i < count; i++)
        wide[i] = (double)(in[i] = (float)(2 + test_real_random(&seed)));
    for (size_t i = 0; i < entries; i++)
        matrix[i] = (double)(single[i] = fabsf(single[i]));
    struct starfish_basis in_f64 = *basis;
    struct starfish_basis_cuda *plan;
    in_f64.precision = STARFISH_F64;
    in_f64.matrix[direction] = matrix;
    ASSERT_OK(starfish_basis_cuda_create(&plan, basis));
    void *device_in = placed(in, count * sizeof *in, 1), *device_out = placed(NULL, count * sizeof *in, 1);

    const struct starfish_basis_columns cuda = {inner, 1, device_in, device_out, 1}, cpu = {inner, 1, in, expected, 1};
    const struct starfish_basis_columns f64 = {inner, 1, wide, exact, 1};
    test_cuda_check(starfish_basis_columns_cuda(plan, direction, &cuda, NULL));
    starfish_basis_columns_cpu(basis, direction, &cpu);
    starfish_basis_columns_cpu(&in_f64, direction, &f64);

    test_cuda_check(cudaDeviceSynchronize());
    test_cuda_memory.download(got, device_out, count * sizeof *got);
    const double here = error_of(got, exact, count), usual = error_of(expected, exact, count);
    if (!(here <= 2 * usual + 1e-7))
        fail_msg("n %zu, %s: error %.3g, on a core %.3g", basis->n, direction ? "backward" : "forward", here, usual);
    test_cuda_memory.release();
    starfish_basis_cuda_destroy(plan);
    free(in);
    free(wide);
}

/* Products of split numbers lose no digits that products in f32 keep, and truncate no sums. */
static void errors_in_f32_are_those_of_a_core(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        static struct basis_rows rows;
        const struct starfish_basis_operator op = basis_operator(&basis_cases[i % 2 ? 4 : 2], i / 2 ? 97 : 512, &rows);
        struct starfish_basis basis;
        ASSERT_OK(starfish_basis_create(&basis, &op, STARFISH_F32));
        check_error(&basis, STARFISH_FORWARD, 36);
        check_error(&basis, STARFISH_BACKWARD, 36);
        starfish_basis_destroy(&basis);
    }
}

/* All of a lane whose field has one element that is no number, and of no other. */
static void what_is_no_number_stays_in_its_lane(void **state)
{
    (void)state;
    enum { INNER = 8, N = 32, LANE = 5 };
    static const uint32_t bits[] = {0x7fffffff, 0x7fc00000, 0x7f800001, 0xffffffff};
    for (int i = 0; i < 4; i++) {
        static struct basis_rows rows;
        const struct starfish_basis_operator op = basis_operator(&basis_cases[i % 2 ? 4 : 2], N, &rows);
        struct starfish_basis basis;
        struct starfish_basis_cuda *plan;
        float field[INNER * N];
        for (int k = 0; k < INNER * N; k++)
            field[k] = 1;
        memcpy(&field[LANE + INNER * 3], &bits[i], sizeof bits[i]);
        ASSERT_OK(starfish_basis_create(&basis, &op, STARFISH_F32));
        ASSERT_OK(starfish_basis_cuda_create(&plan, &basis));
        void *in = placed(field, sizeof field, 1), *out = placed(NULL, sizeof field, 1);
        const struct starfish_basis_columns columns = {INNER, 1, in, out, 1};
        test_cuda_check(starfish_basis_columns_cuda(plan, STARFISH_FORWARD, &columns, NULL));
        test_cuda_check(cudaDeviceSynchronize());
        test_cuda_memory.download(field, out, sizeof field);
        for (int k = 0; k < INNER * N; k++)
            assert_int_equal(isnan(field[k]) != 0, k % INNER == LANE);
        test_cuda_memory.release();
        starfish_basis_cuda_destroy(plan);
        starfish_basis_destroy(&basis);
    }
}

static void nothing_is_done_for_an_empty_batch(void **state)
{
    (void)state;
    static struct basis_rows rows;
    const struct starfish_basis_operator op = basis_operator(&basis_cases[4], 8, &rows);
    const struct starfish_basis_columns no_lanes = {0, 5, NULL, NULL, 1}, no_planes = {5, 0, NULL, NULL, 1};
    struct starfish_basis basis;
    struct starfish_basis_cuda *plan;
    ASSERT_OK(starfish_basis_create(&basis, &op, STARFISH_F64));
    ASSERT_OK(starfish_basis_cuda_create(&plan, &basis));
    test_cuda_check(starfish_basis_columns_cuda(plan, STARFISH_FORWARD, &no_lanes, NULL));
    test_cuda_check(starfish_basis_columns_cuda(plan, STARFISH_BACKWARD, &no_planes, NULL));
    starfish_basis_cuda_destroy(plan);
    starfish_basis_destroy(&basis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuda_agrees_with_the_cpu),           cmocka_unit_test(large_planes_agree_with_the_cpu),
        cmocka_unit_test(errors_in_f32_are_those_of_a_core),  cmocka_unit_test(what_is_no_number_stays_in_its_lane),
        cmocka_unit_test(nothing_is_done_for_an_empty_batch),
    };
    return test_cuda_devices() == 0 ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
