/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Large batches of lines that share one matrix but for a shift, on CUDA: what there is to move is the right-hand sides
 * and the solutions.
 *
 * Floor: 2 reals per unknown. Lines side by side are the lanes of a slab (slab_solve_cuda.cu). Contiguous ones are
 * solved by the same code, shifted_chunks.cuh, in chunks with the matrix in shared memory; a block copies its lines to
 * shared memory asynchronously in the order they lie in, from where each thread takes its chunk, and solutions go back
 * the same way. The memory that holds the lines holds the pivots in between.
 *
 * Measured on an H200, milliseconds, f64 and f32, in brackets the fraction of a copy's bandwidth for f64, and after it
 * what the tiles of batch_tiled_cuda.cu take: contiguous                               side by side 262144 lines of 512
 * 0.66 (0.78), 0.36; 1.22, 0.61            0.71 (0.72), 0.43; 1.11, 0.48 1048576 lines of 128    0.68 (0.76),
 * 0.38; 1.21, 0.58            0.61 (0.84), 0.37; 1.05, 0.44 131072 lines of 1000    0.91 (0.55), 0.44; 1.33, 0.90 0.91
 * (0.55), 0.49; 1.46, 0.60 262000 lines of 513     0.93 (0.55); 1.99 From 2^21 unknowns on this is faster, below that
 * it has too few blocks; for contiguous lines of 16 it never is. */
#include "tridiag/kernels/batch_cuda.h"
#include "tridiag/kernels/batch_row.h"
#include "tridiag/kernels/shifted_chunks.cuh"
#include <stdint.h>

namespace starfish_slab
{
namespace
{

enum { WORD = 16 / sizeof(real) };
/* Fewer leave multiprocessors without work, which the many small chunks of batch_tiled_cuda.cu do not. */
enum { ENOUGH_UNKNOWNS = 1 << 21 };

/* ---- Contiguous lines ------------------------------------------------------------------------------------------- */

/* The lines of a block in shared memory: row k of a line at line * pitch + padding + k. The pitch is an odd number of
 * words, so that a chunk's words are in different banks than those of the lines beside it. */
struct Staging {
    int pitch;
    int across; /* threads that copy a line together */
    int reals;  /* of the lines and of the pivots, whichever are more */
};

struct alignas(16) Word {
    real part[WORD];
};

Staging staging_of(const Cut &cut, int chunk_rows)
{
    const int words = (cut.n + WORD - 1) / WORD;
    const int pitch = cut.chunks * chunk_rows + WORD, pivots = chunk_rows * MOST_THREADS;
    Staging staging = {pitch, 1, pivots > cut.width * pitch ? pivots : cut.width * pitch};

    while (staging.across < words && staging.across < WARP)
        staging.across *= 2;
    return staging;
}

/* f(in the staged lines, in the arrays) for every `Step`-th element of a block's lines. */
template <int Step, typename Function>
__device__ __forceinline__ void for_each(const starfish_batch &b, const Cut &cut, const Staging &staging,
                                         unsigned block, Function f)
{
    const int lane = threadIdx.x % staging.across, together = blockDim.x / staging.across;
    const size_t first = size_t(block) * cut.width, column = blockIdx.y * b.column;

    for (int line = threadIdx.x / staging.across; line < cut.width && first + line < b.lines; line += together) {
        const size_t from = (first + line) * b.vectors.line + column;
        for (int k = lane * Step; k < cut.n; k += staging.across * Step)
            f(line * staging.pitch + cut.padding + k, from + k);
    }
}

template <bool WORDS>
__device__ __forceinline__ void start_loading(const starfish_batch &b, const Cut &cut, const Staging &staging,
                                              real *staged)
{
    enum { STEP = WORDS ? int(WORD) : 1 };
    const real *input = static_cast<const real *>(b.input);

    for_each<STEP>(b, cut, staging, blockIdx.x,
                   [&](int to, size_t from) { copy_async<STEP * sizeof(real)>(staged + to, input + from); });
}

template <bool WORDS>
__device__ __forceinline__ void store_lines(const starfish_batch &b, const Cut &cut, const Staging &staging,
                                            const real *staged)
{
    real *output = static_cast<real *>(b.output);

    if (WORDS)
        for_each<WORD>(b, cut, staging, blockIdx.x, [&](int from, size_t to) {
            *reinterpret_cast<Word *>(output + to) = *reinterpret_cast<const Word *>(staged + from);
        });
    else
        for_each<1>(b, cut, staging, blockIdx.x, [&](int from, size_t to) { output[to] = staged[from]; });
}

/* Into the second-level cache, what a block soon to start will copy. */
__device__ __forceinline__ void fetch_lines(const starfish_batch &b, const Cut &cut, const Staging &staging)
{
    const real *input = static_cast<const real *>(b.input);

    for_each<64 / sizeof(real)>(b, cut, staging, blockIdx.x + cut.ahead, [&](int, size_t from) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(input + from));
    });
}

