/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cyclic reduction and its relatives on CUDA, one block per line, the line in shared memory: what a batch of few lines
 * needs, and the algorithms of the papers.
 *
 * Bytes: the floor, every coefficient and right-hand side read once, every solution written once. Bound by latency: a
 * reciprocal and two or three barriers per level, ceil(log2 n) levels, CR twice.
 *
 * Rows are scaled to a unit diagonal, x(i) + a x(i-s) + c x(i+s) = d, so one reciprocal makes a new row.
 *
 * CR eliminates the even rows of each level; its odd rows are the next level. In place, level k has a stride of 2^k and
 * meets bank conflicts of that order. Stored apart (Goeddeke and Strzodka 2011), the even and the odd rows of a level
 * are each contiguous: the rows of level k+1, even ones first, take the place of the odd rows of level k. Even and odd
 * arrays begin half a round of banks apart, so that neighbouring threads, which alternate between them, meet no
 * conflicts either, writes included. The paper has 1.5 n rows, the odd rows of a level in new memory; here a barrier
 * between reading a level and writing the next one lets n and a little padding do. On an H200 that barrier costs what
 * the conflicts do: 512 lines of 512 in f32 take 13.0 us apart and 12.4 us in place (the GTX 280 of the paper: 0.445
 * ms, and 1.066 ms in place). CR_PCR stops at 32 rows and solves those by PCR through shuffles (Zhang, Cohen, Owens
 * 2010, with a warp for a block). PCR halves the coupling of every row with each step; PCR_THOMAS stops when systems
 * are 8 rows long. */
#include "base/reciprocal.cuh"
#include "tridiag/kernels/batch_cuda.h"
#include "tridiag/kernels/batch_row.h"

namespace
{

enum { WARP = 32, MOST_THREADS = 1024, MOST_LEVELS = 16, BANKS = 128 / sizeof(real), TAIL = WARP, THOMAS_ROWS = 8 };
enum { MOST_HELD = 8 }; /* rows of a thread: 8192 in a block */

struct Row {
    real a, c, d;
};

/* Row i, whose neighbours `before` and `after` are eliminated; rows that are not there are zero. */
__device__ __forceinline__ Row reduce(const Row &row, const Row &before, const Row &after)
{
    const real scale = reciprocal(real(1) - row.a * before.c - row.c * after.a);

    return {-scale * row.a * before.a, -scale * row.c * after.c, scale * (row.d - row.a * before.d - row.c * after.d)};
}

struct Rows {
    real *a, *c, *d;

    __device__ __forceinline__ Rows(real *memory, int count) : a(memory), c(memory + count), d(memory + 2 * count) {}
    __device__ __forceinline__ Row get(int i) const { return {a[i], c[i], d[i]}; }
    __device__ __forceinline__ Row get_if(bool there, int i) const { return there ? get(i) : Row{}; }
    __device__ __forceinline__ void put(int i, const Row &row) const
    {
        a[i] = row.a;
        c[i] = row.c;
        d[i] = row.d;
    }
};

__device__ __forceinline__ Row load(const starfish_batch &b, size_t line, size_t column, int i)
{
    const batch_row row = batch_row_at(&b, line, batch_shift(&b, line), i);
    const real scale = reciprocal(row.diag);
    const real *rhs = static_cast<const real *>(b.input) + batch_column_offset(&b, line, column);

    return {row.lower * scale, row.upper * scale, rhs[i * b.vectors.row] * scale};
}

__device__ __forceinline__ void store(const starfish_batch &b, size_t line, size_t column, int i, real x)
{
    static_cast<real *>(b.output)[batch_column_offset(&b, line, column) + i * b.vectors.row] = x;
}

/* ---- Cyclic reduction ------------------------------------------------------------------------------------------- */

/* Where row i of a level is. */
struct InPlace {
    static constexpr bool APART = false;
    int level;

    __device__ __forceinline__ explicit InPlace(int, int (&)[MOST_LEVELS]) : level(0) {}
    __device__ __forceinline__ int at(int i) const { return ((i + 1) << level) - 1; }
    __device__ __forceinline__ void down(int) { level++; }
    __device__ __forceinline__ void up() { level--; }
};

struct Apart {
    static constexpr bool APART = true;
    int level;
    int (&start)[MOST_LEVELS]; /* of the even rows of a level, which are the odd ones of the level before */

