/* The line smoother of flat domains on the GPU.
 *
 * Words per unknown that must move: 3, of which the coarse correction adds a quarter; H200 at 4.2 TB/s, 512 x 512 x
 * 128, f64: 192 us. With w = u + P coarse, M the lines and N what couples them, a sweep is
 *     v = w + damping * M^-1 (f - A w) = (1 - damping) w + damping * M^-1 (f - N w),
 * which needs no values of the column itself before its lines are solved, and of the coarse grid 9 values per layer.
 *
 * Lines are substructured: a block has 32 columns, a thread CELLS layers of one. It eliminates all but the last of its
 * layers, warp 0 solves for those last ones, and each thread substitutes. Pivots are sums of numbers of one sign, so
 * that stiff lines lose no digits: where m_k is a row's sum, and layer k of a run is found to be
 *     u_k = y_k + (1 - e_k - g_k) u_left + g_k u_(k+1),
 * the pivot is c_k + s_k with s_k = m_k + b_k (1 - g_(k-1)), and 1 - g_k = s_k / pivot; e is the run's answer to the
 * row sums as y is to the right-hand side. y and g are in registers, e in shared memory, 8 or 4 bytes per unknown.
 *
 * Columns of more than STARFISH_FLAT_MOST_HELD layers are eliminated by a thread each, with factors and values in work
 * space: 7 words. */
#include "multigrid/kernels/flat_patch.cuh"

#include "base/cuda_entries.h"

