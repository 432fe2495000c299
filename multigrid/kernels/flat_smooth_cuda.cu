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

constexpr int SHORT = 8, LONG = 16, MOST_RUNS = 16; /* layers of a thread; threads of a column, at most */
static_assert(LONG * MOST_RUNS == STARFISH_FLAT_MOST_HELD, "the longest columns are held by a block");

template <typename real> struct Smooth {
    Matrix<real> matrix;
    Transfer<real> transfer[2];
    int y0, colour; /* colour: 0 or 1 of i + j, or -1 */
    real damping;
    const real *u, *f, *coarse;
    real *v, *work;
    double *partial; /* per block: its part of the inner product of f and v; NULL: not wanted */
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

/* ---- A run of layers of a column --------------------------------------------------------------------------------- */

template <typename real> struct Layer {
    real mass, below, above; /* the sum of a row, and what couples it to the layers beside */
};

/* Rows beyond the top repeat it: nothing above couples it, so that they change nothing. */
template <typename real> __device__ Layer<real> layer_of(const Matrix<real> &m, const Column<real> &at, int layer)
{
    const int k = min(layer, m.nz - 1);
    return {at.mass * __ldg(m.a + k) + at.faces * __ldg(m.d + k), at.lift * __ldg(m.b + k), at.lift * __ldg(m.c + k)};
}

/* What a run and its neighbours tell each other, per column. */
enum Word { FIRST_VALUE, FIRST_ANSWER, FIRST_FACTOR, LAST_MASS, LAST_BELOW, LAST_ABOVE, LAST_VALUE, WORDS };

template <typename real> struct Hand {
    real *words; /* WORDS for each run */
    __device__ real &at(int run, int word) const { return words[(run * WORDS + word) * LANES + threadIdx.x]; }
};

/* Eliminates all layers of the run but the last one: value becomes y, factor g, and answer (strided by LANES) e. */
template <typename real, int CELLS>
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
template <typename real, int CELLS>
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

/* f - N w of a run; beyond the top that of the top. */
template <typename real, int CELLS, int START, bool SKEW>
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
template <typename real, int CELLS, int START>
__device__ double store(const Smooth<real> &a, const Column<real> &at, int i, int j, int k0, const real value[CELLS])
{
    const Matrix<real> &m = a.matrix;
    const real damping = a.colour < 0 || (i + j) % 2 == a.colour ? a.damping : real(0);
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
            if (a.partial)
                sum += double(__ldg(f + m.nx * s)) * double(result);
        }
    }
    return sum;
}

/* The block's sum, in the order of its threads. */
__device__ void store_partial(double value, double *partial)
{
    __shared__ double of_warp[MOST_RUNS];
    for (int step = 16; step > 0; step >>= 1)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    if (threadIdx.x == 0)
        of_warp[threadIdx.y] = value;
    __syncthreads();
    if (threadIdx.x != 0 || threadIdx.y != 0)
        return;
    double sum = 0;
    for (int w = 0; w < int(blockDim.y); w++)
        sum += of_warp[w];
    partial[size_t(blockIdx.x) + size_t(gridDim.x) * blockIdx.y] = sum;
}

template <typename real, int CELLS> size_t shared_bytes(int runs)
{
    return size_t(runs) * (WORDS + CELLS - 1) * LANES * sizeof(real);
}

