/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line solved by one thread: what both Thomas kernels of this folder are made of.
 *
 * The elimination is that of line_block.h: the last unknown is a separator, and for k < n-1
 *     x(k) + c(k) x(k+1) + e(k) x(n-1) = d(k),   e only for periodic lines.
 *
 * Plain Thomas moves 6 reals per unknown: d read, c and d written, both read again, x written. Here the forward sweep
 * writes (c, d, e) only where a chunk of ROWS = 64 bytes of right-hand side starts, and leaves the right-hand side
 * alone; the backward sweep reads the chunk once more, eliminates it again from that checkpoint in registers and
 * substitutes. That is 3 reals per unknown and 4 (periodic: 6) per chunk: with 8 rows of f64 3.5 (3.75), 28 bytes,
 * and with 16 rows of f32 3.25, 13 bytes. The floor is 2 reals: read once, write once. The second division per
 * unknown is cheap beside the memory traffic. The loads of a chunk are independent of each other and those of the
 * next chunk are issued before this one is worked on, so that a thread has up to 2 * 64 bytes in flight. */
#ifndef STARFISH_TRIDIAG_KERNELS_THOMAS_LINE_CUH
#define STARFISH_TRIDIAG_KERNELS_THOMAS_LINE_CUH

#include "tridiag/kernels/blocking.h"
extern "C" {
#include "tridiag/kernels/tridiag.h"
}
#include "tridiag/kernels/number.cuh"
#include <cuda_runtime.h>

