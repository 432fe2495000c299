/* Products with sparse matrices on the GPU: `threads` threads per row, blocks that walk on through the rows. Bound by
 * memory: matrices are read past the first-level cache, which is left to x. */
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

template <typename real, starfish_sparse_format format>
__global__ void __launch_bounds__(THREADS) spmv_kernel(const Matrix<real> a, const Rows<real> rows)
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
            row = inside ? size_t(a.row[place]) : 0;
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
        spmv_kernel<real, STARFISH_SPARSE_CSR><<<blocks, shape, 0, stream>>>(matrix, rows);
    else if (a->matrix.format == STARFISH_SPARSE_ELLPACK_T)
        spmv_kernel<real, STARFISH_SPARSE_ELLPACK_T><<<blocks, shape, 0, stream>>>(matrix, rows);
    else
        spmv_kernel<real, STARFISH_SPARSE_SELL><<<blocks, shape, 0, stream>>>(matrix, rows);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_spmv, spmv)
