/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How batch_tiled_cuda.cu and batch_segments_cuda.cu share out lines among threads, and how a thread reads and writes
 * its rows, in one of four orders. */
#ifndef STARFISH_TRIDIAG_KERNELS_BATCH_TILE_CUH
#define STARFISH_TRIDIAG_KERNELS_BATCH_TILE_CUH

#include "tridiag/kernels/batch_chunk.cuh"
#include "tridiag/kernels/batch_cuda.h"
#include <type_traits>

namespace starfish_batch_tile
{

using namespace starfish_batch_chunk;

enum { WARP = 32, WORD = 16 / sizeof(real), BANKS = 128 / sizeof(real) };

/* Neighbouring threads on neighbouring lines, with few rows each or many; or on neighbouring rows of a line, which are
 * read one by one or in 16-byte words. */
enum Order { SIDE_BY_SIDE, SIDE_BY_SIDE_LONG, ADJACENT, ADJACENT_WORDS };

__host__ __device__ constexpr bool lies_side_by_side(Order order)
{
    return order == SIDE_BY_SIDE || order == SIDE_BY_SIDE_LONG;
}

/* Threads of a block. Two blocks of adjacent chunks take turns; one block of lines side by side fills a
 * multiprocessor. */
__host__ __device__ constexpr int threads_of(Order order)
{
    return lies_side_by_side(order) ? 512 : 256;
}

/* Rows of a thread. All are loaded to registers at once; twice as many, so that 512 rows of as many lines as fill 128
 * bytes make a block, come one after the other and leave their c and e in shared memory. */
__host__ __device__ constexpr int rows_of(Order order)
{
    return (order == SIDE_BY_SIDE_LONG ? 128 : 64) / int(sizeof(real));
}

/* How a launch cuts its work. */
struct Shape {
    int chunks;  /* threads of a line in a block */
    int lines;   /* of a block */
    int threads; /* chunks * lines, and what fills the last warp */
    Order order;
    int lanes;       /* of the part of a warp that reduces a line's joints: a power of two */
    int rows;        /* joints per lane, lanes * rows >= chunks */
    int pitch;       /* of a line's joints in shared memory */
    unsigned groups; /* of lines */
    size_t segments; /* of a line */
    int ahead;       /* blocks from one to the one that it fetches for; 0: none */
};

/* Which rows of which line and columns a thread has. */
template <int Rows> struct Place {
    size_t line, segment, first, column;
    int line_here, chunk;    /* in the block */
    int count;               /* rows that there are, 0 for a thread with nothing to do */
    int joint, joint_before; /* in shared memory */

    /* No division of 64-bit numbers, and none at all where one will do: each takes as long as the elimination of
     * a row. */
    __device__ __forceinline__ Place(const starfish_batch &b, const Shape &shape, int columns)
    {
        const unsigned thread = threadIdx.x, group = shape.segments == 1 ? blockIdx.x : blockIdx.x % shape.groups;
        const unsigned across = lies_side_by_side(shape.order) ? shape.lines : shape.chunks, slow = thread / across;
        const unsigned fast = thread - slow * across;

        line_here = int(lies_side_by_side(shape.order) ? fast : slow);
        chunk = int(lies_side_by_side(shape.order) ? slow : fast);
        segment = shape.segments == 1 ? 0 : blockIdx.x / shape.groups;
        column = size_t(blockIdx.y) * columns;
        line = size_t(group) * shape.lines + line_here;
        first = (segment * shape.chunks + chunk) * Rows;
        const bool has_joint = thread < unsigned(shape.chunks * shape.lines);
        count = has_joint && line < b.lines && first < b.n ? int(b.n - first < Rows ? b.n - first : Rows) : 0;
        const int lane = shape.rows == 1 ? chunk : int(unsigned(chunk) / unsigned(shape.rows));
        const int t = chunk - lane * shape.rows, skipped = t == 0 ? (shape.rows | 1) - shape.rows : 0;
        joint = has_joint ? line_here * shape.pitch + lane * (shape.rows | 1) + t : 0;
        joint_before = has_joint && chunk > 0 ? joint - 1 - skipped : 0;
    }
};

/* What a periodic line's first and last diagonal entries get (batch_row.h), for the thread that has them. Found before
 * the elimination: a division among its rows would cost all of them registers. */
struct EndDiagonals {
    real first, last;

