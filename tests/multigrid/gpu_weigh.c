/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels on volumes of unknowns, on CUDA. Exit status 77 without a device. */
#include "tests/common/on_device.h"
#include "tests/multigrid/weigh_cases.h"

BOTH_ON_DEVICE(starfish_weigh)
BOTH_ON_DEVICE(starfish_volume_sum)

static const struct test_weigh_device device = {&test_cuda_memory,
                                                {starfish_weigh_cuda_f32_here, starfish_weigh_cuda_f64_here},
                                                {starfish_volume_sum_cuda_f32_here, starfish_volume_sum_cuda_f64_here}};

int main(void)
{
    return test_cuda_devices() > 0 ? test_weigh_kernels(&device) : 77;
}
