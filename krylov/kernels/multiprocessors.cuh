/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many multiprocessors the current device has, by which launches are cut into blocks. */
#ifndef STARFISH_KRYLOV_KERNELS_MULTIPROCESSORS_CUH
#define STARFISH_KRYLOV_KERNELS_MULTIPROCESSORS_CUH

#include <cuda_runtime.h>

static inline cudaError_t starfish_multiprocessors(int *count)
{
    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);

    return error == cudaSuccess ? cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device) : error;
}

#endif
