/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with sparse matrices on the GPU: a thread per row, or T of ELLPACK-T, and blocks that walk on through them.
 * Bound by memory: matrices are read past the first-level cache, which is left to x. */
extern "C" {
#include "sparse/kernels/spmv.h"
}

#include "base/cuda_entries.h"
#include "krylov/kernels/walk.cuh"
#include "sparse/kernels/spmv_row.cuh"

namespace
{

template <typename real> struct Rows {
    size_t first, last;             /* that count */
    size_t first_place, last_place; /* that are looked at; multiples of a warp's, but for the last */
    real factor, damping;
    const real *x, *base, *inverse;
    real *result;
    double *sums;
};

/* Returns the square of r. */
template <typename real> __device__ __forceinline__ double finish(const Rows<real> &rows, size_t row, real product)
{
    const real r = (rows.base ? rows.base[row] : real(0)) + rows.factor * product;
    if (rows.result && rows.inverse)
        rows.result[row] = (rows.x ? rows.x[row] : real(0)) + rows.damping * rows.inverse[row] * r;
    else if (rows.result)
        rows.result[row] = r;
    return double(r) * double(r);
}

/* Registers for a batch of SELL's entries, or for as many blocks as there were. */
template <typename real, starfish_sparse_format format>
__global__ void __launch_bounds__(THREADS, format == STARFISH_SPARSE_SELL ? 4 : 6)
    spmv_kernel(const Matrix<real> a, const Rows<real> rows)
{
    const size_t thread = blockIdx.x * size_t(THREADS) + threadIdx.y * ACROSS + threadIdx.x;
    const size_t step = gridDim.x * size_t(THREADS) >> a.shift;
    const unsigned lane = unsigned(thread) & (a.threads - 1);
    const size_t warp_rows = 32u >> a.shift, behind = (thread % 32) >> a.shift;
    double sum = 0;
    for (size_t place = rows.first_place + (thread >> a.shift); place - behind < rows.last_place; place += step) {
        const bool inside = place < rows.last_place;
        size_t row = place;
        if (format == STARFISH_SPARSE_SELL)
            row = inside ? sell_row(a, place) : 0;
        const bool counts = inside && row >= rows.first && row < rows.last;
        real product = counts && rows.x ? share_of_row<format, true>(a, place, lane, rows.x) : real(0);
        if (warp_rows < 32)
            product = add_up(product, a.threads);
        if (counts && lane == 0)
            sum += finish(rows, row, product);
    }
    if (rows.sums)
        store_sum(sum, rows.sums);
}

/* CSR: a block multiplies the entries of a run of rows as they lie in memory, a tile at a time, and then each thread
 * adds up those of its row (Greathouse, Daga, SC'14, 769-780). */
template <typename real>
__global__ void __launch_bounds__(THREADS) csr_kernel(const Matrix<real> a, const Rows<real> rows)
{
    constexpr int TILE = 8 * THREADS;
    __shared__ real product[TILE];
    const int thread = int(threadIdx.y * ACROSS + threadIdx.x);
    double sum = 0;
    for (size_t begin = rows.first + blockIdx.x * size_t(THREADS); begin < rows.last;
         begin += gridDim.x * size_t(THREADS)) {
        const size_t end = begin + THREADS < rows.last ? begin + THREADS : rows.last, row = begin + size_t(thread);
        const int first = rows.x ? __ldg(a.start + begin) : 0, last = rows.x ? __ldg(a.start + end) : 0;
        const int own = row < end ? __ldg(a.start + row) : last, own_end = row < end ? __ldg(a.start + row + 1) : last;
        real total = 0;
        for (int tile = first; tile < last; tile += TILE) {
#pragma unroll
            for (int k = thread; k < TILE; k += THREADS)
                if (tile + k < last)
                    product[k] = __ldcs(a.value + tile + k) * __ldg(rows.x + __ldcs(a.column + tile + k));
            __syncthreads();
            for (int e = own > tile ? own : tile; e < own_end && e < tile + TILE; e++)
                total += product[e - tile];
            __syncthreads();
        }
        if (row < end)
            sum += finish(rows, row, total);
    }
    if (rows.sums)
        store_sum(sum, rows.sums);
}

template <typename real> int spmv(const starfish_spmv *a, cudaStream_t stream)
{
    const Matrix<real> matrix = matrix_of<real>(a->matrix);
    Rows<real> rows = {a->first,
                       a->last,
                       a->first,
                       a->last,
                       real(a->factor),
                       real(a->damping),
                       static_cast<const real *>(a->x),
                       static_cast<const real *>(a->base),
                       static_cast<const real *>(a->inverse),
                       static_cast<real *>(a->result),
                       a->sums};
    if (a->sums) {
        const cudaError_t error = cudaMemsetAsync(a->sums, 0, STARFISH_SUMS * sizeof(double), stream);
        if (error != cudaSuccess)
            return error;
    }
    if (a->first >= a->last)
        return cudaSuccess;
    if (a->matrix.format == STARFISH_SPARSE_SELL) {
        const size_t window = STARFISH_SELL_WINDOW, chunk = STARFISH_SELL_CHUNK;
        const size_t all = (a->matrix.rows + chunk - 1) / chunk * chunk;
        rows.first_place = a->first / window * window;
        rows.last_place = (a->last + window - 1) / window * window;
        rows.last_place = rows.last_place < all ? rows.last_place : all;
    }
    const size_t threads = (rows.last_place - rows.first_place) << matrix.shift;
    const size_t wanted = (threads + THREADS - 1) / THREADS;
    /* Only sums need the number of blocks to be small. */
    const size_t most = a->sums ? MOST_BLOCKS : size_t(1) << 30;
    const unsigned blocks = unsigned(wanted < most ? wanted : most);
    const dim3 shape(ACROSS, DOWN);
    if (a->matrix.format == STARFISH_SPARSE_CSR)
        csr_kernel<real><<<blocks, shape, 0, stream>>>(matrix, rows);
    else if (a->matrix.format == STARFISH_SPARSE_ELLPACK_T)
        spmv_kernel<real, STARFISH_SPARSE_ELLPACK_T><<<blocks, shape, 0, stream>>>(matrix, rows);
    else
        spmv_kernel<real, STARFISH_SPARSE_SELL><<<blocks, shape, 0, stream>>>(matrix, rows);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_spmv, spmv)
