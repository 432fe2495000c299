/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Marching through the planes of a seven-point grid on the GPU: what the files flux_*_cuda.cu share.
 *
 * A block owns a tile of ACROSS x HEIGHT columns of the grid and goes up in z, plane by plane. A value comes from
 * memory once and passes through all stages of an operation while the block goes by, each stage a plane behind the one
 * before. For a red-black sweep with a correction (flux_smooth_cuda.cu):
 *
 *      a plane of the tile, 32 x 32                    the block in z
 *      +------------------------------+
 *      | halo: two columns around     |                p        w = u + P coarse arrives       all columns
 *      |  +------------------------+  |                p - 1    first colour, from w           but the outer ring
 *      |  | inside: 28 x 28,       |  |                p - 2    second colour, written to v    inside
 *      |  | written                |  |
 *      |  +------------------------+  |
 *      +------------------------------+
 *
 * A thread has ROWS columns, neighbours in y, whose values of the last planes are in its registers: these are the
 * unknowns below and above. Values beside a column come from shared memory, where each plane of each stage is put once,
 * by turns into two or three buffers: one barrier for each plane.
 *
 * The two outermost columns all around are halo. They belong to the tiles beside, and what is found on them serves the
 * columns inside; each stage loses a ring. In z the block begins as many planes early, and ends as many late. So a
 * plane of u is read ACROSS HEIGHT / (INSIDE_X INSIDE_Y) = 1.31 times, from the second-level cache but for once.
 *
 * In tensor form an equation is divided by weight_x weight_y weight_z: then its couplings are numbers of the column,
 * the row and the plane alone (struct Line), and nothing is read of the matrix but when a block begins. */
#ifndef STARFISH_MULTIGRID_FLUX_MARCH_CUH
#define STARFISH_MULTIGRID_FLUX_MARCH_CUH

extern "C" {
#include "multigrid/kernels/flux.h"
}

#include "base/reciprocal.cuh"

#include <climits>
#include <cuda_runtime.h>

