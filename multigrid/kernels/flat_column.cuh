/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A column of a flat domain on a GPU: a warp has 32 columns that are neighbours in x, so that a layer of them is one
 * aligned piece of memory; a thread walks up a run of layers of its column. What belongs to the column is in registers,
 * what belongs to a layer is the same for all lanes, and nothing else of the matrix is there to be read. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_COLUMN_CUH
#define STARFISH_MULTIGRID_KERNELS_FLAT_COLUMN_CUH

extern "C" {
#include "multigrid/kernels/flat.h"
}

#include <cuda_runtime.h>

namespace flat
{

constexpr int LANES = 32;
constexpr int LEAST_COLUMNS = LANES / 2; /* of a block, whose part of an inner product has a place in work space */

template <typename real> struct Matrix {
    int nx, ny, nz, periodic_x, periodic_y;
    const real *mass, *lift, *face_x, *face_y, *a, *b, *c, *d, *corner;
    int types;
    const real *type, *factors;
    int own, end; /* columns own .. end-1 count in sums */
    __host__ __device__ size_t row() const { return size_t(nx) * size_t(nz); }
    __device__ bool counts(int i) const { return i >= own && i < end; }
};

template <typename real> Matrix<real> matrix_of(const starfish_flat_matrix &m)
{
    const auto reals = [](const void *array) { return static_cast<const real *>(array); };
    return {int(m.n[0]),
            int(m.n[1]),
            int(m.n[2]),
            m.periodic[0],
            m.periodic[1],
            reals(m.mass),
            reals(m.lift),
            reals(m.face_x),
            reals(m.face_y),
            reals(m.a),
            reals(m.b),
            reals(m.c),
            reals(m.d),
            reals(m.corner),
            int(m.types),
            reals(m.type),
            reals(m.factors),
            int(m.own[0]),
            m.own[1] > 0 ? int(m.own[1]) : int(m.n[0])};
}

/* Index of a neighbour in a direction of n cells, -1 where there is none. */
__device__ inline int neighbour(int i, int n, int periodic)
{
    if (i >= 0 && i < n)
        return i;
    return periodic ? (i + n) % n : -1;
}

/* Where index i of n is read, one beyond the ends too. What has no place is read at the end, and must not count. So the
 * lanes of a warp have the columns beside each other, but for those beside the first and the last lane. */
__device__ inline int place_of(int i, int n, int periodic)
{
    const int wrapped = !periodic ? i : i == -1 ? n - 1 : i == n ? 0 : i;
    return min(max(wrapped, 0), n - 1);
}

/* The scalars of column (i,j), and where it and its neighbours begin in an array; negative: there is no neighbour. */
template <typename real> struct Column {
    real mass, lift, left, right, low, high, faces; /* faces: their sum, and that of the corners */
    ptrdiff_t here, west, east, south, north;
    size_t corner; /* the first of its four */
};

/* What the corner of a column to the east or not and to the north or not couples. */
template <typename real> __device__ real corner_of(const Matrix<real> &m, size_t first, int east, int north)
{
    const real q = __ldg(m.corner + first + east + size_t(m.nx + 1) * north);
    return max(east == north ? q : -q, real(0));
}

template <typename real> __device__ Column<real> column_of(const Matrix<real> &m, int i, int j)
{
    const size_t at = size_t(i) + size_t(m.nx) * j, face = size_t(i) + size_t(m.nx + 1) * j;
    const int west = neighbour(i - 1, m.nx, m.periodic_x), east = neighbour(i + 1, m.nx, m.periodic_x);
    const int south = neighbour(j - 1, m.ny, m.periodic_y), north = neighbour(j + 1, m.ny, m.periodic_y);
    const ptrdiff_t row = ptrdiff_t(m.row());
    const real left = m.face_x[face], right = m.face_x[face + 1], low = m.face_y[at], high = m.face_y[at + m.nx];
    real faces = left + right + low + high;
    for (int side = 0; side < 4 && m.corner; side++)
        faces += corner_of(m, face, side % 2, side / 2);
    return {m.mass[at],
            m.lift[at],
            left,
            right,
            low,
            high,
            faces,
            i + row * j,
            west < 0 ? -1 : west + row * j,
            east < 0 ? -1 : east + row * j,
            south < 0 ? -1 : i + row * south,
            north < 0 ? -1 : i + row * north,
            face};
}

/* What couples column (i,j), the outer faces included; corners: south-west, south-east, north-west, north-east. */
template <typename real, bool SKEW> struct Couplings {
    real mass, lift, west, east, south, north, corner[SKEW ? 4 : 1];

    __device__ Couplings(const Matrix<real> &m, int i, int j)
    {
        const size_t at = size_t(i) + size_t(m.nx) * j, face = at + j;
        mass = __ldg(m.mass + at);
        lift = __ldg(m.lift + at);
        west = __ldg(m.face_x + face);
        east = __ldg(m.face_x + face + 1);
        south = __ldg(m.face_y + at);
        north = __ldg(m.face_y + at + m.nx);
        corner[0] = 0;
#pragma unroll
        for (int side = 0; side < 4 && SKEW; side++)
            corner[side] = corner_of(m, face, side % 2, side / 2);
    }
};

/* The block's sum of a value of each thread, added up in the order of its warps, which are whole; in its first thread.
 */
__device__ inline double block_sum(double value)
{
    constexpr int MOST_WARPS = 32;
    __shared__ double of_warp[MOST_WARPS];
    const int thread = int(threadIdx.x + blockDim.x * threadIdx.y), warps = int(blockDim.x * blockDim.y) / LANES;
    double sum = 0;

    for (int step = 16; step > 0; step >>= 1)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    if (thread % LANES == 0)
        of_warp[thread / LANES] = value;
    __syncthreads();
    for (int w = 0; w < warps && thread == 0; w++)
        sum += of_warp[w];
    return sum;
}

/* Values of a column and of its four neighbours in one layer. */
template <typename real> struct Five {
    real here, west, east, south, north;
};

/* An array's own values. */
template <typename real> struct Plain {
    const real *u;
    Column<real> at;
    int nx;
    __device__ real beside(ptrdiff_t column, int k) const
    {
        return column < 0 ? real(0) : __ldg(u + column + ptrdiff_t(nx) * k);
    }
    __device__ real here(int k) const { return __ldg(u + at.here + ptrdiff_t(nx) * k); }
    __device__ Five<real> five(int k) const
    {
        return {here(k), beside(at.west, k), beside(at.east, k), beside(at.south, k), beside(at.north, k)};
    }
    /* Of the column across a corner, which is there. */
    __device__ real across(int east, int north, int k) const
    {
        return beside((north ? at.north : at.south) + 2 * east - 1, k);
    }
};

/* What the corners of a column couple. */
template <typename real, typename Values>
__device__ real corners(const Matrix<real> &m, const Column<real> &at, const Values &values, real here, int k)
{
    real sum = 0;
#pragma unroll
    for (int side = 0; side < 4; side++) {
        const real q = corner_of(m, at.corner, side % 2, side / 2);
        sum += q == real(0) ? real(0) : q * (here - values.across(side % 2, side / 2, k));
    }
    return sum;
}

/* What A u has in a layer but for the layers beside. */
template <typename real, typename Values>
__device__ real across(const Matrix<real> &m, const Column<real> &at, const Values &values, const Five<real> &u, int k)
{
    const real faces = at.left * (u.here - u.west) + at.right * (u.here - u.east) + at.low * (u.here - u.south) +
                       at.high * (u.here - u.north);
    const real skew = m.corner ? corners(m, at, values, u.here, k) : real(0);
    return at.mass * m.a[k] * u.here + m.d[k] * (faces + skew);
}

/* A walk up a column from layer k: the residual of each layer in turn. */
template <typename real, typename Values> struct Walk {
    real below, here;
    __device__ Walk(const Values &values, int k) : below(k > 0 ? values.here(k - 1) : real(0)), here(values.here(k)) {}
    __device__ real next(const Matrix<real> &m, const Column<real> &at, const Values &values, int k, real f)
    {
        const Five<real> u = values.five(k);
        const real above = k + 1 < m.nz ? values.here(k + 1) : real(0);
        const real result =
            f - across(m, at, values, u, k) - at.lift * (m.b[k] * (u.here - below) + m.c[k] * (u.here - above));
        below = here;
        here = above;
        return result;
    }
};

/* Bytes of factors and values of long columns; sums of blocks come after them in work space. */
inline size_t long_bytes(const starfish_flat_matrix *m, size_t real_size)
{
    return m->n[2] > STARFISH_FLAT_MOST_HELD ? (2 * m->n[0] * m->n[1] * m->n[2] * real_size + 7) / 8 * 8 : 0;
}

inline int blocks_of(size_t count, size_t per_block)
{
    return int((count + per_block - 1) / per_block);
}

} // namespace flat

#endif
