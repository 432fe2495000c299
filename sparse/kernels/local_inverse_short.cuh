/* Rows of SPAI with at most 9 entries that name rows of A with at most 9, as nearly all of Q1 elements in 2D are, on
 * the GPU. A block brings the rows of A that 32 rows need into shared memory; 5 threads a row multiply them by pairs, 9
 * of the 45 pairs each, comparing every entry of one with every entry of the other, so that no step waits for the one
 * before as in a merge of sorted rows; and then one thread has the row's whole system in its registers. Shorter systems
 * are filled up with ones on the diagonal, so that all loops are unrolled.
 *
 * By instructions these products would bound it: 81 comparisons and multiplications of a pair, 45 pairs, are 7290
 * instructions of a thread per row, for which a multiprocessor takes about 60 cycles, 25 for the factor, and its bytes
 * 12. An H200 takes 400: the compiler makes two selections beside each of them, and few warps fit at a time, so that
 * less than half of the instructions that there is time for are issued. */
#ifndef STARFISH_SPARSE_KERNELS_LOCAL_INVERSE_SHORT_CUH
#define STARFISH_SPARSE_KERNELS_LOCAL_INVERSE_SHORT_CUH

extern "C" {
#include "sparse/kernels/local_inverse.h"
}

#include <cuda_runtime.h>

