/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How kernels on a rectangle of a grid are cut into blocks and threads: a block is 64 x 4 threads, one unknown each and
 * along x. Where there are more blocks than STARFISH_SUMS a block walks on through the grid, which also lets its sum be
 * one double: sums do not depend on the order in which blocks run. */
#ifndef STARFISH_KRYLOV_KERNELS_WALK_CUH
#define STARFISH_KRYLOV_KERNELS_WALK_CUH

extern "C" {
#include "krylov/kernels/vectors.h"
}

#include <cuda_runtime.h>

namespace
{

constexpr unsigned ACROSS = 64, DOWN = 4, THREADS = ACROSS * DOWN, WARPS = THREADS / 32;
constexpr size_t MOST_BLOCKS = STARFISH_SUMS;

/* Blocks in x and y, together MOST_BLOCKS at most. */
dim3 blocks_for(const starfish_rectangle &at)
{
    const size_t across = (at.x1 - at.x0 + ACROSS - 1) / ACROSS, down = (at.y1 - at.y0 + DOWN - 1) / DOWN;
    const size_t x = across < MOST_BLOCKS ? across : MOST_BLOCKS, most = MOST_BLOCKS / x;
    return dim3(unsigned(x), unsigned(down < most ? down : most));
}

bool empty(const starfish_rectangle &at)
{
    return at.x0 >= at.x1 || at.y0 >= at.y1;
}

/* What a thread does to the unknowns (i,j) that fall to it. */
template <typename Work> __device__ void walk(const starfish_rectangle &at, Work work)
{
    for (size_t j = at.y0 + blockIdx.y * DOWN + threadIdx.y; j < at.y1; j += size_t(gridDim.y) * DOWN)
        for (size_t i = at.x0 + blockIdx.x * ACROSS + threadIdx.x; i < at.x1; i += size_t(gridDim.x) * ACROSS)
            work(i, j);
}

/* The block's sum. */
__device__ void store_total(double value, double *total)
{
    __shared__ double of_warp[WARPS];
    const unsigned thread = threadIdx.y * ACROSS + threadIdx.x, lane = thread % 32, warp = thread / 32;
    for (int step = 16; step > 0; step >>= 1)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads();
    if (thread == 0) {
        double sum = 0;
        for (unsigned w = 0; w < WARPS; w++)
            sum += of_warp[w];
        *total = sum;
    }
}

/* The same, at its place. */
__device__ void store_sum(double value, double *sums)
{
    store_total(value, sums + blockIdx.y * gridDim.x + blockIdx.x);
}

} // namespace

#endif
