/* The line smoother of flat domains on the GPU.
 *
 * Words per unknown that must move: 3, of which the coarse correction adds a quarter; H200 at 4.2 TB/s, 512 x 512 x
 * 128, f64: 192 us. Between the way up and the way down a column's factors and values are in registers: a block has 32
 * columns, of which each warp holds CELLS layers, and warps take turns in the elimination, while other blocks' loads
 * are under way. So that a turn is short, the pivots come from a recurrence without divisions: with rows scaled by w_k,
 * about 1 / diagonal, q_k = (w a)_kk q_(k-1) - (w a)_(k,k-1) (w a)_(k-1,k) q_(k-2), and the inverse of pivot k is w_k
 * q_(k-1) / q_k, whose division is off the chain. q stays within 2^-CELLS and 1, as a turn begins it anew.
 *
 * Columns of more than STARFISH_FLAT_MOST_HELD layers are eliminated by a thread each, with factors and values in work
 * space: 7 words. */
#include "multigrid/kernels/flat_patch.cuh"

#include "base/cuda_entries.h"

namespace
{

using namespace flat;

constexpr int MOST_SEGMENTS = 8;
static_assert(32 * MOST_SEGMENTS == STARFISH_FLAT_MOST_HELD, "the longest columns are held by threads of 32 layers");

template <typename real> struct Smooth {
    Matrix<real> matrix;
    Transfer<real> transfer[2];
    int y0, colour; /* colour: 0 or 1 of i + j, or -1 */
    real damping;
    const real *u, *f, *coarse;
    real *v, *work;
};

/* 1 / x to some 20 bits, and to all of them but the last. */
template <typename real> __device__ real rough_inverse(real x)
{
    if constexpr (sizeof(real) == sizeof(double)) {
        double y;
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
        return y;
    } else {
        return __frcp_rn(x);
    }
}
template <typename real> __device__ real inverse(real x)
{
    const real y = rough_inverse(x);
    if constexpr (sizeof(real) == sizeof(double)) {
        const real z = fma(y, fma(-x, y, 1.0), y);
        return fma(z, fma(-x, z, 1.0), z);
    } else {
        return y;
    }
}

enum Start { ZERO, PLAIN, CORRECTED };

template <typename real> __device__ Plain<real> values_of(const Smooth<real> &a, const Column<real> &at)
{
    return {a.u, at, a.matrix.nx};
}

template <typename real>
__device__ Corrected<real> corrected_of(const Smooth<real> &a, const Column<real> &at, int i, int j)
{
    return {values_of(a, at),         a.coarse,
            a.transfer[0].coarse,     size_t(a.transfer[0].coarse) * size_t(a.matrix.nz),
            around(a.transfer[0], i), around(a.transfer[1], j)};
}

/* ---- Elimination ------------------------------------------------------------------------------------------------- */

template <typename real> __device__ real diagonal(const Matrix<real> &m, const Column<real> &at, int k)
{
    return at.mass * m.a[k] + at.lift * (m.b[k] + m.c[k]) + m.d[k] * at.faces;
}

/* What one warp hands to the next one: on the way up the last pivot's inverse over w and the last value, on the way
 * down the first solution. */
template <typename real> struct Hand {
    real pivot[LANES], value[LANES];
};

/* u of layer k becomes value[k] + factor[k] * u of layer k + 1. */
template <typename real, int CELLS>
__device__ void eliminate(const Matrix<real> &m, const Column<real> &at, int k0, Hand<real> &hand, real value[CELLS],
                          real factor[CELLS])
{
    const int lane = threadIdx.x;
    real q_before = 0, q = 1, above = 0, last = 0, ratio = 0;
    if (k0 > 0) {
        q_before = hand.pivot[lane];
        last = hand.value[lane];
        above = at.lift * m.c[k0 - 1] * rough_inverse(diagonal(m, at, k0 - 1));
    }
#pragma unroll
    for (int s = 0; s < CELLS; s++) {
        const int k = k0 + s;
        if (k < m.nz) {
            const real entry = diagonal(m, at, k), w = rough_inverse(entry), below = at.lift * m.b[k] * w;
            const real next = entry * w * q - below * above * q_before;
            ratio = q * inverse(next);
            q_before = q;
            q = next;
            above = at.lift * m.c[k] * w;
            last = ratio * (w * value[s] + below * last);
            value[s] = last;
            factor[s] = ratio * above;
        }
    }
    hand.pivot[lane] = ratio;
    hand.value[lane] = last;
}

template <typename real, int CELLS>
__device__ void substitute(int nz, int k0, Hand<real> &hand, real value[CELLS], const real factor[CELLS])
{
    real above = k0 + CELLS < nz ? hand.value[threadIdx.x] : real(0);
#pragma unroll
    for (int s = CELLS - 1; s >= 0; s--)
        if (k0 + s < nz) {
            above = value[s] + factor[s] * above;
            value[s] = above;
        }
    hand.value[threadIdx.x] = above;
}

/* ---- Columns in registers ---------------------------------------------------------------------------------------- */

template <typename real, int CELLS, typename Values>
__device__ void load(const Smooth<real> &a, const Column<real> &at, const Values &values, int k0, real value[CELLS])
{
    Walk<real, Values> walk(values, k0);
#pragma unroll
    for (int s = 0; s < CELLS; s++)
        if (k0 + s < a.matrix.nz)
            value[s] =
                walk.next(a.matrix, at, values, k0 + s, __ldg(a.f + at.here + ptrdiff_t(a.matrix.nx) * (k0 + s)));
}

template <typename real, int CELLS, int START>
__global__ void __launch_bounds__(LANES *MOST_SEGMENTS) held_kernel(const __grid_constant__ Smooth<real> a)
{
    __shared__ Hand<real> hand;
    const Matrix<real> &m = a.matrix;
    const int i = blockIdx.x * LANES + threadIdx.x, j = a.y0 + blockIdx.y, k0 = threadIdx.y * CELLS;
    const bool inside = i < m.nx;
    real value[CELLS], factor[CELLS];
    const Column<real> at = column_of(m, inside ? i : m.nx - 1, j);

    if (START == ZERO) {
#pragma unroll
        for (int s = 0; s < CELLS; s++)
            value[s] = k0 + s < m.nz ? __ldg(a.f + at.here + ptrdiff_t(m.nx) * (k0 + s)) : real(0);
    } else if (START == PLAIN) {
        load<real, CELLS>(a, at, values_of(a, at), k0, value);
    } else {
        load<real, CELLS>(a, at, corrected_of(a, at, inside ? i : m.nx - 1, j), k0, value);
    }
    for (int turn = 0; turn < int(blockDim.y); turn++) {
        if (int(threadIdx.y) == turn)
            eliminate<real, CELLS>(m, at, k0, hand, value, factor);
        __syncthreads();
    }
    for (int turn = int(blockDim.y) - 1; turn >= 0; turn--) {
        if (int(threadIdx.y) == turn)
            substitute<real, CELLS>(m.nz, k0, hand, value, factor);
        __syncthreads();
    }
    if (!inside)
        return;
    const real damping = a.colour < 0 || (i + j) % 2 == a.colour ? a.damping : real(0);
    const Corrected<real> corrected = START == CORRECTED ? corrected_of(a, at, i, j) : Corrected<real>{};
#pragma unroll
    for (int s = 0; s < CELLS; s++)
        if (k0 + s < m.nz) {
            const ptrdiff_t e = at.here + ptrdiff_t(m.nx) * (k0 + s);
            const real before = START == ZERO ? real(0) : START == PLAIN ? __ldg(a.u + e) : corrected.here(k0 + s);
            a.v[e] = before + damping * value[s];
        }
}

/* ---- Long columns ------------------------------------------------------------------------------------------------ */

template <typename real, typename Values>
__device__ void smooth_long(const Smooth<real> &a, const Column<real> &at, const Values &values, real damping)
{
    const Matrix<real> &m = a.matrix;
    real *const value = a.work + at.here, *const factor = value + m.row() * m.ny;
    Walk<real, Values> walk(values, 0);
    real last = 0, last_factor = 0;
    for (int k = 0; k < m.nz; k++) {
        const ptrdiff_t e = ptrdiff_t(m.nx) * k;
        const real below = at.lift * m.b[k];
        const real pivot = inverse(diagonal(m, at, k) - below * last_factor);
        last = (walk.next(m, at, values, k, __ldg(a.f + at.here + e)) + below * last) * pivot;
        last_factor = at.lift * m.c[k] * pivot;
        value[e] = last;
        factor[e] = last_factor;
    }
    for (int k = m.nz - 1; k >= 0; k--) {
        const ptrdiff_t e = ptrdiff_t(m.nx) * k;
        last = k + 1 < m.nz ? value[e] + factor[e] * last : value[e];
        a.v[at.here + e] = values.here(k) + damping * last;
    }
}

/* Zeros where there is no u. */
template <typename real> struct Nothing {
    __device__ real here(int) const { return 0; }
    __device__ Five<real> five(int) const { return {}; }
    __device__ real across(int, int, int) const { return 0; }
};

template <typename real> __global__ void long_kernel(const __grid_constant__ Smooth<real> a)
{
    const int i = blockIdx.x * LANES + threadIdx.x, j = a.y0 + blockIdx.y;
    if (i >= a.matrix.nx)
        return;
    const Column<real> at = column_of(a.matrix, i, j);
    const real damping = a.colour < 0 || (i + j) % 2 == a.colour ? a.damping : real(0);
    if (a.coarse)
        smooth_long(a, at, corrected_of(a, at, i, j), damping);
    else if (a.u)
        smooth_long(a, at, values_of(a, at), damping);
    else
        smooth_long(a, at, Nothing<real>(), damping);
}

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

template <typename real, int CELLS> void launch_held(const Smooth<real> &a, dim3 blocks, cudaStream_t stream)
{
    const dim3 threads(LANES, unsigned(blocks_of(size_t(a.matrix.nz), CELLS)));
    if (a.coarse)
        held_kernel<real, CELLS, CORRECTED><<<blocks, threads, 0, stream>>>(a);
    else if (a.u)
        held_kernel<real, CELLS, PLAIN><<<blocks, threads, 0, stream>>>(a);
    else
        held_kernel<real, CELLS, ZERO><<<blocks, threads, 0, stream>>>(a);
}

template <typename real> int smooth(const starfish_flat_smooth *from, cudaStream_t stream)
{
    const auto reals = [](const void *array) { return static_cast<const real *>(array); };
    if (from->y0 >= from->y1)
        return cudaSuccess;
    Smooth<real> a = {matrix_of<real>(from->matrix),
                      {},
                      int(from->y0),
                      from->columns == STARFISH_FLAT_ALL ? -1 : int(from->columns == STARFISH_FLAT_ODD),
                      real(from->damping),
                      reals(from->u),
                      reals(from->f),
                      reals(from->coarse),
                      static_cast<real *>(from->v),
                      static_cast<real *>(from->work)};
    for (int d = 0; d < 2 && a.coarse; d++)
        a.transfer[d] = transfer_of<real>(from->transfer[d]);
    const dim3 blocks(unsigned(blocks_of(from->matrix.n[0], LANES)), unsigned(from->y1 - from->y0));
    if (a.matrix.nz <= 16 * MOST_SEGMENTS)
        launch_held<real, 16>(a, blocks, stream);
    else if (a.matrix.nz <= 32 * MOST_SEGMENTS)
        launch_held<real, 32>(a, blocks, stream);
    else
        long_kernel<real><<<blocks, LANES, 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flat_smooth, smooth)
