/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels on seven-point matrices on CUDA: the CPU's table, and sizes that fill a device unless STARFISH_TEST_SMALL
 * is set. Exit status 77 without a device. */
#include "tests/common/on_device.h"
#include "tests/multigrid/flux_kernel_cases.h"

#include <stdlib.h>

BOTH_ON_DEVICE(starfish_flux_smooth)
BOTH_ON_DEVICE(starfish_flux_residual)
BOTH_ON_DEVICE(starfish_flux_restrict)
BOTH_ON_DEVICE(starfish_flux_prolong)
BOTH_ON_DEVICE(starfish_flux_lines)

static const struct test_flux_device device = {
    &test_cuda_memory,
    {starfish_flux_smooth_cuda_f32_here, starfish_flux_smooth_cuda_f64_here},
    {starfish_flux_residual_cuda_f32_here, starfish_flux_residual_cuda_f64_here},
    {starfish_flux_restrict_cuda_f32_here, starfish_flux_restrict_cuda_f64_here},
    {starfish_flux_prolong_cuda_f32_here, starfish_flux_prolong_cuda_f64_here},
    {starfish_flux_lines_cuda_f32_here, starfish_flux_lines_cuda_f64_here},
    starfish_flux_lines_work_cuda};

/* Planes whose unknowns do not fit an int are refused, before anything is read. */
static int too_large_planes_are_launched(void)
{
    const struct starfish_flux_axis axis = {.n = 65536};
    const struct starfish_flux_part at = {0, 1, 0, 1};
    const struct starfish_flux_transfer same = {.fine = 65536, .coarse = 65536};
    const struct starfish_flux_smooth smooth = {.matrix.axis = {axis, axis, axis}, .at = at};
    const struct starfish_flux_residual residual = {.matrix.axis = {axis, axis, axis}, .at = at};
    const struct starfish_flux_restrict gather = {.transfer = {same, same, same}, .at = at};
    const struct starfish_flux_prolong prolong = {.transfer = {same, same, same}, .at = at};
    const struct starfish_flux_lines lines = {.matrix.axis = {axis, axis, axis}, .at = at};
    const int refused = cudaErrorInvalidValue;

    return (starfish_flux_smooth_cuda_f64(&smooth, NULL) != refused) +
           (starfish_flux_residual_cuda_f64(&residual, NULL) != refused) +
           (starfish_flux_restrict_cuda_f64(&gather, NULL) != refused) +
           (starfish_flux_prolong_cuda_f64(&prolong, NULL) != refused) +
           (starfish_flux_lines_cuda_f64(&lines, NULL) != refused);
}

int main(void)
{
    if (test_cuda_devices() == 0)
        return 77;
    return test_flux_kernels(&device, !getenv("STARFISH_TEST_SMALL")) + too_large_planes_are_launched();
}