    /* The odd rows follow `length` even ones, half a round of banks from them. */
    __host__ __device__ static int odd_after(int even, int length)
    {
        return even + (length + BANKS / 2 - 1) / BANKS * BANKS + BANKS / 2;
    }
    __device__ __forceinline__ explicit Apart(int n, int (&table)[MOST_LEVELS]) : level(0), start(table)
    {
        if (threadIdx.x == 0) {
            table[0] = 0;
            for (int k = 1, m = n; k < MOST_LEVELS; k++, m /= 2)
                table[k] = odd_after(table[k - 1], (m + 1) / 2);
        }
        __syncthreads();
    }
    __device__ __forceinline__ int at(int i) const { return start[level + (i & 1)] + i / 2; }
    __device__ __forceinline__ void down(int) { level++; }
    __device__ __forceinline__ void up() { level--; }
};

/* The next level of m / 2 rows. */
template <typename Storage> __device__ __forceinline__ void reduce_level(const Rows &rows, Storage &storage, int m)
{
    Row held[MOST_HELD / 2];

#pragma unroll
    for (int h = 0; h < MOST_HELD / 2; h++) {
        const int j = threadIdx.x + h * blockDim.x, i = 2 * j + 1;
        if (j < m / 2)
            held[h] =
                reduce(rows.get(storage.at(i)), rows.get(storage.at(i - 1)), rows.get_if(i + 1 < m, storage.at(i + 1)));
    }
    if (Storage::APART)
        __syncthreads();
    storage.down(m);
#pragma unroll
    for (int h = 0; h < MOST_HELD / 2; h++) {
        const int j = threadIdx.x + h * blockDim.x;
        if (j < m / 2)
            rows.put(storage.at(j), held[h]);
    }
    __syncthreads();
}

/* The even unknowns of a level of m rows from the odd ones, which the level below it has as x(j) in d. */
template <typename Storage> __device__ __forceinline__ void substitute_level(const Rows &rows, Storage &storage, int m)
{
    real even[MOST_HELD / 2], odd[MOST_HELD / 2];

    storage.up();
#pragma unroll
    for (int h = 0; h < MOST_HELD / 2; h++) {
        const int j = threadIdx.x + h * blockDim.x;
        if (2 * j < m) {
            const Row row = rows.get(storage.at(2 * j));
            storage.down(m);
            const real before = j > 0 ? rows.d[storage.at(j - 1)] : real(0);
            odd[h] = 2 * j + 1 < m ? rows.d[storage.at(j)] : real(0);
            storage.up();
            even[h] = row.d - row.a * before - row.c * odd[h];
        }
    }
    if (Storage::APART)
        __syncthreads();
#pragma unroll
    for (int h = 0; h < MOST_HELD / 2; h++) {
        const int j = threadIdx.x + h * blockDim.x;
        if (2 * j < m) {
            rows.d[storage.at(2 * j)] = even[h];
            if (Storage::APART && 2 * j + 1 < m)
                rows.d[storage.at(2 * j + 1)] = odd[h];
        }
    }
    __syncthreads();
}

/* At most WARP rows by PCR in the first warp. */
template <typename Storage> __device__ __forceinline__ void solve_tail(const Rows &rows, const Storage &storage, int m)
{
    const unsigned all = 0xffffffffu;
    const int i = threadIdx.x;

    if (i < WARP) {
        Row row = rows.get_if(i < m, storage.at(i));
        for (int s = 1; s < m; s *= 2) {
            Row before = {__shfl_up_sync(all, row.a, s), __shfl_up_sync(all, row.c, s), __shfl_up_sync(all, row.d, s)};
            Row after = {__shfl_down_sync(all, row.a, s), __shfl_down_sync(all, row.c, s),
                         __shfl_down_sync(all, row.d, s)};
            row = reduce(row, i >= s ? before : Row{}, i + s < m ? after : Row{});
        }
        __syncwarp();
        if (i < m)
            rows.d[storage.at(i)] = row.d;
    }
    __syncthreads();
}

template <typename Storage>
__global__ void __launch_bounds__(MOST_THREADS, 1)
    cyclic_reduction(const __grid_constant__ starfish_batch b, int capacity, int tail)
{
    extern __shared__ double memory[];
    __shared__ int starts[MOST_LEVELS];
    const Rows rows(reinterpret_cast<real *>(memory), capacity);
    const int n = int(b.n);
    const size_t line = blockIdx.x;

    for (size_t column = blockIdx.y; column < b.columns; column += gridDim.y) {
        Storage storage(n, starts);
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            rows.put(storage.at(i), load(b, line, column, i));
        __syncthreads();
        int levels = 0;
        for (; n >> levels > tail; levels++)
            reduce_level(rows, storage, n >> levels);
        solve_tail(rows, storage, n >> levels);
        while (levels-- > 0)
            substitute_level(rows, storage, n >> levels);
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            store(b, line, column, i, rows.d[storage.at(i)]);
        __syncthreads();
    }
}

/* ---- Parallel cyclic reduction ---------------------------------------------------------------------------------- */

__device__ __forceinline__ void reduce_all(const Rows &rows, int n, int s)
{
    Row held[MOST_HELD];

#pragma unroll
    for (int h = 0; h < MOST_HELD; h++) {
        const int i = threadIdx.x + h * blockDim.x;
        if (i < n)
            held[h] = reduce(rows.get(i), rows.get_if(i >= s, i - s), rows.get_if(i + s < n, i + s));
    }
    __syncthreads();
#pragma unroll
    for (int h = 0; h < MOST_HELD; h++) {
        const int i = threadIdx.x + h * blockDim.x;
        if (i < n)
            rows.put(i, held[h]);
    }
    __syncthreads();
}

/* The systems of rows r, r + s, r + 2 s ..., a thread for each r < s. */
__device__ __forceinline__ void thomas(const Rows &rows, int n, int s)
{
    for (int r = threadIdx.x; r < s && r < n; r += blockDim.x) {
        real c = 0, d = 0;
        int i = r;
        for (; i < n; i += s) {
            const Row row = rows.get(i);
            const real scale = reciprocal(real(1) - row.a * c);
            rows.c[i] = c = row.c * scale;
            rows.d[i] = d = (row.d - row.a * d) * scale;
        }
        for (i -= 2 * s; i >= 0; i -= s)
            rows.d[i] = d = rows.d[i] - rows.c[i] * d;
    }
    __syncthreads();
}

__global__ void __launch_bounds__(MOST_THREADS, 1)
    parallel_reduction(const __grid_constant__ starfish_batch b, int capacity, int until)
{
    extern __shared__ double memory[];
    const Rows rows(reinterpret_cast<real *>(memory), capacity);
    const int n = int(b.n);
    const size_t line = blockIdx.x;

    for (size_t column = blockIdx.y; column < b.columns; column += gridDim.y) {
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            rows.put(i, load(b, line, column, i));
        __syncthreads();
        int s = 1;
        for (; s < until; s *= 2)
            reduce_all(rows, n, s);
        if (s < n)
            thomas(rows, n, s);
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            store(b, line, column, i, rows.d[i]);
        __syncthreads();
    }
}

/* ---- Launches --------------------------------------------------------------------------------------------------- */

int rows_apart(int n)
{
    int even = 0, m = n;

    for (; m > 0; m /= 2)
        even = Apart::odd_after(even, (m + 1) / 2);
    return even + 1;
}

int threads_for(size_t wanted)
{
    const size_t whole = (wanted + WARP - 1) / WARP * WARP;

    return int(whole < size_t(MOST_THREADS) ? whole : size_t(MOST_THREADS));
}

template <typename Kernel>
int launch(Kernel *kernel, const starfish_batch &b, size_t threads, int capacity, int last, cudaStream_t stream)
{
    const size_t bytes = 3 * size_t(capacity) * sizeof(real);
    const dim3 grid(unsigned(b.lines), unsigned(b.columns < 65535 ? b.columns : 65535));
    const cudaError_t status = starfish_batch_allow_shared(kernel, bytes);

    if (status != cudaSuccess)
        return status;
    kernel<<<grid, threads_for(threads), bytes, stream>>>(b, capacity, last);
    return cudaGetLastError();
}

} // namespace

extern "C" int REAL_NAME(starfish_batch_shared_cuda)(const starfish_batch *b, cudaStream_t stream)
{
    const int n = int(b->n);

    if (b->n > starfish_batch_longest_cuda(b->algorithm, sizeof(real)))
        return cudaErrorInvalidConfiguration;
    switch (b->algorithm) {
    case STARFISH_ALGORITHM_CR:
        return launch(cyclic_reduction<Apart>, *b, (b->n + 1) / 2, rows_apart(n), 1, stream);
    case STARFISH_ALGORITHM_CR_PCR:
        return launch(cyclic_reduction<Apart>, *b, (b->n + 1) / 2, rows_apart(n), TAIL, stream);
    case STARFISH_BATCH_CR_IN_PLACE:
        return launch(cyclic_reduction<InPlace>, *b, (b->n + 1) / 2, n, 1, stream);
    case STARFISH_ALGORITHM_PCR:
        return launch(parallel_reduction, *b, b->n, n, n, stream);
    case STARFISH_ALGORITHM_PCR_THOMAS:
        return launch(parallel_reduction, *b, b->n, n, (n + THOMAS_ROWS - 1) / THOMAS_ROWS, stream);
    default:
        return cudaErrorInvalidValue;
    }
}
