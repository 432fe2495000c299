/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of SPAI with at most 9 entries that name rows of A with at most 9, as nearly all of Q1 elements in 2D are, on
 * the GPU. A warp assembles the systems of some rows, one after the other. It brings the entries of the rows of A that
 * the row names, while it still works on the row before; numbers their columns, 25 in a regular grid, by a hash table
 * in shared memory, or as those of the row before where all lie as far from the row; spreads the entries over a dense
 * matrix of 9 rows and 28 columns; and multiplies that with its transpose by instructions for matrices of 8 x 4. Then
 * one thread solves the system of each row of the block. Shorter systems are filled up with ones on the diagonal.
 *
 * Bound by accesses to shared memory and by instructions: where all rows were numbered anew an H200 was busy with the
 * first for 88 % and issued 54 % of what it can of the second. The products of entries that meet, 221 of a row in a
 * regular grid, and 330 operations of the factor and both substitutions would take 0.05 ms for 2 million rows; what
 * takes time is to find which entries meet. */
#ifndef STARFISH_SPARSE_KERNELS_LOCAL_INVERSE_SHORT_CUH
#define STARFISH_SPARSE_KERNELS_LOCAL_INVERSE_SHORT_CUH

extern "C" {
#include "sparse/kernels/local_inverse.h"
}

#include <cuda_runtime.h>

