/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lanes of tridiagonal systems that share one operator but for a shift, solved in chunks: the device code of
 * slab_solve_cuda.cu, which says how fast, of batch_shifted_cuda.cu and of shifted_sums_cuda.cu.
 *
 * A chunk is to its lane what a slab is to a line (slab_lines.h): a run of ROWS rows, whose last one is a separator. A
 * thread holds a chunk in registers, and a block of threads holds `width` neighbouring lanes whole:
 *
 *      row 0   . . padding     lane 0   lane 1   ...  lane width-1      neighbours in memory
 *              o o o o o S     thread   thread         thread           chunk 0
 *              o o o o o S     thread   thread         thread           chunk 1
 *              o o o o o S     thread   thread         thread           chunk 2, ... at most 32
 *
 *   1. eliminate   rows from the first to the last, whose two equations remain (struct Eliminated); pivots are kept;
 *   2. exchange    through shared memory, or by shuffles where a lane's chunks are neighbouring threads: a chunk's last
 *                  row with the second equation of the chunk after it is a row of the separators' system (join);
 *   3. reduce      a group of threads per lane solves that system by parallel cyclic reduction, a row each. Of periodic
 *                  lines the last separator borders the others: one more right-hand side, and one division;
 *   4. substitute  with the separators before and of its own, each thread runs Thomas with the kept pivots.
 *
 * The operator is in shared memory, padded so that a chunk's rows are at fixed places from its first one. Rows that are
 * missing to full chunks come before the first row, as 1e30 u = 0, coupled to nothing. With SUMS diagonals are kept as
 * sums of rows, and no step subtracts (slab_lines.h).
 *
 * The longer the lanes, the fewer of them fit into a block, and the shorter are its runs of memory; so chunks grow with
 * the lanes, in three lengths (Lengths). Source: Wang, ACM TOMS 7 (1981). */
#ifndef STARFISH_TRIDIAG_KERNELS_SHIFTED_CHUNKS_CUH
#define STARFISH_TRIDIAG_KERNELS_SHIFTED_CHUNKS_CUH

#include "krylov/kernels/multiprocessors.cuh"
#include "tridiag/kernels/blocking.h"
#include "tridiag/kernels/slab_lines.cuh"

