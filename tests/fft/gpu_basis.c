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

#include <cmocka.h>

struct shape {
    size_t inner, outer;
};

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
                            enum starfish_transform_direction direction, struct shape shape, const char *name)
{
    const size_t count = shape.inner * basis->n * shape.outer, bytes = count * starfish_real_size(basis->precision);
    unsigned seed = 5;
    void *in = test_reals(basis->precision, count, &seed), *expected = calloc(2 * count, sizeof(double));
    assert_true(in && expected);
    void *got = (char *)expected + bytes;
    void *device_in = test_cuda_memory.upload(in, bytes), *device_out = test_cuda_memory.upload(NULL, bytes);
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
    struct basis_rows rows;
    const struct starfish_basis_operator op = basis_operator(c, n, &rows);
    struct starfish_basis basis;
    struct starfish_basis_cuda *plan;
    ASSERT_OK(starfish_basis_create(&basis, &op, precision));
    ASSERT_OK(starfish_basis_cuda_create(&plan, &basis));
    for (int s = 0; s < shape_count; s++)
        for (int direction = 0; direction < 2; direction++)
            check_direction(&basis, plan, (enum starfish_transform_direction)direction, shapes[s], c->name);
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

static void nothing_is_done_for_an_empty_batch(void **state)
{
    (void)state;
    struct basis_rows rows;
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
        cmocka_unit_test(cuda_agrees_with_the_cpu),
        cmocka_unit_test(large_planes_agree_with_the_cpu),
        cmocka_unit_test(nothing_is_done_for_an_empty_batch),
    };
    return test_cuda_devices() == 0 ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
