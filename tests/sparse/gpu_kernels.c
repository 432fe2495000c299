/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of sparse matrices on CUDA, by the cases that the CPU runs too. Exit status 77 without a device. */
#include "tests/common/on_device.h"
#include "tests/sparse/sparse_cases.h"

BOTH_ON_DEVICE(starfish_spmv)
BOTH_ON_DEVICE(starfish_bicgstab)
ON_DEVICE(starfish_local_inverse_cuda, starfish_local_inverse)

static const struct test_sparse_device device = {&test_cuda_memory,
                                                 {starfish_spmv_cuda_f32_here, starfish_spmv_cuda_f64_here},
                                                 {starfish_bicgstab_cuda_f32_here, starfish_bicgstab_cuda_f64_here},
                                                 starfish_local_inverse_cuda_here,
                                                 STARFISH_LOCAL_INVERSE_WARPS};

int main(void)
{
    return test_cuda_devices() > 0 ? test_sparse_kernels(&device) : 77;
}
