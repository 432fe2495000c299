/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared memory that a block may ask for on the current device, which is more than the 48 KB that it has unasked. */
#ifndef STARFISH_KRYLOV_KERNELS_SHARED_MEMORY_CUH
#define STARFISH_KRYLOV_KERNELS_SHARED_MEMORY_CUH

#include <cuda_runtime.h>

static inline cudaError_t starfish_most_shared_memory(int *bytes)
{
    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);

    return error == cudaSuccess ? cudaDeviceGetAttribute(bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)
                                : error;
}

#endif
