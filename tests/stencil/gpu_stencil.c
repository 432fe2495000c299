/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The seven-point kernels on CUDA: the CPU's table, and sizes that fill a device unless STARFISH_TEST_SMALL is set.
 * Exit status 77 without a device. */
#include "tests/stencil/stencil_cases.h"

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

static void refine_add(starfish_precision precision, const struct starfish_refine_add *a)
{
    finish((precision == STARFISH_F32 ? starfish_refine_add_cuda_f32 : starfish_refine_add_cuda_f64)(a, NULL));
}

static void refine_restore(starfish_precision precision, const struct starfish_refine_restore *a)
{
    finish((precision == STARFISH_F32 ? starfish_refine_restore_cuda_f32 : starfish_refine_restore_cuda_f64)(a, NULL));
}

static void refine_judge(const struct starfish_refine_judge *a)
{
    finish(starfish_refine_judge_cuda(a, NULL));
}

static void find_not_finite(starfish_precision precision, const struct starfish_finite *a)
{
    finish((precision == STARFISH_F32 ? starfish_finite_cuda_f32 : starfish_finite_cuda_f64)(a, NULL));
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

static void take(starfish_precision precision, const struct starfish_constant_take *a)
{
    finish((precision == STARFISH_F32 ? starfish_constant_take_cuda_f32 : starfish_constant_take_cuda_f64)(a, NULL));
}

static void put(starfish_precision precision, const struct starfish_constant_put *a)
{
    finish((precision == STARFISH_F32 ? starfish_constant_put_cuda_f32 : starfish_constant_put_cuda_f64)(a, NULL));
}

static void solve(const struct starfish_constant_solve *a)
{
    finish(starfish_constant_solve_cuda(a, NULL));
}

static const struct test_stencil_device device = {
    &test_cuda_memory, refine_add, refine_restore, refine_judge, find_not_finite, residual, boundary_rhs,
    constant_mode,     take,       solve,          put};

int main(void)
{
    if (test_cuda_devices() == 0)
        return NO_DEVICE;
    return test_stencil_kernels(&device, getenv("STARFISH_TEST_SMALL") == NULL);
}