namespace
{

constexpr int SHORT = 9, SQUARE = SHORT * SHORT, PAIRS = SHORT * (SHORT + 1) / 2;
constexpr int COLUMNS = 28; /* of a dense matrix: a multiple of 4, and 4 more than one of 8 for the sake of banks */
constexpr int WARP = 32, TURNS = (SQUARE + WARP - 1) / WARP; /* in which a warp takes the entries of a row */
constexpr int SLOTS = 4 * WARP;                              /* of a hash table, more than there are entries */
constexpr int ROWS = 32, WARPS = 4;                          /* of a block */

/* What stands in the place of a row's first entry where the row is not one of these: a NaN that no computation leaves.
 */
constexpr long long LEFT = 0x7ff4badc0ffee000ll;

/* Where a warp works on a row. */
struct short_place {
    alignas(16) double dense[SHORT][COLUMNS];
    int table[SLOTS]; /* columns of A, -1: none; then their numbers */
};

/* Systems, matrix and right-hand side, are at distances for which 32 threads find them in different banks. */
struct short_block {
    short_place place[WARPS];
    double system[ROWS][PAIRS + SHORT + 1];
    int first[ROWS][SHORT]; /* entries of the rows of A that a row names */
    unsigned char length[ROWS][SHORT], is_wide[ROWS];
};

/* A lane's entries of the rows of A that a row names; where there are none, column -1 and value 0. */
struct short_entries {
    int column[TURNS];
    double value[TURNS];
};

__device__ __forceinline__ int pair_of(int p, int q)
{
    return p * (p + 1) / 2 + q;
}

__device__ __forceinline__ int lane_here()
{
    return int(threadIdx.x % WARP);
}

/* Which of the rows a lane's entry is of. */
__device__ __forceinline__ int row_of(int turn)
{
    return (turn * WARP + lane_here()) / SHORT;
}

/* Where the rows of A are that row `first + i / SHORT` names. */
__device__ __forceinline__ void find_rows(const starfish_local_inverse &a, size_t first, short_block *here)
{
    for (int i = int(threadIdx.x); i < ROWS * SHORT; i += WARPS * WARP) {
        const size_t row = first + i / SHORT;
        const int p = i % SHORT, begin = row < a.last ? a.pattern_start[row] : 0;
        const int m = row < a.last ? a.pattern_start[row + 1] - begin : 0;
        const int j = p < m ? __ldg(a.pattern_column + begin + p) : -1;
        const int at = j < 0 ? 0 : __ldg(a.matrix.start + j), length = j < 0 ? 0 : __ldg(a.matrix.start + j + 1) - at;
        here->first[i / SHORT][p] = at;
        here->length[i / SHORT][p] = (unsigned char)(length > SHORT ? SHORT + 1 : length);
        here->system[i / SHORT][PAIRS + p] = 0;
    }
}

__device__ __forceinline__ short_entries fetch(const starfish_local_inverse &a, const short_block *here, int r)
{
    short_entries entries;
#pragma unroll
    for (int t = 0; t < TURNS; t++) {
        const int i = t * WARP + lane_here(), p = row_of(t), k = i % SHORT;
        const bool there = i < SQUARE && k < here->length[r][p];
        const int at = there ? here->first[r][p] + k : 0;
        entries.column[t] = there ? __ldg(a.matrix.column + at) : -1;
        entries.value[t] = there ? __ldg(a.matrix.value + at) : 0;
    }
    return entries;
}

/* The numbers of a lane's columns, and how many there are in all; and how far these are from the row's own. */
struct short_numbers {
    int offset[TURNS], number[TURNS], columns;
};

/* What no column's offset is. */
constexpr int NO_COLUMN = -0x7fffffff, NO_ROW = NO_COLUMN - 1;

/* Are all columns as far from the row's own as those of the row before? Then they have the same numbers. */
__device__ __forceinline__ bool is_alike(const short_entries &entries, size_t row, short_numbers &numbers)
{
    bool same = true;
#pragma unroll
    for (int t = 0; t < TURNS; t++) {
        const int offset = entries.column[t] < 0 ? NO_COLUMN : entries.column[t] - int(row);
        same = same && offset == numbers.offset[t];
        numbers.offset[t] = offset;
    }
    return __all_sync(~0u, same);
}

/* Finds a number for each column, from 0 on in the order of their first entries. */
__device__ __forceinline__ void number(const short_entries &entries, int *table, short_numbers &numbers)
{
    const unsigned before = (1u << lane_here()) - 1;
    bool is_first[TURNS];
    int slot[TURNS], count = 0;

    reinterpret_cast<int4 *>(table)[lane_here()] = make_int4(-1, -1, -1, -1);
    __syncwarp();
#pragma unroll
    for (int t = 0; t < TURNS; t++) {
        const int column = entries.column[t];
        unsigned at = unsigned(column) * 2654435769u >> 25; /* Fibonacci hashing, Knuth vol. 3, 6.4 */
        int found = 0;
        if (column >= 0)
            while ((found = atomicCAS(table + at, -1, column)) != -1 && found != column)
                at = (at + 1) % SLOTS;
        is_first[t] = found == -1;
        slot[t] = int(at);
    }
    __syncwarp();
#pragma unroll
    for (int t = 0; t < TURNS; t++) {
        const unsigned firsts = __ballot_sync(~0u, is_first[t]);
        if (is_first[t])
            table[slot[t]] = count + __popc(firsts & before);
        count += __popc(firsts);
    }
    __syncwarp();
#pragma unroll
    for (int t = 0; t < TURNS; t++)
        numbers.number[t] = table[slot[t]];
    numbers.columns = count;
}

__device__ __forceinline__ void clear(double (*dense)[COLUMNS])
{
    for (int i = lane_here(); i < SHORT * COLUMNS / 2; i += WARP)
        reinterpret_cast<double2 *>(dense)[i] = make_double2(0, 0);
    __syncwarp();
}

__device__ __forceinline__ void fill(const short_entries &entries, const short_numbers &numbers,
                                     double (*dense)[COLUMNS])
{
#pragma unroll
    for (int t = 0; t < TURNS; t++)
        if (entries.column[t] >= 0 && numbers.number[t] < COLUMNS)
            dense[row_of(t)][numbers.number[t]] = entries.value[t];
    __syncwarp();
}

/* 8 rows and 4 columns times their transpose, of which a lane has an entry of each and two of the result. */
__device__ __forceinline__ void multiply_tile(double entry, double sum[2])
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%2}, {%0, %1};"
        : "+d"(sum[0]), "+d"(sum[1])
        : "d"(entry));
#else
    for (int k = 0; k < 4; k++) {
        const double left = __shfl_sync(~0u, entry, lane_here() / 4 * 4 + k);
        for (int i = 0; i < 2; i++)
            sum[i] += left * __shfl_sync(~0u, entry, lane_here() % 4 * 8 + 4 * i + k);
    }
#endif
}

