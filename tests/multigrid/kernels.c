/* The multigrid kernels on the CPU. */
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
    {starfish_vector_update_cpu_f32, starfish_vector_update_cpu_f64},
    {starfish_vector_product_cpu_f32, starfish_vector_product_cpu_f64},
    {starfish_band_dense_cpu_f32, starfish_band_dense_cpu_f64},
    starfish_vector_narrow_cpu,
    starfish_vector_widen_cpu,
    {starfish_restrict_cpu_f32, starfish_restrict_cpu_f64},
    {starfish_prolong_cpu_f32, starfish_prolong_cpu_f64}};

int main(void)
{
    return test_multigrid_kernels(&device, 0);
}
