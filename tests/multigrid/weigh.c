/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels on volumes of unknowns on the CPU (multigrid/kernels/weigh.h): runs the cases that GPUs run too, in guarded
 * memory. */
#include "tests/multigrid/weigh_cases.h"

static const struct test_weigh_device device = {&test_host_memory,
                                                {starfish_weigh_cpu_f32, starfish_weigh_cpu_f64},
                                                {starfish_volume_sum_cpu_f32, starfish_volume_sum_cpu_f64}};

int main(void)
{
    return test_weigh_kernels(&device);
}
