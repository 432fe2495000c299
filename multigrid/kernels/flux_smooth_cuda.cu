/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Smoothing on the GPU: correction and both colours in one pass over memory.
 *
 * Words per unknown that must move in tensor form: u, f and v, 3, and an eighth for a correction; H200 at 4.2 TB/s,
 * 512^3, f64: 767 us. Stored form 7 words, 1.8 ms. Plane p of w = u + P coarse arrives while the first colour is
 * relaxed in plane p - 1 and the second one in plane p - 2 (flux_march.cuh): on a tile's columns with a halo of two, of
 * one, and inside. Both parities of a row are computed and one is kept, since a warp has both. */
#include "multigrid/kernels/flux_march.cuh"
#include "multigrid/kernels/flux_transfer.cuh"

#include "base/cuda_entries.h"

namespace
{

using namespace flux;

template <typename real> struct Smooth {
    Matrix<real> matrix;
    Transfer<real> transfer[3];
    const real *u, *f, *coarse;
    real *v;
    real damping;
    int first; /* colour */
    Cut cut;
    int y0, y1, z0, z1;
};

/* Of a block; halo_z planes below and above those that it writes. */
template <typename real> __device__ Tile tile_of(const Smooth<real> &a, int halo_z)
{
    const Tile_index at = tile_index(a.cut, blockIdx.x);
    const int first = a.z0 + at.z * a.cut.planes, end = min(first + a.cut.planes, a.z1);
    /* from an even row on, so that pairs of rows lie between the same coarse ones */
    return {at.x * INSIDE_X - HALO,
            a.y0 / 2 * 2 + at.y * INSIDE_Y - HALO,
            first - halo_z,
            end - first + 2 * halo_z,
            a.y0,
            a.y1};
}

/* Columns, rows and planes between coarse ones. In shared memory too, for want of registers. */
template <typename real> struct Pairs {
    Pair<real, int> column[ACROSS], row[HEIGHT], plane[TABLED_PLANES]; /* of planes the numbers */
};

/* The coarse planes of a fine one, which may be a ghost. */
template <typename real> __device__ Pair<real, int> planes_of(const Smooth<real> &a, int place)
{
    const Transfer<real> &z = a.transfer[2];
    Pair<real, int> pair = pair_of(z, index_of(a.matrix.axis[2], place).at, 1);
    const int turn = !z.ghosts ? 0 : place < 0 ? -1 : place >= z.fine;
    pair.start[0] += turn * z.coarse;
    pair.start[1] += turn * z.coarse;
    return pair;
}

template <typename real> __device__ void fill_pairs(Pairs<real> &pairs, const Smooth<real> &a, const Tile &tile)
{
    const int thread = threadIdx.y * ACROSS + threadIdx.x;
    const int nx = a.transfer[0].coarse;
#pragma unroll 1
    for (int x = thread; x < ACROSS; x += THREADS)
        pairs.column[x] = pair_of(a.transfer[0], index_of(a.matrix.axis[0], tile.x + x).at, 1);
#pragma unroll 1
    for (int r = thread; r < HEIGHT; r += THREADS)
        pairs.row[r] = pair_of(a.transfer[1], index_of(a.matrix.axis[1], tile.y + r).at, nx);
#pragma unroll 1
    for (int p = thread; p < tile.planes; p += THREADS)
        pairs.plane[p] = planes_of(a, tile.z + p);
}

/* Whether the thread's rows lie between four coarse rows in the way that rows from an even one on do within a grid: 01
 * 12 12 23. */
template <typename real> __device__ bool are_regular(const Pair<real, int> (&row)[HEIGHT], int first)
{
    const Pair<real, int> *r = row + first;
    static_assert(ROWS == 4, "four coarse rows");
    return r[0].start[1] == r[1].start[0] && r[1].start[0] == r[2].start[0] && r[1].start[1] == r[2].start[1] &&
           r[2].start[1] == r[3].start[0];
}

/* Two coarse planes between the rows and columns of a thread. Two fine planes that follow each other lie between the
 * same ones or have one in common, so that each is made once. */
constexpr int NO_PLANE = INT_MIN;

template <typename real> struct Slices {
    real low[ROWS], high[ROWS];
    int low_plane, high_plane; /* NO_PLANE: none yet */
};

template <typename real>
__device__ __forceinline__ void fetch(real (&slice)[ROWS], const real *plane, const Pair<real, int> *row,
                                      const Pair<real, int> &x, bool regular)
{
    asm("" : "+l"(plane)); /* as in plane_of */
    if (regular) {
        const real q0 = between(plane, x, row[0].start[0]), q1 = between(plane, x, row[0].start[1]),
                   q2 = between(plane, x, row[2].start[1]), q3 = between(plane, x, row[3].start[1]);
        slice[0] = row[0].weight[0] * q0 + row[0].weight[1] * q1;
        slice[1] = row[1].weight[0] * q1 + row[1].weight[1] * q2;
        slice[2] = row[2].weight[0] * q1 + row[2].weight[1] * q2;
        slice[3] = row[3].weight[0] * q2 + row[3].weight[1] * q3;
        return;
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        slice[r] = row[r].weight[0] * between(plane, x, row[r].start[0]) +
                   row[r].weight[1] * between(plane, x, row[r].start[1]);
}

/* w += P coarse on the thread's columns of a plane. */
template <typename real>
__device__ __forceinline__ void correct(real (&w)[ROWS], Slices<real> &s, const Smooth<real> &a,
                                        const Pairs<real> &pairs, const Column<real> &column, int plane, bool regular)
{
    const Pair<real, int> z = pairs.plane[plane], *row = pairs.row + column.row;
    const long long size = (long long)a.transfer[0].coarse * a.transfer[1].coarse;
    /* one place to fetch: the plane that comes is the higher one, and passes through it where the lower one is new
     * too */
#pragma unroll 1
    for (int half = 0; half < 2; half++) {
        const int wanted = z.start[half];
        if (half == 0 && wanted == s.low_plane)
            continue;
        if (wanted != s.high_plane)
            fetch(s.high, a.coarse + wanted * size, row, pairs.column[column.x], regular);
        s.high_plane = wanted;
        if (half == 0) {
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                s.low[r] = s.high[r];
            s.low_plane = wanted;
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        w[r] += z.weight[0] * s.low[r] + z.weight[1] * s.high[r];
}

/* z: the plane's line. */
template <typename real, bool STORED>
__device__ __forceinline__ real relaxed_row(const Smooth<real> &a, const Tables<real> &s, const Column<real> &column,
                                            const Line<real> &y, const Line<real> &z, int row, int plane,
                                            const Star<real> &w, real f)
{
    if (STORED)
        return relaxed(a.matrix, column, s.row_at[row], s.plane_at[plane], w, f, a.damping);
    return relaxed(column.line, y, z, w, f, a.damping);
}

/* ---- Both colours where a periodic direction has an odd size: neighbours may be of one colour -------------------- */

template <typename real, bool STORED, bool CORRECTED>
__global__ void __launch_bounds__(THREADS) odd_colours_kernel(const __grid_constant__ Smooth<real> a)
{
    __shared__ Planes<real, 2> before, after; /* w, and r: w with its first colour relaxed */
    __shared__ Tables<real> s;
    __shared__ Pairs<real> pairs;
    const Tile tile = tile_of(a, HALO);
    const Column<real> column = column_of<real, true>(a.matrix, tile);
    real w0[ROWS] = {}, w1[ROWS] = {}, r0[ROWS] = {}, r1[ROWS] = {}, f0[ROWS] = {}, f1[ROWS] = {}, w_next[ROWS] = {},
         f_next[ROWS] = {};

    Slices<real> slices = {{}, {}, NO_PLANE, NO_PLANE};

    fill_tables<real, true>(s, a.matrix, tile);
    clear_spare(before);
    clear_spare(after);
    if (CORRECTED)
        fill_pairs(pairs, a, tile);
    __syncthreads();
    const bool regular = CORRECTED && are_regular(pairs.row, column.row);
    load(w_next, a.u, s, column, 0);
    for (int p = 0; p < tile.planes; p++) {
        real w2[ROWS], r2[ROWS], v[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            w2[r] = w_next[r];
        if (CORRECTED)
            correct(w2, slices, a, pairs, column, p, regular);
        put(&before.value[p & 1][column.row][column.x], w2);
        if (p + 1 < tile.planes) {
            load(w_next, a.u, s, column, p + 1);
            load_inner(f_next, a.f, s, column, max(p, 1)); /* that of the outermost planes need not be there */
        }
        const Line<real> z1 = s.plane[max(p - 1, 0)], z2 = s.plane[max(p - 2, 0)];
        const int mixed = p > 0 ? column.parity + s.plane_at[p > 0 ? p - 1 : 0].parity + a.first : 0;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = column.row + r;
            const Line<real> line = s.row[row];
            r2[r] = w1[r];
            if (p >= 2) {
                const Star<real> w = star_of(&before.value[(p - 1) & 1][column.row][column.x], w1, r, w0[r], w2[r]);
                const real relaxed = relaxed_row<real, STORED>(a, s, column, line, z1, row, p - 1, w, f1[r]);
                r2[r] = ((mixed + s.row_at[row].parity) & 1) == 0 ? relaxed : w1[r];
            }
            if (p >= 2 * HALO) {
                /* the plane below has the other parity but where the planes wrap, so it is asked for its own */
                const int colour = column.parity + s.plane_at[p - 2].parity + s.row_at[row].parity + a.first;
                const Star<real> w = star_of(&after.value[p & 1][column.row][column.x], r1, r, r0[r], r2[r]);
                const real relaxed = relaxed_row<real, STORED>(a, s, column, line, z2, row, p - 2, w, f0[r]);
                v[r] = (colour & 1) != 0 ? relaxed : r1[r];
            }
        }
        if (p >= 2 * HALO)
            write(a.v, v, s, column, p - 2);
        put(&after.value[(p - 1) & 1][column.row][column.x], r2);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            w0[r] = w1[r];
            w1[r] = w2[r];
            r0[r] = r1[r];
            r1[r] = r2[r];
            f0[r] = f1[r];
            f1[r] = f_next[r];
        }
        __syncthreads();
    }
}

/* ---- Both colours where neighbours always differ in colour ------------------------------------------------------- */

/* What a thread keeps of its columns from plane to plane. Of each pair of rows, in step p one is `active`: its unknown
 * of plane p - 1 has the first colour and that of plane p - 2 the second one. The other is active in the next step. */
template <typename real> struct Active {
    real r_below[ROWS / 2], r_last[ROWS / 2];   /* relaxed two steps and one step ago, in planes p - 3 and p - 2 */
    real f_first[ROWS / 2], f_second[ROWS / 2]; /* f of planes p - 1 and p - 2 in the rows active now */
    real f_kept[ROWS / 2];                      /* f of plane p - 1 in the other rows */
};

/* Of each pair of rows the active one. */
template <typename real>
__device__ __forceinline__ void choose(real (&to)[ROWS / 2], const real (&from)[ROWS], bool odd)
{
#pragma unroll
    for (int h = 0; h < ROWS / 2; h++)
        to[h] = odd ? from[2 * h + 1] : from[2 * h];
}

template <typename real> __device__ __forceinline__ void copy(real (&to)[ROWS / 2], const real (&from)[ROWS / 2])
{
#pragma unroll
    for (int h = 0; h < ROWS / 2; h++)
        to[h] = from[h];
}

/* A column's unknown with its neighbours in the plane from shared memory. */
template <typename real> __device__ __forceinline__ Star<real> shared_star(const real *at, real below, real above)
{
    return {at[0], at[-1], at[1], at[-ACROSS], at[ACROSS], below, above};
}

/* Step p, in which the second row of each pair is active or the first one. Planes p, p - 1 and p - 2 are in shared
 * memory at `arriving`, `first` and `second`, from the thread's first column on; in the last one the first colour was
 * relaxed in place. In the first steps there is nothing to relax yet, and what comes of it is not used. */
template <typename real, bool STORED>
__device__ __forceinline__ void step(const Smooth<real> &a, const Tables<real> &s, const Column<real> &column,
                                     Active<real> &t, const real (&w)[ROWS], int p, bool odd, real *first,
                                     const real *second)
{
    const Line<real> z1 = s.plane[max(p - 1, 0)], z2 = s.plane[max(p - 2, 0)];
    real w_now[ROWS / 2], r_now[ROWS / 2], v[ROWS];
    choose(w_now, w, odd);
#pragma unroll
    for (int h = 0; h < ROWS / 2; h++) {
        const int row = column.row + 2 * h + odd, cell = (2 * h + odd) * ACROSS;
        const Line<real> y = s.row[row];
        const Star<real> before = shared_star(first + cell, second[cell], w_now[h]);
        r_now[h] = relaxed_row<real, STORED>(a, s, column, y, z1, row, max(p - 1, 0), before, t.f_first[h]);
        first[cell] = r_now[h];
        const Star<real> after = shared_star(second + cell, t.r_below[h], r_now[h]);
        const real relaxed = relaxed_row<real, STORED>(a, s, column, y, z2, row, max(p - 2, 0), after, t.f_second[h]);
        v[2 * h] = odd ? t.r_last[h] : relaxed;
        v[2 * h + 1] = odd ? relaxed : t.r_last[h];
    }
    if (p >= 2 * HALO)
        write(a.v, v, s, column, p - 2);
    copy(t.r_below, t.r_last);
    copy(t.r_last, r_now);
}

/* Planes lie in three buffers by turns: one arrives, in one the first colour is relaxed in place, from one the second
 * is read. */
template <typename real, bool STORED, bool CORRECTED>
__global__ void __launch_bounds__(THREADS, RESIDENT<real>) colours_kernel(const __grid_constant__ Smooth<real> a)
{
    __shared__ Planes<real, 3> planes;
    __shared__ Tables<real> s;
    __shared__ Pairs<real> pairs;
    const Tile tile = tile_of(a, HALO);
    const Column<real> column = column_of<real, true>(a.matrix, tile);
    Active<real> t = {};
    real u_next[ROWS] = {}, f_next[ROWS] = {};
    real *arriving = &planes.value[0][column.row][column.x], *second = arriving + HEIGHT * ACROSS,
         *first = second + HEIGHT * ACROSS;
    /* rows of a tile begin with an even one, and no neighbours have one colour */
    bool odd = ((tile.x + column.x + tile.z - 1 + a.first) & 1) != 0;

    Slices<real> slices = {{}, {}, NO_PLANE, NO_PLANE};

    fill_tables<real, true>(s, a.matrix, tile);
    clear_spare(planes);
    if (CORRECTED)
        fill_pairs(pairs, a, tile);
    __syncthreads();
    const bool regular = CORRECTED && are_regular(pairs.row, column.row);
    load(u_next, a.u, s, column, 0);
#pragma unroll(CORRECTED ? 1 : 2)
    for (int p = 0; p < tile.planes; p++) {
        real w[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            w[r] = u_next[r];
        if (CORRECTED)
            correct(w, slices, a, pairs, column, p, regular);
        put(arriving, w);
        choose(t.f_first, f_next, odd);
        copy(t.f_second, t.f_kept);
        choose(t.f_kept, f_next, !odd);
        if (p + 1 < tile.planes) {
            load(u_next, a.u, s, column, p + 1);
            load_inner(f_next, a.f, s, column, max(p, 1)); /* that of the outermost planes need not be there */
        }
        step<real, STORED>(a, s, column, t, w, p, odd, first, second);
        real *const done = second;
        second = first;
        first = arriving;
        arriving = done;
        odd = !odd;
        __syncthreads();
    }
}

/* ---- All at once ------------------------------------------------------------------------------------------------- */

template <typename real, bool STORED, bool CORRECTED>
__global__ void __launch_bounds__(THREADS, RESIDENT<real>) at_once_kernel(const __grid_constant__ Smooth<real> a)
{
    __shared__ Planes<real, 2> before;
    __shared__ Tables<real> s;
    __shared__ Pairs<real> pairs;
    const Tile tile = tile_of(a, 1);
    const Column<real> column = column_of<real, true>(a.matrix, tile);
    real w0[ROWS] = {}, w1[ROWS] = {}, f1[ROWS] = {}, w_next[ROWS] = {}, f_next[ROWS] = {};

    Slices<real> slices = {{}, {}, NO_PLANE, NO_PLANE};

    fill_tables<real, true>(s, a.matrix, tile);
    clear_spare(before);
    if (CORRECTED)
        fill_pairs(pairs, a, tile);
    __syncthreads();
    const bool regular = CORRECTED && are_regular(pairs.row, column.row);
    load_inner(w_next, a.u, s, column, 0);
    for (int p = 0; p < tile.planes; p++) {
        real w2[ROWS], v[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            w2[r] = w_next[r];
        if (CORRECTED)
            correct(w2, slices, a, pairs, column, p, regular);
        put(&before.value[p & 1][column.row][column.x], w2);
        if (p + 1 < tile.planes) {
            load_inner(w_next, a.u, s, column, p + 1);
            load_inner(f_next, a.f, s, column, max(p, 1)); /* that of the outermost planes need not be there */
        }
        const Line<real> z1 = s.plane[max(p - 1, 0)];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = column.row + r;
            const Star<real> w = star_of(&before.value[(p - 1) & 1][column.row][column.x], w1, r, w0[r], w2[r]);
            v[r] = relaxed_row<real, STORED>(a, s, column, s.row[row], z1, row, max(p - 1, 0), w, f1[r]);
        }
        if (p >= 2)
            write(a.v, v, s, column, p - 1);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            w0[r] = w1[r];
            w1[r] = w2[r];
            f1[r] = f_next[r];
        }
        __syncthreads();
    }
}

/* ---- Launch ------------------------------------------------------------------------------------------------------ */

template <typename real, bool STORED, bool CORRECTED>
int launch(const Smooth<real> &a, starfish_flux_order order, cudaStream_t stream)
{
    const dim3 blocks(unsigned(a.cut.tiles())), threads(ACROSS, DOWN);
    bool odd = false;
    for (const Axis<real> &axis : a.matrix.axis)
        odd = odd || (axis.periodic && axis.n > 1 && axis.n % 2 != 0);
    if (order == STARFISH_FLUX_AT_ONCE)
        at_once_kernel<real, STORED, CORRECTED><<<blocks, threads, 0, stream>>>(a);
    else if (odd)
        odd_colours_kernel<real, STORED, CORRECTED><<<blocks, threads, 0, stream>>>(a);
    else
        colours_kernel<real, STORED, CORRECTED><<<blocks, threads, 0, stream>>>(a);
    return cudaGetLastError();
}

template <typename real> int smooth(const starfish_flux_smooth *from, cudaStream_t stream)
{
    const starfish_flux_part &at = from->at;
    if (is_too_large(from->matrix.axis[0].n, from->matrix.axis[1].n))
        return cudaErrorInvalidValue;
    if (at.y0 >= at.y1 || at.z0 >= at.z1)
        return cudaSuccess;
    Smooth<real> a = {matrix_of<real>(from->matrix),
                      {},
                      static_cast<const real *>(from->u),
                      static_cast<const real *>(from->f),
                      static_cast<const real *>(from->coarse),
                      static_cast<real *>(from->v),
                      real(from->damping),
                      from->order == STARFISH_FLUX_ODD_FIRST,
                      cut_part(long(from->matrix.axis[0].n), long(at.y1 - at.y0 / 2 * 2), long(at.z1 - at.z0), INSIDE_X,
                               INSIDE_Y, MOST_PLANES),
                      int(at.y0),
                      int(at.y1),
                      int(at.z0),
                      int(at.z1)};
    const bool stored = from->matrix.face[0];
    for (int d = 0; d < 3 && a.coarse; d++)
        a.transfer[d] = transfer_of<real>(from->transfer[d]);
    if (a.coarse)
        return stored ? launch<real, true, true>(a, from->order, stream)
                      : launch<real, false, true>(a, from->order, stream);
    return stored ? launch<real, true, false>(a, from->order, stream)
                  : launch<real, false, false>(a, from->order, stream);
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flux_smooth, smooth)