namespace starfish_tridiag
{

using starfish_number::coefficient_in;
using starfish_number::CoefficientOf;
using starfish_number::RealOf;
using starfish_number::shift_of_row;

template <typename Real> struct Row {
    Real lower, diag, upper;
};

/* Coefficients: the same for all threads, so one broadcast from the read-only cache per row. With SUMS `diag` are row
 * sums (slab_lines.h), from which what is beyond the ends is taken here. */
template <typename Real, bool SUMS = false>
__device__ inline Row<Real> load_row(const starfish_tridiag_operator &line, size_t k)
{
    const Real *lower = static_cast<const Real *>(line.lower);
    const Real *diag = static_cast<const Real *>(line.diag);
    const Real *upper = static_cast<const Real *>(line.upper);
    /* Where a line ends that is not periodic, the arrays may hold anything. */
    Row<Real> row = {k > 0 || line.periodic ? __ldg(lower + k) : Real(0), __ldg(diag + k),
                     k + 1 < line.n || line.periodic ? __ldg(upper + k) : Real(0)};

    if (SUMS && k == 0 && !line.periodic)
        row.diag -= __ldg(lower);
    if (SUMS && k + 1 == line.n && !line.periodic)
        row.diag -= __ldg(upper + k);
    return row;
}

/* A row after elimination; `carried` is what the next row's diagonal is made with: c, with SUMS 1 + c + e. The one
 * above row 0 is { 0, 0, -1, 0 }: its e is what carries lower[0] to the separator. */
template <typename Real> struct Eliminated {
    CoefficientOf<Real> c;
    Real d;
    CoefficientOf<Real> e, carried;
};

template <typename Real, bool Periodic, bool SUMS = false>
__device__ inline Eliminated<Real> eliminate(const Eliminated<Real> &above, const Row<CoefficientOf<Real>> &row,
                                             RealOf<Real> shift, Real rhs)
{
    typedef CoefficientOf<Real> Coefficient;
    const Coefficient rest = row.diag + shift - row.lower * above.carried;
    const Coefficient border = Periodic ? -row.lower * above.e : Coefficient(0);
    const Coefficient pivot = Coefficient(1) / (SUMS ? rest - row.upper - border : rest);
    const Coefficient c = row.upper * pivot;

    return {c, (rhs - row.lower * above.d) * pivot, border * pivot, SUMS ? rest * pivot : c};
}

/* The separator's own row while the rows above are eliminated. */
template <typename Real> struct Separator {
    CoefficientOf<Real> corner, diag;
    Real rhs;
};

template <typename Real>
__device__ inline Separator<Real> begin_separator(const starfish_tridiag_operator &line,
                                                  const Row<CoefficientOf<Real>> &last)
{
    typedef CoefficientOf<Real> Coefficient;
    Separator<Real> separator = {line.periodic ? last.upper : Coefficient(0), Coefficient(0), Real(0)};

    return separator;
}

template <bool SUMS = false, typename Real>
__device__ inline void update_separator(Separator<Real> &separator, const Eliminated<Real> &row)
{
    separator.diag -= separator.corner * (SUMS ? row.carried : row.e);
    separator.rhs -= separator.corner * row.d;
    separator.corner *= -row.c;
}

/* x(n-1), from the eliminated row n-2 in `above`. */
template <bool SUMS = false, typename Real>
__device__ inline Real solve_separator(const starfish_tridiag_operator &line, const Separator<Real> &separator,
                                       const Eliminated<Real> &above, const Row<CoefficientOf<Real>> &last,
                                       RealOf<Real> shift, Real rhs)
{
    typedef CoefficientOf<Real> Coefficient;
    if (line.n == 1) /* periodic: its own neighbour on both sides; else both are zero */
        return rhs / (SUMS ? last.diag + shift : last.diag + shift + last.lower + last.upper);
    Coefficient entry = last.lower + separator.corner;
    Coefficient carried = above.carried + (line.periodic && !SUMS ? above.e : Coefficient(0));
    Coefficient diag = last.diag + shift + separator.diag - entry * carried;
    return (rhs + separator.rhs - entry * above.d) / diag;
}

/* Walks over the rows 0 .. n-2 of a line in chunks that never cross from one tile to the next. */
template <typename Tiles> struct Chunk {
    static constexpr int ROWS = STARFISH_TRIDIAG_CHUNK_BYTES / sizeof(typename Tiles::Element);
    size_t k; /* first row */
    int t;    /* its tile; tiles() after the last chunk, -1 before the first */

    __device__ static size_t end(const Tiles &tiles, int t)
    {
        return tiles.first(t + 1) < tiles.n() - 1 ? tiles.first(t + 1) : tiles.n() - 1;
    }
    __device__ int rows(const Tiles &tiles) const
    {
        if (t < 0 || t >= tiles.tiles())
            return 0;
        size_t left = end(tiles, t) - k;
        return left < ROWS ? static_cast<int>(left) : ROWS;
    }
    __device__ void first(const Tiles &tiles)
    {
        t = 0;
        k = 0;
        skip_empty(tiles);
    }
    __device__ void forward(const Tiles &tiles)
    {
        k += ROWS;
        skip_empty(tiles);
    }
    __device__ void backward(const Tiles &tiles)
    {
        if (t < tiles.tiles() && k > tiles.first(t)) {
            k -= ROWS;
            return;
        }
        do
            t--;
        while (t >= 0 && tiles.first(t) >= end(tiles, t));
        if (t >= 0)
            k = tiles.first(t) + (end(tiles, t) - tiles.first(t) - 1) / ROWS * ROWS;
    }

  private:
    __device__ void skip_empty(const Tiles &tiles)
    {
        while (t < tiles.tiles() && k >= end(tiles, t)) {
            t++;
            if (t < tiles.tiles())
                k = tiles.first(t);
        }
    }
};

template <typename Real, typename Tiles>
__device__ inline void load_chunk(Real *rhs, const Tiles &tiles, const Chunk<Tiles> &chunk)
{
    int rows = chunk.rows(tiles);

#pragma unroll
    for (int i = 0; i < Chunk<Tiles>::ROWS; i++)
        rhs[i] = i < rows ? tiles.load(chunk.t, chunk.k + i) : Real(0);
}

/* The rows above the separator, eliminated; a checkpoint per chunk. Returns row n-2 and leaves `chunk` past the end. */
template <typename Real, bool Periodic, bool SUMS, typename Shift, typename Tiles>
__device__ inline Eliminated<Real> sweep_forward(const starfish_tridiag_operator &line, const Shift &shift,
                                                 const Tiles &tiles, Real *&checkpoint, size_t stride,
                                                 Chunk<Tiles> &chunk, Separator<Real> &separator)
{
    constexpr int ROWS = Chunk<Tiles>::ROWS;
    typedef CoefficientOf<Real> Coefficient;
    Eliminated<Real> row = {Coefficient(0), Real(0), Coefficient(-1), Coefficient(0)};
    Real rhs[ROWS], ahead[ROWS];

    chunk.first(tiles);
    load_chunk(rhs, tiles, chunk);
    while (int rows = chunk.rows(tiles)) {
        Chunk<Tiles> next = chunk;
        next.forward(tiles);
        load_chunk(ahead, tiles, next);
        checkpoint[0] = row.carried;
        checkpoint[stride] = row.d;
        if (Periodic)
            checkpoint[2 * stride] = row.e;
        checkpoint += (Periodic ? 3 : 2) * stride;
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            if (i < rows) {
                row = eliminate<Real, Periodic, SUMS>(row, load_row<Coefficient, SUMS>(line, chunk.k + i),
                                                      shift_of_row(shift, chunk.k + i), rhs[i]);
                if (Periodic && chunk.k + i + 2 < line.n)
                    update_separator<SUMS>(separator, row);
            }
            rhs[i] = ahead[i];
        }
        chunk = next;
    }
    return row;
}

