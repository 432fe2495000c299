/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays with halos and many problems on GPUs, in host and in device memory; 77 where there is no GPU. */
#include "tests/poisson/arrays.h"

int main(void)
{
    if (test_cuda_devices() == 0)
        return 77;
    return test_arrays("gpu, arrays on the host", &test_host_memory, 0, -1, 0) +
           test_arrays("gpu, arrays on the device", &test_cuda_memory, 0, -1, 0) +
           test_arrays("cores and gpu, arrays on the host", &test_host_memory, -1, -1, 0) +
           test_arrays("cores and gpu, arrays in pinned memory", &test_pinned_memory, -1, -1, 0) +
           test_arrays("cores and gpu, arrays on the device", &test_cuda_memory, -1, -1, 0);
}