    template <int Rows> __device__ __forceinline__ EndDiagonals(const starfish_batch &b, const Place<Rows> &place)
    {
        first = last = 0;
        if (!b.periodic || place.count == 0)
            return;
        if (place.first == 0)
            first = batch_first_diag(&b, place.line);
        if (place.first + place.count == b.n)
            last = batch_coefficient(&b, b.lower, place.line, 0) * batch_coefficient(&b, b.upper, place.line, b.n - 1) /
                   batch_first_diag(&b, place.line);
    }
};

/* Row i of a thread's rows; with FULL there are all of them. What leads out of a line may be anything and counts as
 * zero; rows beyond the end of a line are x = 0, which couples to nothing. */
template <int Rows, bool FULL>
__device__ __forceinline__ batch_row closed_row(const starfish_batch &b, const Place<Rows> &place,
                                                const EndDiagonals &ends, int i, batch_row row)
{
    if (!FULL && i >= place.count)
        return {real(0), real(1), real(0)};
    if (i == 0 && place.first == 0) {
        row.lower = 0;
        row.diag += ends.first;
    }
    if (FULL ? i == Rows - 1 && place.first + Rows == b.n : place.first + i + 1 == b.n) {
        row.upper = 0;
        row.diag += ends.last;
    }
    return row;
}

/* Where a thread's first row is. */
template <int Rows, int Columns> struct Addresses {
    const real *lower, *diag, *upper, *rhs[Columns];

    __device__ __forceinline__ Addresses(const starfish_batch &b, const Place<Rows> &place)
    {
        const size_t at = place.line * b.coefficients.line + place.first * b.coefficients.row;
        lower = static_cast<const real *>(b.lower) + at;
        diag = static_cast<const real *>(b.diag) + at;
        upper = static_cast<const real *>(b.upper) + at;
#pragma unroll
        for (int q = 0; q < Columns; q++)
            rhs[q] =
                static_cast<const real *>(b.input) + place.first * b.vectors.row +
                batch_column_offset(&b, place.line, place.column + q < b.columns ? place.column + q : place.column);
    }
};

template <int Rows> __device__ __forceinline__ real shift_of(const starfish_batch &b, const Place<Rows> &place)
{
    return b.shift && place.count > 0 ? static_cast<const real *>(b.shift)[place.line] : real(0);
}

/* All rows of a thread, loaded before the first is used: that many bytes are in flight. Branches between the loads and
 * their use keep the compiler from mixing the two, which takes a tenth longer. */
template <int Rows, int Columns, bool WORDS> struct LoadedRows {
    const starfish_batch &b;
    const Place<Rows> &place;
    real lower[Rows], diag[Rows], upper[Rows], rhs[Columns][Rows], shift;

    __device__ __forceinline__ LoadedRows(const starfish_batch &batch, const Place<Rows> &at) : b(batch), place(at)
    {
        const Addresses<Rows, Columns> from(b, place);
        load(lower, from.lower, b.coefficients.row);
        load(diag, from.diag, b.coefficients.row);
        load(upper, from.upper, b.coefficients.row);
#pragma unroll
        for (int q = 0; q < Columns; q++)
            load(rhs[q], from.rhs[q], b.vectors.row);
        shift = shift_of(b, place);
    }

  private:
    struct alignas(16) Words {
        real part[WORD];
    };
    __device__ __forceinline__ void load(real (&values)[Rows], const real *from, size_t stride) const
    {
        if (WORDS && place.count == Rows) {
            const Words *words = reinterpret_cast<const Words *>(from);
#pragma unroll
            for (int w = 0; w < Rows / WORD; w++) {
                const Words word = words[w];
#pragma unroll
                for (int p = 0; p < WORD; p++)
                    values[w * WORD + p] = word.part[p];
            }
        } else if (place.count == Rows) {
#pragma unroll
            for (int i = 0; i < Rows; i++, from += stride)
                values[i] = *from;
        } else {
#pragma unroll
            for (int i = 0; i < Rows; i++, from += stride)
                values[i] = i < place.count ? *from : real(0);
        }
    }
};

/* These, as an elimination wants them. */
template <int Rows, int Columns, bool WORDS, bool FULL> class WholeRows
{
  public:
    __device__ __forceinline__ explicit WholeRows(const LoadedRows<Rows, Columns, WORDS> &loaded)
        : of(loaded), ends(loaded.b, loaded.place)
    {
    }
    __device__ __forceinline__ batch_row row(int i) const
    {
        return closed_row<Rows, FULL>(of.b, of.place, ends, i, {of.lower[i], of.diag[i] + of.shift, of.upper[i]});
    }
    __device__ __forceinline__ real rhs(int q, int i) const { return of.rhs[q][i]; }

  private:
    const LoadedRows<Rows, Columns, WORDS> &of;
    const EndDiagonals ends;
};

/* Rows that come as they are needed: while one group is in use the next one is under way. */
template <int Rows, int Columns, bool FULL> class StreamedRows
{
  public:
    __device__ __forceinline__ StreamedRows(const starfish_batch &batch, const Place<Rows> &at)
        : b(batch), place(at), from(batch, at), ends(batch, at), shift(shift_of(batch, at))
    {
        load(0);
    }
    __device__ __forceinline__ batch_row row(int i)
    {
        if (i % GROUP == 0) {
            now = next;
            if (i + GROUP < Rows)
                load(i + GROUP);
        }
        const int g = i % GROUP;
        return closed_row<Rows, FULL>(b, place, ends, i, {now.lower[g], now.diag[g] + shift, now.upper[g]});
    }
    __device__ __forceinline__ real rhs(int q, int i) const { return now.rhs[q][i % GROUP]; }

  private:
    enum { GROUP = WORD };
    struct Group {
        real lower[GROUP], diag[GROUP], upper[GROUP], rhs[Columns][GROUP];
    };
    /* Pointers that walk along: offsets of all rows would take more registers than there are. */
    __device__ __forceinline__ void load(int first)
    {
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            const bool there = FULL || first + g < place.count;
            next.lower[g] = there ? *from.lower : real(0);
            next.diag[g] = there ? *from.diag : real(0);
            next.upper[g] = there ? *from.upper : real(0);
            from.lower += b.coefficients.row;
            from.diag += b.coefficients.row;
            from.upper += b.coefficients.row;
#pragma unroll
            for (int q = 0; q < Columns; q++) {
                next.rhs[q][g] = there ? *from.rhs[q] : real(0);
                from.rhs[q] += b.vectors.row;
            }
        }
    }
    const starfish_batch &b;
    const Place<Rows> &place;
    Addresses<Rows, Columns> from;
    const EndDiagonals ends;
    const real shift;
    Group now, next;
};