template <typename real, int CELLS, int START, bool SKEW>
__global__ void __launch_bounds__(LANES *MOST_RUNS, CELLS == SHORT ? 2 : 1)
    held_kernel(const __grid_constant__ Smooth<real> a)
{
    extern __shared__ char shared[];
    const Matrix<real> &m = a.matrix;
    const int i = blockIdx.x * LANES + threadIdx.x, j = a.y0 + blockIdx.y, runs = blockDim.y;
    const int k0 = threadIdx.y * CELLS, column = min(i, m.nx - 1);
    const Hand<real> hand = {reinterpret_cast<real *>(shared)};
    real *const answer = hand.words + (runs * WORDS + threadIdx.y * (CELLS - 1)) * LANES + threadIdx.x;
    const Column<real> at = column_of(m, column, j);
    real value[CELLS] = {}, factor[CELLS - 1];

    load<real, CELLS, START, SKEW>(a, at, column, j, k0, value);
    eliminate<real, CELLS>(m, at, k0, hand, value, factor, answer);
    __syncthreads();
    if (threadIdx.y == 0)
        solve_last(hand, runs);
    __syncthreads();
    substitute<real, CELLS>(hand, value, factor, answer);
    const double sum = i < m.nx ? store<real, CELLS, START>(a, at, i, j, k0, value) : 0;
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
    const real damping = a.colour < 0 || (i + j) % 2 == a.colour ? a.damping : real(0);
    if (a.coarse)
        return smooth_long(a, at, corrected_of(a, at, i, j), damping);
    return a.u ? smooth_long(a, at, values_of(a, at), damping) : smooth_long(a, at, Nothing<real>(), damping);
}

template <typename real> __global__ void long_kernel(const __grid_constant__ Smooth<real> a)
{
    const int i = blockIdx.x * LANES + threadIdx.x;
    const double sum = i < a.matrix.nx ? smooth_long(a, i, a.y0 + int(blockIdx.y)) : 0;
    if (a.partial)
        store_partial(sum, a.partial);
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

template <typename real, int CELLS, int START, bool SKEW>
int launch_held(const Smooth<real> &a, dim3 blocks, cudaStream_t stream)
{
    const int runs = blocks_of(size_t(a.matrix.nz), CELLS);
    const auto kernel = held_kernel<real, CELLS, START, SKEW>;
    const int error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           int(shared_bytes<real, CELLS>(MOST_RUNS)));
    if (error != cudaSuccess)
        return error;
    kernel<<<blocks, dim3(LANES, unsigned(runs)), shared_bytes<real, CELLS>(runs), stream>>>(a);
    return cudaGetLastError();
}

/* Short runs leave the registers for twice as many warps, where a thread needs few besides. */
template <typename real, int START, bool SKEW> int launch_start(const Smooth<real> &a, dim3 blocks, cudaStream_t stream)
{
    if constexpr (sizeof(real) == sizeof(double) && START != CORRECTED)
        if (a.matrix.nz <= SHORT * MOST_RUNS)
            return launch_held<real, SHORT, START, SKEW>(a, blocks, stream);
    return launch_held<real, LONG, START, SKEW>(a, blocks, stream);
}

template <typename real, bool SKEW> int launch(const Smooth<real> &a, dim3 blocks, cudaStream_t stream)
{
    if (a.coarse)
        return launch_start<real, CORRECTED, SKEW>(a, blocks, stream);
    if (a.u)
        return launch_start<real, PLAIN, SKEW>(a, blocks, stream);
    return launch_start<real, ZERO, false>(a, blocks, stream);
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
                      static_cast<real *>(from->work),
                      nullptr};
    for (int d = 0; d < 2 && a.coarse; d++)
        a.transfer[d] = transfer_of<real>(from->transfer[d]);
    const dim3 blocks(unsigned(blocks_of(from->matrix.n[0], LANES)), unsigned(from->y1 - from->y0));
    const size_t count = size_t(blocks.x) * blocks.y;
    if (from->sums)
        a.partial =
            reinterpret_cast<double *>(static_cast<char *>(from->work) + long_bytes(&from->matrix, sizeof(real)));
    int error = cudaSuccess;
    if (a.matrix.nz <= STARFISH_FLAT_MOST_HELD) {
        error = a.matrix.corner ? launch<real, true>(a, blocks, stream) : launch<real, false>(a, blocks, stream);
    } else {
        long_kernel<real><<<blocks, LANES, 0, stream>>>(a);
        error = cudaGetLastError();
    }
    if (!from->sums || error != cudaSuccess)
        return error;
    add_kernel<<<STARFISH_SUMS / 256, 256, 0, stream>>>(a.partial, count, from->sums);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flat_smooth, smooth)
