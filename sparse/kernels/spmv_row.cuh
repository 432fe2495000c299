/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
    size_t rows, pitch, entries;
    const int *start, *length, *column;
    const unsigned char *row;
    const real *value;
};

template <typename real> Matrix<real> matrix_of(const starfish_sparse &m)
{
    unsigned shift = 0;
    while (m.format != STARFISH_SPARSE_SELL && (1u << shift) < m.threads)
        shift++;
    return {1u << shift, shift,    m.rows,   m.pitch, m.entries,
            m.start,     m.length, m.column, m.row,   static_cast<const real *>(m.value)};
}

/* The row at a place of SELL, as starfish_sell_row. */
template <typename real> __device__ __forceinline__ size_t sell_row(const Matrix<real> &a, size_t place)
{
    return a.row ? place / STARFISH_SELL_WINDOW * STARFISH_SELL_WINDOW + __ldg(a.row + place) : place;
}

/* x that no thread of the kernel writes is read through the cache for constants, and then matrices past it; else they
 * may be in shared memory. */
template <bool constant, typename number> __device__ __forceinline__ number read_x(const number *x)
{
    if constexpr (constant)
        return __ldg(x);
    else
        return *x;
}

template <bool constant, typename number> __device__ __forceinline__ number read_entry(const number *entry)
{
    if constexpr (constant)
        return __ldcs(entry);
    else
        return *entry;
}

/* Entries of SELL that a thread has on its way at once, and then what they need of x: all of a row by Q1 in 2D. */
constexpr int BATCH = 9;

/* The share of thread `lane` of a row, of the place of a row for SELL. */
template <starfish_sparse_format format, bool constant, typename real>
__device__ __forceinline__ real share_of_row(const Matrix<real> &a, size_t place, unsigned lane, const real *x)
{
    real sum = 0;
    if constexpr (format == STARFISH_SPARSE_CSR) {
        const int last = read_x<constant>(a.start + place + 1);
#pragma unroll 4
        for (int e = read_x<constant>(a.start + place) + int(lane); e < last; e += int(a.threads))
            sum += read_entry<constant>(a.value + e) * read_x<constant>(x + read_entry<constant>(a.column + e));
    } else if constexpr (format == STARFISH_SPARSE_ELLPACK_T) {
        const int groups = read_x<constant>(a.length + place);
        size_t e = (place << a.shift) + lane;
#pragma unroll 4
        for (int g = 0; g < groups; g++, e += a.pitch << a.shift)
            sum += read_entry<constant>(a.value + e) * read_x<constant>(x + read_entry<constant>(a.column + e));
    } else {
        const int first = read_x<constant>(a.start + place / STARFISH_SELL_CHUNK);
        const int last = read_x<constant>(a.start + place / STARFISH_SELL_CHUNK + 1);
        const int entries = (last - first) / STARFISH_SELL_CHUNK;
        size_t e = size_t(first) + place % STARFISH_SELL_CHUNK;
        int k = 0;
        for (; k + BATCH <= entries; k += BATCH, e += BATCH * STARFISH_SELL_CHUNK) {
            int column[BATCH];
            real value[BATCH], its[BATCH];
#pragma unroll
            for (int b = 0; b < BATCH; b++)
                column[b] = read_entry<constant>(a.column + e + b * STARFISH_SELL_CHUNK);
#pragma unroll
            for (int b = 0; b < BATCH; b++)
                value[b] = read_entry<constant>(a.value + e + b * STARFISH_SELL_CHUNK);
#pragma unroll
            for (int b = 0; b < BATCH; b++)
                its[b] = read_x<constant>(x + column[b]);
#pragma unroll
            for (int b = 0; b < BATCH; b++)
                sum += value[b] * its[b];
        }
#pragma unroll 4
        for (; k < entries; k++, e += STARFISH_SELL_CHUNK)
            sum += read_entry<constant>(a.value + e) * read_x<constant>(x + read_entry<constant>(a.column + e));
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
