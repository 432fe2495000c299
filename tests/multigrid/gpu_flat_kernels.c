/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of flat domains on CUDA: the CPU's table. Exit status 77 without a device. */
#include "tests/common/on_device.h"
#include "tests/multigrid/flat_kernel_cases.h"

BOTH_ON_DEVICE(starfish_flat_smooth)
BOTH_ON_DEVICE(starfish_flat_residual)
BOTH_ON_DEVICE(starfish_flat_sizes)
BOTH_ON_DEVICE(starfish_flat_restrict)
BOTH_ON_DEVICE(starfish_flat_prolong)
BOTH_ON_DEVICE(starfish_flat_arrange)
BOTH_ON_DEVICE(starfish_flat_seams)

static const struct test_flat_device device = {
    &test_cuda_memory,
    {starfish_flat_smooth_cuda_f32_here, starfish_flat_smooth_cuda_f64_here},
    {starfish_flat_residual_cuda_f32_here, starfish_flat_residual_cuda_f64_here},
    {starfish_flat_sizes_cuda_f32_here, starfish_flat_sizes_cuda_f64_here},
    {starfish_flat_restrict_cuda_f32_here, starfish_flat_restrict_cuda_f64_here},
    {starfish_flat_prolong_cuda_f32_here, starfish_flat_prolong_cuda_f64_here},
    {starfish_flat_arrange_cuda_f32_here, starfish_flat_arrange_cuda_f64_here},
    {starfish_flat_seams_cuda_f32_here, starfish_flat_seams_cuda_f64_here},
    starfish_flat_work_cuda};

int main(void)
{
    return test_cuda_devices() == 0 ? 77 : test_flat_kernels(&device) + test_flat_seams(&device);
}