namespace
{

using namespace flat;

constexpr int CELLS = 16, MOST_RUNS = 16;
static_assert(CELLS * MOST_RUNS == STARFISH_FLAT_MOST_HELD, "the longest columns are held by a block");

template <typename real> struct Smooth {
    Matrix<real> matrix;
    Transfer<real> transfer[2];
    int y0, colour; /* colour: 0 or 1 of i + j, or -1 */
    real damping;
    const real *u, *f, *coarse;
    real *v, *work;
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

template <typename real> __device__ real diagonal(const Matrix<real> &m, const Column<real> &at, int k)
{
    return at.mass * m.a[k] + at.lift * (m.b[k] + m.c[k]) + m.d[k] * at.faces;
}

/* ---- The columns beside ------------------------------------------------------------------------------------------ */

/* What couples a column to those beside it, and where they begin; a coupling of 0 where there is none. */
template <typename real, bool SKEW> struct Beside {
    real coupling[4], corner[4]; /* west, east, south, north; south-west, south-east, north-west, north-east */
    const real *from[4];

    __device__ Beside(const Smooth<real> &a, const Column<real> &at)
    {
        const ptrdiff_t start[4] = {at.west, at.east, at.south, at.north};
        const real couplings[4] = {at.left, at.right, at.low, at.high};
#pragma unroll
        for (int side = 0; side < 4; side++) {
            coupling[side] = start[side] < 0 ? real(0) : couplings[side];
            from[side] = a.u + (start[side] < 0 ? at.here : start[side]);
            corner[side] = SKEW ? corner_of(a.matrix, at.corner, side % 2, side / 2) : real(0);
        }
    }
    /* What they add to layer `offset` of the column, but for the layer's factor. */
    __device__ real sum(ptrdiff_t offset) const
    {
        real result = coupling[0] * __ldg(from[0] + offset) + coupling[1] * __ldg(from[1] + offset);
        result += coupling[2] * __ldg(from[2] + offset) + coupling[3] * __ldg(from[3] + offset);
        if (SKEW) {
#pragma unroll
            for (int side = 0; side < 4; side++)
                if (corner[side] != real(0))
                    result += corner[side] * __ldg(from[2 + side / 2] + offset + (side % 2 ? 1 : -1));
        }
        return result;
    }
};

/* The same of a coarse correction: 3 x 3 coarse columns, weighed. */
template <typename real, bool SKEW> struct Patch {
    const real *from[3]; /* its rows, layer 0, column 0 */
    int index[3];
    real weight[3][3];

    __device__ Patch(const Smooth<real> &a, const Beside<real, SKEW> &beside, int i, int j)
    {
        const Around<real> x = around(a.transfer[0], i), y = around(a.transfer[1], j);
        const size_t row = size_t(a.transfer[0].coarse) * size_t(a.matrix.nz);
#pragma unroll
        for (int r = 0; r < 3; r++) {
            from[r] = a.coarse + row * y.index[r];
            index[r] = x.index[r];
#pragma unroll
            for (int c = 0; c < 3; c++) {
                weight[r][c] =
                    y.weight[1][r] * (beside.coupling[0] * x.weight[0][c] + beside.coupling[1] * x.weight[2][c]) +
                    x.weight[1][c] * (beside.coupling[2] * y.weight[0][r] + beside.coupling[3] * y.weight[2][r]);
#pragma unroll
                for (int side = 0; side < 4 && SKEW; side++)
                    weight[r][c] += beside.corner[side] * y.weight[side / 2 * 2][r] * x.weight[side % 2 * 2][c];
            }
        }
    }
    __device__ real sum(ptrdiff_t offset) const
    {
        real result = 0;
#pragma unroll
        for (int r = 0; r < 3; r++)
#pragma unroll
            for (int c = 0; c < 3; c++)
                result += weight[r][c] * __ldg(from[r] + offset + index[c]);
        return result;
    }
};

/* ---- A run of layers of a column --------------------------------------------------------------------------------- */

template <typename real> struct Layer {
    real mass, below, above; /* the sum of a row, and what couples it to the layers beside */
};

/* Beyond the top rows are those of a unit matrix. */
template <typename real> __device__ Layer<real> layer_of(const Matrix<real> &m, const Column<real> &at, int k)
{
    if (k >= m.nz)
        return {real(1), real(0), real(0)};
    return {at.mass * __ldg(m.a + k) + at.faces * __ldg(m.d + k), at.lift * __ldg(m.b + k), at.lift * __ldg(m.c + k)};
}

/* What a run and its neighbours tell each other, per column. */
enum Word { FIRST_VALUE, FIRST_ANSWER, FIRST_FACTOR, LAST_MASS, LAST_BELOW, LAST_ABOVE, LAST_VALUE, WORDS };

template <typename real> struct Hand {
    real *words; /* WORDS for each run */
    __device__ real &at(int run, int word) const { return words[(run * WORDS + word) * LANES + threadIdx.x]; }
};

/* Eliminates all layers of the run but the last one: value becomes y, factor g, and answer (strided by LANES) e. */
template <typename real>
__device__ void eliminate(const Matrix<real> &m, const Column<real> &at, int k0, const Hand<real> &hand,
                          real value[CELLS], real factor[CELLS - 1], real *answer)
{
    const int run = threadIdx.y;
    real y = 0, e = 0, rest = 1; /* rest: 1 - g */

#pragma unroll
    for (int s = 0; s < CELLS - 1; s++) {
        const Layer<real> layer = layer_of(m, at, k0 + s);
        const real sum = layer.mass + layer.below * rest, pivot = inverse(layer.above + sum);
        y = pivot * (value[s] + layer.below * y);
        e = pivot * (layer.mass + layer.below * e);
        rest = sum * pivot;
        value[s] = y;
        factor[s] = layer.above * pivot;
        answer[s * LANES] = e;
    }
    const Layer<real> last = layer_of(m, at, k0 + CELLS - 1);
    hand.at(run, LAST_MASS) = last.mass + last.below * e;
    hand.at(run, LAST_BELOW) = last.below * (rest - e);
    hand.at(run, LAST_ABOVE) = last.above;
    hand.at(run, LAST_VALUE) = value[CELLS - 1] + last.below * y;
    real g = factor[CELLS - 2];
#pragma unroll
    for (int s = CELLS - 3; s >= 0; s--) {
        y = value[s] + factor[s] * y;
        e = answer[s * LANES] + factor[s] * e;
        g *= factor[s];
    }
    hand.at(run, FIRST_VALUE) = y;
    hand.at(run, FIRST_ANSWER) = e;
    hand.at(run, FIRST_FACTOR) = g;
}

/* Solves for the last layers of all runs, which replace LAST_VALUE. */
template <typename real> __device__ void solve_last(const Hand<real> &hand, int runs)
{
    real y = 0, rest = 0;

    for (int run = 0; run < runs; run++) {
        const bool top = run + 1 == runs;
        const real above = hand.at(run, LAST_ABOVE), below = hand.at(run, LAST_BELOW);
        const real up = top ? real(0) : above * hand.at(run + 1, FIRST_FACTOR);
        const real mass = hand.at(run, LAST_MASS) + (top ? real(0) : above * hand.at(run + 1, FIRST_ANSWER));
        const real rhs = hand.at(run, LAST_VALUE) + (top ? real(0) : above * hand.at(run + 1, FIRST_VALUE));
        const real sum = mass + below * rest, pivot = inverse(up + sum);
        y = pivot * (rhs + below * y);
        rest = sum * pivot;
        hand.at(run, LAST_VALUE) = y;
        hand.at(run, LAST_ABOVE) = up * pivot;
    }
    for (int run = runs - 2; run >= 0; run--) {
        y = hand.at(run, LAST_VALUE) + hand.at(run, LAST_ABOVE) * y;
        hand.at(run, LAST_VALUE) = y;
    }
}

/* value becomes the solution. */
template <typename real>
__device__ void substitute(const Hand<real> &hand, real value[CELLS], const real factor[CELLS - 1], const real *answer)
{
    const int run = threadIdx.y;
    const real left = run > 0 ? hand.at(run - 1, LAST_VALUE) : real(0), right = hand.at(run, LAST_VALUE);
    real above = right - left;

    value[CELLS - 1] = right;
#pragma unroll
    for (int s = CELLS - 2; s >= 0; s--) {
        above = value[s] - answer[s * LANES] * left + factor[s] * above;
        value[s] = above + left;
    }
}

/* ---- Columns in registers ---------------------------------------------------------------------------------------- */

/* f - N w of a run; beyond the top 0. */
template <typename real, int START, bool SKEW>
__device__ void load(const Smooth<real> &a, const Column<real> &at, int i, int j, int k0, real value[CELLS])
{
    const Matrix<real> &m = a.matrix;
    const Beside<real, SKEW> beside(a, at);

    if constexpr (START == CORRECTED) {
        const Patch<real, SKEW> patch(a, beside, i, j);
#pragma unroll
        for (int s = 0; s < CELLS; s++) {
            const int k = k0 + s;
            if (k < m.nz) {
                const ptrdiff_t e = ptrdiff_t(m.nx) * k;
                const real sum = patch.sum(ptrdiff_t(a.transfer[0].coarse) * k) + (a.u ? beside.sum(e) : real(0));
                value[s] = __ldcs(a.f + at.here + e) + __ldg(m.d + k) * sum;
            }
        }
    } else {
#pragma unroll
        for (int s = 0; s < CELLS; s++) {
            const int k = k0 + s;
            if (k < m.nz) {
                const ptrdiff_t e = ptrdiff_t(m.nx) * k;
                value[s] = __ldcs(a.f + at.here + e) + (START == PLAIN ? __ldg(m.d + k) * beside.sum(e) : real(0));
            }
        }
    }
}

/* P coarse in column (i,j). */
template <typename real> struct Interpolated {
    const real *from[4];
    real weight[4];

    __device__ Interpolated(const Smooth<real> &a, int i, int j)
    {
        const Terms<real> x = terms_of(a.transfer[0], i), y = terms_of(a.transfer[1], j);
        const size_t row = size_t(a.transfer[0].coarse) * size_t(a.matrix.nz);
#pragma unroll
        for (int s = 0; s < 4; s++) {
            from[s] = a.coarse + row * y.index[s / 2] + x.index[s % 2];
            weight[s] = x.weight[s % 2] * y.weight[s / 2];
        }
    }
    __device__ real at(ptrdiff_t offset) const
    {
        return weight[0] * __ldg(from[0] + offset) + weight[1] * __ldg(from[1] + offset) +
               weight[2] * __ldg(from[2] + offset) + weight[3] * __ldg(from[3] + offset);
    }
};

template <typename real, int START>
__device__ void store(const Smooth<real> &a, const Column<real> &at, int i, int j, int k0, const real value[CELLS])
{
    const Matrix<real> &m = a.matrix;
    const real damping = a.colour < 0 || (i + j) % 2 == a.colour ? a.damping : real(0);
    const real *const u = a.u + at.here;
    real *const v = a.v + at.here;

    if constexpr (START == CORRECTED) {
        const Interpolated<real> correction(a, i, j);
#pragma unroll
        for (int s = 0; s < CELLS; s++) {
            const int k = k0 + s;
            if (k < m.nz) {
                const ptrdiff_t e = ptrdiff_t(m.nx) * k;
                const real w = (a.u ? __ldg(u + e) : real(0)) + correction.at(ptrdiff_t(a.transfer[0].coarse) * k);
                v[e] = w + damping * (value[s] - w);
            }
        }
    } else {
#pragma unroll
        for (int s = 0; s < CELLS; s++) {
            const ptrdiff_t e = ptrdiff_t(m.nx) * (k0 + s);
            if (k0 + s < m.nz) {
                const real w = START == PLAIN ? __ldg(u + e) : real(0);
                v[e] = w + damping * (value[s] - w);
            }
        }
    }
}

template <typename real> size_t shared_bytes(int runs)
{
    return size_t(runs) * (WORDS + CELLS - 1) * LANES * sizeof(real);
}

template <typename real, int START, bool SKEW>
__global__ void __launch_bounds__(LANES *MOST_RUNS) held_kernel(const __grid_constant__ Smooth<real> a)
{
    extern __shared__ char shared[];
    const Matrix<real> &m = a.matrix;
    const int i = blockIdx.x * LANES + threadIdx.x, j = a.y0 + blockIdx.y, runs = blockDim.y;
    const int k0 = threadIdx.y * CELLS, column = min(i, m.nx - 1);
    const Hand<real> hand = {reinterpret_cast<real *>(shared)};
    real *const answer = hand.words + (runs * WORDS + threadIdx.y * (CELLS - 1)) * LANES + threadIdx.x;
    const Column<real> at = column_of(m, column, j);
    real value[CELLS] = {}, factor[CELLS - 1];

    load<real, START, SKEW>(a, at, column, j, k0, value);
    eliminate<real>(m, at, k0, hand, value, factor, answer);
    __syncthreads();
    if (threadIdx.y == 0)
        solve_last(hand, runs);
    __syncthreads();
    substitute<real>(hand, value, factor, answer);
    if (i < m.nx)
        store<real, START>(a, at, i, j, k0, value);
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

template <typename real, int START, bool SKEW> int launch_held(const Smooth<real> &a, dim3 blocks, cudaStream_t stream)
{
    const int runs = blocks_of(size_t(a.matrix.nz), CELLS);
    const size_t bytes = shared_bytes<real>(runs);
    const int error = cudaFuncSetAttribute(held_kernel<real, START, SKEW>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           int(shared_bytes<real>(MOST_RUNS)));
    if (error != cudaSuccess)
        return error;
    held_kernel<real, START, SKEW><<<blocks, dim3(LANES, unsigned(runs)), bytes, stream>>>(a);
    return cudaGetLastError();
}

template <typename real, bool SKEW> int launch(const Smooth<real> &a, dim3 blocks, cudaStream_t stream)
{
    if (a.coarse)
        return launch_held<real, CORRECTED, SKEW>(a, blocks, stream);
    if (a.u)
        return launch_held<real, PLAIN, SKEW>(a, blocks, stream);
    return launch_held<real, ZERO, false>(a, blocks, stream);
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
    if (a.matrix.nz <= STARFISH_FLAT_MOST_HELD)
        return a.matrix.corner ? launch<real, true>(a, blocks, stream) : launch<real, false>(a, blocks, stream);
    long_kernel<real><<<blocks, LANES, 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flat_smooth, smooth)
