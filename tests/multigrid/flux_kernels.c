/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels on seven-point matrices on the CPU (multigrid/kernels/flux.h): runs the cases that GPUs run too, in
 * guarded memory. */
#include "tests/multigrid/flux_kernel_cases.h"

static const struct test_flux_device device = {&test_host_memory,
                                               {starfish_flux_smooth_cpu_f32, starfish_flux_smooth_cpu_f64},
                                               {starfish_flux_residual_cpu_f32, starfish_flux_residual_cpu_f64},
                                               {starfish_flux_restrict_cpu_f32, starfish_flux_restrict_cpu_f64},
                                               {starfish_flux_prolong_cpu_f32, starfish_flux_prolong_cpu_f64},
                                               {starfish_flux_lines_cpu_f32, starfish_flux_lines_cpu_f64},
                                               starfish_flux_lines_work_cpu};

int main(void)
{
    return test_flux_kernels(&device, 0);
}
