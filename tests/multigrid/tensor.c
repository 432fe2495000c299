/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels on sums of tensor products on the CPU (multigrid/kernels/tensor.h): runs the cases that GPUs run too. */
#include "tests/multigrid/tensor_cases.h"

int main(void)
{
    static const struct test_tensor_device device = {
        &test_host_memory,
        {starfish_tensor_residual_cpu_f32, starfish_tensor_residual_cpu_f64},
        {starfish_tensor_jacobi_cpu_f32, starfish_tensor_jacobi_cpu_f64},
        {starfish_band_columns_cpu_f32, starfish_band_columns_cpu_f64},
        {starfish_tensor_lower_cpu_f32, starfish_tensor_lower_cpu_f64}};

    return test_tensor_kernels(&device);
}
