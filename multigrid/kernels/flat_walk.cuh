/* Sweeps of flat domains by blocks that walk along y, so that each value is read from beyond the block once.
 *
 * A block has 32 columns in x of at most MOST_WALKED layers, whole, and solves one row of them after the
 * other. In shared memory it has a ring of three rows of w = u + P coarse, with the columns beside the 32 (of those a
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

constexpr int RING = 3, WIDTH = LANES + 2;      /* rows of w; columns of them */
constexpr int WALKED = 8;                       /* layers of a thread */
constexpr int UNROLLED = 4;                     /* layers whose coarse values are on their way together */
constexpr int MOST_WALKED = WALKED * MOST_RUNS; /* layers of a column */

template <typename real> struct alignas(2 * sizeof(real)) Numbers {
    real a, b, c, d;
};

template <typename real, int START> size_t walk_bytes(int runs)
{
    const size_t layers = size_t(runs) * WALKED, lines = (START == ZERO ? 0 : RING * WIDTH) + 2 * LANES;
    return layers * (sizeof(Numbers<real>) + lines * sizeof(real)) + exchange_bytes<real>;
}

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

/* A thread's place: lane x, layers k0 .. k0 + WALKED - 1, those beyond the top being that; column: where it reads, and
 * at the ends of the warp the column beside. */
template <typename real, int START> struct Walker {
    const Smooth<real> &a;
    int lane, k0, column, beside, border; /* border: its place in the ring, negative: the thread has none */
    real *ring, *f;
    Terms<real> x, x_beside;

    __device__ Walker(const Smooth<real> &smooth, char *shared, int i0) : a(smooth)
    {
        const Matrix<real> &m = a.matrix;
        const size_t layers = size_t(blockDim.y) * WALKED;
        lane = int(threadIdx.x);
        k0 = int(threadIdx.y) * WALKED;
        column = place_of(i0 + lane, m.nx, m.periodic_x);
        beside = place_of(lane == 0 ? i0 - 1 : i0 + LANES, m.nx, m.periodic_x);
        border = lane == 0 ? 0 : lane == LANES - 1 ? WIDTH - 1 : -1;
        f = reinterpret_cast<real *>(shared);
        ring = f + 2 * layers * LANES;
        if (START == CORRECTED) {
            x = terms_of(a.transfer[0], column);
            x_beside = terms_of(a.transfer[0], beside);
        }
    }
    __device__ int layer(int s) const { return min(k0 + s, a.matrix.nz - 1); }
    /* Element s of the run, in a row of the ring and of f. */
    __device__ real *in_ring(int slot, int s) const
    {
        return ring + (slot * int(blockDim.y) * WALKED + k0 + s) * WIDTH;
    }
    __device__ real *in_f(int slot, int s) const
    {
        return f + (slot * int(blockDim.y) * WALKED + k0 + s) * LANES + lane;
    }
    __device__ void fetch_f(int slot, int j) const
    {
        const Matrix<real> &m = a.matrix;
        const real *const from = a.f + m.row() * j + column;
#pragma unroll
        for (int s = 0; s < WALKED; s++)
            __pipeline_memcpy_async(in_f(slot, s), from + m.nx * layer(s), sizeof(real));
    }
    __device__ void fetch_row(int slot, int row) const
    {
        const Matrix<real> &m = a.matrix;
        if (!a.u)
            return;
        const real *const from = a.u + m.row() * place_of(row, m.ny, m.periodic_y);
#pragma unroll
        for (int s = 0; s < WALKED; s++) {
            __pipeline_memcpy_async(in_ring(slot, s) + lane + 1, from + m.nx * layer(s) + column, sizeof(real));
            if (border >= 0)
                __pipeline_memcpy_async(in_ring(slot, s) + border, from + m.nx * layer(s) + beside, sizeof(real));
        }
    }
    /* w = u + P coarse in one column of a row that has come. */
    __device__ void correct_column(int slot, const Terms<real> &y, const Terms<real> &across, int place) const
    {
        const int nx = a.transfer[0].coarse;
        const real *const low = a.coarse + size_t(nx) * a.matrix.nz * y.index[0];
        const real *const high = a.coarse + size_t(nx) * a.matrix.nz * y.index[1];
#pragma unroll UNROLLED
        for (int s = 0; s < WALKED; s++) {
            const int west = nx * layer(s) + across.index[0], east = nx * layer(s) + across.index[1];
            const real below = across.weight[0] * __ldg(low + west) + across.weight[1] * __ldg(low + east);
            const real above = across.weight[0] * __ldg(high + west) + across.weight[1] * __ldg(high + east);
            real *const w = in_ring(slot, s) + place;
            *w = (a.u ? *w : real(0)) + (y.weight[0] * below + y.weight[1] * above);
        }
    }
    __device__ void correct(int slot, int row) const
    {
        const Matrix<real> &m = a.matrix;
        const Terms<real> y = terms_of(a.transfer[1], place_of(row, m.ny, m.periodic_y));
        correct_column(slot, y, x, lane + 1);
        if (border >= 0)
            correct_column(slot, y, x_beside, border);
    }
};

