/* The seven-point kernels on the CPU. */
#include "tests/sparse/stencil_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void residual(starfish_precision precision, const struct starfish_residual *a)
{
    (precision == STARFISH_F32 ? starfish_residual_cpu_f32 : starfish_residual_cpu_f64)(a);
}

static void boundary_rhs(starfish_precision precision, const struct starfish_boundary_rhs *a)
{
    (precision == STARFISH_F32 ? starfish_boundary_rhs_cpu_f32 : starfish_boundary_rhs_cpu_f64)(a);
}

static void constant_mode(starfish_precision precision, const struct starfish_constant_mode *a)
{
    (precision == STARFISH_F32 ? starfish_constant_mode_cpu_f32 : starfish_constant_mode_cpu_f64)(a);
}

static const struct test_sparse_device device = {&test_host_memory, residual, boundary_rhs, constant_mode};

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_is_that_of_the_operator),
        cmocka_unit_test(residual_of_what_is_not_finite_is_infinite),
        cmocka_unit_test(boundary_data_moves_to_the_faces),
        cmocka_unit_test(mean_of_the_constant_mode_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
