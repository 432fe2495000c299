/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of flat domains on the CPU (multigrid/kernels/flat.h): runs the cases that GPUs run too, in guarded
 * memory. */
#include "tests/multigrid/flat_kernel_cases.h"

static const struct test_flat_device device = {&test_host_memory,
                                               {starfish_flat_smooth_cpu_f32, starfish_flat_smooth_cpu_f64},
                                               {starfish_flat_residual_cpu_f32, starfish_flat_residual_cpu_f64},
                                               {starfish_flat_sizes_cpu_f32, starfish_flat_sizes_cpu_f64},
                                               {starfish_flat_restrict_cpu_f32, starfish_flat_restrict_cpu_f64},
                                               {starfish_flat_prolong_cpu_f32, starfish_flat_prolong_cpu_f64},
                                               {starfish_flat_arrange_cpu_f32, starfish_flat_arrange_cpu_f64},
                                               {starfish_flat_seams_cpu_f32, starfish_flat_seams_cpu_f64},
                                               starfish_flat_work_cpu};

int main(void)
{
    return test_flat_kernels(&device) + test_flat_seams(&device);
}