/* The elements from .. from + total - 1 of an array, in the order of the warp's threads; total < 0 when they are
 * not, as where a thread of fewer rows, behind which the array has a gap, comes before another. */
template <int ROWS> struct Run {
    size_t from;
    int total;

    __device__ __forceinline__ Run(size_t offset, int count)
    {
        const unsigned all = 0xffffffffu;
        const int lane = threadIdx.x % WARP;
        from = __shfl_sync(all, static_cast<unsigned long long>(offset), 0);
        total = int(__reduce_max_sync(all, unsigned(count > 0 ? lane * ROWS + count : 0)));
        const bool whole = count == ROWS || lane * ROWS + count == total, behind = lane * ROWS >= total;
        if (!__all_sync(all, count == 0 ? behind : whole && offset == from + size_t(lane) * ROWS))
            total = -1;
    }
};

/* Solutions from registers to memory. Threads on neighbouring rows pass them through shared memory, so that the warp
 * writes whole sectors; the rotation by two keeps both sides free of bank conflicts. */
template <Order order, int ROWS>
__device__ __forceinline__ void store_rows(const real (&values)[ROWS], real *output, size_t offset, size_t stride,
                                           int count, real *of_warp)
{
    const int lane = threadIdx.x % WARP;

    if (!lies_side_by_side(order) && stride == 1) {
        const Run<ROWS> run(offset, count);
        if (run.total >= 0) {
#pragma unroll
            for (int i = 0; i < ROWS; i++)
                of_warp[i * WARP + (lane + 2 * i) % WARP] = values[i];
            __syncwarp();
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                const int part = lane % ROWS, owner = lane / ROWS + i * (WARP / ROWS);
                if (i * WARP + lane < run.total)
                    output[run.from + i * WARP + lane] = of_warp[part * WARP + (owner + 2 * part) % WARP];
            }
            __syncwarp();
            return;
        }
    }
    real *to = output + offset;
