/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the current device has: multiprocessors, by which launches are cut into blocks, and L2 cache. */
#ifndef STARFISH_KRYLOV_KERNELS_MULTIPROCESSORS_CUH
#define STARFISH_KRYLOV_KERNELS_MULTIPROCESSORS_CUH

#include <cuda_runtime.h>

static inline cudaError_t starfish_multiprocessors(int *count)
{
    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);

    return error == cudaSuccess ? cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device) : error;
}

static inline cudaError_t starfish_l2_bytes(int *bytes)
{
    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);

    return error == cudaSuccess ? cudaDeviceGetAttribute(bytes, cudaDevAttrL2CacheSize, device) : error;
}

#endif
