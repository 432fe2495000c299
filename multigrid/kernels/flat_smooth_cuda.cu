/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The line smoother of flat domains on the GPU.
 *
 * With w = u + P coarse, M the lines and N what couples them, a sweep is
 *     v = w + damping * M^-1 (f - A w) = (1 - damping) w + damping * M^-1 (f - N w),
 * which needs no values of the column itself before its lines are solved. Words per unknown that must move: 3, of which
 * the coarse correction adds a quarter.
 *
 * Columns of MOST_WALKED layers at most are solved by blocks that walk along y (flat_walk.cuh). Those of up to
 * STARFISH_FLAT_MOST_HELD layers are solved by a block for each row of 32 of them, which reads u of the rows beside
 * too, and of the coarse grid 9 values per layer. Longer ones are eliminated by a thread each, with factors and values
 * in work space: 7 words. */
#include "multigrid/kernels/flat_walk.cuh"

#include "base/cuda_entries.h"

#include <cstdint>

namespace
{

using namespace flat;

constexpr int CELLS = 16; /* layers of a thread that holds them */
static_assert(CELLS * MOST_RUNS == STARFISH_FLAT_MOST_HELD, "the longest columns are held by a block");

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

template <typename real> __device__ real diagonal(const Matrix<real> &m, const Column<real> &at, int k)
{
    return at.mass * m.a[k] + at.lift * (m.b[k] + m.c[k]) + m.d[k] * at.faces;
}

/* ---- The columns beside ------------------------------------------------------------------------------------------ */

/* What couples a column to those beside it, and where these begin in layer k0; where there is none the coupling is 0,
 * and the column itself is read. Without u all are 0, and f is read. */
template <typename real, bool SKEW> struct Beside {
    real coupling[4], corner[4]; /* west, east, south, north; south-west, south-east, north-west, north-east */
    const real *from[4];
    int aside[4]; /* from the column in the south or north to the one across a corner */

    __device__ Beside(const Smooth<real> &a, const Column<real> &at, int k0)
    {
        const ptrdiff_t start[4] = {at.west, at.east, at.south, at.north};
        const real couplings[4] = {at.left, at.right, at.low, at.high};
#pragma unroll
        for (int side = 0; side < 4; side++) {
            coupling[side] = start[side] < 0 || !a.u ? real(0) : couplings[side];
            from[side] = (a.u ? a.u : a.f) + (start[side] < 0 ? at.here : start[side]) + ptrdiff_t(a.matrix.nx) * k0;
            corner[side] = SKEW && a.u ? corner_of(a.matrix, at.corner, side % 2, side / 2) : real(0);
            aside[side] = corner[side] == real(0) ? 0 : side % 2 ? 1 : -1;
        }
    }
    /* What they add to the layer `offset` from k0, but for the layer's factor. */
    __device__ real sum(int offset) const
    {
        real result = coupling[0] * __ldg(from[0] + offset) + coupling[1] * __ldg(from[1] + offset);
        result += coupling[2] * __ldg(from[2] + offset) + coupling[3] * __ldg(from[3] + offset);
        if (SKEW) {
#pragma unroll
            for (int side = 0; side < 4; side++)
                result += corner[side] * __ldg(from[2 + side / 2] + (offset + aside[side]));
        }
        return result;
    }
};

/* The same of a coarse correction: 3 x 3 coarse columns, weighed. */
template <typename real> struct Patch {
    const real *from[3]; /* its rows, layer k0, column 0 */
    int index[3];
    real weight[3][3];

    template <bool SKEW>
    __device__ Patch(const Smooth<real> &a, const Beside<real, SKEW> &, const Column<real> &at, int i, int j, int k0)
    {
        const Around<real> x = around(a.transfer[0], i), y = around(a.transfer[1], j);
        const real left = at.west < 0 ? real(0) : at.left, right = at.east < 0 ? real(0) : at.right;
        const real low = at.south < 0 ? real(0) : at.low, high = at.north < 0 ? real(0) : at.high;
#pragma unroll
        for (int r = 0; r < 3; r++) {
            from[r] = a.coarse + ptrdiff_t(a.transfer[0].coarse) * (ptrdiff_t(a.matrix.nz) * y.index[r] + k0);
            index[r] = x.index[r];
#pragma unroll
            for (int c = 0; c < 3; c++) {
                weight[r][c] = y.weight[1][r] * (left * x.weight[0][c] + right * x.weight[2][c]) +
                               x.weight[1][c] * (low * y.weight[0][r] + high * y.weight[2][r]);
#pragma unroll
                for (int side = 0; side < 4 && SKEW; side++)
                    weight[r][c] += corner_of(a.matrix, at.corner, side % 2, side / 2) * y.weight[side / 2 * 2][r] *
                                    x.weight[side % 2 * 2][c];
            }
        }
    }
    __device__ real sum(int offset) const
    {
        real result = 0;
#pragma unroll
        for (int r = 0; r < 3; r++)
#pragma unroll
            for (int c = 0; c < 3; c++)
                result += weight[r][c] * __ldg(from[r] + (offset + index[c]));
        return result;
    }
};

/* ---- Columns in registers ---------------------------------------------------------------------------------------- */

/* f - N w of a run; beyond the top that of the top. */
template <typename real, int START, bool SKEW>
__device__ void load(const Smooth<real> &a, const Column<real> &at, int i, int j, int k0, real value[CELLS])
{
    const Matrix<real> &m = a.matrix;
    const int first = min(k0, m.nz - 1), most = m.nz - 1 - first;
    const real *const f = a.f + at.here + ptrdiff_t(m.nx) * first, *const d = m.d + first;

    if constexpr (START == ZERO) {
#pragma unroll
        for (int s = 0; s < CELLS; s++)
            value[s] = __ldg(f + m.nx * min(s, most));
    } else if constexpr (START == PLAIN) {
        const Beside<real, SKEW> beside(a, at, first);
#pragma unroll
        for (int s = 0; s < CELLS; s++) {
            const int k = min(s, most), e = m.nx * k;
            value[s] = __ldcs(f + e) + __ldg(d + k) * beside.sum(e);
        }
    } else {
        const Beside<real, SKEW> beside(a, at, first);
        const Patch<real> patch(a, beside, at, i, j, first);
#pragma unroll
        for (int s = 0; s < CELLS; s++) {
            const int k = min(s, most), e = m.nx * k;
            value[s] = __ldcs(f + e) + __ldg(d + k) * (beside.sum(e) + patch.sum(a.transfer[0].coarse * k));
        }
    }
}

/* P coarse in column (i,j), from layer k0 on. */
template <typename real> struct Interpolated {
    const real *from[2];
    int index[2];
    real weight[4];

    __device__ Interpolated(const Smooth<real> &a, int i, int j, int k0)
    {
        const Terms<real> x = terms_of(a.transfer[0], i), y = terms_of(a.transfer[1], j);
#pragma unroll
        for (int s = 0; s < 4; s++)
            weight[s] = x.weight[s % 2] * y.weight[s / 2];
#pragma unroll
        for (int s = 0; s < 2; s++) {
            from[s] = a.coarse + ptrdiff_t(a.transfer[0].coarse) * (ptrdiff_t(a.matrix.nz) * y.index[s] + k0);
            index[s] = x.index[s];
        }
    }
    __device__ real at(int offset) const
    {
        return weight[0] * __ldg(from[0] + (offset + index[0])) + weight[1] * __ldg(from[0] + (offset + index[1])) +
               weight[2] * __ldg(from[1] + (offset + index[0])) + weight[3] * __ldg(from[1] + (offset + index[1]));
    }
};

/* Stores v of a run; its inner product with f. */
template <typename real, int START>
__device__ double store(const Smooth<real> &a, const Column<real> &at, int i, int j, int k0, const real value[CELLS])
{
    const Matrix<real> &m = a.matrix;
    const real damping = a.damping_of(i, j);
    const int first = min(k0, m.nz - 1), most = m.nz - 1 - first;
    const ptrdiff_t start = at.here + ptrdiff_t(m.nx) * first;
    const real *const u = (a.u ? a.u : a.f) + start, *const f = a.f + start, own = a.u ? 1 : 0;
    real *const v = a.v + start;
    real w[CELLS] = {};
    double sum = 0;

    if constexpr (START == PLAIN) {
#pragma unroll
        for (int s = 0; s < CELLS; s++)
            w[s] = __ldg(u + m.nx * min(s, most));
    } else if constexpr (START == CORRECTED) {
        const Interpolated<real> correction(a, i, j, first);
#pragma unroll
        for (int s = 0; s < CELLS; s++) {
            const int k = min(s, most);
            w[s] = own * __ldg(u + m.nx * k) + correction.at(a.transfer[0].coarse * k);
        }
    }
#pragma unroll
    for (int s = 0; s < CELLS; s++) {
        const real result = w[s] + damping * (value[s] - w[s]);
        if (k0 + s < m.nz) {
            v[m.nx * s] = result;
            if (a.partial && m.counts(i))
                sum += double(__ldg(f + m.nx * s)) * double(result);
        }
    }
    return sum;
}

/* A run's answers are in shared memory, LANES apart. */
template <typename real> struct Answers {
    real *first;
    __device__ real &operator[](int s) const { return first[s * LANES]; }
};

template <typename real> size_t held_bytes(int runs)
{
    return exchange_bytes<real, LANES> + size_t(runs) * (CELLS - 1) * LANES * sizeof(real);
}

template <typename real, int START, bool SKEW>
__global__ void __launch_bounds__(LANES *MOST_RUNS) held_kernel(const __grid_constant__ Smooth<real> a)
{
    extern __shared__ char shared[];
    const Matrix<real> &m = a.matrix;
    const int i = blockIdx.x * LANES + threadIdx.x, j = a.y0 + blockIdx.y;
    const int k0 = threadIdx.y * CELLS, column = min(i, m.nx - 1);
    Exchange<real, LANES> exchange = {reinterpret_cast<real *>(shared), 0};
    const Answers<real> answers = {reinterpret_cast<real *>(shared + exchange_bytes<real, LANES>) +
                                   threadIdx.y * (CELLS - 1) * LANES + threadIdx.x};
    const Column<real> at = column_of(m, column, j);
    real value[CELLS] = {};

    /* Rows beyond the top repeat it: nothing above couples it, so that they change nothing. */
    const auto layer = [&](int s) {
        const int k = min(k0 + s, m.nz - 1);
        return Layer<real>{at.mass * __ldg(m.a + k) + at.faces * __ldg(m.d + k), at.lift * __ldg(m.b + k),
                           at.lift * __ldg(m.c + k)};
    };
    load<real, START, SKEW>(a, at, column, j, k0, value);
    solve_lines<real, CELLS>(exchange, layer, value, answers);
    const double sum = i < m.nx ? store<real, START>(a, at, i, j, k0, value) : 0;
    if (a.partial)
        store_partial(sum, a.partial);
}

/* ---- Long columns ------------------------------------------------------------------------------------------------ */

template <typename real, typename Values>
__device__ double smooth_long(const Smooth<real> &a, const Column<real> &at, const Values &values, real damping)
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
    double sum = 0;
    for (int k = m.nz - 1; k >= 0; k--) {
        const ptrdiff_t e = ptrdiff_t(m.nx) * k;
        last = k + 1 < m.nz ? value[e] + factor[e] * last : value[e];
        const real result = values.here(k) + damping * last;
        a.v[at.here + e] = result;
        if (a.partial)
            sum += double(__ldg(a.f + at.here + e)) * double(result);
    }
    return sum;
}

