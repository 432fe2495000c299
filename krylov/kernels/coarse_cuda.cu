/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coarse space of deflation on the GPU: a warp for each chunk; a block for each row of the inverse, which is bound
 * by memory, or of its first half, and a warp for each row of the other, which are bound by two launches. */
extern "C" {
#include "krylov/kernels/coarse.h"
}

#include "base/cuda_entries.h"

#include <cuda_runtime.h>

namespace
{

constexpr unsigned THREADS = 128, WARPS = THREADS / 32;

__device__ double warp_sum(double value)
{
    for (int step = 16; step > 0; step >>= 1)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}

/* Of the block, in its first thread. */
__device__ double block_sum(double value)
{
    __shared__ double of_warp[WARPS];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    double sum = 0;
    if (threadIdx.x == 0)
        for (unsigned w = 0; w < WARPS; w++)
            sum += of_warp[w];
    return sum;
}

template <typename real> __global__ void __launch_bounds__(THREADS) chunks_kernel(const starfish_chunk_sums a)
{
    if (a.done && *a.done != 0)
        return;
    const real *r = static_cast<const real *>(a.r), *y = static_cast<const real *>(a.y);
    const real *factor = static_cast<const real *>(a.factor);
    const int lane = int(threadIdx.x % 32);
    for (size_t chunk = blockIdx.x * WARPS + threadIdx.x / 32; chunk < a.chunks; chunk += size_t(gridDim.x) * WARPS) {
        double sum = 0;
        for (int at = a.cell_begin[chunk] + lane; at < a.cell_begin[chunk + 1]; at += 32)
            sum += double(r[a.cell[at]]);
        if (y)
            for (int at = a.term_begin[chunk] + lane; at < a.term_begin[chunk + 1]; at += 32)
                sum -= double(factor[at]) * double(y[a.term[at]]);
        sum = warp_sum(sum);
        if (lane == 0)
            a.sum[chunk] = sum;
    }
}

template <typename real> int chunks(const starfish_chunk_sums *a, cudaStream_t stream)
{
    if (a->chunks == 0)
        return cudaSuccess;
    const size_t wanted = (a->chunks + WARPS - 1) / WARPS, most = 65535;
    chunks_kernel<real><<<unsigned(wanted < most ? wanted : most), THREADS, 0, stream>>>(*a);
    return cudaGetLastError();
}

__global__ void __launch_bounds__(THREADS) add_up_kernel(const starfish_coarse_solve a)
{
    if (a.done && *a.done != 0)
        return;
    for (size_t d = blockIdx.x; d < a.domains; d += gridDim.x) {
        double sum = 0;
        for (size_t part = 0; part < a.parts; part++)
            for (int c = a.chunk_begin[part][d] + int(threadIdx.x); c < a.chunk_begin[part][d + 1]; c += THREADS)
                sum += a.sum[part][c];
        sum = block_sum(sum);
        if (threadIdx.x == 0)
            a.rhs[d] = sum;
        __syncthreads();
    }
}

__global__ void __launch_bounds__(THREADS) inverse_kernel(const starfish_coarse_solve a)
{
    if (a.done && *a.done != 0)
        return;
    const double *rhs = a.one_each ? a.sum[0] : a.rhs;
    for (size_t d = blockIdx.x; d < a.domains; d += gridDim.x) {
        double sum = 0;
        for (size_t e = threadIdx.x; e < a.domains; e += THREADS)
            sum += a.matrix[d * a.domains + e] * rhs[e];
        sum = block_sum(sum);
        if (threadIdx.x == 0)
            a.solution[d] = sum;
        __syncthreads();
    }
}

/* half = W rhs: rows are runs of positions, of the topmost separator as long as there are positions. */
__global__ void __launch_bounds__(THREADS) first_half_kernel(const starfish_coarse_solve a)
{
    if (a.done && *a.done != 0)
        return;
    const int *order = a.place, *row = order + a.domains, *first = row + a.unknowns + 1;
    const double *rhs = a.one_each ? a.sum[0] : a.rhs;
    for (size_t i = blockIdx.x; i < a.unknowns; i += gridDim.x) {
        const double *w = a.matrix + row[i];
        const int count = row[i + 1] - row[i], *at = order + first[i];
        double sum = 0;
        for (int c = int(threadIdx.x); c < count; c += THREADS)
            sum += w[c] * rhs[at[c]];
        sum = block_sum(sum);
        if (threadIdx.x == 0)
            a.rhs[a.domains + i] = sum;
        __syncthreads();
    }
}

/* solution = W' half. */
__global__ void __launch_bounds__(THREADS) second_half_kernel(const starfish_coarse_solve a)
{
    if (a.done && *a.done != 0)
        return;
    const size_t n = a.unknowns;
    const int *order = a.place, *column = order + a.domains + 2 * n + 1, *above = column + n + 1;
    const double *half = a.rhs + a.domains, *w = a.matrix + a.entries;
    const int lane = int(threadIdx.x % 32);
    for (size_t j = blockIdx.x * WARPS + threadIdx.x / 32; j < a.domains; j += size_t(gridDim.x) * WARPS) {
        double sum = 0;
        if (j < n)
            for (int e = column[j] + lane; e < column[j + 1]; e += 32)
                sum += w[e] * half[above[e]];
        sum = warp_sum(sum);
        if (lane == 0)
            a.solution[order[j]] = sum;
    }
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_chunk_sums, chunks)

extern "C" int starfish_coarse_solve_cuda(const struct starfish_coarse_solve *a, cudaStream_t stream)
{
    const unsigned blocks = unsigned(a->domains < 65535 ? a->domains : 65535);
    if (!a->one_each)
        add_up_kernel<<<blocks, THREADS, 0, stream>>>(*a);
    if (a->form == STARFISH_COARSE_BY_INVERSE) {
        inverse_kernel<<<blocks, THREADS, 0, stream>>>(*a);
        return cudaGetLastError();
    }
    if (a->unknowns > 0)
        first_half_kernel<<<blocks, THREADS, 0, stream>>>(*a);
    second_half_kernel<<<(blocks + WARPS - 1) / WARPS, THREADS, 0, stream>>>(*a);
    return cudaGetLastError();
}
