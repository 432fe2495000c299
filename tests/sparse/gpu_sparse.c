/* The seven-point kernels on CUDA: the CPU's table, and sizes that fill a device unless STARFISH_TEST_SMALL is set. Exit
 * status 77 without a device. */
#include "tests/sparse/stencil_cases.h"

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NO_DEVICE = 77 };

static void finish(int launched)
{
    test_cuda_check(launched);
    test_cuda_check(cudaDeviceSynchronize());
}

static void residual(starfish_precision precision, const struct starfish_residual *a)
{
    finish((precision == STARFISH_F32 ? starfish_residual_cuda_f32 : starfish_residual_cuda_f64)(a, NULL));
}

static void boundary_rhs(starfish_precision precision, const struct starfish_boundary_rhs *a)
{
    finish((precision == STARFISH_F32 ? starfish_boundary_rhs_cuda_f32 : starfish_boundary_rhs_cuda_f64)(a, NULL));
}

static void constant_mode(starfish_precision precision, const struct starfish_constant_mode *a)
{
    finish((precision == STARFISH_F32 ? starfish_constant_mode_cuda_f32 : starfish_constant_mode_cuda_f64)(a, NULL));
}

static const struct test_sparse_device device = {&test_cuda_memory, residual, boundary_rhs, constant_mode};

static void residual_is_that_of_the_operator(void **state)
{
    (void)state;
    test_residual_table(&device);
}

static void residual_of_what_is_not_finite_is_infinite(void **state)
{
    (void)state;
    test_residual_not_finite(&device);
}

static void boundary_data_moves_to_the_faces(void **state)
{
    (void)state;
    test_boundary_table(&device);
}

static void mean_of_the_constant_mode_is_removed(void **state)
{
    (void)state;
    test_constant_mode_table(&device);
}

/* More unknowns than threads, so that every thread walks. */
static void large_sizes(void **state)
{
    (void)state;
    static const struct test_slab slabs[] = {{{255, 129, 70}, 3, 66}, {{1031, 17, 41}, 0, 40}};
    if (getenv("STARFISH_TEST_SMALL"))
        skip();
    for (int s = 0; s < 2; s++) {
        test_residual_slab(&device, &slabs[s]);
        test_boundary_slab(&device, &slabs[s]);
    }
    test_constant_mode_size(&device, 9, 513, 300, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_is_that_of_the_operator),
        cmocka_unit_test(residual_of_what_is_not_finite_is_infinite),
        cmocka_unit_test(boundary_data_moves_to_the_faces),
        cmocka_unit_test(mean_of_the_constant_mode_is_removed),
        cmocka_unit_test(large_sizes),
    };
    if (test_cuda_devices() == 0)
        return NO_DEVICE;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