namespace flux
{

constexpr int ACROSS = 32, DOWN = 8, ROWS = 4, HEIGHT = DOWN * ROWS, THREADS = ACROSS * DOWN, HALO = 2;
constexpr int INSIDE_X = ACROSS - 2 * HALO, INSIDE_Y = HEIGHT - 2 * HALO;
/* Planes that a block has in its table: MOST_PLANES of its own. */
constexpr int MOST_PLANES = 64, TABLED_PLANES = MOST_PLANES + 2 * HALO;
/* Blocks that keep a device busy a few times over. A block should have at least FEWEST_PLANES of its own, for the sake
 * of its halo in z, but on grids too small to fill a device once what counts is how soon a block is through: there it
 * may have LEAST_PLANES. */
constexpr int ENOUGH_BLOCKS = 1024, FEWEST_PLANES = 8, FEW_BLOCKS = 264, LEAST_PLANES = 2;

/* Blocks of a multiprocessor: as many as have their registers, for f32 more, as half the bytes are under way for each
 * thread. */
template <typename real> constexpr int RESIDENT = sizeof(real) == 4 ? 3 : 2;

static_assert(INSIDE_Y % 2 == 0 && INSIDE_X % 2 == 0 && HALO % 2 == 0, "coarse unknowns are pairs of a tile's columns");

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

template <typename real> struct Axis {
    int n, periodic, decoupled, ghosts;
    const real *coupling, *extra, *weight;
};

template <typename real> struct Matrix {
    Axis<real> axis[3];
    real lambda, keep[3];
    const real *face[3], *rest;
};

template <typename real> Matrix<real> matrix_of(const starfish_flux_matrix &from)
{
    Matrix<real> m = {};
    for (int d = 0; d < 3; d++) {
        const starfish_flux_axis &a = from.axis[d];
        m.axis[d] = {int(a.n),
                     a.periodic,
                     a.decoupled,
                     a.ghosts,
                     static_cast<const real *>(a.coupling),
                     static_cast<const real *>(a.extra),
                     static_cast<const real *>(a.weight)};
        m.keep[d] = a.decoupled ? real(0) : real(1);
        m.face[d] = static_cast<const real *>(from.face[d]);
    }
    m.lambda = real(from.lambda);
    m.rest = static_cast<const real *>(from.rest);
    return m;
}

/* What an index of one direction brings to the scaled equation. For a relaxation `rest` is all that goes into the
 * diagonal, and weight inverse. Outside of the grid nothing couples in that direction: what is computed there is
 * finite, and nobody's coupling to it is more than 0. */
template <typename real> struct Line {
    real lower, upper, rest, weight;
};

/* An index of the grid; outside of it the nearest one. */
struct Index {
    int at;
    bool inside;
};

/* Index of the unknown at `place`. At periodic ends the index wraps around; beyond other ends it is
 * the nearest one, which is not inside. */
template <typename real> __device__ Index index_of(const Axis<real> &a, int place)
{
    if (place >= 0 && place < a.n)
        return {place, true};
    if (a.periodic && a.n > 1)
        return {(place % a.n + a.n) % a.n, true};
    return {place < 0 ? 0 : a.n - 1, false};
}

template <typename real, bool RELAXING> __device__ Line<real> line_of(const Axis<real> &a, real lambda, int place)
{
    const Index i = index_of(a, place);
    if (!i.inside || !a.coupling)
        return {0, 0, 1, 0};
    const real weight = a.weight[i.at], inverse = 1 / weight;
    const real lower = a.coupling[i.at] * inverse, upper = a.coupling[i.at + 1] * inverse;
    const real rest = a.extra[i.at] * inverse + lambda, keep = a.decoupled ? real(0) : real(1);
    if (RELAXING)
        return {keep * lower, keep * upper, lower + upper + rest, inverse};
    return {keep * lower, keep * upper, rest + (1 - keep) * (lower + upper), weight};
}

/* Where the values of a row or a plane lie; and its stored faces and the next ones, which wrap. */
struct Where {
    long long values, start, next;
    int parity;
};

template <typename real> __device__ Where where_of(const Axis<real> &a, int place, long long stride)
{
    const int i = index_of(a, place).at;
    return {(a.ghosts ? place : i) * stride, i * stride, i + 1 < a.n ? (i + 1) * stride : 0, i & 1};
}

/* ---- A tile and its tables --------------------------------------------------------------------------------------- */

/* Planes of a tile in shared memory; with a row to spare before and after, so that all columns have neighbours, if not
 * their own. What is found of those in the outer ring is not used. */
template <typename real, int PLANES> struct Planes {
    real spare[ACROSS], value[PLANES][HEIGHT][ACROSS], more[ACROSS];
};

template <typename real> struct Tables {
    Line<real> row[HEIGHT], plane[TABLED_PLANES];
    Where row_at[HEIGHT], plane_at[TABLED_PLANES];
};

/* The places of a tile's first column, row and plane, halo and all; how many planes; and the rows that are written. */
struct Tile {
    int x, y, z, planes, y0, y1;
};

template <typename real, bool RELAXING>
__device__ void fill_tables(Tables<real> &s, const Matrix<real> &m, const Tile &tile)
{
    const int thread = threadIdx.y * ACROSS + threadIdx.x;
    const long long row = m.axis[0].n, plane = row * m.axis[1].n;
#pragma unroll 1
    for (int r = thread; r < HEIGHT; r += THREADS) {
        s.row[r] = line_of<real, RELAXING>(m.axis[1], 0, tile.y + r);
        s.row_at[r] = where_of(m.axis[1], tile.y + r, row);
    }
#pragma unroll 1
    for (int p = thread; p < tile.planes; p += THREADS) {
        s.plane[p] = line_of<real, RELAXING>(m.axis[2], m.lambda, tile.z + p);
        s.plane_at[p] = where_of(m.axis[2], tile.z + p, plane);
    }
}

/* A thread's columns. Those in the outer one of the two rings of the halo have an `inner` neighbour, so that what is
 * needed but in the inner ring is read without more lines of the cache. */
template <typename real> struct Column {
    Line<real> line;
    int x, row;                         /* in the tile */
    int i, parity, east;                /* in the grid; the step to the stored face in the east */
    int start[ROWS];                    /* the unknowns, from a plane's first one */
    int inner, inner_first, inner_last; /* a step to the inner ones, and those of the first and the last row */
    unsigned written;                   /* a bit for each row */
};

template <typename real, bool RELAXING> __device__ Column<real> column_of(const Matrix<real> &m, const Tile &tile)
{
    Column<real> c;
    const int nx = m.axis[0].n;
    c.x = threadIdx.x;
    c.row = threadIdx.y * ROWS;
    c.line = line_of<real, RELAXING>(m.axis[0], 0, tile.x + c.x);
    c.i = index_of(m.axis[0], tile.x + c.x).at;
    c.inner = index_of(m.axis[0], tile.x + min(max(c.x, 1), ACROSS - 2)).at - c.i;
    c.east = c.i + 1 < nx ? 1 : 1 - nx;
    c.parity = c.i & 1;
    c.written = 0;
    const bool inside = c.x >= HALO && c.x < ACROSS - HALO && tile.x + c.x < nx;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = c.row + r, j = tile.y + row;
        c.start[r] = nx * index_of(m.axis[1], j).at + c.i;
        c.written |= unsigned(inside && row >= HALO && row < HEIGHT - HALO && j >= tile.y0 && j < tile.y1) << r;
    }
    c.inner_first = c.row == 0 ? c.start[1] : c.start[0];
    c.inner_last = c.row + ROWS == HEIGHT ? c.start[ROWS - 2] : c.start[ROWS - 1];
    return c;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* A plane of an array. The address is hidden from the compiler, which would spread its parts over all that is added to
 * it. */
template <typename real>
__device__ __forceinline__ real *plane_of(real *array, const Tables<real> &s, int plane, int step)
{
    real *at = array + (s.plane_at[plane].values + step);
    asm("" : "+l"(at));
    __builtin_assume(__isGlobal(at));
    return at;
}

/* The thread's columns of a plane; NULL is zero. */
template <typename real>
__device__ __forceinline__ void load(real (&to)[ROWS], const real *from, const Tables<real> &s,
                                     const Column<real> &column, int plane)
{
    if (!from)
        return;
    const real *at = plane_of(const_cast<real *>(from), s, plane, 0);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        to[r] = at[column.start[r]];
}

/* The same where the outer ring need not be right. */
template <typename real>
__device__ __forceinline__ void load_inner(real (&to)[ROWS], const real *from, const Tables<real> &s,
                                           const Column<real> &column, int plane)
{
    if (!from)
        return;
    const real *at = plane_of(const_cast<real *>(from), s, plane, column.inner);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        to[r] = at[r == 0 ? column.inner_first : r == ROWS - 1 ? column.inner_last : column.start[r]];
}

template <typename real, int PLANES> __device__ void clear_spare(Planes<real, PLANES> &planes)
{
    if (threadIdx.y == 0)
        planes.spare[threadIdx.x] = planes.more[threadIdx.x] = 0;
}

/* The thread's columns of a plane, from its first one. */
template <typename real> __device__ __forceinline__ void put(real *to, const real (&from)[ROWS])
{
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        to[r * ACROSS] = from[r];
}

/* Those that belong to the tile, into a plane of an array. */
template <typename real>
__device__ __forceinline__ void write(real *to, const real (&from)[ROWS], const Tables<real> &s,
                                      const Column<real> &column, int plane)
{
    real *at = plane_of(to, s, plane, 0);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (column.written >> r & 1)
            at[column.start[r]] = from[r];
}

/* An unknown and its neighbours. */
template <typename real> struct Star {
    real middle, west, east, south, north, below, above;
};

/* Of the thread's row r; `plane` is the one of the middle, in registers and (`shared`, from the thread's first row on)
 * in shared memory. */
template <typename real>
__device__ __forceinline__ Star<real> star_of(const real *shared, const real (&middle)[ROWS], int r, real below,
                                              real above)
{
    const real *at = shared + r * ACROSS;
    return {middle[r],
            at[-1],
            at[1],
            r > 0 ? middle[r > 0 ? r - 1 : 0] : at[-ACROSS],
            r + 1 < ROWS ? middle[r + 1 < ROWS ? r + 1 : r] : at[ACROSS],
            below,
            above};
}

/* ---- Equations --------------------------------------------------------------------------------------------------- */

/* Stored couplings of an unknown to west, east, south, north, below and above, and the rest. */
template <typename real> struct Couplings {
    real west, east, south, north, below, above, rest;
};

template <typename real>
__device__ __forceinline__ Couplings<real> stored_couplings(const Matrix<real> &m, const Column<real> &column,
                                                            const Where &row, const Where &plane)
{
    const long long e = plane.start + row.start + column.i;
    return {__ldg(m.face[0] + e),
            __ldg(m.face[0] + (e + column.east)),
            m.face[1] ? __ldg(m.face[1] + e) : real(0),
            m.face[1] ? __ldg(m.face[1] + (plane.start + row.next + column.i)) : real(0),
            m.face[2] ? __ldg(m.face[2] + e) : real(0),
            m.face[2] ? __ldg(m.face[2] + (plane.next + row.start + column.i)) : real(0),
            m.rest ? __ldg(m.rest + e) : real(0)};
}

/* w + damping * ((f + neighbours) / D - w): the sum of the couplings is in D, which leaves fewer operations than
 * differences do. */
template <typename real>
__device__ __forceinline__ real relaxed(const Matrix<real> &m, const Column<real> &column, const Where &row,
                                        const Where &plane, const Star<real> &w, real f, real damping)
{
    const Couplings<real> c = stored_couplings(m, column, row, plane);
    const real x = c.west * w.west + c.east * w.east, y = c.south * w.south + c.north * w.north,
               z = c.below * w.below + c.above * w.above;
    const real diagonal = c.west + c.east + c.south + c.north + c.below + c.above + c.rest;
    const real target = (f + m.keep[0] * x + m.keep[1] * y + m.keep[2] * z) * reciprocal(diagonal);
    return w.middle + damping * (target - w.middle);
}

template <typename real>
__device__ __forceinline__ real relaxed(const Line<real> &x, const Line<real> &y, const Line<real> &z,
                                        const Star<real> &w, real f, real damping)
{
    real sum = f * (x.weight * z.weight) * y.weight;
    sum += x.lower * w.west + x.upper * w.east;
    sum += y.lower * w.south + y.upper * w.north;
    sum += z.lower * w.below + z.upper * w.above;
    return w.middle + damping * (sum * reciprocal(x.rest + z.rest + y.rest) - w.middle);
}

/* f - A u, by differences. */
template <typename real>
__device__ __forceinline__ real residual(const Matrix<real> &m, const Column<real> &column, const Where &row,
                                         const Where &plane, const Star<real> &u, real f)
{
    const Couplings<real> c = stored_couplings(m, column, row, plane);
    const real x = c.west * (u.middle - m.keep[0] * u.west) + c.east * (u.middle - m.keep[0] * u.east),
               y = c.south * (u.middle - m.keep[1] * u.south) + c.north * (u.middle - m.keep[1] * u.north),
               z = c.below * (u.middle - m.keep[2] * u.below) + c.above * (u.middle - m.keep[2] * u.above);
    return f - (x + y + z + c.rest * u.middle);
}

template <typename real>
__device__ __forceinline__ real residual(const Line<real> &x, const Line<real> &y, const Line<real> &z,
                                         const Star<real> &u, real f)
{
    real sum = (x.rest + z.rest + y.rest) * u.middle;
    sum += x.lower * (u.middle - u.west) + x.upper * (u.middle - u.east);
    sum += y.lower * (u.middle - u.south) + y.upper * (u.middle - u.north);
    sum += z.lower * (u.middle - u.below) + z.upper * (u.middle - u.above);
    return f - x.weight * z.weight * y.weight * sum;
}

/* Of a row of the tile in a plane, whose line is z. */
template <typename real, bool STORED>
__device__ __forceinline__ real residual_of_row(const Matrix<real> &m, const Tables<real> &s,
                                                const Column<real> &column, const Line<real> &z, int row, int plane,
                                                const Star<real> &u, real f)
{
    if (STORED)
        return residual(m, column, s.row_at[row], s.plane_at[plane], u, f);
    return residual(column.line, s.row[row], z, u, f);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* How a part is cut into tiles: counted with x fastest. */
struct Cut {
    int across, down, up, planes; /* tiles in x, y and z, and planes of a tile */
    __host__ __device__ size_t tiles() const { return size_t(across) * size_t(down) * size_t(up); }
};

/* Unknowns of a plane are counted in int. */
inline bool is_too_large(size_t nx, size_t ny)
{
    return nx > INT_MAX || ny > INT_MAX / nx;
}

inline int pieces(long count, long size)
{
    return int((count + size - 1) / size);
}

/* Of `width` columns by `height` rows in tiles of tile_x by tile_y, planes in tiles of most_planes or less. */
inline Cut cut_part(long width, long height, long planes, int tile_x, int tile_y, int most_planes)
{
    Cut cut = {pieces(width, tile_x), pieces(height, tile_y), 1, 1};
    const long tiles = long(cut.across) * cut.down;
    const bool few = tiles * pieces(planes, FEWEST_PLANES) < FEW_BLOCKS;
    const int fewest = few ? LEAST_PLANES : FEWEST_PLANES, wanted = few ? FEW_BLOCKS : ENOUGH_BLOCKS;
    cut.planes = pieces(planes, pieces(wanted, tiles));
    cut.planes = cut.planes < fewest ? fewest : cut.planes;
    cut.planes = cut.planes > most_planes ? most_planes : cut.planes;
    cut.up = pieces(planes, cut.planes);
    return cut;
}

/* Where a block's tile stands in the cut. */
struct Tile_index {
    int x, y, z;
};

__device__ inline Tile_index tile_index(const Cut &cut, unsigned tile)
{
    const unsigned across = unsigned(cut.across), down = unsigned(cut.down);
    return {int(tile % across), int(tile / across % down), int(tile / across / down)};
}

} // namespace flux

#endif
