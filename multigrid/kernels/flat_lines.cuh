/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines upwards of a flat domain on a GPU, substructured: a block has 16 or 32 columns, which are neighbours in x,
 * and a thread a run of CELLS layers of one column.
 *
 * A thread eliminates all but the last of its layers, the threads of a column solve for those last ones together, and
 * each substitutes. Where m_k is the sum of row k, and layer k of a run is found to be
 *     u_k = y_k + (1 - e_k - g_k) u_left + g_k u_(k+1),
 * the pivot is c_k + s_k with s_k = m_k + b_k (1 - g_(k-1)), and 1 - g_k = s_k / pivot; e is the run's answer to the
 * row sums as y is to the right-hand side. The last layers are solved by parallel cyclic reduction, whose rows are kept
 * as sums too: of (m + b + c) u = b u_below + c u_above + q, divided by its pivot, a row that is s runs away replaces
 * b by b b_below, c by c c_above, m by m + b m_below + c m_above, and q likewise. So all pivots are sums of numbers of
 * one sign, and stiff lines lose no digits. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_LINES_CUH
#define STARFISH_MULTIGRID_KERNELS_FLAT_LINES_CUH

#include "multigrid/kernels/flat_patch.cuh"

extern "C" {
#include "multigrid/kernels/flat_factors.h"
}

