/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The constant mode along z on the GPU. Take and put: a thread for each plane. A line is solved by one block of
 * threads, each of which has a run of consecutive unknowns. Elimination and back-substitution are recurrences
 * x_k = b + a x_(k-1), with 0 <= a <= 1 where signs are alike, so that a scan over the threads joins the runs without
 * cancellation. The order is fixed, so that results repeat. Bound by latencies. */
extern "C" {
#include "tridiag/kernels/constant_line.h"
}

#include "base/cuda_entries.h"

#include <cuda_runtime.h>

namespace
{

enum { THREADS = 256, WARP = 32, WARPS = THREADS / WARP };
constexpr unsigned all_lanes = ~0u;

unsigned problems_of(size_t problems)
{
    return problems > 0 ? unsigned(problems) : 1;
}

/* ---- What touches the field -------------------------------------------------------------------------------------- */

template <typename real> __global__ void __launch_bounds__(THREADS) take_kernel(const starfish_constant_take a)
{
    const size_t k = size_t(blockIdx.x) * THREADS + threadIdx.x, problem = blockIdx.y;
    if (k < a.planes)
        a.line[problem * a.planes + k] = double(static_cast<const real *>(a.lane)[problem * a.distance + k * a.stride]);
}

template <typename real> __global__ void __launch_bounds__(THREADS) put_kernel(const starfish_constant_put a)
{
    const size_t k = size_t(blockIdx.x) * THREADS + threadIdx.x, problem = blockIdx.y;
    if (k < a.planes)
        static_cast<real *>(a.lane)[problem * a.distance + k * a.stride] = real(a.line[problem * a.planes + k]);
}

dim3 blocks_of(size_t planes, size_t problems)
{
    return dim3(unsigned((planes + THREADS - 1) / THREADS), problems_of(problems));
}

template <typename real> int take(const starfish_constant_take *a, cudaStream_t stream)
{
    take_kernel<real><<<blocks_of(a->planes, a->problems), THREADS, 0, stream>>>(*a);
    return cudaGetLastError();
}

template <typename real> int put(const starfish_constant_put *a, cudaStream_t stream)
{
    put_kernel<real><<<blocks_of(a->planes, a->problems), THREADS, 0, stream>>>(*a);
    return cudaGetLastError();
}

/* ---- The line ---------------------------------------------------------------------------------------------------- */

/* x -> b + a x */
struct affine {
    double a, b;
};

/* First `inner`, then `outer`. */
__device__ affine after(affine outer, affine inner)
{
    return {outer.a * inner.a, outer.b + outer.a * inner.b};
}

/* What all threads before this one make of zero. */
__device__ double before_thread(affine own, affine (&warps)[WARPS])
{
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    affine sum = own;
    for (unsigned step = 1; step < WARP; step *= 2) {
        const affine earlier = {__shfl_up_sync(all_lanes, sum.a, step), __shfl_up_sync(all_lanes, sum.b, step)};
        if (lane >= step)
            sum = after(sum, earlier);
    }
    __syncthreads(); /* the scan before may still be read */
    if (lane == WARP - 1)
        warps[warp] = sum;
    __syncthreads();
    double x = 0;
    for (unsigned w = 0; w < warp; w++)
        x = warps[w].b + warps[w].a * x;
    const affine earlier = {__shfl_up_sync(all_lanes, sum.a, 1), __shfl_up_sync(all_lanes, sum.b, 1)};
    return lane == 0 ? x : earlier.b + earlier.a * x;
}

/* The sum over all threads, for each of them. */
__device__ double sum_of(double own, double (&warps)[WARPS])
{
    for (unsigned step = WARP / 2; step > 0; step /= 2)
        own += __shfl_xor_sync(all_lanes, own, step);
    __syncthreads(); /* the sum before may still be read */
    if (threadIdx.x % WARP == 0)
        warps[threadIdx.x / WARP] = own;
    __syncthreads();
    double sum = 0;
    for (double part : warps)
        sum += part;
    return sum;
}

/* Unknowns of a problem's line, whichever pieces they are in. */
struct line_of {
    const starfish_constant_solve &a;
    size_t problem, piece;

    __device__ double &operator[](size_t k)
    {
        while (k < a.first[piece])
            piece--;
        while (k >= a.first[piece + 1])
            piece++;
        return a.piece[piece][problem * a.first[a.pieces] + (k - a.first[piece])];
    }
};

__global__ void __launch_bounds__(THREADS) solve_kernel(const __grid_constant__ starfish_constant_solve a)
{
    __shared__ affine scans[WARPS];
    __shared__ double sums[WARPS];
    const starfish_constant_tables &t = a.tables;
    const size_t n = a.first[a.pieces], run = (n + THREADS - 1) / THREADS;
    const size_t begin = min(threadIdx.x * run, n), end = min(begin + run, n);
    const size_t back = (THREADS - 1 - threadIdx.x) * run; /* the last runs are the first in back-substitution */
    const size_t least = min(back, n), last = min(back + run, n);
    line_of line = {a, blockIdx.x, 0};

    double own = 0;
    for (size_t k = begin; k < end; k++)
        own += t.weight[k] * line[k];
    const double removed = sum_of(own, sums);

    affine up = {1, 0};
    for (size_t k = begin; k < end; k++)
        up = after({t.below[k], (line[k] - removed) * t.inverse[k]}, up);
    double x = before_thread(up, scans);
    for (size_t k = begin; k < end; k++)
        line[k] = x = (line[k] - removed) * t.inverse[k] + t.below[k] * x;
    __syncthreads(); /* another thread goes on with them */

    affine down = {1, 0};
    for (size_t k = last; k-- > least;)
        down = after({t.above[k], line[k]}, down);
    x = before_thread(down, scans);
    own = 0;
    for (size_t k = last; k-- > least;) {
        line[k] = x = line[k] + t.above[k] * x;
        own += t.weight[k] * x;
    }
    const double mean = sum_of(own, sums);
    for (size_t k = least; k < last; k++)
        line[k] -= mean;
    if (threadIdx.x < STARFISH_CONSTANT_REMOVED)
        a.removed[STARFISH_CONSTANT_REMOVED * blockIdx.x + threadIdx.x] = threadIdx.x == 0 ? removed * a.scale : 0;
}

} // namespace

extern "C" int starfish_constant_solve_cuda(const struct starfish_constant_solve *a, cudaStream_t stream)
{
    solve_kernel<<<problems_of(a->problems), THREADS, 0, stream>>>(*a);
    return cudaGetLastError();
}

STARFISH_CUDA_ENTRIES(starfish_constant_take, take)
STARFISH_CUDA_ENTRIES(starfish_constant_put, put)
