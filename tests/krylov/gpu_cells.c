/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels on cells on CUDA: the CPU's cases. Exit status 77 without a device. */
#include "tests/common/on_device.h"
#include "tests/krylov/cells_cases.h"

BOTH_ON_DEVICE(starfish_blocks)
BOTH_ON_DEVICE(starfish_chunk_sums)
ON_DEVICE(starfish_coarse_solve_cuda, starfish_coarse_solve)

static void cells_f32(enum starfish_cell_step step, const struct starfish_cells *arguments)
{
    test_cuda_check(starfish_cells_cuda_f32(step, arguments, NULL));
    test_cuda_check(cudaDeviceSynchronize());
}

static void cells_f64(enum starfish_cell_step step, const struct starfish_cells *arguments)
{
    test_cuda_check(starfish_cells_cuda_f64(step, arguments, NULL));
    test_cuda_check(cudaDeviceSynchronize());
}

static const struct test_cells_device device = {&test_cuda_memory,
                                                {cells_f32, cells_f64},
                                                {starfish_blocks_cuda_f32_here, starfish_blocks_cuda_f64_here},
                                                {starfish_chunk_sums_cuda_f32_here, starfish_chunk_sums_cuda_f64_here},
                                                starfish_coarse_solve_cuda_here,
                                                0};

int main(void)
{
    return test_cuda_devices() > 0 ? test_cells_kernels(&device) : 77;
}