namespace flat
{

constexpr int MOST_RUNS = 16; /* threads of a column, at most */

/* What a sweep starts from: zero, u, or u and a coarse correction. */
enum Start { ZERO, PLAIN, CORRECTED };

template <typename real> struct Smooth {
    Matrix<real> matrix;
    Transfer<real> transfer[2];
    int y0, y1, colour; /* colour: 0 or 1 of i + j, or -1 */
    real damping;
    const real *u, *f, *coarse;
    real *v, *work;
    double *partial;  /* per block: its part of the inner product of f and v; NULL: not wanted */
    bool wide;        /* u and f can be read in pieces of 16 bytes, by blocks of whole pieces */
    bool wide_coarse; /* and each piece has half as many coarse columns */
    __device__ real damping_of(int i, int j) const { return colour < 0 || (i + j) % 2 == colour ? damping : real(0); }
};

/* 1 / x to all bits but the last one or two: some 20 bits, and a step of third order. */
template <typename real> __device__ real inverse(real x)
{
    if constexpr (sizeof(real) == sizeof(double)) {
        double y;
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
        const double rest = fma(-x, y, 1.0);
        return fma(y, fma(rest, rest, rest), y);
    } else {
        return __frcp_rn(x);
    }
}

/* The sum of a row, and what couples it to the layers beside. */
template <typename real> struct Layer {
    real mass, below, above;
};

/* The row of a run's last layer: (mass + below + above) u = below * u of the run below + above * u of that above +
 * value. */
template <typename real> struct Last {
    real mass, below, above, value;
};

/* Shared memory in which the threads of a column tell each other a row. Halves take turns, so that one barrier between
 * writing and reading is enough. */
template <typename real, int COLUMNS> struct Exchange {
    real *words; /* of the block: 2 * MOST_RUNS * 4 * COLUMNS */
    int turn;

    __device__ real *at(int run) const { return words + ((turn * MOST_RUNS + run) * 4) * COLUMNS + threadIdx.x; }
    __device__ void tell(const Last<real> &row)
    {
        real *const to = at(int(threadIdx.y));
        turn = 1 - turn;
        to[0] = row.mass;
        to[COLUMNS] = row.below;
        to[2 * COLUMNS] = row.above;
        to[3 * COLUMNS] = row.value;
        __syncthreads();
    }
    /* What was told last by a run; of runs that are not there any run's. */
    __device__ Last<real> of(int run) const
    {
        const int last = int(blockDim.y) - 1, there = run < 0 ? 0 : run > last ? last : run;
        const real *const from = words + (((1 - turn) * MOST_RUNS + there) * 4) * COLUMNS + threadIdx.x;
        return {from[0], from[COLUMNS], from[2 * COLUMNS], from[3 * COLUMNS]};
    }
};
template <typename real, int COLUMNS>
constexpr size_t exchange_bytes = size_t(2) * MOST_RUNS * 4 * COLUMNS * sizeof(real);

/* Solves for the last layers of all runs; *left: that of the run below, 0 where there is none. */
template <typename real, int COLUMNS>
__device__ real solve_last(Exchange<real, COLUMNS> &exchange, Last<real> row, real *left)
{
    const int run = int(threadIdx.y), runs = int(blockDim.y);

    for (int step = 1; step < runs; step *= 2) {
        const real pivot = inverse(row.mass + row.below + row.above);
        exchange.tell({row.mass * pivot, row.below * pivot, row.above * pivot, row.value * pivot});
        const Last<real> low = exchange.of(run - step), high = exchange.of(run + step);
        row = {row.mass + row.below * low.mass + row.above * high.mass, row.below * low.below, row.above * high.above,
               row.value + row.below * low.value + row.above * high.value};
    }
    const real solution = row.value * inverse(row.mass + row.below + row.above);
    exchange.tell({real(0), real(0), real(0), solution});
    *left = run > 0 ? exchange.of(run - 1).value : real(0);
    return solution;
}

/* Solves the lines of a block: value, the right-hand side of a run, becomes the solution. layer(s): row s of the run.
 * `answer` has CELLS - 1 reals by answer[s], in registers or in shared memory. */
template <typename real, int CELLS, int COLUMNS, typename Layers, typename Answer>
__device__ void solve_lines(Exchange<real, COLUMNS> &exchange, const Layers &layer, real value[CELLS], Answer &&answer)
{
    real factor[CELLS - 1], y = 0, e = 0, rest = 1; /* rest: 1 - g */

#pragma unroll
    for (int s = 0; s < CELLS - 1; s++) {
        const Layer<real> l = layer(s);
        const real sum = l.mass + l.below * rest, pivot = inverse(l.above + sum);
        y = pivot * (value[s] + l.below * y);
        e = pivot * (l.mass + l.below * e);
        rest = sum * pivot;
        value[s] = y;
        factor[s] = l.above * pivot;
        answer[s] = e;
    }
    const Layer<real> l = layer(CELLS - 1);
    Last<real> last = {l.mass + l.below * e, l.below * (rest - e), l.above, value[CELLS - 1] + l.below * y};
    real g = factor[CELLS - 2];
#pragma unroll
    for (int s = CELLS - 3; s >= 0; s--) {
        y = value[s] + factor[s] * y;
        e = answer[s] + factor[s] * e;
        g *= factor[s];
    }
    exchange.tell({e, g, real(0), y});
    const Last<real> first = exchange.of(int(threadIdx.y) + 1); /* its first layer: mass for e, below for g */
    const real above = threadIdx.y + 1 < blockDim.y ? last.above : real(0);
    last.above = above * first.below;
    last.mass += above * first.mass;
    last.value += above * first.value;

    real left;
    const real right = solve_last(exchange, last, &left);
    real upper = right - left;
    value[CELLS - 1] = right;
#pragma unroll
    for (int s = CELLS - 2; s >= 0; s--) {
        upper = value[s] - answer[s] * left + factor[s] * upper;
        value[s] = upper + left;
    }
}

/* ---- Lines whose factors are known ------------------------------------------------------------------------------- */

/* Of a layer (flat_factors.h). */
template <typename real> struct alignas(16) Factors {
    real pivot, below, factor, answer;
};
template <typename real> struct alignas(2 * sizeof(real)) Pair {
    real low, high;
};

/* Words of a block in which the threads of a column tell each other three numbers. */
__host__ __device__ constexpr int known_words(int runs, int columns)
{
    return 3 * runs * columns;
}

/* The factors of a type in shared memory: those of each run, and each row of the inverse, are so much longer that the
 * two runs of a warp read from different banks. */
constexpr int RUN_FACTORS = 4 * STARFISH_FLAT_RUN, RUN_PAD = 4, ROW_PAD = 2;
__host__ __device__ constexpr int factors_of(int runs)
{
    return runs * (RUN_FACTORS + RUN_PAD + runs + ROW_PAD);
}
__device__ inline int factor_place(int runs, int e)
{
    const int rest = e - runs * RUN_FACTORS;
    return rest < 0 ? e + e / RUN_FACTORS * RUN_PAD : e + runs * RUN_PAD + rest / runs * ROW_PAD;
}

/* Solves the lines of a block by the factors of the thread's layers, and by its row of the inverse for last layers. */
template <typename real, int CELLS, int COLUMNS>
__device__ void solve_known(real *words, const Factors<real> *layer, const real *inverse, real value[CELLS])
{
    const int run = int(threadIdx.y), runs = int(blockDim.y), area = runs * COLUMNS;
    real *const own = words + run * COLUMNS + threadIdx.x;
    real y = 0;

#pragma unroll
    for (int s = 0; s < CELLS; s++) {
        y = layer[s].pivot * value[s] + layer[s].below * y;
        value[s] = y;
    }
    real first = value[CELLS - 2];
#pragma unroll
    for (int s = CELLS - 3; s >= 0; s--)
        first = value[s] + layer[s].factor * first;
    own[0] = first;
    __syncthreads();
    own[area] = value[CELLS - 1] + layer[CELLS - 1].factor * (run + 1 < runs ? own[COLUMNS] : real(0));
    __syncthreads();
    const real *const last = words + area + threadIdx.x;
    real right = 0;
#pragma unroll 4
    for (int r = 0; r < runs; r += 2) {
        const Pair<real> pair = *reinterpret_cast<const Pair<real> *>(inverse + r);
        right += pair.low * last[r * COLUMNS] + pair.high * last[(r + 1) * COLUMNS];
    }
    own[2 * area] = right;
    __syncthreads();
    const real left = run > 0 ? own[2 * area - COLUMNS] : real(0);
    real upper = right - left;
    value[CELLS - 1] = right;
#pragma unroll
    for (int s = CELLS - 2; s >= 0; s--) {
        upper = value[s] - layer[s].answer * left + layer[s].factor * upper;
        value[s] = upper + left;
    }
}

/* The block's part of an inner product. */
__device__ inline void store_partial(double value, double *partial)
{
    const double sum = block_sum(value);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        partial[size_t(blockIdx.x) + size_t(gridDim.x) * blockIdx.y] = sum;
}

} // namespace flat

#endif
