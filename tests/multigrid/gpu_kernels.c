/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The multigrid kernels on CUDA: the CPU's table, and sizes that fill a device unless STARFISH_TEST_SMALL is set. Exit
 * status 77 without a device. */
#include "tests/common/on_device.h"
#include "tests/multigrid/kernel_cases.h"

#include <stdlib.h>

#define PACKED_ON_DEVICE(name) ON_DEVICE(name##_cuda_f32_f16, name) ON_DEVICE(name##_cuda_f32_bf16, name)

BOTH_ON_DEVICE(starfish_band_residual)
PACKED_ON_DEVICE(starfish_band_residual)
BOTH_ON_DEVICE(starfish_band_jacobi)
PACKED_ON_DEVICE(starfish_band_jacobi)
BOTH_ON_DEVICE(starfish_band_colours)
BOTH_ON_DEVICE(starfish_band_dense)
BOTH_ON_DEVICE(starfish_restrict)
BOTH_ON_DEVICE(starfish_prolong)

static const struct test_multigrid_device device = {
    &test_cuda_memory,
    {starfish_band_residual_cuda_f32_here, starfish_band_residual_cuda_f64_here,
     starfish_band_residual_cuda_f32_f16_here, starfish_band_residual_cuda_f32_bf16_here},
    {starfish_band_jacobi_cuda_f32_here, starfish_band_jacobi_cuda_f64_here, starfish_band_jacobi_cuda_f32_f16_here,
     starfish_band_jacobi_cuda_f32_bf16_here},
    {starfish_band_colours_cuda_f32_here, starfish_band_colours_cuda_f64_here},
    {NULL, NULL, NULL, NULL},
    {starfish_band_dense_cuda_f32_here, starfish_band_dense_cuda_f64_here},
    {starfish_restrict_cuda_f32_here, starfish_restrict_cuda_f64_here},
    {starfish_prolong_cuda_f32_here, starfish_prolong_cuda_f64_here}};

int main(void)
{
    const int large_sizes = !getenv("STARFISH_TEST_SMALL");

    if (test_cuda_devices() == 0)
        return 77;
    return test_band_kernels(&device, large_sizes) + test_transfer_kernels(&device, large_sizes);
}