#pragma unroll
    for (int i = 0; i < ROWS; i++, to += stride)
        if (i < count)
            *to = values[i];
}

/* ---- A thread's rows, order by order ---------------------------------------------------------------------------- */

template <Order order> using TilePlace = Place<rows_of(order)>;

template <int Columns, Order order>
using TileChunk = Chunk<rows_of(order), Columns,
                        std::conditional_t<order == SIDE_BY_SIDE_LONG, KeptInShared<rows_of(order), threads_of(order)>,
                                           KeptInRegisters<rows_of(order)>>>;

/* Reals at the beginning of shared memory: what chunks keep there, or solutions on their way out. */
__host__ __device__ constexpr int tile_reals(Order order)
{
    return order == SIDE_BY_SIDE        ? 0
           : order == SIDE_BY_SIDE_LONG ? 2 * threads_of(order) * rows_of(order)
                                        : threads_of(order) * rows_of(order);
}

/* Load and eliminate a thread's rows; y of the first is `before` when it is known. */
template <int Columns, Order order>
__device__ __forceinline__ void eliminate(const starfish_batch &b, const TilePlace<order> &place, bool known,
                                          const real (&before)[Columns], TileChunk<Columns, order> &chunk,
                                          Joint<Columns> &joint)
{
    constexpr int ROWS = rows_of(order);

    if constexpr (order == SIDE_BY_SIDE_LONG) {
        if (place.count == ROWS)
            chunk.eliminate(StreamedRows<ROWS, Columns, true>(b, place), known, before, joint);
        else
            chunk.eliminate(StreamedRows<ROWS, Columns, false>(b, place), known, before, joint);
    } else {
        constexpr bool WORDS = order == ADJACENT_WORDS;
        const LoadedRows<ROWS, Columns, WORDS> loaded(b, place);
        if (place.count == ROWS)
            chunk.eliminate(WholeRows<ROWS, Columns, WORDS, true>(loaded), known, before, joint);
        else
            chunk.eliminate(WholeRows<ROWS, Columns, WORDS, false>(loaded), known, before, joint);
    }
}

/* ---- Launches --------------------------------------------------------------------------------------------------- */

/* How batch_tiled_cuda.cu cuts a batch. */
Shape REAL_NAME(starfish_batch_shape)(const starfish_batch &batch);

/* All lines, each in one block, or with the separators of its segments known ([column][line][segment]). */
int REAL_NAME(starfish_batch_solve_tiles)(const starfish_batch &batch, const Shape &shape, const real *separators,
                                          cudaStream_t stream);

/* Lines of several segments, and their workspace in bytes. */
int REAL_NAME(starfish_batch_solve_segments)(const starfish_batch &batch, const Shape &shape, cudaStream_t stream);
size_t REAL_NAME(starfish_batch_segments_workspace)(const starfish_batch &batch, const Shape &shape);

/* `kernel` takes one or two columns at a time. */
template <typename Kernel, typename Pointer>
static int launch_tiles(Kernel *kernel, const starfish_batch &b, const Shape &shape, Pointer last, cudaStream_t stream)
{
    const int columns = b.columns == 1 ? 1 : 2;
    const size_t joints = size_t(5 + 2 * columns) * shape.lines * shape.pitch;
    const size_t bytes = (size_t(tile_reals(shape.order)) + joints) * sizeof(real);
    const cudaError_t status = starfish_batch_allow_shared(kernel, bytes);

    if (status != cudaSuccess)
        return status;
    const dim3 grid(unsigned(shape.groups * shape.segments), unsigned((b.columns + columns - 1) / columns));
    kernel<<<grid, shape.threads, bytes, stream>>>(b, shape, last);
    return cudaGetLastError();
}

} // namespace starfish_batch_tile

#endif
