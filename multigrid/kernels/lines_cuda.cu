/* Line steps of Q1 multigrid on the GPU, defect, lines and update in one kernel.
 *
 * Floors, f64, 4095^2 unknowns, H200 at 4.2 TB/s: stored bands 8 words, 256 us; tensor product 3 words, 96 us.
 *
 * Lines in x: a block has whole rows, one after the other. Defects are computed coalesced and change over through shared memory
 * to chunks of E unknowns a thread (line_chunk.cuh), corrections back the same way; parts are warps. A block's rows are
 * consecutive, so that two of the three rows of u that a row needs are in the first-level cache.
 *
 * Lines in y: a warp reads 32 unknowns of neighbouring columns, a thread goes down a chunk of a column and keeps it in
 * registers. A block has 32 chunks of each of its columns, a part; its joints change over through shared memory to a warp for
 * each column. A column of several parts takes two passes, of which the first finds the parts' joints; clusters of blocks that
 * exchange them and read the grid once took twice as long, all parts of a column having to start and wait together. */
extern "C" {
#include "multigrid/kernels/lines.h"
}

#include "base/cuda_entries.h"
#include "multigrid/kernels/line_chunk.cuh"
#include "multigrid/kernels/operator.cuh"

#include <cuda_runtime.h>

namespace
{

constexpr size_t CHUNKS = 32; /* of a part */

/* ---- Lines in x -------------------------------------------------------------------------------------------------- */

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

/* The matrix of a row's line, in two arrays in shared memory. Stored: couplings and diagonals, which come with the defects. */
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

/* Tensor products: widths and inverse widths of the elements in x, once for all rows. The element after the last unknown, at
 * n, is needed too; beyond it an inverse width of 1 between unknowns that nothing couples would do harm, so that pads are asked for. */
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

/* The corrections of a thread's chunk, joined, in place of y. */
template <typename real, int E, typename Lower>
__device__ __forceinline__ void finish_chunk(Chunk<real, E> &chunk, const Joined<real> &joined, real *values,
                                             const Lower &lower)
{
    values[0] += chunk.know(joined.before);
#pragma unroll
    for (int r = 1; r < E - 1; r++)
        values[r] += chunk.know(r, lower(r));
    real x = values[E - 1] = joined.own;
#pragma unroll
    for (int r = E - 2; r >= 0; r--)
        x = values[r] = chunk.substitute(r, values[r], x, lower(r + 1));
}

/* The corrections of a thread's chunk in place of its defects. */
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
    lines_x_kernel(const Operator m, typename Operator::Real damping, const typename Operator::Real *__restrict__ u,
                   const typename Operator::Real *__restrict__ f, typename Operator::Real *__restrict__ v)
{
    using real = typename Operator::Real;
    extern __shared__ double memory[];
    __shared__ Joint<real> parts[MOST_WARPS];
    real *values = reinterpret_cast<real *>(memory);
    const size_t places = row_places<E>(blockDim.x);
    const size_t first = m.ny * size_t(blockIdx.x) / gridDim.x, last = m.ny * size_t(blockIdx.x + 1) / gridDim.x;
    Line<Operator, E> line;

    line.begin(m, values + places, values + 2 * places);
    for (size_t j = first; j < last; j++) {
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

/* Of tensor products, rows that fit: u and f are read once. A thread has the same unknowns of a row at i = e * threads + its own in
 * registers, of three rows of u, one of which is on its way, and combines them in y; what that gives changes over to chunks, in
 * which it is combined in x. */
template <typename real, int E> struct RowOf {
    static constexpr unsigned MOST_THREADS = 512;
    real u[E];

    __device__ __forceinline__ void load(const real *__restrict__ array, size_t j, size_t nx, size_t ny)
    {
#pragma unroll
        for (int e = 0; e < E; e++) {
            const unsigned i = e * blockDim.x + threadIdx.x;
            u[e] = array && j < ny && i < nx ? array[j * nx + i] : real(0);
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
    tensor_x_kernel(const Tensor<real> m, real damping, const real *__restrict__ u, const real *__restrict__ f,
                    real *__restrict__ v)
{
    extern __shared__ double memory[];
    __shared__ Joint<real> parts[MOST_WARPS];
    const size_t places = row_places<E>(blockDim.x);
    real *values = reinterpret_cast<real *>(memory), *stiff = values + 3 * places, *mass = values + 4 * places;
    const size_t first = m.ny * size_t(blockIdx.x) / gridDim.x, last = m.ny * size_t(blockIdx.x + 1) / gridDim.x;
    Line<Tensor<real>, E> line;
    RowOf<real, E> before, here, after, rhs;

    line.begin(m, values + places, values + 2 * places);
    if (threadIdx.x == 0)
        stiff[0] = mass[0] = mass[places] =
            0;                             /* before the first unknown, and after the last: mass[0] and mass[places] */
    before.load(u, first - 1, m.nx, m.ny); /* beyond all rows where first is 0 */
    here.load(u, first, m.nx, m.ny);
    after.load(u, first + 1, m.nx, m.ny);
    rhs.load(f, first, m.nx, m.ny);
    for (size_t j = first; j < last; j++) {
        const Elements<real> y = m.template elements<1>(j);
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
        after.load(u, j + 2, m.nx, m.ny);
        rhs.load(f, j + 1, m.nx, m.ny);
        __syncthreads();
        solve_tensor_row<real, E>(line, stiff, mass, values, parts);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < E; e++) {
            const unsigned i = e * blockDim.x + threadIdx.x;
            if (i < m.nx)
                v[j * m.nx + i] = before.u[e] + damping * values[place_of<E>(i)];
        }
    }
}

/* ---- Lines in y -------------------------------------------------------------------------------------------------- */

/* Threads of a processor: registers for them, so that blocks wait and compute in turn. */
template <typename real> constexpr unsigned RESIDENT = sizeof(real) == 8 ? 512 : 768;

/* Joints of a block, by column and chunk: the column's stride is odd. */
template <typename real, unsigned COLUMNS> struct ColumnShared {
    Joint<real> joint[COLUMNS][CHUNKS + 1];
    real known[COLUMNS][CHUNKS + 2]; /* the joint before, then each */
};

/* Every warp joins a column: `known` of it becomes its joints. part: the joints of its parts, one after another. */
template <typename real, unsigned COLUMNS>
__device__ void join_column(ColumnShared<real, COLUMNS> *shared, const Joint<real> *part, unsigned which,
                            unsigned parts)
{
    const unsigned lane = threadIdx.x % 32, column = threadIdx.x / 32;
    Joint<real> here = {real(0), real(1), real(0), real(0), real(0)};

    const Known<real> known = reduce_part(shared->joint[column][lane], static_cast<Joint<real> *>(nullptr));
    if (parts == 1) { /* the last joint is the column's only one */
        const Joint<real> &own = shared->joint[column][31];
        const real before = __shfl_sync(EVERY_LANE, known.rhs, 30), after = __shfl_sync(EVERY_LANE, known.after, 30);
        here.diagonal = own.diagonal - own.couple * after;
        here.rhs = own.rhs - own.couple * before;
    } else if (lane < parts) {
        here = part[lane];
    }
    const Joined<real> joined = join_parts(known, here, which, parts);
    if (lane == 0)
        shared->known[column][0] = joined.before;
    shared->known[column][lane + 1] = joined.own;
}

/* E rows of a column, in order. Where they are `whole`, all are rows of the grid: there is no branch, so that all loads are on their way
 * before the first is waited for. */
template <typename Operator, int E, bool zero, bool whole> struct Column;

template <typename real, int E, bool zero, bool whole> struct Column<Stored<real>, E, zero, whole> {
    const Stored<real> &m;
    const real *u, *f;
    size_t i, first;

    __device__ __forceinline__ Column(const Stored<real> &matrix, const real *solution, const real *rhs, size_t column,
                                      size_t row)
        : m(matrix), u(solution), f(rhs), i(column), first(row)
    {
    }
    __device__ __forceinline__ bool there(int r) const { return whole || first + r < m.ny; }
    __device__ __forceinline__ real next(int r, real *lower_entry, real *diagonal) const
    {
        *lower_entry = lower(r);
        *diagonal = 1;
        return there(r) ? m.template at<zero>(u, f, i, first + r, diagonal) : real(0);
    }
    __device__ __forceinline__ real lower(int r) const
    {
        return there(r) ? m.template lower<1>(i, first + r) : real(0);
    }
    __device__ __forceinline__ real solution(int r) const { return zero ? real(0) : u[i + (first + r) * m.nx]; }
};

/* Rows of u before, in and after the chunk, which are combined in x as they are needed. */
template <typename real, int E, bool zero, bool whole> struct Column<Tensor<real>, E, zero, whole> {
    const Tensor<real> &m;
    const Elements<real> x;
    const Across<real> across;
    const size_t first;
    real left[E + 2], here[E + 2], right[E + 2], rhs[E];

    __device__ __forceinline__ Column(const Tensor<real> &matrix, const real *u, const real *f, size_t i, size_t row)
        : m(matrix), x(matrix.template elements<0>(i)), across(x, matrix.reaction), first(row)
    {
        const bool west = i > 0, east = i + 1 < m.nx;
#pragma unroll
        for (int r = 0; r < E + 2 && !zero; r++) {
            const bool inside = (whole && r > 0 && r <= E) || first + r - 1 < m.ny; /* 0 - 1 is no row, either */
            const real *at = u + i + (inside ? first + r - 1 : 0) * m.nx;
            const real before = *(at - west), middle = *at, after = at[east];
            left[r] = inside && west ? before : real(0);
            here[r] = inside ? middle : real(0);
            right[r] = inside && east ? after : real(0);
        }
#pragma unroll
        for (int r = 0; r < E; r++)
            rhs[r] = there(r) ? f[i + (first + r) * m.nx] : real(0);
    }
    __device__ __forceinline__ bool there(int r) const
    {
        return whole || first + r < m.ny;
    }
    __device__ __forceinline__ real mass(int r) const
    {
        return x.mass(left[r], here[r], right[r]);
    }
    __device__ __forceinline__ real stiff(int r, real in_mass) const
    {
        return x.stiffness(left[r], here[r], right[r]) + m.reaction * in_mass;
    }
    __device__ __forceinline__ real next(int r, real *lower_entry, real *diagonal) const
    {
        *lower_entry = 0;
        *diagonal = 1;
        if (!there(r))
            return 0;
        const Elements<real> y = m.template elements<1>(first + r);
        *lower_entry = first + r > 0 ? across.off(y.width[0], y.inverse[0]) : real(0);
        *diagonal = across.own(y.width[0], y.inverse[0]) + across.own(y.width[1], y.inverse[1]);
        if constexpr (zero)
            return rhs[r];
        const real south = mass(r), middle = mass(r + 1), north = mass(r + 2);
        return rhs[r] - y.mass(stiff(r, south), stiff(r + 1, middle), stiff(r + 2, north)) -
               y.stiffness(south, middle, north);
    }
    __device__ __forceinline__ real lower(int r) const
    {
        const size_t j = first + r;
        return j > 0 && there(r) ? across.off(m.width[1][j], m.inverse[1][j]) : real(0);
    }
    __device__ __forceinline__ real solution(int r) const
    {
        return zero ? real(0) : here[r + 1];
    }
};

/* The second pass over tensor products: the first has left the defects where the solution goes. */
template <typename real, int E, bool zero, bool whole> struct Defects {
    const Tensor<real> &m;
    const Across<real> across;
    const size_t first;
    real here[E], defect[E];

    __device__ __forceinline__ Defects(const Tensor<real> &matrix, const real *u, const real *v, size_t i, size_t row)
        : m(matrix), across(matrix.template elements<0>(i), matrix.reaction), first(row)
    {
#pragma unroll
        for (int r = 0; r < E; r++) {
            const size_t at = i + (first + r) * m.nx;
            defect[r] = there(r) ? v[at] : real(0);
            here[r] = there(r) && !zero ? u[at] : real(0);
        }
    }
    __device__ __forceinline__ bool there(int r) const
    {
        return whole || first + r < m.ny;
    }
    __device__ __forceinline__ real next(int r, real *lower_entry, real *diagonal) const
    {
        const Elements<real> y = m.template elements<1>(there(r) ? first + r : 0);
        *lower_entry = there(r) && first + r > 0 ? across.off(y.width[0], y.inverse[0]) : real(0);
        *diagonal = there(r) ? across.own(y.width[0], y.inverse[0]) + across.own(y.width[1], y.inverse[1]) : real(1);
        return defect[r];
    }
    __device__ __forceinline__ real lower(int r) const
    {
        const size_t j = first + r;
        return j > 0 && there(r) ? across.off(m.width[1][j], m.inverse[1][j]) : real(0);
    }
    __device__ __forceinline__ real solution(int r) const
    {
        return here[r];
    }
};

/* Rows of the pass that solves: with `parts` a second one. */
template <typename Operator, int E, bool zero, bool whole, bool parts> struct Rows {
    using type = Column<Operator, E, zero, whole>;
    template <typename Arguments> static __device__ __forceinline__ type of(const Arguments &a, size_t i, size_t first)
    {
        return type(a.m, a.u, a.f, i, first);
    }
};
template <typename real, int E, bool zero, bool whole> struct Rows<Tensor<real>, E, zero, whole, true> {
    using type = Defects<real, E, zero, whole>;
    template <typename Arguments> static __device__ __forceinline__ type of(const Arguments &a, size_t i, size_t first)
    {
        return type(a.m, a.u, a.v, i, first);
    }
};

/* What is left of each thread's chunk. */
template <typename real, int E, typename AnyRows, typename Keep>
__device__ __forceinline__ Joint<real> eliminate_rows(const AnyRows &rows, Chunk<real, E> &chunk, real *y,
                                                      const Keep &keep)
{
    Joint<real> joint;
#pragma unroll
    for (int r = 0; r < E; r++) {
        real lower, diagonal;
        const real defect = rows.next(r, &lower, &diagonal);
        keep(r, defect);
        y[r] = chunk.eliminate(r, lower, diagonal, defect, r > 0 ? y[r - 1] : real(0), &joint);
    }
    return joint;
}

/* What the kernels of lines in y are given, and where a thread is. */
template <typename Operator> struct Columns {
    using real = typename Operator::Real;
    const Operator m;
    const real *__restrict__ u;
    const real *__restrict__ f;
    real damping;
    Joint<real> *parts; /* [column][part] */
    real *v;            /* of tensor products defects first, then what replaces them */
};

template <typename real> __device__ constexpr bool keeps_defects(const Stored<real> &)
{
    return false;
}
template <typename real> __device__ constexpr bool keeps_defects(const Tensor<real> &)
{
    return true;
}

/* Columns beyond the last one are the last one once more, and not their `own`. */
template <typename Operator, int E, unsigned COLUMNS, bool zero, bool whole>
__device__ __forceinline__ void find_joints(const Columns<Operator> &a, size_t i, bool own, size_t first,
                                            Joint<typename Operator::Real> *joint)
{
    using real = typename Operator::Real;
    const Column<Operator, E, zero, whole> rows(a.m, a.u, a.f, i, first);
    Chunk<real, E> chunk;
    real y[E];
    *joint = eliminate_rows(rows, chunk, y, [&](int r, real defect) {
        if (keeps_defects(a.m) && own && rows.there(r))
            a.v[i + (first + r) * a.m.nx] = defect;
    });
}

template <typename Operator, int E, unsigned COLUMNS, bool zero>
__global__ void __launch_bounds__(32 * COLUMNS, RESIDENT<typename Operator::Real> / (32 * COLUMNS))
    parts_y_kernel(const Columns<Operator> a)
{
    __shared__ Joint<typename Operator::Real> joint[COLUMNS][CHUNKS + 1];
    const unsigned column = threadIdx.x % COLUMNS, chunk = threadIdx.x / COLUMNS, warp = threadIdx.x / 32;
    const size_t own = size_t(blockIdx.x) * COLUMNS + column, i = own < a.m.nx ? own : a.m.nx - 1;
    const size_t first = (size_t(blockIdx.y) * CHUNKS + chunk) * E;

    if ((size_t(blockIdx.y) + 1) * CHUNKS * E <= a.m.ny)
        find_joints<Operator, E, COLUMNS, zero, true>(a, i, own == i, first, &joint[column][chunk]);
    else
        find_joints<Operator, E, COLUMNS, zero, false>(a, i, own == i, first, &joint[column][chunk]);
    __syncthreads();
    reduce_part(joint[warp][threadIdx.x % 32],
                &a.parts[(size_t(blockIdx.x) * COLUMNS + warp) * gridDim.y + blockIdx.y]);
}

template <typename Operator, int E, unsigned COLUMNS, bool zero, bool parts, bool whole>
__device__ __forceinline__ void solve_columns(const Columns<Operator> &a, size_t i, size_t first,
                                              ColumnShared<typename Operator::Real, COLUMNS> *shared)
{
    using real = typename Operator::Real;
    const unsigned column = threadIdx.x % COLUMNS, chunk = threadIdx.x / COLUMNS, warp = threadIdx.x / 32;
    const auto rows = Rows<Operator, E, zero, whole, parts>::of(a, i < a.m.nx ? i : a.m.nx - 1, first);
    Chunk<real, E> inside;
    real y[E], lower[E];

    shared->joint[column][chunk] = eliminate_rows(rows, inside, y, [](int, real) {});
    __syncthreads();
    join_column(shared, a.parts + (size_t(blockIdx.x) * COLUMNS + warp) * gridDim.y, blockIdx.y, gridDim.y);
    __syncthreads();
#pragma unroll
    for (int r = 1; r < E; r++)
        lower[r] = rows.lower(r);
    finish_chunk<real, E>(inside, {shared->known[column][chunk], shared->known[column][chunk + 1]}, y,
                          [&](int r) { return lower[r]; });
    if (i >= a.m.nx)
        return;
#pragma unroll
    for (int r = 0; r < E; r++)
        if (rows.there(r))
            a.v[i + (first + r) * a.m.nx] = rows.solution(r) + a.damping * y[r];
}

template <typename Operator, int E, unsigned COLUMNS, bool zero, bool parts>
__global__ void __launch_bounds__(32 * COLUMNS, RESIDENT<typename Operator::Real> / (32 * COLUMNS))
    lines_y_kernel(const Columns<Operator> a)
{
    __shared__ ColumnShared<typename Operator::Real, COLUMNS> shared;
    const size_t i = size_t(blockIdx.x) * COLUMNS + threadIdx.x % COLUMNS;
    const size_t first = (size_t(blockIdx.y) * CHUNKS + threadIdx.x / COLUMNS) * E;

    if ((size_t(blockIdx.y) + 1) * CHUNKS * E <= a.m.ny) /* the same for the whole block */
        solve_columns<Operator, E, COLUMNS, zero, parts, true>(a, i, first, &shared);
    else
        solve_columns<Operator, E, COLUMNS, zero, parts, false>(a, i, first, &shared);
}

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

template <typename Kernel> cudaError_t allow(Kernel kernel, size_t shared)
{
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared));
}

/* Rows in x by as many blocks as are resident, each `arrays` rows of shared memory. */
template <int E, typename Operator, typename Kernel>
cudaError_t launch_rows(const starfish_band_lines *a, const Operator &m, Kernel kernel, size_t arrays,
                        cudaStream_t stream)
{
    using real = typename Operator::Real;
    const unsigned threads = unsigned((m.nx + 32 * E - 1) / (32 * E) * 32);
    const size_t shared = (arrays * row_places<E>(threads) + 1 /* see tensor_x_kernel */) * sizeof(real);
    int device, processors, resident;

    cudaError_t error = allow(kernel, shared);
    if (error == cudaSuccess)
        error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, int(threads), shared);
    if (error != cudaSuccess)
        return error;
    const size_t most = size_t(processors) * size_t(resident > 0 ? resident : 1);
    kernel<<<unsigned(m.ny < most ? m.ny : most), threads, shared, stream>>>(
        m, static_cast<real>(a->damping), static_cast<const real *>(a->u), static_cast<const real *>(a->f),
        static_cast<real *>(a->v));
    return cudaGetLastError();
}

template <int E, typename real>
cudaError_t launch_x(const starfish_band_lines *a, const Stored<real> &m, cudaStream_t stream)
{
    return launch_rows<E>(a, m, a->u ? lines_x_kernel<Stored<real>, E, false> : lines_x_kernel<Stored<real>, E, true>,
                          3, stream);
}
template <int E, typename real>
cudaError_t launch_x(const starfish_band_lines *a, const Tensor<real> &m, cudaStream_t stream)
{
    return m.nx <= RowOf<real, E>::MOST_THREADS * E
               ? launch_rows<E>(a, m, tensor_x_kernel<real, E>, 5, stream)
               : launch_rows<E>(a, m,
                                a->u ? lines_x_kernel<Tensor<real>, E, false> : lines_x_kernel<Tensor<real>, E, true>,
                                3, stream);
}

template <int E, unsigned COLUMNS, typename Operator>
cudaError_t launch_y(const starfish_band_lines *a, const Operator &m, cudaStream_t stream)
{
    using real = typename Operator::Real;
    const dim3 blocks(unsigned((m.nx + COLUMNS - 1) / COLUMNS), unsigned((m.ny + CHUNKS * E - 1) / (CHUNKS * E)));
    const Columns<Operator> columns = {m,
                                       static_cast<const real *>(a->u),
                                       static_cast<const real *>(a->f),
                                       static_cast<real>(a->damping),
                                       static_cast<Joint<real> *>(a->work),
                                       static_cast<real *>(a->v)};

    if (blocks.y > 1) {
        (a->u ? parts_y_kernel<Operator, E, COLUMNS, false>
              : parts_y_kernel<Operator, E, COLUMNS, true>)<<<blocks, 32 * COLUMNS, 0, stream>>>(columns);
        (a->u ? lines_y_kernel<Operator, E, COLUMNS, false, true>
              : lines_y_kernel<Operator, E, COLUMNS, true, true>)<<<blocks, 32 * COLUMNS, 0, stream>>>(columns);
    } else {
        (a->u ? lines_y_kernel<Operator, E, COLUMNS, false, false>
              : lines_y_kernel<Operator, E, COLUMNS, true, false>)<<<blocks, 32 * COLUMNS, 0, stream>>>(columns);
    }
    return cudaGetLastError();
}

/* Short chunks where lines are short, for more threads. */
template <typename Operator> cudaError_t launch(const starfish_band_lines *a, cudaStream_t stream)
{
    if (a->direction == 0)
        return a->matrix.nx <= 512 ? launch_x<4>(a, Operator(a->matrix), stream)
                                   : launch_x<8>(a, Operator(a->matrix), stream);
    const Operator m(a->matrix);
    if (m.ny <= CHUNKS * 4)
        return launch_y<4, 4>(a, m, stream);
    if (m.ny <= CHUNKS * 16)
        return launch_y<4, 8>(a, m, stream);
    return launch_y<8, 8>(a, m, stream);
}

template <typename real> int lines(const starfish_band_lines *a, cudaStream_t stream)
{
    return a->matrix.band[0] ? launch<Stored<real>>(a, stream) : launch<Tensor<real>>(a, stream);
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_band_lines, lines)

extern "C" size_t starfish_band_lines_work(size_t nx, size_t ny, size_t real_size)
{
    const size_t columns = (nx + 15) / 16 * 16, parts = (ny + CHUNKS * 4 - 1) / (CHUNKS * 4);
    return parts > 1 ? columns * parts * 5 * real_size : 0;
}
