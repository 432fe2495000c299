/* Rows of SPAI with at most 9 entries that name rows of A with at most 9, and 25 columns in all, as nearly all of Q1
 * elements in 2D are, on the GPU: a thread has a row. It gives the columns of its rows of A small numbers by a hash
 * table, so that these rows become a dense matrix of 25 x 9, whose products with itself need no comparisons, and solves
 * the normal equations in its registers; shorter systems are filled up with ones on the diagonal. In shared memory
 * element e of lane l is at 32 e + l, which no two lanes have a bank in common for.
 *
 * By its arithmetic it would take a tenth of a nanosecond per row on an H200, and by the lines of the first-level cache
 * that it reads half of one; it takes 2.4, as its shared memory lets 3 warps run on a multiprocessor, in which the
 * steps of the hash table wait for one another. */
#ifndef STARFISH_SPARSE_KERNELS_LOCAL_INVERSE_SHORT_CUH
#define STARFISH_SPARSE_KERNELS_LOCAL_INVERSE_SHORT_CUH

extern "C" {
#include "sparse/kernels/local_inverse.h"
}

#include "krylov/kernels/multiprocessors.cuh"

namespace
{

constexpr int SHORT = 9, COLUMNS = 25, TABLE = 64, WARP = 32;

/* What stands in the place of a row's first entry where the row is not one of these: a NaN that no computation leaves.
 */
constexpr long long LEFT = 0x7ff4badc0ffee000ll;

/* Of a warp: known[c]: columns in the order of their numbers; table: 1 + number, 0 where there is none; value[c][p]:
 * entry of the p-th row of A. */
struct short_rows {
    double value[COLUMNS * SHORT][WARP];
    int known[COLUMNS][WARP];
    unsigned char table[TABLE][WARP];
};

/* The number of a column; COLUMNS where there are too many. */
__device__ __forceinline__ int number_of(short_rows *here, int lane, int column, int *count)
{
    unsigned at = (unsigned(column) * 2654435761u) >> 26;
    for (int number = here->table[at][lane]; number > 0; number = here->table[at][lane]) {
        if (here->known[number - 1][lane] == column)
            return number - 1;
        at = (at + 1) % TABLE;
    }
    if (*count < COLUMNS) {
        here->known[*count][lane] = column;
        here->table[at][lane] = (unsigned char)(*count + 1);
    }
    return (*count)++;
}

/* A row of A. */
struct short_entries {
    int first, length;
};

/* The entries of the p-th row of A to the dense matrix; *known: what is in column `row`. 0: they do not fit. */
__device__ __forceinline__ bool bring_row(const starfish_local_matrix &a, short_entries from, int p, int row,
                                          short_rows *here, int *count, double *known)
{
    const int lane = int(threadIdx.x), first = from.first, length = from.length;
    int column[SHORT];
    double value[SHORT];
    if (length > SHORT)
        return false;
#pragma unroll
    for (int k = 0; k < SHORT; k++) {
        column[k] = k < length ? __ldg(a.column + first + k) : -1;
        value[k] = k < length ? __ldg(a.value + first + k) : 0;
    }
#pragma unroll
    for (int k = 0; k < SHORT; k++) {
        if (column[k] < 0)
            continue;
        const int number = number_of(here, lane, column[k], count);
        if (number >= COLUMNS)
            return false;
        here->value[number * SHORT + p][lane] = value[k];
        if (column[k] == row)
            *known = value[k];
    }
    return true;
}

/* The normal equations: l[p][q], q <= p. */
__device__ __forceinline__ void multiply(const short_rows *here, int count, int m, double l[SHORT][SHORT])
{
    const int lane = int(threadIdx.x);
#pragma unroll
    for (int p = 0; p < SHORT; p++)
#pragma unroll
        for (int q = 0; q <= p; q++)
            l[p][q] = p >= m && p == q;
    for (int c = 0; c < count; c++) {
        double v[SHORT];
#pragma unroll
        for (int p = 0; p < SHORT; p++)
            v[p] = here->value[c * SHORT + p][lane];
#pragma unroll
        for (int p = 0; p < SHORT; p++)
#pragma unroll
            for (int q = 0; q <= p; q++)
                l[p][q] += v[p] * v[q];
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

__device__ __forceinline__ void clear(short_rows *here)
{
    const int lane = int(threadIdx.x);
#pragma unroll 5
    for (int e = 0; e < COLUMNS * SHORT; e++)
        here->value[e][lane] = 0;
    for (int e = 0; e < int(TABLE * sizeof here->table[0] / WARP / sizeof(int)); e++)
        reinterpret_cast<int *>(here->table)[e * WARP + lane] = 0;
    __syncwarp(); /* a lane has cleared what is others' of the table */
}

__device__ __forceinline__ void short_row(const starfish_local_inverse &a, size_t row, short_rows *here)
{
    const int begin = a.pattern_start[row], m = a.pattern_start[row + 1] - begin;
    double *result = a.result + (begin - a.pattern_start[a.first]);
    double l[SHORT][SHORT], x[SHORT];
    short_entries entries[SHORT];
    int count = 0;
    bool fits = m <= SHORT;
#pragma unroll
    for (int p = 0; p < SHORT; p++) {
        const int j = fits && p < m ? __ldg(a.pattern_column + begin + p) : -1;
        const int first = j < 0 ? 0 : __ldg(a.matrix.start + j);
        entries[p] = {first, j < 0 ? 0 : __ldg(a.matrix.start + j + 1) - first};
        x[p] = 0;
    }
#pragma unroll
    for (int p = 0; p < SHORT; p++)
        fits = fits && bring_row(a.matrix, entries[p], p, int(row), here, &count, &x[p]);
    if (!fits) {
        result[0] = __longlong_as_double(LEFT);
        return;
    }
    multiply(here, count, m, l);
    solve_short(l, x);
#pragma unroll
    for (int p = 0; p < SHORT; p++)
        if (p < m)
            result[p] = x[p];
}

__global__ void __launch_bounds__(WARP) short_rows_kernel(const starfish_local_inverse a)
{
    extern __shared__ double shared[];
    short_rows *here = reinterpret_cast<short_rows *>(shared);
    for (size_t first = a.first + blockIdx.x * size_t(WARP); first < a.last; first += gridDim.x * size_t(WARP)) {
        clear(here);
        if (first + threadIdx.x < a.last)
            short_row(a, first + threadIdx.x, here);
        __syncwarp();
    }
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
    constexpr int BLOCKS = 3; /* of a multiprocessor, by their shared memory */
    const size_t wanted = (a->last - a->first + WARP - 1) / WARP;
    int count = 1;
    cudaError_t error = starfish_multiprocessors(&count);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(short_rows_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     int(sizeof(short_rows)));
    if (error != cudaSuccess)
        return error;
    const size_t most = size_t(BLOCKS) * size_t(count);
    short_rows_kernel<<<unsigned(wanted < most ? wanted : most), WARP, sizeof(short_rows), stream>>>(*a);
    return cudaGetLastError();
}

} // namespace

#endif