/* The products of all pairs of rows: those of the first 8 by tiles, those of the last one by lanes of four. */
__device__ __forceinline__ void multiply(const double (*dense)[COLUMNS], double *system)
{
    const int p = lane_here() / 4, q = lane_here() % 4;
    double sum[2] = {0, 0}, last = 0, square = 0;

#pragma unroll
    for (int c = q; c < COLUMNS; c += 4) {
        const double entry = dense[p][c], entry_of_last = dense[SHORT - 1][c];
        multiply_tile(entry, sum);
        last += entry_of_last * entry;
        square += entry_of_last * entry_of_last;
    }
#pragma unroll
    for (int step = 1; step < 4; step *= 2) {
        last += __shfl_xor_sync(~0u, last, step);
        square += __shfl_xor_sync(~0u, square, step);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
        if (2 * q + i <= p)
            system[pair_of(p, 2 * q + i)] = sum[i];
    if (q == 0)
        system[pair_of(SHORT - 1, p)] = last;
    if (lane_here() == 0)
        system[pair_of(SHORT - 1, SHORT - 1)] = square;
}

/* The system of a block's row r. A row like the one before fills the same places of the dense matrix. */
__device__ __forceinline__ void assemble(size_t row, const short_entries &entries, int r, short_block *here,
                                         short_numbers &numbers)
{
    short_place *place = here->place + threadIdx.x / WARP;

    __syncwarp(); /* the row before has been multiplied */
    if (!is_alike(entries, row, numbers)) {
        clear(place->dense);
        number(entries, place->table, numbers);
    }
    fill(entries, numbers, place->dense);
    multiply(place->dense, here->system[r]);
#pragma unroll
    for (int t = 0; t < TURNS; t++)
        if (entries.column[t] == int(row))
            here->system[r][PAIRS + row_of(t)] = entries.value[t];
    here->is_wide[r] = numbers.columns > COLUMNS;
}

/* Cholesky's factor, row by row, and both substitutions, with the pivots of local_factor. The rows before are in shared
 * memory; if the compiler kept them in registers, few warps would fit. */
__device__ __forceinline__ void solve_short(double *system, int m)
{
    constexpr double small = 1e-14;
    const double largest = fabs(system[0]), instead = largest + double(largest == 0);
    double x[SHORT];
#pragma unroll
    for (int r = 0; r < SHORT; r++) {
        double l[SHORT], pivot = r < m ? system[pair_of(r, r)] : 1;
        x[r] = system[PAIRS + r];
#pragma unroll
        for (int c = 0; c < r; c++) {
            l[c] = system[pair_of(r, c)];
#pragma unroll
            for (int k = 0; k < c; k++)
                l[c] -= l[k] * system[pair_of(c, k)];
            l[c] *= system[pair_of(c, c)];
            system[pair_of(r, c)] = l[c];
            pivot -= l[c] * l[c];
            x[r] -= l[c] * x[c];
        }
        const double inverse = rsqrt(pivot > small * largest ? pivot : instead);
        system[pair_of(r, r)] = inverse;
        x[r] *= inverse;
        asm volatile("" ::: "memory");
    }
#pragma unroll
    for (int c = SHORT - 1; c >= 0; c--) {
        x[c] *= system[pair_of(c, c)];
        system[PAIRS + c] = x[c];
#pragma unroll
        for (int r = 0; r < c; r++)
            x[r] -= system[pair_of(c, r)] * x[c];
    }
}

/* One thread of a row, whose system is there. */
__device__ __forceinline__ void finish(const starfish_local_inverse &a, size_t row, short_block *here)
{
    const int r = int(threadIdx.x), begin = a.pattern_start[row], m = a.pattern_start[row + 1] - begin;
    double *result = a.result + (begin - a.pattern_start[a.first]);
    bool fits = m <= SHORT && !here->is_wide[r];
#pragma unroll
    for (int p = 0; p < SHORT; p++)
        fits = fits && here->length[r][p] <= SHORT;
    if (!fits) {
        result[0] = __longlong_as_double(LEFT);
        return;
    }
    solve_short(here->system[r], m);
    for (int p = 0; p < m; p++)
        result[p] = here->system[r][PAIRS + p];
}

__global__ void __launch_bounds__(WARPS *WARP, 8) short_rows_kernel(const starfish_local_inverse a)
{
    __shared__ short_block here;
    const size_t first = a.first + blockIdx.x * size_t(ROWS);
    const int warp = int(threadIdx.x) / WARP;

    find_rows(a, first, &here);
    __syncthreads();
    short_entries next = fetch(a, &here, warp);
    short_numbers numbers;
#pragma unroll
    for (int t = 0; t < TURNS; t++)
        numbers.offset[t] = NO_ROW;
    for (int r = warp; r < ROWS; r += WARPS) {
        const short_entries entries = next;
        if (r + WARPS < ROWS)
            next = fetch(a, &here, r + WARPS);
        assemble(first + r, entries, r, &here, numbers);
    }
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
    short_rows_kernel<<<unsigned(blocks), WARPS * WARP, 0, stream>>>(*a);
    return cudaGetLastError();
}

} // namespace

#endif
