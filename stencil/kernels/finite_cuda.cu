/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where an array is not finite, on the GPU (finite.h): bound by reading it; only what is not finite touches the result.
 */
extern "C" {
#include "stencil/kernels/finite.h"
}

#include "base/cuda_entries.h"

#include <cuda_runtime.h>

namespace
{

constexpr unsigned THREADS = 256, MOST_BLOCKS = 2048;

template <typename real>
__global__ void __launch_bounds__(THREADS) finite_kernel(size_t count, const real *values, unsigned long long *first)
{
    for (size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x; i < count; i += size_t(gridDim.x) * THREADS)
        if (!isfinite(values[i])) {
            atomicMin(first, static_cast<unsigned long long>(i));
            return;
        }
}

template <typename real> int finite(const starfish_finite *a, cudaStream_t stream)
{
    const size_t blocks = (a->count + THREADS - 1) / THREADS;
    const cudaError_t error = cudaMemsetAsync(a->first, 0xff, sizeof *a->first, stream);
    if (error != cudaSuccess || blocks == 0)
        return error;
    finite_kernel<<<unsigned(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), THREADS, 0, stream>>>(
        a->count, static_cast<const real *>(a->values), reinterpret_cast<unsigned long long *>(a->first));
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_finite, finite)
