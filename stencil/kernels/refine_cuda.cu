/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of iterative refinement on the GPU (refine.h): bound by memory. Maxima go to one atomicMax per block, as
 * non-negative doubles order like their bit patterns. */
extern "C" {
#include "stencil/kernels/refine.h"
}

#include "base/cuda_entries.h"
#include "stencil/kernels/maximum.cuh"

namespace
{

constexpr unsigned THREADS = 256, MOST_BLOCKS = 2048;

unsigned blocks_of(size_t count)
{
    const size_t blocks = (count + THREADS - 1) / THREADS;
    return unsigned(blocks < 1 ? 1 : blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
}

__device__ size_t first_of_thread()
{
    return size_t(blockIdx.x) * THREADS + threadIdx.x;
}

template <typename real>
__global__ void __launch_bounds__(THREADS)
    add_kernel(size_t count, real *u, real *correction, unsigned long long *maximum)
{
    double largest = 0;
    for (size_t i = first_of_thread(); i < count; i += size_t(gridDim.x) * THREADS) {
        const real was = u[i], added = correction[i];
        u[i] = was + added;
        correction[i] = was;
        largest = larger(largest, static_cast<double>(added));
    }
    block_maximum<THREADS>(largest, maximum);
}

template <typename real> int add(const starfish_refine_add *a, cudaStream_t stream)
{
    const cudaError_t error = cudaMemsetAsync(a->maximum, 0, sizeof(double), stream);
    if (error != cudaSuccess)
        return error;
    add_kernel<<<blocks_of(a->count), THREADS, 0, stream>>>(a->count, static_cast<real *>(a->u),
                                                            static_cast<real *>(a->correction),
                                                            reinterpret_cast<unsigned long long *>(a->maximum));
    return cudaGetLastError();
}

template <typename real>
__global__ void __launch_bounds__(THREADS) restore_kernel(size_t count, real *u, const real *before, const double *kept)
{
    if (*kept != 0)
        return;
    for (size_t i = first_of_thread(); i < count; i += size_t(gridDim.x) * THREADS)
        u[i] = before[i];
}

template <typename real> int restore(const starfish_refine_restore *a, cudaStream_t stream)
{
    restore_kernel<<<blocks_of(a->count), THREADS, 0, stream>>>(a->count, static_cast<real *>(a->u),
                                                                static_cast<const real *>(a->before), a->kept);
    return cudaGetLastError();
}

__global__ void judge_kernel(const starfish_refine_judge a)
{
    starfish_refine_judge_here(&a);
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_refine_add, add)
STARFISH_CUDA_ENTRIES(starfish_refine_restore, restore)

extern "C" int starfish_refine_judge_cuda(const struct starfish_refine_judge *arguments, struct CUstream_st *stream)
{
    judge_kernel<<<1, 1, 0, stream>>>(*arguments);
    return cudaGetLastError();
}
