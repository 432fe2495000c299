/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels on sums of tensor products, on CUDA. Exit status 77 without a device. */
#include "tests/common/on_device.h"
#include "tests/multigrid/tensor_cases.h"

ON_DEVICE(starfish_tensor_residual_cuda_f32, starfish_band_residual)
ON_DEVICE(starfish_tensor_residual_cuda_f64, starfish_band_residual)
ON_DEVICE(starfish_tensor_jacobi_cuda_f32, starfish_band_jacobi)
ON_DEVICE(starfish_tensor_jacobi_cuda_f64, starfish_band_jacobi)

int main(void)
{
    static const struct test_tensor_device device = {
        &test_cuda_memory,
        {starfish_tensor_residual_cuda_f32_here, starfish_tensor_residual_cuda_f64_here},
        {starfish_tensor_jacobi_cuda_f32_here, starfish_tensor_jacobi_cuda_f64_here},
        {NULL, NULL},
        {NULL, NULL}};

    return test_cuda_devices() > 0 ? test_tensor_kernels(&device) : 77;
}
