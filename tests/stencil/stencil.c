/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels on seven-point operators on the CPU (stencil/kernels/): runs the cases that GPUs run too, in guarded
 * memory. */
#include "tests/stencil/stencil_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void refine_add(starfish_precision precision, const struct starfish_refine_add *a)
{
    (precision == STARFISH_F32 ? starfish_refine_add_cpu_f32 : starfish_refine_add_cpu_f64)(a);
}

static void refine_restore(starfish_precision precision, const struct starfish_refine_restore *a)
{
    (precision == STARFISH_F32 ? starfish_refine_restore_cpu_f32 : starfish_refine_restore_cpu_f64)(a);
}

static void find_not_finite(starfish_precision precision, const struct starfish_finite *a)
{
    (precision == STARFISH_F32 ? starfish_finite_cpu_f32 : starfish_finite_cpu_f64)(a);
}

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

static void take(starfish_precision precision, const struct starfish_constant_take *a)
{
    (precision == STARFISH_F32 ? starfish_constant_take_cpu_f32 : starfish_constant_take_cpu_f64)(a);
}

static void put(starfish_precision precision, const struct starfish_constant_put *a)
{
    (precision == STARFISH_F32 ? starfish_constant_put_cpu_f32 : starfish_constant_put_cpu_f64)(a);
}

static const struct test_stencil_device device = {&test_host_memory,
                                                  refine_add,
                                                  refine_restore,
                                                  starfish_refine_judge_cpu,
                                                  find_not_finite,
                                                  residual,
                                                  boundary_rhs,
                                                  constant_mode,
                                                  take,
                                                  starfish_constant_solve_cpu,
                                                  put};

int main(void)
{
    return test_stencil_kernels(&device, 0);
}