/* Zeros where there is no u. */
template <typename real> struct Nothing {
    __device__ real here(int) const { return 0; }
    __device__ Five<real> five(int) const { return {}; }
    __device__ real across(int, int, int) const { return 0; }
};

template <typename real> __device__ double smooth_long(const Smooth<real> &a, int i, int j)
{
    const Column<real> at = column_of(a.matrix, i, j);
    const real damping = a.damping_of(i, j);
    if (a.coarse)
        return smooth_long(a, at, corrected_of(a, at, i, j), damping);
    return a.u ? smooth_long(a, at, values_of(a, at), damping) : smooth_long(a, at, Nothing<real>(), damping);
}

template <typename real> __global__ void long_kernel(const __grid_constant__ Smooth<real> a)
{
    const int i = blockIdx.x * LANES + threadIdx.x;
    const double sum = i < a.matrix.nx ? smooth_long(a, i, a.y0 + int(blockIdx.y)) : 0;
    if (a.partial)
        store_partial(a.matrix.counts(i) ? sum : 0, a.partial);
}

/* ---- The inner product ------------------------------------------------------------------------------------------- */

__global__ void add_kernel(const double *partial, size_t count, double *sums)
{
    const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    double sum = 0;
    for (size_t b = first; b < count; b += STARFISH_SUMS)
        sum += partial[b];
    sums[first] = sum;
}

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

