/* Sweeps of flat domains by blocks that walk along y, so that each value is read from beyond the block once.
 *
 * A block has COLUMNS columns in x of at most MOST_WALKED layers, whole, and solves one row of them after the
 * other. In shared memory it has a ring of three rows of w = u + P coarse, with the columns beside them (of those a
 * warp needs no more than what itself has fetched), and two rows of f; while a row is solved, what the next one needs
 * is on its way (cp.async). A coarse correction is added once to each value, when that has come.
 *
 * Words per unknown: 2 from zero, 3, and 3.25 with a correction, and of the ends of walks 2 rows in each. H200 at 4.2
 * TB/s, 512 x 512 x 128, f64: 128, 192 and 208 us. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_WALK_CUH
#define STARFISH_MULTIGRID_KERNELS_FLAT_WALK_CUH

#include "krylov/kernels/multiprocessors.cuh"
#include "multigrid/kernels/flat_lines.cuh"

#include <algorithm>
#include <cuda_pipeline.h>

namespace flat
{

constexpr int RING = 3;                         /* rows of w */
constexpr int WALKED = 8;                       /* layers of a thread */
constexpr int MOST_WALKED = WALKED * MOST_RUNS; /* layers of a column */

/* Columns of a block: so many that two blocks share a multiprocessor, of which one computes while the other waits. */
template <typename real> constexpr int COLUMNS = sizeof(real) == 4 ? LANES : LEAST_COLUMNS;
template <typename real> constexpr int WIDTH = COLUMNS<real> + 2;

template <typename real> struct alignas(2 * sizeof(real)) Numbers {
    real a, b, c, d;
};

template <typename real, int START> size_t walk_bytes(int runs)
{
    const size_t layers = size_t(runs) * WALKED, lines = (START == ZERO ? 0 : RING * WIDTH<real>)+2 * COLUMNS<real>;
    return layers * (sizeof(Numbers<real>) + lines * sizeof(real)) + exchange_bytes<real, COLUMNS<real>>;
}

constexpr int UNROLLED = 4; /* layers whose coarse values are on their way together */

/* Couplings of which those to columns that are not there are 0, but not in their sum `faces`. */
template <typename real, bool SKEW> struct Inner : Couplings<real, SKEW> {
    real faces;

    __device__ Inner(const Matrix<real> &m, int i, int j) : Couplings<real, SKEW>(m, i, j)
    {
        faces = this->west + this->east + this->south + this->north;
#pragma unroll
        for (int side = 0; side < 4 && SKEW; side++)
            faces += this->corner[side];
        this->west = i > 0 || m.periodic_x ? this->west : real(0);
        this->east = i + 1 < m.nx || m.periodic_x ? this->east : real(0);
        this->south = j > 0 || m.periodic_y ? this->south : real(0);
        this->north = j + 1 < m.ny || m.periodic_y ? this->north : real(0);
    }
};

/* A thread's place: the column that it reads, and at the ends of a line of the block the column beside; layers k0 .. k0
 * + WALKED - 1, those beyond the top being that. */
