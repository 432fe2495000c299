/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines in x: a block has whole rows, one after the other. Residuals are computed coalesced and change over through
 * shared memory to chunks of E unknowns a thread (line_chunk.cuh), corrections back the same way; parts are warps. A
 * block's rows are consecutive, so that two of the three rows of u that a row needs are in the first-level cache. */
#ifndef STARFISH_MULTIGRID_LINES_X_CUH
#define STARFISH_MULTIGRID_LINES_X_CUH

#include "multigrid/kernels/line_chunk.cuh"
#include "multigrid/kernels/operator.cuh"

namespace
{

constexpr unsigned MOST_WARPS = 32;

/* Where unknown i of a row is in shared memory: the chunks' strides are odd. */
template <int E> __device__ __forceinline__ unsigned place_of(unsigned i)
{
    return i + i / E;
}
template <int E> __host__ __device__ constexpr size_t row_places(unsigned threads)
{
    return size_t(threads) * (E + 1) + 1;
}

/* The matrix of a row's line, in two arrays in shared memory. Stored: couplings and diagonals, which come with the
 * residuals. */
template <typename Operator, int E> struct Line;

template <typename real, int E> struct Line<Stored<real>, E> {
    real *lower, *diagonal;

    __device__ void begin(const Stored<real> &, real *first, real *second) { lower = first, diagonal = second; }
    __device__ void row(const Stored<real> &, size_t) {}
    __device__ void put(const Stored<real> &m, size_t i, size_t j, real own)
    {
        lower[place_of<E>(unsigned(i))] = m.template lower<0>(i, j);
        diagonal[place_of<E>(unsigned(i))] = own;
    }
    __device__ void pad(size_t i)
    {
        lower[place_of<E>(unsigned(i))] = 0;
        diagonal[place_of<E>(unsigned(i))] = 1;
    }
    __device__ real low(unsigned i) const { return lower[place_of<E>(i)]; }
    __device__ real own(unsigned i) const { return diagonal[place_of<E>(i)]; }
};

/* Tensor products: widths and inverse widths of the elements in x, once for all rows. The element after the last
 * unknown, at n, is needed too; beyond it an inverse width of 1 between unknowns that nothing couples would do harm, so
 * that pads are asked for. */
template <typename real, int E> struct Line<Tensor<real>, E> {
    real *width, *inverse;
    size_t n;
    Across<real> across;

    __device__ void begin(const Tensor<real> &m, real *first, real *second)
    {
        width = first, inverse = second, n = m.nx;
        for (unsigned i = threadIdx.x; i < blockDim.x * E + 1; i += blockDim.x) {
            width[place_of<E>(i)] = i <= n ? m.width[0][i] : real(0);
            inverse[place_of<E>(i)] = i <= n ? m.inverse[0][i] : real(0);
        }
    }
    __device__ void row(const Tensor<real> &m, size_t j) { across = m.template across<0>(0, j); }
    __device__ void put(const Tensor<real> &, size_t, size_t, real) {}
    __device__ void pad(size_t) {}
    __device__ real low(unsigned i) const
    {
        return i > 0 && i < n ? across.off(width[place_of<E>(i)], inverse[place_of<E>(i)]) : real(0);
    }
    __device__ real own(unsigned i) const
    {
        return i < n ? across.own(width[place_of<E>(i)], inverse[place_of<E>(i)]) +
                           across.own(width[place_of<E>(i + 1)], inverse[place_of<E>(i + 1)])
                     : real(1);
    }
};

/* All chunks of a row joined. */
template <typename real> __device__ Joined<real> join_row(const Joint<real> &joint, Joint<real> *parts)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const Known<real> known = reduce_part(joint, &parts[warp]);
    __syncthreads();
    Joint<real> part = {real(0), real(1), real(0), real(0), real(0)};
    if (lane < warps)
        part = parts[lane];
    return join_parts(known, part, warp, warps);
}