template <typename real, int START, bool SKEW> int launch_held(const Smooth<real> &a, dim3 *blocks, cudaStream_t stream)
{
    const int runs = blocks_of(size_t(a.matrix.nz), CELLS);
    const auto kernel = held_kernel<real, START, SKEW>;
    const int error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(held_bytes<real>(MOST_RUNS)));
    if (error != cudaSuccess)
        return error;
    kernel<<<*blocks, dim3(LANES, unsigned(runs)), held_bytes<real>(runs), stream>>>(a);
    return cudaGetLastError();
}

template <typename real, int START, bool SKEW>
int launch_start(const Smooth<real> &a, dim3 *blocks, cudaStream_t stream)
{
    return a.matrix.nz <= MOST_WALKED ? launch_walk<real, START, SKEW>(a, blocks, stream)
                                      : launch_held<real, START, SKEW>(a, blocks, stream);
}

/* *blocks: of a row of 32 columns each; set to those that were launched. */
template <typename real, bool SKEW> int launch(const Smooth<real> &a, dim3 *blocks, cudaStream_t stream)
{
    if (a.coarse)
        return launch_start<real, CORRECTED, SKEW>(a, blocks, stream);
    if (a.u)
        return launch_start<real, PLAIN, SKEW>(a, blocks, stream);
    return launch_start<real, ZERO, SKEW>(a, blocks, stream);
}