template <typename real, int START> struct Walker {
    const Smooth<real> &a;
    int k0, column, beside, border; /* border: its place in the ring, negative: the thread has none */
    int start, steps;               /* of layer k0 in a row; how many layers are above it */
    int row, f_row;                 /* elements of a row of the ring, and of f */
    real *ring, *f;                 /* layer k0 of the first row: the column before the thread's, the thread's */
    Terms<real> x, x_beside;

    __device__ Walker(const Smooth<real> &smooth, real *shared, int i0) : a(smooth)
    {
        const Matrix<real> &m = a.matrix;
        const int lane = int(threadIdx.x), layers = int(blockDim.y) * WALKED;
        k0 = int(threadIdx.y) * WALKED;
        start = m.nx * min(k0, m.nz - 1);
        steps = m.nz - 1 - k0;
        column = place_of(i0 + lane, m.nx, m.periodic_x);
        beside = place_of(lane == 0 ? i0 - 1 : i0 + COLUMNS<real>, m.nx, m.periodic_x);
        border = lane == 0 ? 0 : lane == COLUMNS<real> - 1 ? 2 : -1;
        row = layers * WIDTH<real>;
        f_row = layers * COLUMNS<real>;
        f = shared + k0 * COLUMNS<real> + lane;
        ring = shared + 2 * f_row + k0 * WIDTH<real> + lane;
        if (START == CORRECTED) {
            x = terms_of(a.transfer[0], column);
            x_beside = terms_of(a.transfer[0], beside);
        }
    }
    __device__ void fetch(const real *from, real *to, int line) const
    {
#pragma unroll
        for (int s = 0; s < WALKED; s++) {
            __pipeline_memcpy_async(to + s * line, from, sizeof(real));
            from += s < steps ? a.matrix.nx : 0;
        }
    }
    __device__ void fetch_f(int slot, int j) const
    {
        fetch(a.f + a.matrix.row() * j + start + column, f + slot * f_row, COLUMNS<real>);
    }
    __device__ void fetch_row(int slot, int j) const
    {
        const Matrix<real> &m = a.matrix;
        if (!a.u)
            return;
        const real *const from = a.u + m.row() * place_of(j, m.ny, m.periodic_y) + start;
        real *const to = ring + slot * row;
        fetch(from + column, to + 1, WIDTH<real>);
        if (border >= 0)
            fetch(from + beside, to + border, WIDTH<real>);
    }
    /* w = u + P coarse in one column of a row that has come. */
    __device__ void correct_column(real *w, const Terms<real> &y, const Terms<real> &across) const
    {
        const int nx = a.transfer[0].coarse;
        const size_t layer = size_t(nx) * min(k0, a.matrix.nz - 1), size = size_t(nx) * a.matrix.nz;
        const real *low = a.coarse + size * y.index[0] + layer, *high = a.coarse + size * y.index[1] + layer;
        const real weight[4] = {y.weight[0] * across.weight[0], y.weight[0] * across.weight[1],
                                y.weight[1] * across.weight[0], y.weight[1] * across.weight[1]};
        const int west = across.index[0], east = across.index[1];
#pragma unroll UNROLLED
        for (int s = 0; s < WALKED; s++) {
            const real below = weight[0] * __ldg(low + west) + weight[1] * __ldg(low + east);
            const real above = weight[2] * __ldg(high + west) + weight[3] * __ldg(high + east);
            w[s * WIDTH<real>] = (a.u ? w[s * WIDTH<real>] : real(0)) + (below + above);
            low += s < steps ? nx : 0;
            high += s < steps ? nx : 0;
        }
    }
    __device__ void correct(int slot, int j) const
    {
        const Matrix<real> &m = a.matrix;
        const Terms<real> y = terms_of(a.transfer[1], place_of(j, m.ny, m.periodic_y));
        real *const w = ring + slot * row;
        correct_column(w + 1, y, x);
        if (border >= 0)
            correct_column(w + border, y, x_beside);
    }
};

/* f - N w of the run; N is what couples columns. Rows `south`, `here` and `north` of the ring. */
template <typename real, bool SKEW, int START>
__device__ void couple(const Walker<real, START> &walker, const Inner<real, SKEW> &at, const Numbers<real> *numbers,
                       const int slot[RING], real value[WALKED])
{
    const real *const south = walker.ring + slot[0] * walker.row, *const here = walker.ring + slot[1] * walker.row;
    const real *const north = walker.ring + slot[2] * walker.row;
#pragma unroll
    for (int s = 0; s < WALKED; s++) {
        const int e = s * WIDTH<real>;
        real sum = at.west * here[e] + at.east * here[e + 2] + (at.south * south[e + 1] + at.north * north[e + 1]);
        if constexpr (SKEW)
            sum += at.corner[0] * south[e] + at.corner[1] * south[e + 2] +
                   (at.corner[2] * north[e] + at.corner[3] * north[e + 2]);
        value[s] += numbers[s].d * sum;
    }
}

/* Stores v of the run in column i; its inner product with f. */
template <typename real, int START>
__device__ double store_run(const Walker<real, START> &walker, int i, int j, const real *here, const real *f,
                            const real value[WALKED])
{
    const Smooth<real> &a = walker.a;
    const real damping = a.damping_of(i, j);
    real *v = a.v + a.matrix.row() * j + walker.start + i;
    double sum = 0;

    if (i >= a.matrix.nx)
        return 0;
#pragma unroll
    for (int s = 0; s < WALKED; s++) {
        const real w = START == ZERO ? real(0) : here[s * WIDTH<real> + 1];
        const real result = w + damping * (value[s] - w);
        if (s <= walker.steps) {
            *v = result;
            sum += a.partial ? double(f[s * COLUMNS<real>]) * double(result) : 0.0;
        }
        v += a.matrix.nx;
    }
    return sum;
}