/* The corrections of a thread's chunk in place of its residuals. */
template <typename real, int E, typename Lines>
__device__ void solve_chunk(const Lines &line, real *row, Joint<real> *parts)
{
    const unsigned first = threadIdx.x * E;
    real *values = row + place_of<E>(first), y = 0;
    Chunk<real, E> chunk;
    Joint<real> joint;
#pragma unroll
    for (int r = 0; r < E; r++)
        values[r] = y = chunk.eliminate(r, line.low(first + r), line.own(first + r), values[r], y, &joint);
    finish_chunk<real, E>(chunk, join_row(joint, parts), values, [&](int r) { return line.low(first + r); });
}

template <typename Operator, int E, bool zero>
__global__ void __launch_bounds__(1024)
    lines_x_kernel(const Operator m, const Run run, typename Operator::Real damping,
                   const typename Operator::Real *__restrict__ u, const typename Operator::Real *__restrict__ f,
                   typename Operator::Real *__restrict__ v)
{
    using real = typename Operator::Real;
    extern __shared__ double memory[];
    __shared__ Joint<real> parts[MOST_WARPS];
    real *values = reinterpret_cast<real *>(memory);
    const size_t places = row_places<E>(blockDim.x);
    const size_t first = run.share(blockIdx.x, gridDim.x), last = run.share(blockIdx.x + 1, gridDim.x);
    Line<Operator, E> line;

    line.begin(m, values + places, values + 2 * places);
    for (size_t j = first; j < last; j++) {
        if (!run.improves(j)) {
            for (size_t i = threadIdx.x; i < m.nx; i += blockDim.x)
                v[i + j * m.nx] = zero ? real(0) : u[i + j * m.nx];
            continue;
        }
        line.row(m, j);
#pragma unroll 2 /* more, and what the first have read is no longer in the cache when the last need it */
        for (int e = 0; e < E; e++) {
            const size_t i = e * blockDim.x + threadIdx.x;
            real diagonal;
            if (i < m.nx) {
                values[place_of<E>(unsigned(i))] = m.template at<zero>(u, f, i, j, &diagonal);
                line.put(m, i, j, diagonal);
            } else {
                values[place_of<E>(unsigned(i))] = 0;
                line.pad(i);
            }
        }
        __syncthreads();
        solve_chunk<real, E>(line, values, parts);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < E; e++) {
            const size_t i = e * blockDim.x + threadIdx.x, k = i + j * m.nx;
            if (i < m.nx)
                v[k] = (zero ? real(0) : u[k]) + damping * values[place_of<E>(unsigned(i))];
        }
    }
}

/* Of tensor products, rows that fit: u and f are read once. A thread has the same unknowns of a row at i = e * threads
 * + its own in registers, of three rows of u, one of which is on its way, and combines them in y; what that gives
 * changes over to chunks, in which it is combined in x. */
template <typename real, int E> struct RowOf {
    static constexpr unsigned MOST_THREADS = 512;
    real u[E];

    /* Row j, or 0 where it is not one of the first `rows`. */
    __device__ __forceinline__ void load(const real *__restrict__ array, size_t j, size_t nx, size_t rows)
    {
#pragma unroll
        for (int e = 0; e < E; e++) {
            const unsigned i = e * blockDim.x + threadIdx.x;
            u[e] = array && j < rows && i < nx ? array[j * nx + i] : real(0);
        }
    }
};

