/* The product of a row on the GPU, in any of the formats, by the threads that share the row. */
#ifndef STARFISH_SPARSE_KERNELS_SPMV_ROW_CUH
#define STARFISH_SPARSE_KERNELS_SPMV_ROW_CUH

extern "C" {
#include "sparse/kernels/spmv.h"
}

#include <cuda_runtime.h>

namespace
{

template <typename real> struct Matrix {
    unsigned threads, shift; /* 1 << shift threads share a row */
    size_t rows, pitch;
    const int *start, *length, *column;
    const unsigned char *row;
    const real *value;
};

template <typename real> Matrix<real> matrix_of(const starfish_sparse &m)
{
    unsigned shift = 0;
    while (m.format != STARFISH_SPARSE_SELL && (1u << shift) < m.threads)
        shift++;
    return {
        1u << shift, shift, m.rows, m.pitch, m.start, m.length, m.column, m.row, static_cast<const real *>(m.value)};
}

/* The row at a place of SELL, as starfish_sell_row. */
template <typename real> __device__ __forceinline__ size_t sell_row(const Matrix<real> &a, size_t place)
{
    return a.row ? place / STARFISH_SELL_WINDOW * STARFISH_SELL_WINDOW + __ldg(a.row + place) : place;
}

/* x that no thread of the kernel writes is read through the cache for constants. */
template <bool constant, typename real> __device__ __forceinline__ real read_x(const real *x, int column)
{
    return constant ? __ldg(x + column) : x[column];
}

/* The share of thread `lane` of a row, of the place of a row for SELL. */
template <starfish_sparse_format format, bool constant, typename real>
__device__ __forceinline__ real share_of_row(const Matrix<real> &a, size_t place, unsigned lane, const real *x)
{
    real sum = 0;
    if constexpr (format == STARFISH_SPARSE_CSR) {
        const int last = __ldg(a.start + place + 1);
#pragma unroll 4
        for (int e = __ldg(a.start + place) + int(lane); e < last; e += int(a.threads))
            sum += __ldcs(a.value + e) * read_x<constant>(x, __ldcs(a.column + e));
    } else if constexpr (format == STARFISH_SPARSE_ELLPACK_T) {
        const int groups = __ldg(a.length + place);
        size_t e = (place << a.shift) + lane;
#pragma unroll 4
        for (int g = 0; g < groups; g++, e += a.pitch << a.shift)
            sum += __ldcs(a.value + e) * read_x<constant>(x, __ldcs(a.column + e));
    } else {
        const int first = __ldg(a.start + place / STARFISH_SELL_CHUNK);
        const int entries = (__ldg(a.start + place / STARFISH_SELL_CHUNK + 1) - first) / STARFISH_SELL_CHUNK;
        size_t e = size_t(first) + place % STARFISH_SELL_CHUNK;
#pragma unroll 4
        for (int k = 0; k < entries; k++, e += STARFISH_SELL_CHUNK)
            sum += __ldcs(a.value + e) * read_x<constant>(x, __ldcs(a.column + e));
    }
    return sum;
}

/* Sum over the threads that share a row, all of which get it. Warps are whole. */
template <typename real> __device__ __forceinline__ real add_up(real sum, unsigned threads)
{
    for (unsigned step = threads / 2; step > 0; step >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    return sum;
}

} // namespace

#endif
