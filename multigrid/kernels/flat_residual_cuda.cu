/* Residuals of flat domains on the GPU, and what restricts them to the next coarser grid.
 *
 * Words per unknown that must move; H200 at 4.2 TB/s, 512 x 512 x 128, f64: residual 3 (192 us), its norm alone 2,
 * restriction of the residual 2.25 (144 us). A block has 32 columns that are neighbours in x and HEIGHT layers, and
 * walks along y. In shared memory it has a ring of rows of w with one more column on both sides and one more layer
 * below and above, and two rows of f; what the next row needs is on its way (cp.async) while one is computed, so that
 * each value comes from beyond the multiprocessor once but for the ends of walks. */
#include "krylov/kernels/multiprocessors.cuh"
#include "multigrid/kernels/flat_column.cuh"

#include "base/cuda_entries.h"

#include <algorithm>
#include <cstddef>
#include <cuda_pipeline.h>

namespace
{

using namespace flat;

constexpr int WARPS = 8, LAYERS = 4; /* of a block; of a thread */
constexpr int HEIGHT = WARPS * LAYERS;
constexpr int RING = 4, TALL = HEIGHT + 2, WIDTH = LANES + 2;

/* Of a multiprocessor: what registers leave. */
constexpr int blocks_for(bool much)
{
    return much ? 3 : 4;
}

/* 32 columns in x, HEIGHT layers and `length` rows: what a block walks through. */
struct Walks {
    int across, up, length, first, end; /* rows first .. end-1 */
    __host__ __device__ int along() const { return (end - first + length - 1) / length; }
    __host__ __device__ size_t count() const { return size_t(across) * size_t(up) * size_t(along()); }
};

/* As long as leaves a GPU so many blocks. */
Walks walks_of(const starfish_flat_matrix &m, size_t first, size_t end, int blocks)
{
    const int across = blocks_of(m.n[0], LANES), up = blocks_of(m.n[2], HEIGHT), rows = int(end - first);
    const int most = std::min(blocks, int(STARFISH_SUMS));
    const int walks = int(std::max(size_t(1), size_t(most) / (size_t(across) * size_t(up))));
    return {across, up, blocks_of(size_t(rows), size_t(walks)), int(first), int(end)};
}

template <typename real> struct Residual {
    Matrix<real> matrix;
    Walks walks;
    const real *u, *f;
    real *result;
    double *sums;
    const real *correction;
    double factor;
    const double *scalar;
    real *v;
    int energy;
    int coarse_nx, pair_x, pair_y; /* restriction: fine cells of a coarse one */
};

template <typename real> struct alignas(16) Layer {
    real a, b, c, d;
};

/* Where a thread walks: column i, layers k0 .. k0+LAYERS-1, of a block that begins at layer `base`. Lanes beyond the
 * last column and layers beyond the top repeat what is there, and what they find is not used. */
struct Path {
    int i, base, k0, first, end;
    int column, beside; /* where it reads, and the column beside the warp, in its first and last lane */
};

/* Rows of w = u, or where COMBINED u + factor * correction, by their number modulo RING; rows of f; and the correction
 * of the row that comes. Columns begin one before the block's, layers one below its lowest. */
template <typename real> struct Tile {
    real w[RING][TALL][WIDTH], f[2][HEIGHT][LANES];
    Layer<real> layer[HEIGHT];
    real correction[TALL][WIDTH];
};
template <typename real, bool COMBINED>
constexpr size_t tile_bytes = COMBINED ? sizeof(Tile<real>) : offsetof(Tile<real>, correction);

/* What brings rows into a tile. A thread fetches, and combines, the layers threadIdx.y, threadIdx.y + WARPS, ... of its
 * lane, and in the first and last lane those of the column beside. */
template <typename real, bool COMBINED> struct Feed {
    const Residual<real> &a;
    const Path &path;
    Tile<real> &tile;
    real factor;
    int place, border; /* columns in the tile; border negative: none */

    __device__ Feed(const Residual<real> &residual, const Path &walk, Tile<real> &to)
        : a(residual), path(walk), tile(to), factor(0)
    {
        const int lane = int(threadIdx.x);
        if (COMBINED)
            factor = real(a.factor * (a.scalar ? *a.scalar : 1.0));
        place = lane + 1;
        border = lane == 0 ? 0 : lane == LANES - 1 ? WIDTH - 1 : -1;
    }
    __device__ void fetch(const real *from, int j, real (*to)[WIDTH]) const
    {
        const Matrix<real> &m = a.matrix;
        const real *const row = from + ptrdiff_t(m.row()) * place_of(j, m.ny, m.periodic_y);
#pragma unroll 1
        for (int t = int(threadIdx.y); t < TALL; t += WARPS) {
            const int layer = m.nx * min(max(path.base - 1 + t, 0), m.nz - 1);
            __pipeline_memcpy_async(&to[t][place], row + layer + path.column, sizeof(real));
            if (border >= 0)
                __pipeline_memcpy_async(&to[t][border], row + layer + path.beside, sizeof(real));
        }
    }
    __device__ void fetch_row(int j) const
    {
        if (a.u)
            fetch(a.u, j, tile.w[(j + RING) % RING]);
        if (COMBINED && factor != real(0))
            fetch(a.correction, j, tile.correction);
    }
    __device__ void fetch_f(int j) const
    {
        const Matrix<real> &m = a.matrix;
        if (!a.f)
            return;
        const real *const row = a.f + ptrdiff_t(m.row()) * j + path.column;
        const int first = int(threadIdx.y) * LAYERS;
#pragma unroll 1
        for (int s = 0; s < LAYERS; s++)
            __pipeline_memcpy_async(&tile.f[j % 2][first + s][threadIdx.x], row + m.nx * min(path.k0 + s, m.nz - 1),
                                    sizeof(real));
    }
    __device__ void combine(int t, int column, real (*w)[WIDTH]) const
    {
        const real value = a.u ? w[t][column] : real(0);
        w[t][column] = factor == real(0) ? value : value + factor * tile.correction[t][column];
    }
    /* Waits for what this thread has fetched, of which row j is the last. */
    __device__ void wait(int j) const
    {
        __pipeline_wait_prior(0);
#pragma unroll 1
        for (int t = int(threadIdx.y); t < TALL && COMBINED; t += WARPS) {
            combine(t, place, tile.w[(j + RING) % RING]);
            if (border >= 0)
                combine(t, border, tile.w[(j + RING) % RING]);
        }
    }
};

/* Calls use(s, w, f - A w) for the layers of row j. */
template <typename real, bool SKEW, typename Use>
__device__ void residual_of(const Residual<real> &a, const Tile<real> &tile, const Path &path, int j, Use &&use)
{
    const Matrix<real> &m = a.matrix;
    const Couplings<real, SKEW> at(m, path.column, j);
    const bool in_west = path.i > 0 || m.periodic_x, in_east = path.i + 1 < m.nx || m.periodic_x;
    const bool in_south = j > 0 || m.periodic_y, in_north = j + 1 < m.ny || m.periodic_y;
    const int lane = int(threadIdx.x), first = int(threadIdx.y) * LAYERS;
    const real(*const south)[WIDTH] = tile.w[(j + RING - 1) % RING];
    const real(*const here)[WIDTH] = tile.w[j % RING];
    const real(*const north)[WIDTH] = tile.w[(j + 1) % RING];
    real below = here[first][lane + 1], u = here[first + 1][lane + 1];

#pragma unroll
    for (int s = 0; s < LAYERS; s++) {
        const Layer<real> l = tile.layer[first + s];
        const int t = first + s + 1;
        const real above = here[t + 1][lane + 1];
        real across = at.west * (u - (in_west ? here[t][lane] : real(0)));
        across += at.east * (u - (in_east ? here[t][lane + 2] : real(0)));
        across += at.south * (u - (in_south ? south[t][lane + 1] : real(0)));
        across += at.north * (u - (in_north ? north[t][lane + 1] : real(0)));
        if constexpr (SKEW) {
            across += at.corner[0] * (u - south[t][lane]) + at.corner[1] * (u - south[t][lane + 2]);
            across += at.corner[2] * (u - north[t][lane]) + at.corner[3] * (u - north[t][lane + 2]);
        }
        const real f = a.f ? tile.f[j % 2][first + s][lane] : real(0);
        use(s, u, f - at.mass * l.a * u - at.lift * (l.b * (u - below) + l.c * (u - above)) - l.d * across);
        below = u;
        u = above;
    }
}

/* The same of a zero u: f. */
template <typename real, typename Use>
__device__ void copy_of(const Residual<real> &a, const Path &path, int j, Use &&use)
{
    const Matrix<real> &m = a.matrix;
    const real *const row = a.f + ptrdiff_t(m.row()) * j + path.column;
#pragma unroll
    for (int s = 0; s < LAYERS; s++)
        use(s, real(0), __ldcs(row + m.nx * min(path.k0 + s, m.nz - 1)));
}

/* Calls use(s, w, f - A w) for the layers of the rows of a path, and after each row j done(j). */
template <typename real, bool SKEW, bool COMBINED, typename Use, typename Done>
__device__ void walk(const Residual<real> &a, Tile<real> &tile, const Path &path, Use &&use, Done &&done)
{
    const Feed<real, COMBINED> feed(a, path, tile);

    if (!a.u && !COMBINED) {
        for (int j = path.first; j < path.end; j++) {
            copy_of(a, path, j, use);
            done(j);
        }
        return;
    }
    for (int j = path.first - 1; j <= path.first; j++) {
        feed.fetch_row(j);
        __pipeline_commit();
        if (COMBINED)
            feed.wait(j);
    }
    feed.fetch_row(path.first + 1);
    feed.fetch_f(path.first);
    __pipeline_commit();
    for (int j = path.first; j < path.end; j++) {
        feed.wait(j + 1);
        __syncthreads(); /* all have row j + 1, and are done with row j - 2, whose place row j + 2 takes */
        if (j + 1 < path.end) {
            feed.fetch_row(j + 2);
            feed.fetch_f(j + 1);
            __pipeline_commit();
        }
        residual_of<real, SKEW>(a, tile, path, j, use);
        done(j);
    }
}

/* The block's layers into shared memory, and where this thread walks. */
template <typename real>
__device__ Path begin_walk(const Residual<real> &a, size_t number, Layer<real> *layer, int unit)
{
    const Matrix<real> &m = a.matrix;
    const Walks &w = a.walks;
    const int up = int(number % w.up), across = int(number / w.up % w.across), along = int(number / w.up / w.across);
    const int base = up * HEIGHT, k = min(base + int(threadIdx.x), m.nz - 1);

    __syncthreads();
    if (threadIdx.y == 0 && threadIdx.x < HEIGHT)
        layer[threadIdx.x] = {m.a[k], m.b[k], m.c[k], m.d[k]};
    __syncthreads();
    const int first = w.first + along * w.length, i0 = across * LANES, lane = int(threadIdx.x);
    return {i0 + lane,
            base,
            base + int(threadIdx.y) * LAYERS,
            first * unit,
            min(min(first + w.length, w.end) * unit, m.ny),
            place_of(i0 + lane, m.nx, m.periodic_x),
            place_of(lane == 0 ? i0 - 1 : i0 + LANES, m.nx, m.periodic_x)};
}
static_assert(HEIGHT <= LANES, "a warp brings the layers of a block");

/* ---- Residual ---------------------------------------------------------------------------------------------------- */

/* Lanes beyond the last column walk along it, and neither store nor add. */
template <typename real, bool SKEW, bool COMBINED>
__global__ void __launch_bounds__(LANES *WARPS, blocks_for(SKEW || COMBINED))
    residual_kernel(const __grid_constant__ Residual<real> a)
{
    extern __shared__ char shared[];
    Tile<real> &tile = *reinterpret_cast<Tile<real> *>(shared);
    const Matrix<real> &m = a.matrix;
    double sum = 0;
    for (size_t number = blockIdx.x; number < a.walks.count(); number += gridDim.x) {
        const Path path = begin_walk(a, number, tile.layer, 1);
        ptrdiff_t start = path.i + ptrdiff_t(m.row()) * path.first + ptrdiff_t(m.nx) * path.k0;
        const auto use = [&](int s, real w, real result) {
            if (path.i >= m.nx || path.k0 + s >= m.nz)
                return;
            if (a.result)
                a.result[start + m.nx * s] = result;
            if (COMBINED && a.v)
                a.v[start + m.nx * s] = w;
            sum += double(a.energy ? w : result) * double(result);
        };
        const auto done = [&](int) { start += m.row(); };
        walk<real, SKEW, COMBINED>(a, tile, path, use, done);
    }
    if (!a.sums)
        return;
    sum = block_sum(sum);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        a.sums[blockIdx.x] = sum;
}

template <typename real, bool COMBINED, typename Kernel>
int launch(Kernel kernel, const Residual<real> &a, size_t most, cudaStream_t stream)
{
    const size_t bytes = tile_bytes<real, COMBINED>, blocks = std::min(a.walks.count(), most);
    const int error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
    if (error != cudaSuccess)
        return error;
    kernel<<<unsigned(blocks), dim3(LANES, WARPS), bytes, stream>>>(a);
    return cudaGetLastError();
}

template <typename real, bool SKEW> int launch_residual(const Residual<real> &a, cudaStream_t stream)
{
    if (a.correction || a.v)
        return launch<real, true>(residual_kernel<real, SKEW, true>, a, STARFISH_SUMS, stream);
    return launch<real, false>(residual_kernel<real, SKEW, false>, a, STARFISH_SUMS, stream);
}

template <typename real> int residual(const starfish_flat_residual *from, cudaStream_t stream)
{
    Residual<real> a = {};
    a.matrix = matrix_of<real>(from->matrix);
    a.u = static_cast<const real *>(from->u);
    a.f = static_cast<const real *>(from->f);
    a.result = static_cast<real *>(from->result);
    a.sums = from->sums;
    a.correction = static_cast<const real *>(from->correction);
    a.factor = from->correction ? from->factor : 0;
    a.scalar = from->scalar;
    a.v = static_cast<real *>(from->v);
    a.energy = from->energy;
    if (a.sums) {
        const cudaError_t error = cudaMemsetAsync(a.sums, 0, STARFISH_SUMS * sizeof(double), stream);
        if (error != cudaSuccess)
            return error;
    }
    if (from->y0 >= from->y1)
        return cudaSuccess;
    int multiprocessors = 1;
    const cudaError_t error = starfish_multiprocessors(&multiprocessors);
    if (error != cudaSuccess)
        return error;
    a.walks = walks_of(from->matrix, from->y0, from->y1,
                       multiprocessors * blocks_for(a.matrix.corner || a.correction || a.v));
    return a.matrix.corner ? launch_residual<real, true>(a, stream) : launch_residual<real, false>(a, stream);
}

/* ---- Restriction ------------------------------------------------------------------------------------------------- */

/* Two lanes whose columns are a pair add up what they have; blocks begin at even columns. */
template <typename real>
__device__ void store_coarse(const Residual<real> &a, const Path &path, int row, real sum[LAYERS])
{
    const Matrix<real> &m = a.matrix;
    real *const to = a.result + path.i / a.pair_x + size_t(a.coarse_nx) * (size_t(m.nz) * row + path.k0);
#pragma unroll
    for (int s = 0; s < LAYERS; s++) {
        if (a.pair_x == 2)
            sum[s] += __shfl_down_sync(0xffffffffu, sum[s], 1);
        if (path.i < m.nx && path.i % a.pair_x == 0 && path.k0 + s < m.nz)
            to[size_t(a.coarse_nx) * s] = sum[s];
    }
}

/* Lanes beyond the last column walk along it, and add nothing. */
template <typename real, bool SKEW>
__global__ void __launch_bounds__(LANES *WARPS, blocks_for(SKEW))
    restrict_kernel(const __grid_constant__ Residual<real> a)
{
    extern __shared__ char shared[];
    Tile<real> &tile = *reinterpret_cast<Tile<real> *>(shared);
    const Matrix<real> &m = a.matrix;
    const Path path = begin_walk(a, blockIdx.x, tile.layer, a.pair_y);
    const real weight = path.i < m.nx ? 1 : 0;
    real sum[LAYERS] = {};
    const auto use = [&](int s, real, real result) { sum[s] += weight * result; };
    const auto done = [&](int j) {
        if ((j + 1) % a.pair_y != 0 && j + 1 < m.ny)
            return;
        store_coarse(a, path, j / a.pair_y, sum);
#pragma unroll
        for (int s = 0; s < LAYERS; s++)
            sum[s] = 0;
    };
    walk<real, SKEW, false>(a, tile, path, use, done);
}

template <typename real> int restrict_residual(const starfish_flat_restrict *from, cudaStream_t stream)
{
    const starfish_flat_transfer *const t = from->transfer;
    Residual<real> a = {};
    a.matrix = matrix_of<real>(from->matrix);
    a.u = static_cast<const real *>(from->u);
    a.f = static_cast<const real *>(from->f);
    a.result = static_cast<real *>(from->coarse);
    a.coarse_nx = int(t[0].coarse);
    a.pair_x = t[0].fine == t[0].coarse ? 1 : 2;
    a.pair_y = t[1].fine == t[1].coarse ? 1 : 2;
    if (from->y0 >= from->y1)
        return cudaSuccess;
    int multiprocessors = 1;
    const cudaError_t error = starfish_multiprocessors(&multiprocessors);
    if (error != cudaSuccess)
        return error;
    a.walks = walks_of(from->matrix, from->y0, from->y1, multiprocessors * blocks_for(a.matrix.corner));
    const size_t all = a.walks.count();
    return a.matrix.corner ? launch<real, false>(restrict_kernel<real, true>, a, all, stream)
                           : launch<real, false>(restrict_kernel<real, false>, a, all, stream);
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flat_residual, residual)
STARFISH_CUDA_ENTRIES(starfish_flat_restrict, restrict_residual)