template <typename real, int E>
__device__ __forceinline__ void solve_tensor_row(const Line<Tensor<real>, E> &line, const real *stiff, const real *mass,
                                                 real *row, Joint<real> *parts)
{
    const unsigned first = threadIdx.x * E, place = place_of<E>(first);
    const real *width = line.width + place, *inverse = line.inverse + place;
    real *values = row + place, y = 0, lower[E];
    Chunk<real, E> chunk;
    Joint<real> joint;
    /* element r of the chunk is before its unknown r; that after the last is the next chunk's first */
    const auto at = [&](const real *array, int r) { return array[r < E ? r : E + 1]; };
    /* unknown r of the chunk lies one place further on, as there is one before the first */
    const auto beside = [&](const real *array, int r) { return array[place + (r + 1 < E ? r + 1 : r + 2)]; };
    real stiff_before = stiff[place], stiff_here = beside(stiff, 0), mass_before = mass[place],
         mass_here = beside(mass, 0);
    real w = width[0], g = inverse[0];
#pragma unroll
    for (int r = 0; r < E; r++) {
        const real w_after = at(width, r + 1), g_after = at(inverse, r + 1), stiff_after = beside(stiff, r + 1),
                   mass_after = beside(mass, r + 1);
        const bool there = first + r < line.n;
        const real product =
            g * (mass_here - mass_before) + g_after * (mass_here - mass_after) +
            (w * (stiff_before + 2 * stiff_here) + w_after * (stiff_after + 2 * stiff_here)) * real(1.0 / 6);
        const real own = line.across.own(w, g) + line.across.own(w_after, g_after);
        lower[r] = first + r > 0 && there ? line.across.off(w, g) : real(0);
        values[r] = y =
            chunk.eliminate(r, lower[r], there ? own : real(1), there ? values[r] - product : real(0), y, &joint);
        w = w_after, g = g_after;
        stiff_before = stiff_here, stiff_here = stiff_after;
        mass_before = mass_here, mass_here = mass_after;
    }
    finish_chunk<real, E>(chunk, join_row(joint, parts), values, [&](int r) { return lower[r]; });
}

template <typename real, int E>
__global__ void __launch_bounds__(RowOf<real, E>::MOST_THREADS)
    tensor_x_kernel(const Tensor<real> m, const Run run, real damping, const real *__restrict__ u,
                    const real *__restrict__ f, real *__restrict__ v)
{
    extern __shared__ double memory[];
    __shared__ Joint<real> parts[MOST_WARPS];
    const size_t places = row_places<E>(blockDim.x);
    real *values = reinterpret_cast<real *>(memory), *stiff = values + 3 * places, *mass = values + 4 * places;
    const size_t first = run.share(blockIdx.x, gridDim.x), last = run.share(blockIdx.x + 1, gridDim.x);
    const size_t rows = run.last < m.ny ? run.last + 1 : m.ny; /* of u that may be read */
    Line<Tensor<real>, E> line;
    RowOf<real, E> before, here, after, rhs;

    line.begin(m, values + places, values + 2 * places);
    if (threadIdx.x == 0)
        stiff[0] = mass[0] = mass[places] =
            0;                             /* before the first unknown, and after the last: mass[0] and mass[places] */
    before.load(u, first - 1, m.nx, rows); /* beyond all rows where first is 0 */
    here.load(u, first, m.nx, rows);
    after.load(u, first + 1, m.nx, rows);
    rhs.load(f, first, m.nx, run.last);
    for (size_t j = first; j < last; j++) {
        const Elements<real> y = m.template elements<1>(j);
        const bool improves = run.improves(j);
        line.row(m, j);
#pragma unroll
        for (int e = 0; e < E; e++) {
            const unsigned i = e * blockDim.x + threadIdx.x;
            values[place_of<E>(i)] = rhs.u[e];
            const real in_mass = y.mass(before.u[e], here.u[e], after.u[e]);
            mass[place_of<E>(i + 1)] = in_mass;
            stiff[place_of<E>(i + 1)] = y.stiffness(before.u[e], here.u[e], after.u[e]) + m.reaction * in_mass;
        }
        before = here;
        here = after;
        after.load(u, j + 2, m.nx, rows);
        rhs.load(f, j + 1, m.nx, run.last);
        if (improves) {
            __syncthreads();
            solve_tensor_row<real, E>(line, stiff, mass, values, parts);
            __syncthreads();
        }
#pragma unroll
        for (int e = 0; e < E; e++) {
            const unsigned i = e * blockDim.x + threadIdx.x;
            if (i < m.nx)
                v[j * m.nx + i] = before.u[e] + (improves ? damping * values[place_of<E>(i)] : real(0));
        }
    }
}

} // namespace

#endif