/* A chunk from the staged lines to registers, and back. */
template <int ROWS> __device__ __forceinline__ void take(real (&values)[ROWS], const real *from)
{
#pragma unroll
    for (int w = 0; w < ROWS / WORD; w++) {
        const Word word = reinterpret_cast<const Word *>(from)[w];
#pragma unroll
        for (int p = 0; p < WORD; p++)
            values[w * WORD + p] = word.part[p];
    }
}

template <int ROWS> __device__ __forceinline__ void give(const real (&values)[ROWS], real *to)
{
#pragma unroll
    for (int w = 0; w < ROWS / WORD; w++) {
        Word word;
#pragma unroll
        for (int p = 0; p < WORD; p++)
            word.part[p] = values[w * WORD + p];
        reinterpret_cast<Word *>(to)[w] = word;
    }
}

template <int ROWS, bool WORDS, int BLOCKS>
__global__ void __launch_bounds__(MOST_THREADS, BLOCKS)
    solve_contiguous(const __grid_constant__ starfish_batch b, const __grid_constant__ Cut cut,
                     const __grid_constant__ Staging staging)
{
    extern __shared__ __align__(16) unsigned char memory[];
    typedef Operator<real, ROWS> Rows;
    real *staged = reinterpret_cast<real *>(memory), *after = staged + staging.reals;
    Rows rows(after, cut);
    const Exchange<real> exchange(after + Rows::size(cut), cut);
    const int column = threadIdx.x % cut.width, c = threadIdx.x / cut.width;
    const size_t line = size_t(blockIdx.x) * cut.width + column;
    const bool works = c < cut.chunks && line < b.lines;
    const int first = !works ? ROWS : c == 0 ? cut.padding : 0, at = works ? c * Rows::PITCH : 0;
    real *own = staged + (works ? column * staging.pitch + c * ROWS : 0);
    Chunk<real, ROWS> chunk;

    start_loading<WORDS>(b, cut, staging, staged);
    if (BLOCKS == 2)
        fetch_lines(b, cut, staging);
    rows.load(static_cast<const real *>(b.lower), static_cast<const real *>(b.diag), static_cast<const real *>(b.upper),
              cut, false);
    const real shift = works ? batch_shift(&b, line) : real(0);
    wait_for_copies();
    __syncthreads();
    take(chunk.f, own);
    __syncthreads(); /* the pivots' memory is that of the lines */
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        chunk.f[i] = i >= first ? chunk.f[i] : real(0);
    chunk.prepare(rows, at, staged);
    const Eliminated<real> last = eliminate<real, ROWS, false>(chunk, rows, at, shift, first);
    if (c < cut.chunks)
        exchange.put(c, column, last);
    __syncthreads();
    solve_separators<real, false, Rows::PITCH>(exchange, cut, rows.upper, -1);
    __syncthreads();
    if (works)
        substitute<real, ROWS, false>(chunk, rows, at, first,
                                      c > 0 ? exchange.rhs[exchange.at(c - 1, column)] : real(0),
                                      exchange.rhs[exchange.at(c, column)]);
    __syncthreads();
    if (works)
        give(chunk.f, own);
    __syncthreads();
    store_lines<WORDS>(b, cut, staging, staged);
}