/* f - N w of the run; N is what couples columns. Rows `south`, `here` and `north` of the ring. */
template <typename real, bool SKEW, int START>
__device__ void couple(const Walker<real, START> &walker, const Inner<real, SKEW> &at, const Numbers<real> *numbers,
                       const int slot[3], real value[WALKED])
{
#pragma unroll
    for (int s = 0; s < WALKED; s++) {
        const real *const south = walker.in_ring(slot[0], s) + walker.lane;
        const real *const here = walker.in_ring(slot[1], s) + walker.lane;
        const real *const north = walker.in_ring(slot[2], s) + walker.lane;
        real sum = at.west * here[0] + at.east * here[2] + (at.south * south[1] + at.north * north[1]);
        if (SKEW)
            sum += at.corner[0] * south[0] + at.corner[SKEW ? 1 : 0] * south[2] +
                   (at.corner[SKEW ? 2 : 0] * north[0] + at.corner[SKEW ? 3 : 0] * north[2]);
        value[s] += numbers[s].d * sum;
    }
}

/* Stores v of the run; its inner product with f. */
template <typename real, int START>
__device__ double store_run(const Walker<real, START> &walker, int i, int j, int here, int f, const real value[WALKED])
{
    const Smooth<real> &a = walker.a;
    const Matrix<real> &m = a.matrix;
    const real damping = a.damping_of(i, j);
    real *const v = a.v + m.row() * j + i;
    double sum = 0;

    if (i >= m.nx)
        return 0;
#pragma unroll
    for (int s = 0; s < WALKED; s++) {
        const real w = START == ZERO ? real(0) : walker.in_ring(here, s)[walker.lane + 1];
        const real result = w + damping * (value[s] - w);
        if (walker.k0 + s < m.nz) {
            v[m.nx * (walker.k0 + s)] = result;
            sum += a.partial ? double(*walker.in_f(f, s)) * double(result) : 0.0;
        }
    }
    return sum;
}

/* Two blocks of f32 share a multiprocessor, one of f64 has it. */
template <typename real, int START, bool SKEW>
__global__ void __launch_bounds__(LANES *MOST_RUNS, sizeof(real) == 4 ? 2 : 1)
    walk_kernel(const __grid_constant__ Smooth<real> a, int length)
{
    extern __shared__ char shared[];
    const Matrix<real> &m = a.matrix;
    const int i0 = int(blockIdx.x) * LANES, first = a.y0 + int(blockIdx.y) * length, end = min(first + length, a.y1);
    const int layers = int(blockDim.y) * WALKED, thread = int(threadIdx.x + threadIdx.y * LANES);
    const Walker<real, START> walker(a, shared, i0);
    real *const after = walker.ring + (START == ZERO ? 0 : RING * WIDTH * layers);
    Exchange<real> exchange = {after, 0};
    Numbers<real> *const numbers = reinterpret_cast<Numbers<real> *>(after + exchange_bytes<real> / sizeof(real));
    const Numbers<real> *const own = numbers + walker.k0;
    int slot[RING] = {0, 1, 2}, f = 0;
    double sum = 0;

    for (int k = thread; k < layers; k += int(blockDim.y) * LANES) {
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
    for (int j = first; j < end; j++) {
        real value[WALKED], answer[WALKED - 1];
        __pipeline_wait_prior(0);
        if (START == CORRECTED)
            walker.correct(slot[2], j + 1);
        __syncwarp();
#pragma unroll
        for (int s = 0; s < WALKED; s++)
            value[s] = *walker.in_f(f, s);
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
        sum += store_run(walker, i0 + walker.lane, j, slot[1], f, value);
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
    constexpr int SHARED = 227 * 1024, THREADS = sizeof(real) == 4 ? 1024 : 512;
    const int across = blocks_of(size_t(a.matrix.nx), LANES), rows = a.y1 - a.y0;
    const int by_shared = SHARED / int(bytes + 1024), by_threads = THREADS / (LANES * runs);
    const int blocks = multiprocessors * std::max(1, std::min(by_shared, by_threads));
    return blocks_of(size_t(rows), size_t(std::max(1, std::min(rows, blocks / across))));
}

template <typename real, int START, bool SKEW> int launch_walk(const Smooth<real> &a, dim3 *blocks, cudaStream_t stream)
{
    const int runs = blocks_of(size_t(a.matrix.nz), WALKED);
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
    *blocks = dim3(unsigned(blocks_of(size_t(a.matrix.nx), LANES)), unsigned(blocks_of(size_t(a.y1 - a.y0), length)));
    kernel<<<*blocks, dim3(LANES, unsigned(runs)), bytes, stream>>>(a, length);
    return cudaGetLastError();
}

} // namespace flat

#endif