template <typename real> int smooth(const starfish_flat_smooth *from, cudaStream_t stream)
{
    const auto reals = [](const void *array) { return static_cast<const real *>(array); };
    if (from->y0 >= from->y1)
        return cudaSuccess;
    Smooth<real> a = {matrix_of<real>(from->matrix),
                      {},
                      int(from->y0),
                      int(from->y1),
                      from->columns == STARFISH_FLAT_ALL ? -1 : int(from->columns == STARFISH_FLAT_ODD),
                      real(from->damping),
                      reals(from->u),
                      reals(from->f),
                      reals(from->coarse),
                      static_cast<real *>(from->v),
                      static_cast<real *>(from->work),
                      nullptr,
                      false,
                      false};
    const auto is_aligned = [](const void *array) { return reinterpret_cast<uintptr_t>(array) % 16 == 0; };
    a.wide = from->matrix.n[0] % COLUMNS<real> == 0 && is_aligned(a.u) && is_aligned(a.f);
    for (int d = 0; d < 2 && a.coarse; d++)
        a.transfer[d] = transfer_of<real>(from->transfer[d]);
    a.wide_coarse = a.wide && a.transfer[0].fine == 2 * a.transfer[0].coarse;
    dim3 blocks(unsigned(blocks_of(from->matrix.n[0], LANES)), unsigned(from->y1 - from->y0));
    if (from->sums)
        a.partial =
            reinterpret_cast<double *>(static_cast<char *>(from->work) + long_bytes(&from->matrix, sizeof(real)));
    int error = cudaSuccess;
    if (a.matrix.nz <= STARFISH_FLAT_MOST_HELD) {
        error = a.matrix.corner ? launch<real, true>(a, &blocks, stream) : launch<real, false>(a, &blocks, stream);
    } else {
        long_kernel<real><<<blocks, LANES, 0, stream>>>(a);
        error = cudaGetLastError();
    }
    if (!from->sums || error != cudaSuccess)
        return error;
    add_kernel<<<STARFISH_SUMS / 256, 256, 0, stream>>>(a.partial, size_t(blocks.x) * blocks.y, from->sums);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flat_smooth, smooth)
