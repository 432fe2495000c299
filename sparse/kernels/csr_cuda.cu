/* Products with matrices in compressed rows on the GPU: a thread per row, blocks that walk on through the rows. Bound
 * by memory; for rows of very different lengths by the longest of a warp. */
extern "C" {
#include "sparse/kernels/csr.h"
}

#include "base/cuda_entries.h"
#include "krylov/kernels/walk.cuh"

namespace
{

template <typename real> struct Matrix {
    const int *start, *column;
    const real *value;
};

template <typename real> struct Rows {
    size_t first, last;
    real factor, damping;
    const real *x, *base, *inverse;
    real *result;
    double *sums;
};

template <typename real> __device__ real product_of_row(const Matrix<real> &a, size_t row, const real *x)
{
    real sum = 0;
    for (int e = a.start[row]; e < a.start[row + 1]; e++)
        sum += a.value[e] * x[a.column[e]];
    return sum;
}

template <typename real>
__global__ void __launch_bounds__(THREADS) apply_kernel(const Matrix<real> a, const Rows<real> rows)
{
    const unsigned thread = threadIdx.y * ACROSS + threadIdx.x;
    double sum = 0;
    for (size_t i = rows.first + blockIdx.x * size_t(THREADS) + thread; i < rows.last;
         i += gridDim.x * size_t(THREADS)) {
        const real r =
            (rows.base ? rows.base[i] : real(0)) + (rows.x ? rows.factor * product_of_row(a, i, rows.x) : real(0));
        sum += double(r) * double(r);
        if (rows.result && rows.inverse)
            rows.result[i] = (rows.x ? rows.x[i] : real(0)) + rows.damping * rows.inverse[i] * r;
        else if (rows.result)
            rows.result[i] = r;
    }
    if (rows.sums)
        store_sum(sum, rows.sums);
}

template <typename real> int apply(const starfish_csr_apply *a, cudaStream_t stream)
{
    const Matrix<real> matrix = {a->matrix.start, a->matrix.column, static_cast<const real *>(a->matrix.value)};
    const Rows<real> rows = {a->first,
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
    const size_t blocks = (a->last - a->first + THREADS - 1) / THREADS;
    apply_kernel<real>
        <<<unsigned(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), dim3(ACROSS, DOWN), 0, stream>>>(matrix, rows);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_csr_apply, apply)