namespace
{

constexpr int SHORT = 9, SQUARE = SHORT * SHORT, PAIRS = SHORT * (SHORT + 1) / 2;
constexpr int ROWS = 32, LANES = 5; /* of a block; of a row */

/* What stands in the place of a row's first entry where the row is not one of these: a NaN that no computation leaves.
 */
constexpr long long LEFT = 0x7ff4badc0ffee000ll;

/* What 32 rows need: entries of rows of A, where there are none with column -1 and value 0; and systems, matrix and
 * right-hand side, at distances for which 32 threads find them in different banks. */
struct short_block {
    double value[ROWS][SQUARE], system[ROWS][PAIRS + SHORT + 1];
    int column[ROWS][SQUARE], first[ROWS][SHORT], length[ROWS][SHORT];
};

__device__ __forceinline__ int pair_of(int p, int q)
{
    return p * (p + 1) / 2 + q;
}

/* Where the rows of A are that row `first + i / SHORT` names. */
__device__ __forceinline__ void find_rows(const starfish_local_inverse &a, size_t first, short_block *here)
{
    for (int i = int(threadIdx.x); i < ROWS * SHORT; i += LANES * ROWS) {
        const size_t row = first + i / SHORT;
        const int p = i % SHORT, begin = row < a.last ? a.pattern_start[row] : 0;
        const int m = row < a.last ? a.pattern_start[row + 1] - begin : 0;
        const int j = p < m ? __ldg(a.pattern_column + begin + p) : -1;
        here->first[i / SHORT][p] = j < 0 ? 0 : __ldg(a.matrix.start + j);
        here->length[i / SHORT][p] = j < 0 ? 0 : __ldg(a.matrix.start + j + 1) - here->first[i / SHORT][p];
        here->system[i / SHORT][PAIRS + p] = 0;
    }
}

__device__ __forceinline__ void bring_rows(const starfish_local_inverse &a, size_t first, short_block *here)
{
    for (int i = int(threadIdx.x); i < ROWS * SQUARE; i += LANES * ROWS) {
        const int r = i / SQUARE, e = i % SQUARE, p = e / SHORT, k = e % SHORT, at = here->first[r][p] + k;
        const bool there = k < here->length[r][p];
        const int column = there ? __ldg(a.matrix.column + at) : -1;
        const double value = there ? __ldg(a.matrix.value + at) : 0;
        here->column[r][e] = column;
        here->value[r][e] = value;
        if (there && column == int(first) + r)
            here->system[r][PAIRS + p] = value;
    }
}

/* A row of A in registers. */
struct short_entries {
    double value[SHORT];
    int column[SHORT];
};

__device__ __forceinline__ void take(const short_block *here, int r, int p, short_entries *row)
{
#pragma unroll
    for (int k = 0; k < SHORT; k++) {
        row->value[k] = here->value[r][p * SHORT + k];
        row->column[k] = here->column[r][p * SHORT + k];
    }
}

__device__ __forceinline__ double product(const short_block *here, int r, int q, const short_entries *row)
{
    double sum[3] = {0, 0, 0};
#pragma unroll
    for (int k = 0; k < SHORT; k++) {
        const double value = here->value[r][q * SHORT + k];
        const int column = here->column[r][q * SHORT + k];
#pragma unroll
        for (int e = 0; e < SHORT; e++)
            if (row->column[e] == column)
                sum[e % 3] += row->value[e] * value;
    }
    return sum[0] + sum[1] + sum[2];
}

/* The products of row 8 - lane with those up to itself, then those of row lane - 1: 9 in all. */
__device__ __forceinline__ void multiply(short_block *here)
{
    const int r = int(threadIdx.x) / LANES, lane = int(threadIdx.x) % LANES, turn = SHORT - lane;
    short_entries row;
    int p = SHORT - 1 - lane;
    take(here, r, p, &row);
    for (int i = 0; i < SHORT; i++) {
        if (i == turn) {
            p = lane - 1;
            take(here, r, p, &row);
        }
        const int q = i < turn ? i : i - turn;
        here->system[r][pair_of(p, q)] = product(here, r, q, &row);
    }
}

/* Cholesky's factor and both substitutions, with the pivots of local_factor. */
__device__ __forceinline__ void solve_short(double l[SHORT][SHORT], double x[SHORT])
{
    constexpr double small = 1e-14;
    const double largest = fabs(l[0][0]), instead = largest + double(largest == 0);
#pragma unroll
    for (int c = 0; c < SHORT; c++) {
        const double inverse = rsqrt(l[c][c] > small * largest ? l[c][c] : instead);
        l[c][c] = inverse;
        x[c] *= inverse;
#pragma unroll
        for (int r = c + 1; r < SHORT; r++) {
            l[r][c] *= inverse;
            x[r] -= l[r][c] * x[c];
        }
#pragma unroll
        for (int r = c + 1; r < SHORT; r++)
#pragma unroll
            for (int q = c + 1; q <= r; q++)
                l[r][q] -= l[r][c] * l[q][c];
    }
#pragma unroll
    for (int c = SHORT - 1; c >= 0; c--) {
        x[c] *= l[c][c];
#pragma unroll
        for (int r = 0; r < c; r++)
            x[r] -= l[c][r] * x[c];
    }
}

/* One thread of a row, whose system is there. */
__device__ __forceinline__ void finish(const starfish_local_inverse &a, size_t row, const short_block *here)
{
    const int r = int(threadIdx.x), begin = a.pattern_start[row], m = a.pattern_start[row + 1] - begin;
    double *result = a.result + (begin - a.pattern_start[a.first]);
    double l[SHORT][SHORT], x[SHORT];
    bool fits = m <= SHORT;
#pragma unroll
    for (int p = 0; p < SHORT; p++) {
        fits = fits && here->length[r][p] <= SHORT;
        x[p] = here->system[r][PAIRS + p];
#pragma unroll
        for (int q = 0; q <= p; q++)
            l[p][q] = p < m ? here->system[r][pair_of(p, q)] : double(p == q);
    }
    if (!fits) {
        result[0] = __longlong_as_double(LEFT);
        return;
    }
    solve_short(l, x);
#pragma unroll
    for (int p = 0; p < SHORT; p++)
        if (p < m)
            result[p] = x[p];
}

__global__ void __launch_bounds__(LANES *ROWS, 3) short_rows_kernel(const starfish_local_inverse a)
{
    __shared__ short_block here;
    const size_t first = a.first + blockIdx.x * size_t(ROWS);
    find_rows(a, first, &here);
    __syncthreads();
    bring_rows(a, first, &here);
    __syncthreads();
    multiply(&here);
    __syncthreads();
    if (threadIdx.x < ROWS && first + threadIdx.x < a.last)
        finish(a, first + threadIdx.x, &here);
}

/* Was the row left to the kernel of longer ones? */
__device__ __forceinline__ bool is_left(const starfish_local_inverse &a, size_t row)
{
    const int begin = a.pattern_start[row];
    const double *result = a.result + (begin - a.pattern_start[a.first]);
    return a.pattern_start[row + 1] > begin && __double_as_longlong(*result) == LEFT;
}

int launch_short_rows(const starfish_local_inverse *a, cudaStream_t stream)
{
    const size_t blocks = (a->last - a->first + ROWS - 1) / ROWS;
    short_rows_kernel<<<unsigned(blocks), LANES * ROWS, 0, stream>>>(*a);
    return cudaGetLastError();
}

} // namespace

#endif
