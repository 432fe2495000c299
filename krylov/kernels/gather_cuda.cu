/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a vector by an index set, on the GPU: a thread per element. Bound by memory. */
extern "C" {
#include "krylov/kernels/gather.h"
}

#include "base/cuda_entries.h"

#include <cuda_runtime.h>

namespace
{

constexpr unsigned THREADS = 256;

template <typename real>
__global__ void __launch_bounds__(THREADS) gather_kernel(size_t count, const int *index, const real *from, real *to)
{
    const size_t i = blockIdx.x * size_t(THREADS) + threadIdx.x;
    if (i < count)
        to[i] = from[index[i]];
}

template <typename real> int gather(const starfish_vector_gather *a, cudaStream_t stream)
{
    if (a->count == 0)
        return cudaSuccess;
    gather_kernel<real><<<unsigned((a->count + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
        a->count, a->index, static_cast<const real *>(a->from), static_cast<real *>(a->to));
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_vector_gather, gather)
