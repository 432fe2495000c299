/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Substitution by blocks and lines on the GPU. Lines: a thread each, which read and write together. Blocks of cells: a
 * block of threads each, a thread for every row of x or for several; cells (i,j,k) with the same i + j + k depend on
 * those with less alone, and are solved at once, level by level. Bound by the latency of memory times the levels. */
extern "C" {
#include "krylov/kernels/block_run.h"
}

#include "krylov/kernels/walk.cuh"

namespace
{

constexpr unsigned WARP = 32, MOST_THREADS = 256;

/* The sum of the block's threads, in the first one. */
__device__ double block_total(double value)
{
    __shared__ double of_warp[MOST_THREADS / WARP];
    for (int step = 16; step > 0; step >>= 1)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    if (threadIdx.x % WARP == 0)
        of_warp[threadIdx.x / WARP] = value;
    __syncthreads();
    double sum = 0;
    for (unsigned w = 0; threadIdx.x == 0 && w < blockDim.x / WARP; w++)
        sum += of_warp[w];
    return sum;
}

__global__ void __launch_bounds__(WARP) lines_kernel(const starfish_blocks a, size_t runs)
{
    if (a.cells.done && *a.cells.done != 0)
        return;
    double sum = 0;
    for (size_t run = blockIdx.x * WARP + threadIdx.x; run < runs; run += size_t(gridDim.x) * WARP)
        sum += run_solve(&a, run);
    sum = block_total(sum);
    if (a.cells.sums && threadIdx.x == 0)
        a.cells.sums[blockIdx.x] = sum;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* Rows of x that a run has cells of, and its levels. */
struct front {
    size_t first_row, last_row, first_level, last_level;
};

__device__ front front_of(const starfish_cell_matrix &m, const run &r)
{
    front f;
    f.first_row = r.begin / m.n[0];
    f.last_row = (r.end - 1) / m.n[0];
    const size_t low = f.first_row / m.n[1], high = f.last_row / m.n[1];
    const bool flat = low == high;
    f.first_level = low + (flat ? f.first_row % m.n[1] : 0);
    f.last_level = high + m.n[0] - 1 + (flat ? f.last_row % m.n[1] : m.n[1] - 1);
    return f;
}

/* The run's cells of a level that fall to this thread. */
template <typename Work>
__device__ void walk_level(const starfish_cell_matrix &m, const run &r, const front &f, size_t level, Work work)
{
    for (size_t row = f.first_row + threadIdx.x; row <= f.last_row; row += blockDim.x) {
        const size_t j = row % m.n[1], k = row / m.n[1], e = row * m.n[0] + (level - j - k);
        if (level >= j + k && level - j - k < m.n[0] && e >= r.begin && e < r.end)
            work(level - j - k, j, k);
    }
}

__device__ double solve_together(const starfish_blocks &a, size_t number)
{
    const starfish_cell_matrix &m = a.cells.matrix;
    const run r = run_at(&a, number);
    const front f = front_of(m, r);
    const real *u = static_cast<const real *>(a.cells.u), *inverse = static_cast<const real *>(a.cells.table);
    real *q = static_cast<real *>(a.cells.q);
    double sum = 0;
    for (size_t level = f.first_level; level <= f.last_level; level++) {
        walk_level(m, r, f, level, [&](size_t i, size_t j, size_t k) {
            const cell c = cell_at(&a.cells, i, j, k);
            q[c.e] = (u[c.e] + run_sum(&a, &r, &c, q, 0, 0)) * inverse[c.e];
        });
        __syncthreads();
    }
    for (size_t level = f.last_level + 1; level-- > f.first_level;) {
        walk_level(m, r, f, level, [&](size_t i, size_t j, size_t k) {
            const cell c = cell_at(&a.cells, i, j, k);
            q[c.e] += run_sum(&a, &r, &c, q, 1, 0) * inverse[c.e];
            sum += double(u[c.e]) * double(q[c.e]);
        });
        __syncthreads();
    }
    return sum;
}

__global__ void __launch_bounds__(MOST_THREADS) blocks_kernel(const starfish_blocks a, size_t runs)
{
    if (a.cells.done && *a.cells.done != 0)
        return;
    double sum = 0;
    for (size_t run = blockIdx.x; run < runs; run += gridDim.x)
        sum += solve_together(a, run);
    sum = block_total(sum);
    if (a.cells.sums && threadIdx.x == 0)
        a.cells.sums[blockIdx.x] = sum;
}

/* As many threads as a run has rows, in warps. */
unsigned threads_for(const starfish_blocks &a)
{
    const size_t rows = a.block / a.cells.matrix.n[0] + 2, warps = (rows + WARP - 1) / WARP;
    return unsigned(warps * WARP < MOST_THREADS ? warps * WARP : MOST_THREADS);
}

} // namespace

extern "C" int REAL_NAME(starfish_blocks_cuda)(const struct starfish_blocks *a, cudaStream_t stream)
{
    const size_t plane = a->cells.matrix.n[0] * a->cells.matrix.n[1];
    const size_t runs = a->block == 0 ? plane : ((a->cells.last - a->cells.first) * plane + a->block - 1) / a->block;
    const size_t wanted = a->block == 0 ? (runs + WARP - 1) / WARP : runs, most = STARFISH_SUMS;
    const size_t blocks = wanted < most ? wanted : most;
    if (a->cells.sums && blocks < STARFISH_SUMS) {
        const cudaError_t error =
            cudaMemsetAsync(a->cells.sums + blocks, 0, (STARFISH_SUMS - blocks) * sizeof(double), stream);
        if (error != cudaSuccess)
            return error;
    }
    if (runs == 0)
        return cudaSuccess;
    if (a->block == 0)
        lines_kernel<<<unsigned(blocks), WARP, 0, stream>>>(*a, runs);
    else
        blocks_kernel<<<unsigned(blocks), threads_for(*a), 0, stream>>>(*a, runs);
    return cudaGetLastError();
}
