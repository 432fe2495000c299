/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The largest magnitude that the threads of a launch have seen, as one double: through shuffles to one atomicMax per
 * block, since non-negative doubles order like their bit patterns. What is NaN counts as infinite. */
#ifndef STARFISH_STENCIL_KERNELS_MAXIMUM_CUH
#define STARFISH_STENCIL_KERNELS_MAXIMUM_CUH

#include <cuda_runtime.h>
#include <math.h>

namespace
{

__device__ inline double larger(double maximum, double value)
{
    value = fabs(value);
    return value > maximum ? value : value == value ? maximum : double(INFINITY);
}

/* All threads of the block, whole warps and most_threads at most, call this together. */
template <unsigned most_threads> __device__ void block_maximum(double value, unsigned long long *result)
{
    constexpr unsigned warp_size = 32;
    __shared__ double warp_maximum[most_threads / warp_size];
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % warp_size;
    const unsigned warp = thread / warp_size;
    for (int step = warp_size / 2; step > 0; step /= 2)
        value = larger(value, __shfl_xor_sync(0xffffffffu, value, step));
    if (lane == 0)
        warp_maximum[warp] = value;
    __syncthreads();
    if (thread == 0) {
        for (unsigned w = 1; w < blockDim.x * blockDim.y / warp_size; w++)
            value = larger(value, warp_maximum[w]);
        atomicMax(result, static_cast<unsigned long long>(__double_as_longlong(value)));
    }
    __syncthreads(); /* the next maximum uses the same shared memory */
}

} // namespace

#endif