template <typename real, int START, bool SKEW>
__global__ void __launch_bounds__(COLUMNS<real> *MOST_RUNS, 2)
    walk_kernel(const __grid_constant__ Smooth<real> a, int length)
{
    extern __shared__ char shared[];
    const Matrix<real> &m = a.matrix;
    const int i0 = int(blockIdx.x) * COLUMNS<real>, first = a.y0 + int(blockIdx.y) * length;
    const int end = min(first + length, a.y1), layers = int(blockDim.y) * WALKED;
    real *const rows = reinterpret_cast<real *>(shared);
    const Walker<real, START> walker(a, rows, i0);
    real *const after = rows + 2 * walker.f_row + (START == ZERO ? 0 : RING * walker.row);
    Exchange<real, COLUMNS<real>> exchange = {after, 0};
    Numbers<real> *const numbers =
        reinterpret_cast<Numbers<real> *>(after + exchange_bytes<real, COLUMNS<real>> / sizeof(real));
    const Numbers<real> *const own = numbers + walker.k0;
    int slot[RING] = {0, 1, 2}, f = 0;
    double sum = 0;

    for (int k = int(threadIdx.x + threadIdx.y * COLUMNS<real>); k < layers; k += int(blockDim.y) * COLUMNS<real>) {
        const int there = min(k, m.nz - 1);
        numbers[k] = {m.a[there], m.b[there], m.c[there], m.d[there]};
    }
    walker.fetch_f(f, first);
    for (int row = 0; row < RING && START != ZERO; row++)
        walker.fetch_row(row, first - 1 + row);
    __pipeline_commit();
    __syncthreads();
    if (START == CORRECTED) {
        __pipeline_wait_prior(0);
        walker.correct(0, first - 1);
        walker.correct(1, first);
    }
    Inner<real, SKEW> at(m, walker.column, first);
#pragma unroll 1
    for (int j = first; j < end; j++) {
        real value[WALKED], answer[WALKED - 1];
        const real *const f_here = walker.f + f * walker.f_row;
        __pipeline_wait_prior(0);
        if (START == CORRECTED)
            walker.correct(slot[2], j + 1);
        __syncwarp();
#pragma unroll
        for (int s = 0; s < WALKED; s++)
            value[s] = f_here[s * COLUMNS<real>];
        if constexpr (START != ZERO)
            couple<real, SKEW>(walker, at, own, slot, value);
        __syncwarp();
        if (j + 1 < end) {
            walker.fetch_f(1 - f, j + 1);
            if (START != ZERO)
                walker.fetch_row(slot[0], j + 2);
            __pipeline_commit();
        }
        const Inner<real, SKEW> next(m, walker.column, min(j + 1, end - 1));
        const auto layer = [&](int s) {
            const Numbers<real> n = own[s];
            return Layer<real>{at.mass * n.a + at.faces * n.d, at.lift * n.b, at.lift * n.c};
        };
        solve_lines<real, WALKED>(exchange, layer, value, answer);
        sum += store_run(walker, i0 + int(threadIdx.x), j, walker.ring + slot[1] * walker.row, f_here, value);
        const int south = slot[0];
        slot[0] = slot[1];
        slot[1] = slot[2];
        slot[2] = south;
        f = 1 - f;
        at = next;
    }
    if (a.partial)
        store_partial(sum, a.partial);
}

/* Walks as long as leave every multiprocessor its blocks. */
template <typename real> int walk_length(const Smooth<real> &a, int runs, size_t bytes, int multiprocessors)
{
    constexpr int SHARED = 227 * 1024, THREADS = 2 * COLUMNS<real> * MOST_RUNS;
    const int across = blocks_of(size_t(a.matrix.nx), COLUMNS<real>), rows = a.y1 - a.y0;
    const int by_shared = SHARED / int(bytes + 1024), by_threads = THREADS / (COLUMNS<real> * runs);
    const int blocks = multiprocessors * std::max(1, std::min(by_shared, by_threads));
    return blocks_of(size_t(rows), size_t(std::max(1, std::min(rows, blocks / across))));
}

template <typename real, int START, bool SKEW> int launch_walk(const Smooth<real> &a, dim3 *blocks, cudaStream_t stream)
{
    constexpr int RUNS = LANES / COLUMNS<real>; /* of a warp */
    const int runs = RUNS * blocks_of(size_t(a.matrix.nz), RUNS * WALKED);
    const size_t bytes = walk_bytes<real, START>(runs);
    const auto kernel = walk_kernel<real, START, SKEW>;
    int multiprocessors = 1;
    cudaError_t error = starfish_multiprocessors(&multiprocessors);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     int(walk_bytes<real, START>(MOST_RUNS)));
    if (error != cudaSuccess)
        return error;
    const int length = walk_length(a, runs, bytes, multiprocessors);
    *blocks =
        dim3(unsigned(blocks_of(size_t(a.matrix.nx), COLUMNS<real>)), unsigned(blocks_of(size_t(a.y1 - a.y0), length)));
    kernel<<<*blocks, dim3(COLUMNS<real>, unsigned(runs)), bytes, stream>>>(a, length);
    return cudaGetLastError();
}

} // namespace flat

#endif
