/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of sparse matrices on the CPU (sparse/kernels/): runs the cases that GPUs run too, in guarded memory. */
#include "tests/sparse/sparse_cases.h"

static const struct test_sparse_device device = {&test_host_memory,
                                                 {starfish_spmv_cpu_f32, starfish_spmv_cpu_f64},
                                                 {starfish_bicgstab_cpu_f32, starfish_bicgstab_cpu_f64},
                                                 starfish_local_inverse_cpu,
                                                 1};

int main(void)
{
    return test_sparse_kernels(&device);
}