/* From the separator's solution back to row 0. */
template <typename Real, bool Periodic, bool SUMS, typename Shift, typename Tiles>
__device__ inline void sweep_backward(const starfish_tridiag_operator &line, const Shift &shift, const Tiles &tiles,
                                      const Real *checkpoint, size_t stride, Chunk<Tiles> chunk, Real last)
{
    constexpr int ROWS = Chunk<Tiles>::ROWS;
    Real rhs[ROWS], ahead[ROWS], x = last;

    chunk.backward(tiles);
    load_chunk(rhs, tiles, chunk);
    while (int rows = chunk.rows(tiles)) {
        Chunk<Tiles> next = chunk;
        next.backward(tiles);
        load_chunk(ahead, tiles, next);
        checkpoint -= (Periodic ? 3 : 2) * stride;
        Eliminated<Real> row[ROWS],
            above = {CoefficientOf<Real>(0), checkpoint[stride], CoefficientOf<Real>(0), coefficient_in(checkpoint[0])};
        if (Periodic)
            above.e = coefficient_in(checkpoint[2 * stride]);
#pragma unroll
        for (int i = 0; i < ROWS; i++)
            if (i < rows)
                above = row[i] =
                    eliminate<Real, Periodic, SUMS>(above, load_row<CoefficientOf<Real>, SUMS>(line, chunk.k + i),
                                                    shift_of_row(shift, chunk.k + i), rhs[i]);
#pragma unroll
        for (int i = ROWS - 1; i >= 0; i--) {
            if (i < rows) {
                x = row[i].d - row[i].c * x;
                if (Periodic)
                    x -= row[i].e * last;
                tiles.store(chunk.t, chunk.k + i, rhs[i], x);
            }
            rhs[i] = ahead[i];
        }
        chunk = next;
    }
}

/* Tiles tells where the line lies: Element; n(), tiles(), first(t); load(t, k) of the right-hand side; and
 * store(t, k, rhs, x), which gets the right-hand side again. `checkpoint` is this thread's: its elements are `stride`
 * apart. A pinned line has x(n-1) = 0. The shift is a number or a WeighedShift. */
template <typename Real, bool Periodic, bool SUMS = false, typename Shift, typename Tiles>
__device__ inline void solve_line(const starfish_tridiag_operator &line, const Shift &shift, bool pinned,
                                  const Tiles &tiles, Real *checkpoint, size_t stride)
{
    const Row<CoefficientOf<Real>> last_row = load_row<CoefficientOf<Real>, SUMS>(line, line.n - 1);
    const int last_tile = tiles.last_tile();
    const Real last_rhs = tiles.load(last_tile, line.n - 1);
    Separator<Real> separator = begin_separator<Real>(line, last_row);
    Chunk<Tiles> chunk;
    Eliminated<Real> above =
        sweep_forward<Real, Periodic, SUMS>(line, shift, tiles, checkpoint, stride, chunk, separator);
    Real last =
        pinned ? Real(0)
               : solve_separator<SUMS>(line, separator, above, last_row, shift_of_row(shift, line.n - 1), last_rhs);

    tiles.store(last_tile, line.n - 1, last_rhs, last);
    sweep_backward<Real, Periodic, SUMS>(line, shift, tiles, checkpoint, stride, chunk, last);
}

/* Blocks for `threads` threads; kernels stride over what is beyond. */
enum { THREADS = 128, MOST_BLOCKS = 1 << 20 };

inline unsigned blocks_for(size_t threads)
{
    return static_cast<unsigned>(starfish_tridiag_smaller((threads + THREADS - 1) / THREADS, MOST_BLOCKS));
}

} // namespace starfish_tridiag

#endif