namespace starfish_slab
{
namespace
{

enum { WARP = 32, MOST_THREADS = 256, MOST_CHUNKS = WARP, VALUES = 6 };
constexpr unsigned ALL_THREADS = 0xffffffffu;

/* How the lanes are cut; n rows to solve. */
struct Cut {
    int n;
    unsigned lanes, plane; /* lanes to solve; distance between two rows of one lane, in elements */
    int chunks, group;     /* of a lane, and the power of two from there */
    int width, threads;    /* lanes and threads of a block */
    int padding;           /* rows before the first */
    int ahead;             /* blocks from one to the one it fetches for; 0: none */
};

/* ---- Shared memory ----------------------------------------------------------------------------------------------- */

template <int Bytes, typename Real> __device__ __forceinline__ void copy_async(Real *shared, const Real *global)
{
    const unsigned to = unsigned(__cvta_generic_to_shared(shared));

    if (Bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(Bytes));
}

__device__ __forceinline__ void wait_for_copies()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

/* The operator, padded, so that the rows of a chunk are at fixed places from its first one. One more per chunk: the
 * chunks of a warp then lie in different banks. */
template <typename Real, int ROWS> struct Operator {
    static constexpr int PITCH = ROWS + 1;
    Real *lower, *diag, *upper;

    __device__ Operator(Real *shared, const Cut &cut)
        : lower(shared), diag(shared + PITCH * cut.chunks), upper(shared + 2 * PITCH * cut.chunks)
    {
    }
    __host__ __device__ static int size(const Cut &cut) { return 3 * PITCH * cut.chunks; }
    /* SUMS: `diag` are row sums (slab_lines.h), from which what is beyond the ends is taken here. */
    template <bool SUMS = false>
    __device__ void load(const Real *from_lower, const Real *from_diag, const Real *from_upper, const Cut &cut,
                         bool periodic)
    {
        for (int at = threadIdx.x; at < ROWS * cut.chunks; at += blockDim.x) {
            const int to = at + at / ROWS;
            const int k = at - cut.padding;
            const bool row = k >= 0;
            lower[to] = row && (k > 0 || periodic) ? __ldg(from_lower + k) : Real(0);
            diag[to] = row ? __ldg(from_diag + k) : Real(1e30);
            upper[to] = row && (k + 1 < cut.n || periodic) ? __ldg(from_upper + k) : Real(0);
            if (SUMS && !periodic && k == 0)
                diag[to] -= __ldg(from_lower);
            if (SUMS && !periodic && k + 1 == cut.n)
                diag[to] -= __ldg(from_upper + k);
        }
    }
};

/* Weights in shared memory, where the operator's rows are. */
template <typename Real, int ROWS, bool WEIGHED> __host__ __device__ inline int weights_size(const Cut &cut)
{
    return WEIGHED ? Operator<Real, ROWS>::PITCH * cut.chunks : 0;
}

template <typename Real, int ROWS> __device__ inline void load_weights(Real *to, const void *weight, const Cut &cut)
{
    for (int at = threadIdx.x; at < ROWS * cut.chunks; at += blockDim.x)
        to[at + at / ROWS] = at < cut.padding ? Real(0) : __ldg(static_cast<const Real *>(weight) + at - cut.padding);
}

/* What the chunks of a block's lanes tell each other; rhs[] becomes the separators. */
template <typename Real> struct Exchange {
    Real *before, *diag, *rhs, *head, *head_own, *head_before;
    int pitch;

    __device__ Exchange(Real *shared, const Cut &cut) : pitch(cut.width + 1)
    {
        const int size = cut.chunks * pitch;
        before = shared;
        diag = before + size;
        rhs = diag + size;
        head = rhs + size;
        head_own = head + size;
        head_before = head_own + size;
    }
    __host__ __device__ static int size(const Cut &cut) { return VALUES * cut.chunks * (cut.width + 1); }
    __device__ int at(int chunk, int lane) const { return chunk * pitch + lane; }
    __device__ void put(int chunk, int lane, const Eliminated<Real> &last) const
    {
        const int i = at(chunk, lane);
        before[i] = last.before;
        diag[i] = last.diag;
        rhs[i] = last.rhs;
        head[i] = last.head;
        head_own[i] = last.head_own;
        head_before[i] = last.head_before;
    }
};

/* ---- The system of a lane's separators --------------------------------------------------------------------------- */

/* lower x(i-1) + diag x(i) + upper x(i+1) = rhs - border x(last). With SUMS `diag` is the sum of all four. */
template <typename Real> struct Separator {
    CoefficientOf<Real> lower, diag, upper;
    Real rhs;
    CoefficientOf<Real> border;
};

template <typename Real> __device__ inline Separator<Real> no_separator()
{
    typedef CoefficientOf<Real> Coefficient;
    return {Coefficient(0), Coefficient(1), Coefficient(0), Real(0), Coefficient(0)};
}

template <bool BORDERED, bool SUMS, typename Real>
__device__ inline CoefficientOf<Real> entry(const Separator<Real> &row)
{
    const CoefficientOf<Real> inner = row.diag - row.lower - row.upper;
    return !SUMS ? row.diag : BORDERED ? inner - row.border : inner;
}

template <typename Real> __device__ inline void scale(Separator<Real> &row, CoefficientOf<Real> by)
{
    row.lower *= by;
    row.upper *= by;
    row.rhs *= by;
    row.border *= by;
}

/* A chunk's last row: `upper` is of it, and the heads are those of the chunk after it. */
template <typename Real>
__device__ inline Separator<Real> join(CoefficientOf<Real> before, CoefficientOf<Real> diag, Real rhs,
                                       CoefficientOf<Real> upper, Real head, CoefficientOf<Real> head_own,
                                       CoefficientOf<Real> head_before)
{
    return {before, diag - upper * head_before, -upper * head_own, rhs - upper * head, CoefficientOf<Real>(0)};
}

/* The chunk after the last one is the first one of a periodic line, or any at all: upper is zero there. */
template <bool PERIODIC> __device__ inline int chunk_after(const Cut &cut, int chunk)
{
    return chunk + 1 < cut.chunks ? chunk + 1 : PERIODIC ? 0 : chunk;
}

template <typename Real>
__device__ inline Separator<Real> separator_row(const Exchange<Real> &exchange, int chunk, int lane, int next,
                                                Real upper)
{
    const int own = exchange.at(chunk, lane), below = exchange.at(next, lane);

    return join(exchange.before[own], exchange.diag[own], exchange.rhs[own], upper, exchange.head[below],
                exchange.head_own[below], exchange.head_before[below]);
}

/* Parallel cyclic reduction (Hockney and Jesshope 1981) within groups of `group` threads: rhs becomes the solution,
 * border what is to be subtracted per x(last). Rows beyond the ends are met with a coefficient of zero. */
template <bool BORDERED, bool SUMS, typename Real>
__device__ inline void reduce_cyclically(Separator<Real> &row, int group)
{
    typedef CoefficientOf<Real> Coefficient;
    Coefficient by = reciprocal(entry<BORDERED, SUMS>(row));

    scale(row, by);
    row.diag *= by;
    for (int distance = 1; distance < group; distance *= 2) {
        const Coefficient above_lower = __shfl_up_sync(ALL_THREADS, row.lower, distance, group);
        const Coefficient above_upper = __shfl_up_sync(ALL_THREADS, row.upper, distance, group);
        const Real above_rhs = __shfl_up_sync(ALL_THREADS, row.rhs, distance, group);
        const Coefficient below_lower = __shfl_down_sync(ALL_THREADS, row.lower, distance, group);
        const Coefficient below_upper = __shfl_down_sync(ALL_THREADS, row.upper, distance, group);
        const Real below_rhs = __shfl_down_sync(ALL_THREADS, row.rhs, distance, group);
        row.rhs -= row.lower * above_rhs + row.upper * below_rhs;
        if (BORDERED) {
            const Coefficient above_border = __shfl_up_sync(ALL_THREADS, row.border, distance, group);
            const Coefficient below_border = __shfl_down_sync(ALL_THREADS, row.border, distance, group);
            row.border -= row.lower * above_border + row.upper * below_border;
        }
        if (SUMS) {
            const Coefficient above_sum = __shfl_up_sync(ALL_THREADS, row.diag, distance, group);
            const Coefficient below_sum = __shfl_down_sync(ALL_THREADS, row.diag, distance, group);
            row.diag -= row.lower * above_sum + row.upper * below_sum;
        } else {
            row.diag = Coefficient(1) - row.lower * above_upper - row.upper * below_lower;
        }
        row.lower *= -above_lower;
        row.upper *= -below_upper;
        by = reciprocal(entry<BORDERED, SUMS>(row));
        scale(row, by);
        row.diag *= by;
    }
}

/* The separator of `chunk`, from its row, when lines are not periodic; threads without a row take part in the
 * shuffles with no_separator(). */
template <bool SUMS = false, typename Real>
__device__ inline Real solve_open(Separator<Real> row, const Cut &cut, int chunk, bool pinned)
{
    const bool last = chunk + 1 == cut.chunks;

    if (last && pinned)
        row = no_separator<Real>();
    if (last)
        row.upper = CoefficientOf<Real>(0);
    reduce_cyclically<false, SUMS>(row, cut.group);
    return row.rhs;
}

/* The same for periodic lines: the last separator borders the system of the others. */
template <bool SUMS = false, typename Real>
__device__ inline Real solve_periodic(Separator<Real> row, const Cut &cut, int chunk, bool pinned)
{
    const int last = cut.chunks - 1, above = last > 0 ? last - 1 : 0;
    const Separator<Real> own = row; /* of the last one needed later */

    if (chunk >= last)
        row = no_separator<Real>();
    if (chunk == 0 && last > 0) {
        row.border = row.lower;
        row.lower = CoefficientOf<Real>(0);
    }
    if (chunk == last - 1) {
        row.border += row.upper;
        row.upper = CoefficientOf<Real>(0);
    }
    reduce_cyclically<true, SUMS>(row, cut.group);
    const Real above_rhs = __shfl_sync(ALL_THREADS, row.rhs, above, cut.group);
    const CoefficientOf<Real> carried = SUMS ? row.diag : row.border;
    const CoefficientOf<Real> above_border = __shfl_sync(ALL_THREADS, carried, above, cut.group);
    const Real first_rhs = __shfl_sync(ALL_THREADS, row.rhs, 0, cut.group);
    const CoefficientOf<Real> first_border = __shfl_sync(ALL_THREADS, carried, 0, cut.group);
    Real x = last > 0 ? (own.rhs - own.lower * above_rhs - own.upper * first_rhs) /
                            (own.diag - own.lower * above_border - own.upper * first_border)
                      : own.rhs / (SUMS ? own.diag : own.diag + own.lower + own.upper);
    x = __shfl_sync(ALL_THREADS, pinned ? Real(0) : x, last, cut.group);
    return chunk == last ? x : row.rhs - row.border * x;
}

/* All lanes of a block, each by a group of threads. */
template <typename Real, bool PERIODIC, int PITCH, bool SUMS = false>
__device__ inline void solve_separators(const Exchange<Real> &exchange, const Cut &cut, const Real *uppers,
                                        ptrdiff_t pinned_lane)
{
    const int chunk = threadIdx.x % cut.group, groups = blockDim.x / cut.group;
    const Real upper = chunk < cut.chunks ? uppers[(chunk + 1) * PITCH - 2] : Real(0); /* of its last row */

    for (int first = 0; first < cut.width; first += groups) {
        const int lane = first + threadIdx.x / cut.group;
        const bool pinned = pinned_lane >= 0 && pinned_lane == ptrdiff_t(blockIdx.x) * cut.width + lane;
        Separator<Real> row = no_separator<Real>();
        if (lane < cut.width && chunk < cut.chunks)
            row = separator_row(exchange, chunk, lane, chunk_after<PERIODIC>(cut, chunk), upper);
        const Real x =
            PERIODIC ? solve_periodic<SUMS>(row, cut, chunk, pinned) : solve_open<SUMS>(row, cut, chunk, pinned);
        __syncwarp(); /* all of the group have read rhs */
        if (lane < cut.width && chunk < cut.chunks)
            exchange.rhs[exchange.at(chunk, lane)] = x;
    }
}

/* The separator of `chunk` where neighbouring threads hold neighbouring chunks, cut.group of them a lane. */
template <bool PERIODIC, bool SUMS = false, typename Real>
__device__ inline Real solve_in_warp(const Eliminated<Real> &last, const Cut &cut, int chunk, CoefficientOf<Real> upper,
                                     bool pinned)
{
    const int next = chunk_after<PERIODIC>(cut, chunk);
    const Real head = __shfl_sync(ALL_THREADS, last.head, next, cut.group);
    const CoefficientOf<Real> head_own = __shfl_sync(ALL_THREADS, last.head_own, next, cut.group);
    const CoefficientOf<Real> head_before = __shfl_sync(ALL_THREADS, last.head_before, next, cut.group);
    const Separator<Real> row = chunk < cut.chunks
                                    ? join(last.before, last.diag, last.rhs, upper, head, head_own, head_before)
                                    : no_separator<Real>();

    return PERIODIC ? solve_periodic<SUMS>(row, cut, chunk, pinned) : solve_open<SUMS>(row, cut, chunk, pinned);
}

/* ---- A chunk ----------------------------------------------------------------------------------------------------- */

/* The reciprocals of the pivots lie in shared memory; registers for them too would cost a third of the threads. */
template <typename Real, int ROWS> struct Chunk {
    typedef CoefficientOf<Real> Coefficient;
    Real f[ROWS];
    Coefficient *pivots;

    /* Once the operator is loaded, for the chunk at `at` of it. */
    __device__ void prepare(const Operator<Coefficient, ROWS> &, int, Coefficient *shared)
    {
        pivots = shared + threadIdx.x;
    }
    __device__ Coefficient &pivot(int i) { return pivots[i * MOST_THREADS]; }
    __device__ Coefficient lower(const Operator<Coefficient, ROWS> &rows, int at, int i) const
    {
        return rows.lower[at + i];
    }
};

/* They do not where a chunk is solved again and again, bound by what shared memory delivers. Then the coefficients that
 * are needed twice are kept too, if there is room. */
template <typename Real, int ROWS, bool KEEPS_LOWER> struct RegisterChunk {
    typedef CoefficientOf<Real> Coefficient;
    Real f[ROWS];
    Coefficient pivots[ROWS], kept[KEEPS_LOWER ? ROWS : 1];

    __device__ void prepare(const Operator<Coefficient, ROWS> &rows, int at, Coefficient *)
    {
#pragma unroll
        for (int i = 0; i < (KEEPS_LOWER ? ROWS : 0); i++)
            kept[i] = rows.lower[at + i];
    }
    __device__ Coefficient &pivot(int i)
    {
        return pivots[i];
    }
    __device__ Coefficient lower(const Operator<Coefficient, ROWS> &rows, int at, int i) const
    {
        return KEEPS_LOWER ? kept[i] : rows.lower[at + i];
    }
};

/* Up to the last row. `at`: the chunk's first row in `rows`; `first`: where in the chunk the line's first row is. */
template <typename Real, int ROWS, bool PERIODIC, bool SUMS = false, typename Held, typename Shift>
__device__ inline Eliminated<Real> eliminate(Held &chunk, const Operator<CoefficientOf<Real>, ROWS> &rows, int at,
                                             const Shift &shift, int first)
{
    Eliminated<Real> row = first_row(chunk.lower(rows, at, 0), rows.diag[at] + shift_of_row(shift, at), chunk.f[0]);

#pragma unroll
    for (int i = 1; i < ROWS; i++) {
        const CoefficientOf<Real> pivot = pivot_of<SUMS>(row, rows.upper[at + i - 1]);
        chunk.pivot(i - 1) = pivot;
        next_row<SUMS>(row, pivot, rows.upper[at + i - 1], chunk.lower(rows, at, i),
                       rows.diag[at + i] + shift_of_row(shift, at + i), chunk.f[i]);
        if (PERIODIC && i == first)
            row = first_row(chunk.lower(rows, at, i), SUMS ? rows.diag[at + i] + shift_of_row(shift, at + i) : row.diag,
                            row.rhs);
    }
    return row;
}

/* Thomas: f becomes the unknowns. */
template <typename Real, int ROWS, bool PERIODIC, typename Held>
__device__ inline void substitute(Held &chunk, const Operator<CoefficientOf<Real>, ROWS> &rows, int at, int first,
                                  Real before, Real own)
{
#pragma unroll
    for (int i = 0; i < (PERIODIC ? ROWS : 1); i++)
        if (!PERIODIC || i == first)
            chunk.f[i] -= chunk.lower(rows, at, i) * before;
    chunk.f[0] *= chunk.pivot(0);
#pragma unroll
    for (int i = 1; i + 1 < ROWS; i++)
        chunk.f[i] = (chunk.f[i] - chunk.lower(rows, at, i) * chunk.f[i - 1]) * chunk.pivot(i);
    chunk.f[ROWS - 1] = own;
#pragma unroll
    for (int i = ROWS - 2; i >= 0; i--)
        chunk.f[i] -= chunk.pivot(i) * rows.upper[at + i] * chunk.f[i + 1];
}

/* ---- Cutting ----------------------------------------------------------------------------------------------------- */

/* Rows of a chunk, and of the longest lane that is cut into such chunks. */
template <typename Real> struct Lengths {
    enum { SHORT = 64 / sizeof(Real), MEDIUM = 128 / sizeof(Real), LONG = 256 / sizeof(Real) };
    enum { SHORT_LANE = 2 * SHORT, MEDIUM_LANE = MOST_CHUNKS / 2 * MEDIUM, LONG_LANE = MOST_CHUNKS * LONG };
    static_assert(LONG_LANE * sizeof(Real) == STARFISH_TRIDIAG_LONGEST_SLAB_LANE_BYTES, "as workspace.c says");
};

/* `n` rows of `lanes` lanes in chunks; blocks of threads are not yet cut. */
inline Cut cut_rows(size_t n, size_t lanes, int chunk_rows)
{
    Cut cut = {static_cast<int>(n), static_cast<unsigned>(lanes), 0, 1, 1, 0, 0, 0, 0};

    if (n > 0)
        cut.chunks = static_cast<int>((n + chunk_rows - 1) / chunk_rows);
    while (cut.group < cut.chunks)
        cut.group *= 2;
    cut.padding = static_cast<int>(cut.chunks * chunk_rows - n);
    return cut;
}

/* The same in blocks, of which each takes a multiple of `sector` lanes where it can. */
inline Cut cut_lanes(size_t n, size_t lanes, int chunk_rows, int sector)
{
    Cut cut = cut_rows(n, lanes, chunk_rows);

    cut.width = MOST_THREADS / cut.chunks;
    if (cut.width > sector)
        cut.width -= cut.width % sector;
    cut.threads = (cut.width * cut.chunks + WARP - 1) / WARP * WARP;
    return cut;
}

/* Distance that was best where two blocks share a multiprocessor: half as many blocks as there are multiprocessors. */
inline int blocks_ahead(int &ahead)
{
    int multiprocessors = 0;
    const int error = starfish_multiprocessors(&multiprocessors);

    ahead = multiprocessors / 2;
    return error;
}

} // namespace
} // namespace starfish_slab

#endif
