/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of iterations on CUDA, by the cases that the CPU runs too. Exit status 77 without a device. */
#include "tests/common/on_device.h"
#include "tests/krylov/krylov_cases.h"

ON_DEVICE(starfish_vector_update_cuda_f32, starfish_vector_update)
ON_DEVICE(starfish_vector_update_cuda_f64, starfish_vector_update)
ON_DEVICE(starfish_vector_narrow_cuda, starfish_vector_narrow)
ON_DEVICE(starfish_vector_widen_cuda, starfish_vector_widen)
ON_DEVICE(starfish_krylov_scalars_cuda, starfish_krylov_scalars)

static const struct test_krylov_device device = {
    &test_cuda_memory,
    {starfish_vector_update_cuda_f32_here, starfish_vector_update_cuda_f64_here},
    starfish_vector_narrow_cuda_here,
    starfish_vector_widen_cuda_here,
    starfish_krylov_scalars_cuda_here};

int main(void)
{
    return test_cuda_devices() > 0 ? test_krylov_kernels(&device) : 77;
}
