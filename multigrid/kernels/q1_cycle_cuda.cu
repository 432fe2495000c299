/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coarse grids of a V cycle of Q1 multigrid as one kernel of one block (q1_cycle.h): a thread per unknown of the
 * finest of them, a barrier after each operation. Two arrays of a grid take turns as input and output of the sweeps;
 * the free one takes the residual. */
extern "C" {
#include "multigrid/kernels/q1_cycle.h"
}

#include "base/cuda_entries.h"
#include "multigrid/kernels/operator.cuh"
#include "multigrid/kernels/transfer.cuh"

namespace
{

constexpr unsigned THREADS = 1024;

template <typename real> struct Grid {
    Tensor<real> matrix;
    Axis<real> axis[2];
    real damping[2][STARFISH_Q1_CYCLE_STEPS];
    unsigned start, count; /* of its three arrays in shared memory: the solution twice, and the right-hand side */

    Grid() : matrix(starfish_band_matrix()), axis(), damping(), start(0), count(0) {}
};

template <typename real> struct Cycle {
    int levels, before, after;
    const real *inverse, *f;
    real *u;
    Grid<real> grid[STARFISH_Q1_CYCLE_LEVELS];
};

/* Calls body(e, i, j) for every unknown of a grid, and waits until all threads have. */
template <typename real, typename Body> __device__ __forceinline__ void each(const Grid<real> &g, const Body &body)
{
    const unsigned nx = unsigned(g.matrix.nx);
    for (unsigned e = threadIdx.x; e < g.count; e += THREADS)
        body(e, e % nx, e / nx);
    __syncthreads();
}

template <bool zero, typename real>
__device__ __forceinline__ void sweep(const Grid<real> &g, real damping, const real *u, const real *f, real *v)
{
    each(g, [&](unsigned e, unsigned i, unsigned j) {
        real diagonal;
        const real residual = g.matrix.template at<zero>(u, f, i, j, &diagonal);
        v[e] = (zero ? real(0) : u[e]) + damping * residual / diagonal;
    });
}

/* From the grid's solution to the next coarser grid's right-hand side. */
template <typename real>
__device__ __forceinline__ void go_down(const Grid<real> &fine, const Grid<real> &coarse, const real *u, const real *f,
                                        real *residual, real *coarse_f)
{
    each(fine, [&](unsigned e, unsigned i, unsigned j) {
        real diagonal;
        residual[e] = fine.matrix.template at<false>(u, f, i, j, &diagonal);
    });
    each(coarse, [&](unsigned e, unsigned i, unsigned j) {
        coarse_f[e] = combine(fine_of(coarse.axis[0], i), fine_of(coarse.axis[1], j), residual, 0, fine.matrix.nx);
    });
}

template <typename real> __global__ void __launch_bounds__(THREADS) cycle_kernel(const __grid_constant__ Cycle<real> c)
{
    extern __shared__ double memory[];
    real *const all = reinterpret_cast<real *>(memory);
    const int last = c.levels - 1;
    unsigned second = 0; /* bit l: the second array of level l is its solution */
    const auto array = [&](int l, unsigned which) { return all + c.grid[l].start + which * c.grid[l].count; };
    const auto solution = [&](int l) { return array(l, second >> l & 1); };
    const auto other = [&](int l) { return array(l, ~second >> l & 1); };

    each(c.grid[0], [&](unsigned e, unsigned, unsigned) { array(0, 2)[e] = c.f[e]; });
    for (int l = 0; l < last; l++) {
        const Grid<real> &g = c.grid[l];
        sweep<true>(g, g.damping[0][0], solution(l), array(l, 2), other(l));
        second ^= 1u << l;
        for (int s = 1; s < c.before; s++, second ^= 1u << l)
            sweep<false>(g, g.damping[0][s], solution(l), array(l, 2), other(l));
        go_down(g, c.grid[l + 1], solution(l), array(l, 2), other(l), array(l + 1, 2));
    }
    each(c.grid[last], [&](unsigned e, unsigned, unsigned) {
        const unsigned n = c.grid[last].count;
        real sum = 0;
        for (unsigned k = 0; k < n; k++)
            sum += c.inverse[e + k * n] * array(last, 2)[k];
        solution(last)[e] = sum;
    });
    for (int l = last - 1; l >= 0; l--) {
        const Grid<real> &g = c.grid[l], &coarse = c.grid[l + 1];
        each(g, [&](unsigned e, unsigned i, unsigned j) {
            solution(l)[e] += combine(coarse_of(coarse.axis[0], i), coarse_of(coarse.axis[1], j), solution(l + 1), 0,
                                      coarse.matrix.nx);
        });
        for (int s = 0; s < c.after; s++, second ^= 1u << l)
            sweep<false>(g, g.damping[1][s], solution(l), array(l, 2), other(l));
    }
    each(c.grid[0], [&](unsigned e, unsigned, unsigned) { c.u[e] = solution(0)[e]; });
}

template <typename real> int run_cycle(const starfish_q1_cycle *a, cudaStream_t stream)
{
    Cycle<real> c;
    unsigned next = 0;

    c.levels = a->levels;
    c.before = a->before;
    c.after = a->after;
    c.inverse = static_cast<const real *>(a->inverse);
    c.f = static_cast<const real *>(a->f);
    c.u = static_cast<real *>(a->u);
    for (int l = 0; l < a->levels; l++) {
        Grid<real> &g = c.grid[l];
        g.matrix = Tensor<real>(a->level[l].matrix);
        for (int d = 0; d < 2; d++) {
            g.axis[d] = axis_of<real>(a->level[l].axis[d]);
            for (int s = 0; s < STARFISH_Q1_CYCLE_STEPS; s++)
                g.damping[d][s] = static_cast<real>(a->level[l].damping[d][s]);
        }
        g.start = next;
        g.count = unsigned(g.matrix.nx * g.matrix.ny);
        next += 3 * g.count;
    }
    cycle_kernel<real><<<1, THREADS, next * sizeof(real), stream>>>(c);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_q1_cycle, run_cycle)
