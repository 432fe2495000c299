/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of Q1 multigrid on the CPU (multigrid/kernels/band.h, transfer.h): runs the cases that GPUs run too. */
#include "tests/multigrid/kernel_cases.h"

static const struct test_multigrid_device device = {
    &test_host_memory,
    {starfish_band_residual_cpu_f32, starfish_band_residual_cpu_f64, starfish_band_residual_cpu_f32_f16,
     starfish_band_residual_cpu_f32_bf16},
    {starfish_band_jacobi_cpu_f32, starfish_band_jacobi_cpu_f64, starfish_band_jacobi_cpu_f32_f16,
     starfish_band_jacobi_cpu_f32_bf16},
    {starfish_band_colours_cpu_f32, starfish_band_colours_cpu_f64},
    {starfish_band_columns_cpu_f32, starfish_band_columns_cpu_f64, starfish_band_columns_cpu_f32_f16,
     starfish_band_columns_cpu_f32_bf16},
    {starfish_band_dense_cpu_f32, starfish_band_dense_cpu_f64},
    {starfish_restrict_cpu_f32, starfish_restrict_cpu_f64},
    {starfish_prolong_cpu_f32, starfish_prolong_cpu_f64}};

int main(void)
{
    return test_band_kernels(&device, 0) + test_transfer_kernels(&device, 0);
}
