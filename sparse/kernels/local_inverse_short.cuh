/* Rows of SPAI with at most 9 entries that name rows of A with at most 9, as most of Q1 elements in 2D are, on the GPU.
 * 8 lanes bring the rows of A into shared memory and multiply them there by pairs, and then one thread has the row's
 * whole system in its registers. Shorter systems are filled up with ones on the diagonal, so that all loops are
 * unrolled. Bound by the comparisons of the products, about 18 for each of 45 pairs of rows. */
#ifndef STARFISH_SPARSE_KERNELS_LOCAL_INVERSE_SHORT_CUH
#define STARFISH_SPARSE_KERNELS_LOCAL_INVERSE_SHORT_CUH

extern "C" {
#include "sparse/kernels/local_inverse.h"
}

#include <cuda_runtime.h>

namespace
{

constexpr int SHORT_LANES = 8, SHORT_ROWS = 32; /* of a block */
constexpr int SHORT = 9;

/* Is a row one of these? */
__device__ __forceinline__ bool is_short(const starfish_local_inverse &a, size_t row)
{
    const int first = a.pattern_start[row], m = a.pattern_start[row + 1] - first;
    bool fits = m <= SHORT;
    for (int p = 0; fits && p < m; p++) {
        const int j = a.pattern_column[first + p];
        fits = __ldg(a.matrix.start + j + 1) - __ldg(a.matrix.start + j) <= SHORT;
    }
    return fits;
}

/* What a row of the result needs, for at most M entries. Strides between the systems of neighbouring rows are odd, so
 * that threads that read them use different banks. */
template <int M> struct short_row {
    static constexpr int PAIRS = M * (M + 1) / 2, SYSTEM = (PAIRS + M) | 1;
    double value[M][M];
    double system[SYSTEM];
    int column[M][M], length[M];
};

/* The place of pair t = p (p + 1) / 2 + q, q <= p. */
__device__ __forceinline__ int row_of_pair(int t)
{
    return int((sqrtf(float(8 * t + 1)) - 1.0f) * 0.5f);
}

template <int M>
__device__ __forceinline__ void bring_rows(const starfish_local_inverse &a, const int *pattern, int m, int lane,
                                           short_row<M> *here)
{
    for (int p = 0; p < m; p++) {
        const int first = __ldg(a.matrix.start + pattern[p]), length = __ldg(a.matrix.start + pattern[p] + 1) - first;
        for (int k = lane; k < length; k += SHORT_LANES) {
            here->column[p][k] = __ldg(a.matrix.column + first + k);
            here->value[p][k] = __ldg(a.matrix.value + first + k);
        }
        if (lane == 0)
            here->length[p] = length;
    }
}

template <int M> __device__ __forceinline__ double product_here(const short_row<M> *here, int p, int q)
{
    const int p_end = here->length[p], q_end = here->length[q];
    double sum = 0;
    int e = 0, f = 0, left = here->column[p][0], right = here->column[q][0];
    while (e < p_end && f < q_end) {
        if (left == right)
            sum += here->value[p][e] * here->value[q][f];
        const bool next_left = left <= right, next_right = right <= left;
        e += next_left;
        f += next_right;
        if (next_left && e < p_end)
            left = here->column[p][e];
        if (next_right && f < q_end)
            right = here->column[q][f];
    }
    return sum;
}

/* The normal equations of a row, filled up to M. */
template <int M> __device__ __forceinline__ void assemble_here(int row, int m, int lane, short_row<M> *here)
{
    using sizes = short_row<M>;
    for (int t = lane; t < sizes::PAIRS; t += SHORT_LANES) {
        const int p = row_of_pair(t), q = t - p * (p + 1) / 2;
        here->system[t] = p < m ? product_here(here, p, q) : double(p == q);
    }
    for (int p = lane; p < M; p += SHORT_LANES) {
        double known = 0;
        for (int k = 0; p < m && k < here->length[p]; k++)
            known = here->column[p][k] == row ? here->value[p][k] : known;
        here->system[sizes::PAIRS + p] = known;
    }
}

/* Cholesky's factor and both substitutions, as local_factor and local_substitute. */
template <int M> __device__ __forceinline__ void solve_here(const double *system, double x[M])
{
    constexpr double small = 1e-14;
    double l[M][M];
#pragma unroll
    for (int p = 0; p < M; p++) {
        x[p] = system[M * (M + 1) / 2 + p];
#pragma unroll
        for (int q = 0; q <= p; q++)
            l[p][q] = system[p * (p + 1) / 2 + q];
    }
    const double largest = fabs(l[0][0]), instead = largest + double(largest == 0);
#pragma unroll
    for (int c = 0; c < M; c++) {
        const double inverse = 1 / sqrt(l[c][c] > small * largest ? l[c][c] : instead);
        l[c][c] = inverse;
        x[c] *= inverse;
#pragma unroll
        for (int r = c + 1; r < M; r++) {
            l[r][c] *= inverse;
            x[r] -= l[r][c] * x[c];
        }
#pragma unroll
        for (int r = c + 1; r < M; r++)
#pragma unroll
            for (int q = c + 1; q <= r; q++)
                l[r][q] -= l[r][c] * l[q][c];
    }
#pragma unroll
    for (int c = M - 1; c >= 0; c--) {
        x[c] *= l[c][c];
#pragma unroll
        for (int r = 0; r < c; r++)
            x[r] -= l[c][r] * x[c];
    }
}

template <int M>
__global__ void __launch_bounds__(SHORT_LANES *SHORT_ROWS) short_rows_kernel(const starfish_local_inverse a)
{
    extern __shared__ double shared[];
    short_row<M> *rows = reinterpret_cast<short_row<M> *>(shared);
    const size_t first = a.first + blockIdx.x * size_t(SHORT_ROWS), group = threadIdx.x / SHORT_LANES;
    const int lane = int(threadIdx.x % SHORT_LANES);
    const unsigned mask = 0xffu << (threadIdx.x % 32 / SHORT_LANES * SHORT_LANES);
    const bool here = first + group < a.last && is_short(a, first + group);
    if (here) {
        const size_t row = first + group;
        const int begin = a.pattern_start[row], m = a.pattern_start[row + 1] - begin;
        bring_rows(a, a.pattern_column + begin, m, lane, &rows[group]);
        __syncwarp(mask);
        assemble_here(int(row), m, lane, &rows[group]);
    }
    __syncthreads();
    const size_t row = first + threadIdx.x;
    if (threadIdx.x < SHORT_ROWS && row < a.last && is_short(a, row)) {
        const int begin = a.pattern_start[row], m = a.pattern_start[row + 1] - begin;
        double *result = a.result + (begin - a.pattern_start[a.first]), x[M];
        solve_here<M>(rows[threadIdx.x].system, x);
#pragma unroll
        for (int p = 0; p < M; p++)
            if (p < m)
                result[p] = x[p];
    }
}

template <int M> int short_rows(const starfish_local_inverse *a, cudaStream_t stream)
{
    constexpr size_t bytes = SHORT_ROWS * sizeof(short_row<M>);
    const size_t blocks = (a->last - a->first + SHORT_ROWS - 1) / SHORT_ROWS;
    const cudaError_t error =
        cudaFuncSetAttribute(short_rows_kernel<M>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
    if (error != cudaSuccess)
        return error;
    short_rows_kernel<M><<<unsigned(blocks), SHORT_LANES * SHORT_ROWS, bytes, stream>>>(*a);
    return cudaGetLastError();
}

} // namespace

#endif
