/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels on cells on the CPU (krylov/kernels/cells.h): runs the cases that GPUs run too, in host memory with
 * guards. */
#include "tests/krylov/cells_cases.h"

static const struct test_cells_device device = {&test_host_memory,
                                                {starfish_cells_cpu_f32, starfish_cells_cpu_f64},
                                                {starfish_blocks_cpu_f32, starfish_blocks_cpu_f64},
                                                {starfish_chunk_sums_cpu_f32, starfish_chunk_sums_cpu_f64},
                                                starfish_coarse_solve_cpu,
                                                1};

int main(void)
{
    return test_cells_kernels(&device);
}
