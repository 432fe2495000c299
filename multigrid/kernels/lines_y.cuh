/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines in y: a warp reads 32 unknowns of neighbouring columns, a thread goes down a chunk of a column and keeps it in
 * registers. A block has 32 chunks of each of its columns, a part; its joints change over through shared memory to a
 * warp for each column. A column of several parts takes two passes, of which the first finds the parts' joints;
 * clusters of blocks that exchange them and read the grid once took twice as long, all parts of a column having to
 * start and wait together. */
#ifndef STARFISH_MULTIGRID_LINES_Y_CUH
#define STARFISH_MULTIGRID_LINES_Y_CUH

#include "multigrid/kernels/line_chunk.cuh"
#include "multigrid/kernels/operator.cuh"

namespace
{

constexpr size_t CHUNKS = 32; /* of a part */

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

/* E rows of a column, in order. Where they are `whole`, all are rows of the grid: there is no branch, so that all loads
 * are on their way before the first is waited for. */
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

/* The second pass over tensor products: the first has left the residuals where the solution goes. */
template <typename real, int E, bool zero, bool whole> struct Residuals {
    const Tensor<real> &m;
    const Across<real> across;
    const size_t first;
    real here[E], residual[E];

    __device__ __forceinline__ Residuals(const Tensor<real> &matrix, const real *u, const real *v, size_t i, size_t row)
        : m(matrix), across(matrix.template elements<0>(i), matrix.reaction), first(row)
    {
#pragma unroll
        for (int r = 0; r < E; r++) {
            const size_t at = i + (first + r) * m.nx;
            residual[r] = there(r) ? v[at] : real(0);
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
        return residual[r];
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
    using type = Residuals<real, E, zero, whole>;
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
        const real residual = rows.next(r, &lower, &diagonal);
        keep(r, residual);
        y[r] = chunk.eliminate(r, lower, diagonal, residual, r > 0 ? y[r - 1] : real(0), &joint);
    }
    return joint;
}

/* What the kernels of lines in y are given, and where a thread is. */
template <typename Operator> struct Columns {
    using real = typename Operator::Real;
    const Operator m;
    const Run run;
    const real *__restrict__ u;
    const real *__restrict__ f;
    real damping;
    Joint<real> *parts; /* [column][part] */
    real *v;            /* of tensor products residuals first, then what replaces them */
};

template <typename real> __device__ constexpr bool keeps_residuals(const Stored<real> &)
{
    return false;
}
template <typename real> __device__ constexpr bool keeps_residuals(const Tensor<real> &)
{
    return true;
}

/* Columns beyond the last one of the run are the last one once more, and not their `own`. */
template <typename Operator, int E, unsigned COLUMNS, bool zero, bool whole>
__device__ __forceinline__ void find_joints(const Columns<Operator> &a, size_t i, bool own, size_t first,
                                            Joint<typename Operator::Real> *joint)
{
    using real = typename Operator::Real;
    const Column<Operator, E, zero, whole> rows(a.m, a.u, a.f, i, first);
    Chunk<real, E> chunk;
    real y[E];
    *joint = eliminate_rows(rows, chunk, y, [&](int r, real residual) {
        if (keeps_residuals(a.m) && own && rows.there(r))
            a.v[i + (first + r) * a.m.nx] = residual;
    });
}

template <typename Operator, int E, unsigned COLUMNS, bool zero>
__global__ void __launch_bounds__(32 * COLUMNS, RESIDENT<typename Operator::Real> / (32 * COLUMNS))
    parts_y_kernel(const Columns<Operator> a)
{
    __shared__ Joint<typename Operator::Real> joint[COLUMNS][CHUNKS + 1];
    const unsigned column = threadIdx.x % COLUMNS, chunk = threadIdx.x / COLUMNS, warp = threadIdx.x / 32;
    const size_t own = a.run.first + size_t(blockIdx.x) * COLUMNS + column, i = own < a.run.last ? own : a.run.last - 1;
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
    const auto rows = Rows<Operator, E, zero, whole, parts>::of(a, i < a.run.last ? i : a.run.last - 1, first);
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
    if (i >= a.run.last)
        return;
    const real damping = a.run.improves(i) ? a.damping : real(0);
#pragma unroll
    for (int r = 0; r < E; r++)
        if (rows.there(r))
            a.v[i + (first + r) * a.m.nx] = rows.solution(r) + damping * y[r];
}

template <typename Operator, int E, unsigned COLUMNS, bool zero, bool parts>
__global__ void __launch_bounds__(32 * COLUMNS, RESIDENT<typename Operator::Real> / (32 * COLUMNS))
    lines_y_kernel(const Columns<Operator> a)
{
    __shared__ ColumnShared<typename Operator::Real, COLUMNS> shared;
    const size_t i = a.run.first + size_t(blockIdx.x) * COLUMNS + threadIdx.x % COLUMNS;
    const size_t first = (size_t(blockIdx.y) * CHUNKS + threadIdx.x / COLUMNS) * E;

    if ((size_t(blockIdx.y) + 1) * CHUNKS * E <= a.m.ny) /* the same for the whole block */
        solve_columns<Operator, E, COLUMNS, zero, parts, true>(a, i, first, &shared);
    else
        solve_columns<Operator, E, COLUMNS, zero, parts, false>(a, i, first, &shared);
}

} // namespace

#endif