template <int ROWS, bool WORDS, int BLOCKS> int launch_contiguous(const starfish_batch &b, cudaStream_t stream)
{
    auto kernel = solve_contiguous<ROWS, WORDS, BLOCKS>;
    Cut cut = cut_lanes(b.n, b.lines, ROWS, 32 / sizeof(real));
    const Staging staging = staging_of(cut, ROWS);
    const dim3 grid(unsigned((b.lines + cut.width - 1) / cut.width), unsigned(b.columns));
    const size_t bytes =
        sizeof(real) * (size_t(staging.reals) + Operator<real, ROWS>::size(cut) + Exchange<real>::size(cut));
    int status = starfish_batch_allow_shared(kernel, bytes);

    if (status == cudaSuccess && BLOCKS == 2)
        status = blocks_ahead(cut.ahead);
    if (status != cudaSuccess)
        return status;
    kernel<<<grid, cut.threads, bytes, stream>>>(b, cut, staging);
    return cudaGetLastError();
}

template <bool WORDS> int solve_contiguous_lines(const starfish_batch &b, cudaStream_t stream)
{
    typedef Lengths<real> Is;

    if (b.n <= Is::MEDIUM_LANE)
        return launch_contiguous<Is::MEDIUM, WORDS, 3>(b, stream);
    return launch_contiguous<Is::LONG, WORDS, 2>(b, stream);
}

/* ---- Lines side by side ----------------------------------------------------------------------------------------- */

int solve_side_by_side(const starfish_batch &b, cudaStream_t stream)
{
    starfish_slab_solve slab = {};
    int status = cudaSuccess;

    slab.lines.rows = b.n;
    slab.lines.lower = b.lower;
    slab.lines.diag = b.diag;
    slab.lines.upper = b.upper;
    slab.lines.inner = b.lines;
    slab.lines.outer = 1;
    slab.lines.plane = b.vectors.row;
    slab.lines.shift_inner = b.shift;
    slab.lines.parts = 1;
    slab.lines.first_outer[1] = 1;
    slab.pinned_lane = -1;
    for (size_t c = 0; c < b.columns && status == cudaSuccess; c++) {
        slab.data = static_cast<const real *>(b.input) + c * b.column;
        slab.out = static_cast<real *>(b.output) + c * b.column;
        status = REAL_NAME(starfish_slab_solve_cuda)(&slab, stream);
    }
    return status;
}

bool aligned(const void *array)
{
    return reinterpret_cast<uintptr_t>(array) % 16 == 0;
}

} // namespace
} // namespace starfish_slab

extern "C" int REAL_NAME(starfish_batch_suits_shifted)(const starfish_batch *b)
{
    using namespace starfish_slab;
    typedef Lengths<real> Is;
    /* Of short lines in one piece, copying takes as long as it does to solve them. */
    const bool contiguous = b->vectors.row == 1 && b->n > Is::SHORT_LANE;
    const bool side_by_side = b->vectors.line == 1 && b->vectors.row < UINT32_MAX;

    return b->coefficients.line == 0 && (b->coefficients.row == 1 || b->n == 1) && !b->periodic && b->components == 1 &&
           b->n <= Is::LONG_LANE && b->n * b->lines >= ENOUGH_UNKNOWNS && (contiguous || side_by_side);
}

extern "C" int REAL_NAME(starfish_batch_shifted_cuda)(const starfish_batch *b, cudaStream_t stream)
{
    using namespace starfish_slab;
    const bool words = b->n % WORD == 0 && b->vectors.line % WORD == 0 && (b->columns == 1 || b->column % WORD == 0) &&
                       aligned(b->input) && aligned(b->output);

    if (b->vectors.row != 1)
        return solve_side_by_side(*b, stream);
    return words ? solve_contiguous_lines<true>(*b, stream) : solve_contiguous_lines<false>(*b, stream);
}
