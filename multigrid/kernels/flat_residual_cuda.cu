/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
#include <cstdint>
#include <cuda_pipeline.h>
#include <initializer_list>

namespace
{

using namespace flat;

constexpr int WARPS = 8, LAYERS = 4; /* of a block; of a thread */
constexpr int HEIGHT = WARPS * LAYERS, THREADS = WARPS * LANES;
constexpr unsigned RING = 4;
constexpr int TALL = HEIGHT + 2;

/* Elements of 16 bytes. A tile has as many on both sides of the block's columns, of which one is used. */
template <typename real> constexpr int CHUNK = 16 / int(sizeof(real));
template <typename real> constexpr int WIDTH = LANES + 2 * CHUNK<real>;

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

/* Can blocks of 32 columns be read in pieces of 16 bytes? */
bool are_wide(size_t nx, std::initializer_list<const void *> arrays)
{
    return nx % LANES == 0 && std::all_of(arrays.begin(), arrays.end(), [](const void *array) {
               return reinterpret_cast<std::uintptr_t>(array) % 16 == 0;
           });
}

/* As long as leaves a GPU so many blocks. */
Walks walks_of(const starfish_flat_matrix &m, size_t first, size_t end, int blocks)
{
    const int across = blocks_of(m.n[0], LANES), up = blocks_of(m.n[2], HEIGHT), rows = int(end - first);
    const int most = std::min(blocks, int(STARFISH_SUMS));
    const int walks = int(std::max(size_t(1), size_t(most) / (size_t(across) * size_t(up))));
    return {across, up, blocks_of(size_t(rows), size_t(walks)), int(first), int(end)};
}

/* low: the type of the correction and the result; where it is not `real`, the result is divided by the factor. */
template <typename real, typename low = real> struct Residual {
    Matrix<real> matrix;
    Walks walks;
    const real *u, *f;
    low *result;
    double *sums;
    const low *correction;
    double factor;
    const double *scalar;
    real *v;
    int energy;
    int coarse_nx, pair_x, pair_y; /* restriction: fine cells of a coarse one */
    bool wide;                     /* arrays can be read in pieces of 16 bytes, by blocks of whole pieces */
};

template <typename real> struct alignas(16) Layer {
    real a, b, c, d;
};

/* Where a thread walks: column i, layers k0 .. k0+LAYERS-1, of a block that begins at column i0 and layer `base`. Lanes
 * beyond the last column and layers beyond the top repeat what is there, and what they find is not used. */
struct Path {
    int i, i0, base, k0, first, end;
    int column; /* where it reads */
};

/* Rows of w = u, or where COMBINED u + factor * correction, by their number modulo RING; rows of f; and the correction
 * of the row that comes. Columns begin CHUNK before the block's, layers one below its lowest. Beyond sides that are not
 * periodic w is 0. */
template <typename real, typename low = real> struct alignas(16) Tile {
    real w[RING][TALL][WIDTH<real>], f[2][HEIGHT][LANES];
    Layer<real> layer[HEIGHT];
    low correction[TALL][WIDTH<real>];
};
template <typename real, typename low, bool COMBINED>
constexpr size_t tile_bytes = COMBINED ? sizeof(Tile<real, low>) : offsetof(Tile<real>, correction);

template <typename real, typename low> __device__ double factor_of(const Residual<real, low> &a)
{
    return a.factor * (a.scalar ? *a.scalar : 1.0);
}

/* Adds factor times what has come to COUNT elements. */
template <typename real, int COUNT, typename low>
__device__ void combine(const low *correction, real factor, bool zero, real *w)
{
#pragma unroll
    for (int e = 0; e < COUNT; e++) {
        const real value = zero ? real(0) : w[e];
        w[e] = factor == real(0) ? value : value + factor * real(correction[e]);
    }
}

/* What brings rows into a tile, and combines them. Of the block's layers a thread has every WARPS-th one of its column,
 * or where arrays are read in pieces one or two of these; besides, some threads have a value of the columns beside the
 * block, others a value or a piece of the layers below and above. */
template <typename real, typename low, bool COMBINED> struct Feed {
    static constexpr int PIECES = LANES / CHUNK<real>, TURNS = HEIGHT * PIECES / THREADS;
    const Residual<real, low> &a;
    Tile<real, low> &tile;
    real factor;
    int layer, column, to; /* of the block, its first one; in an array; in a row of the tile */
    int base;
    bool out;          /* beyond the last column */
    int more, more_to; /* in a row of an array, and in one of the tile; more negative: none */
    bool more_wide, more_out;

    __device__ Feed(const Residual<real, low> &residual, const Path &path, Tile<real, low> &into)
        : a(residual), tile(into), factor(0), base(path.base)
    {
        const Matrix<real> &m = a.matrix;
        const int thread = int(threadIdx.x + threadIdx.y * LANES);
        if (COMBINED && a.correction)
            factor = real(factor_of(a));
        layer = a.wide ? thread / PIECES : int(threadIdx.y);
        to = a.wide ? thread % PIECES * CHUNK<real> : int(threadIdx.x);
        column = a.wide ? path.i0 + to : path.column;
        out = path.i >= m.nx && !m.periodic_x && !a.wide;
        set_more(path, thread);
    }
    __device__ void set_more(const Path &path, int thread)
    {
        const Matrix<real> &m = a.matrix;
        const int across = a.wide ? PIECES : LANES, ends = thread - 2 * TALL;
        int tall = -1, at = 0;
        more_wide = false;
        if (thread < 2 * TALL) {
            tall = thread / 2;
            at = thread % 2 == 0 ? -1 : LANES;
        } else if (ends < 2 * across) {
            tall = ends < across ? 0 : TALL - 1;
            more_wide = a.wide;
            at = ends % across * (a.wide ? CHUNK<real> : 1);
        }
        more_to = tall * WIDTH<real> + CHUNK<real> + at;
        more_out = (path.i0 + at < 0 || path.i0 + at >= m.nx) && !m.periodic_x;
        more = tall < 0 ? -1 : m.nx * height(tall - 1) + place_of(path.i0 + at, m.nx, m.periodic_x);
    }
    /* A layer of the block, those beyond the ground and the top being these. */
    __device__ int height(int of_block) const { return min(max(base + of_block, 0), a.matrix.nz - 1); }

    /* The block's layers of a row to lines of the tile that begin at `lines`. Pieces of `low` are as many elements. */
    template <typename type> __device__ void fetch(const type *row, bool outside, type *lines, int line) const
    {
        constexpr size_t piece = CHUNK<real> * sizeof(type);
        const int nx = a.matrix.nx;
        if (a.wide) {
#pragma unroll
            for (int turn = 0; turn < TURNS; turn++) {
                const int l = layer + turn * (THREADS / PIECES);
                __pipeline_memcpy_async(lines + l * line + to, row + nx * height(l) + column, piece,
                                        outside ? piece : 0);
            }
            return;
        }
#pragma unroll
        for (int l = layer; l < layer + HEIGHT; l += WARPS)
            __pipeline_memcpy_async(lines + l * line + to, row + nx * height(l) + column, sizeof(type),
                                    outside ? sizeof(type) : 0);
    }
    template <typename type> __device__ void fetch_w(const type *from, int j, type *plane) const
    {
        constexpr size_t piece = CHUNK<real> * sizeof(type);
        const Matrix<real> &m = a.matrix;
        const bool outside = (j < 0 || j >= m.ny) && !m.periodic_y;
        const type *const row = from + ptrdiff_t(m.row()) * place_of(j, m.ny, m.periodic_y);
        fetch(row, outside || out, plane + WIDTH<real> + CHUNK<real>, WIDTH<real>);
        if (more < 0)
            return;
        if (more_wide)
            __pipeline_memcpy_async(plane + more_to, row + more, piece, outside ? piece : 0);
        else
            __pipeline_memcpy_async(plane + more_to, row + more, sizeof(type), outside || more_out ? sizeof(type) : 0);
    }
    __device__ real *plane(int j) const
    {
        return &tile.w[unsigned(j + int(RING)) % RING][0][0];
    }
    __device__ void fetch_row(int j) const
    {
        if (a.u)
            fetch_w(a.u, j, plane(j));
        if (COMBINED && factor != real(0))
            fetch_w(a.correction, j, &tile.correction[0][0]);
    }
    __device__ void fetch_f(int j) const
    {
        if (a.f)
            fetch(a.f + ptrdiff_t(a.matrix.row()) * j, false, &tile.f[j % 2][0][0], LANES);
    }
    /* Waits for what this thread has fetched, of which row j is the last. */
    __device__ void wait(int j) const
    {
        __pipeline_wait_prior(0);
        if (!COMBINED)
            return;
        real *const w = plane(j);
        const low *const correction = &tile.correction[0][0];
        const int start = WIDTH<real> + CHUNK<real> + to;
        const bool zero = !a.u;
        for (int turn = 0; turn < TURNS && a.wide; turn++) {
            const int at = start + (layer + turn * (THREADS / PIECES)) * WIDTH<real>;
            combine<real, CHUNK<real>>(correction + at, factor, zero, w + at);
        }
        for (int l = layer; l < HEIGHT && !a.wide; l += WARPS)
            combine<real, 1>(correction + start + l * WIDTH<real>, factor, zero, w + start + l * WIDTH<real>);
        if (more >= 0 && more_wide)
            combine<real, CHUNK<real>>(correction + more_to, factor, zero, w + more_to);
        else if (more >= 0)
            combine<real, 1>(correction + more_to, factor, zero, w + more_to);
    }
};

/* Calls use(s, w, f - A w) for the layers of row j. */
template <typename real, typename low, bool SKEW, typename Use>
__device__ void residual_of(const Residual<real, low> &a, const Tile<real, low> &tile, const Couplings<real, SKEW> &at,
                            int j, Use &&use)
{
    const int lane = int(threadIdx.x), first = int(threadIdx.y) * LAYERS, e = lane + CHUNK<real>;
    const auto row = [&](int number) { return tile.w[unsigned(number + int(RING)) % RING] + first; };
    const real(*const south)[WIDTH<real>] = row(j - 1);
    const real(*const here)[WIDTH<real>] = row(j);
    const real(*const north)[WIDTH<real>] = row(j + 1);
    const real *const f = &tile.f[unsigned(j) % 2][first][lane];
    real below = here[0][e], u = here[1][e];

#pragma unroll
    for (int s = 0; s < LAYERS; s++) {
        const Layer<real> l = tile.layer[first + s];
        const int t = s + 1;
        const real above = here[t + 1][e];
        real across = at.west * (u - here[t][e - 1]) + at.east * (u - here[t][e + 1]);
        across += at.south * (u - south[t][e]) + at.north * (u - north[t][e]);
        if constexpr (SKEW) {
            across += at.corner[0] * (u - south[t][e - 1]) + at.corner[1] * (u - south[t][e + 1]);
            across += at.corner[2] * (u - north[t][e - 1]) + at.corner[3] * (u - north[t][e + 1]);
        }
        const real value = a.f ? f[s * LANES] : real(0);
        use(s, u, value - at.mass * l.a * u - at.lift * (l.b * (u - below) + l.c * (u - above)) - l.d * across);
        below = u;
        u = above;
    }
}

/* The same of a zero u: f. */
template <typename real, typename low, typename Use>
__device__ void copy_of(const Residual<real, low> &a, const Path &path, int j, Use &&use)
{
    const Matrix<real> &m = a.matrix;
    const real *const row = a.f + ptrdiff_t(m.row()) * j + path.column;
#pragma unroll
    for (int s = 0; s < LAYERS; s++)
        use(s, real(0), __ldcs(row + m.nx * min(path.k0 + s, m.nz - 1)));
}

/* Calls use(s, w, f - A w) for the layers of the rows of a path, and after each row j done(j). */
template <bool SKEW, bool COMBINED, typename real, typename low, typename Use, typename Done>
__device__ void walk(const Residual<real, low> &a, Tile<real, low> &tile, const Path &path, Use &&use, Done &&done)
{
    if (!a.u && !COMBINED) {
        for (int j = path.first; j < path.end; j++) {
            copy_of(a, path, j, use);
            done(j);
        }
        return;
    }
    const Feed<real, low, COMBINED> feed(a, path, tile);
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
        const Couplings<real, SKEW> at(a.matrix, path.column, j); /* on their way while the block waits */
        feed.wait(j + 1);
        __syncthreads(); /* all have row j + 1, and are done with row j - 2, whose place row j + 2 takes */
        if (j + 1 < path.end) {
            feed.fetch_row(j + 2);
            feed.fetch_f(j + 1);
            __pipeline_commit();
        }
        residual_of<real, low, SKEW>(a, tile, at, j, use);
        done(j);
    }
}

/* The block's layers into shared memory, and where this thread walks. */
template <typename real, typename low>
__device__ Path begin_walk(const Residual<real, low> &a, size_t number, Layer<real> *layer, int unit)
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
            i0,
            base,
            base + int(threadIdx.y) * LAYERS,
            first * unit,
            min(min(first + w.length, w.end) * unit, m.ny),
            place_of(i0 + lane, m.nx, m.periodic_x)};
}
static_assert(HEIGHT <= LANES, "a warp brings the layers of a block");

/* ---- Residual ---------------------------------------------------------------------------------------------------- */

/* Lanes beyond the last column walk along it, and neither store nor add. */
template <typename real, typename low, bool SKEW, bool COMBINED>
__global__ void __launch_bounds__(LANES *WARPS, blocks_for(SKEW || COMBINED))
    residual_kernel(const __grid_constant__ Residual<real, low> a)
{
    constexpr bool scaled = sizeof(low) < sizeof(real);
    extern __shared__ char shared[];
    Tile<real, low> &tile = *reinterpret_cast<Tile<real, low> *>(shared);
    const Matrix<real> &m = a.matrix;
    const real scale = scaled ? real(1 / factor_of(a)) : real(1);
    double sum = 0;
    for (size_t number = blockIdx.x; number < a.walks.count(); number += gridDim.x) {
        const Path path = begin_walk(a, number, tile.layer, 1);
        ptrdiff_t start = path.i + ptrdiff_t(m.row()) * path.first + ptrdiff_t(m.nx) * path.k0;
        const auto use = [&](int s, real w, real result) {
            if (path.i >= m.nx || path.k0 + s >= m.nz)
                return;
            if (a.result)
                a.result[start + m.nx * s] = low(scaled ? result * scale : result);
            if (COMBINED && a.v)
                a.v[start + m.nx * s] = w;
            if (m.counts(path.i))
                sum += double(a.energy ? w : result) * double(result);
        };
        const auto done = [&](int) { start += m.row(); };
        walk<SKEW, COMBINED>(a, tile, path, use, done);
    }
    if (!a.sums)
        return;
    sum = block_sum(sum);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        a.sums[blockIdx.x] = sum;
}

template <bool COMBINED, typename real, typename low, typename Kernel>
int launch(Kernel kernel, const Residual<real, low> &a, size_t most, cudaStream_t stream)
{
    const size_t bytes = tile_bytes<real, low, COMBINED>, blocks = std::min(a.walks.count(), most);
    const int error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
    if (error != cudaSuccess)
        return error;
    kernel<<<unsigned(blocks), dim3(LANES, WARPS), bytes, stream>>>(a);
    return cudaGetLastError();
}

template <bool SKEW, typename real, typename low> int launch_residual(const Residual<real, low> &a, cudaStream_t stream)
{
    if (a.correction || a.v)
        return launch<true>(residual_kernel<real, low, SKEW, true>, a, STARFISH_SUMS, stream);
    return launch<false>(residual_kernel<real, low, SKEW, false>, a, STARFISH_SUMS, stream);
}

template <typename real, typename low> int residual_in(const starfish_flat_residual *from, cudaStream_t stream)
{
    Residual<real, low> a = {};
    a.matrix = matrix_of<real>(from->matrix);
    a.u = static_cast<const real *>(from->u);
    a.f = static_cast<const real *>(from->f);
    a.result = static_cast<low *>(from->result);
    a.sums = from->sums;
    a.correction = static_cast<const low *>(from->correction);
    a.factor = from->factor;
    a.scalar = from->scalar;
    a.v = static_cast<real *>(from->v);
    a.energy = from->energy;
    a.wide = are_wide(from->matrix.n[0], {from->u, from->f, from->correction});
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
    return a.matrix.corner ? launch_residual<true>(a, stream) : launch_residual<false>(a, stream);
}

template <typename real> int residual(const starfish_flat_residual *from, cudaStream_t stream)
{
    if constexpr (sizeof(real) == sizeof(double))
        if (from->lower)
            return residual_in<real, float>(from, stream);
    return residual_in<real, real>(from, stream);
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
    walk<SKEW, false>(a, tile, path, use, done);
}

template <typename real> int restrict_residual(const starfish_flat_restrict *from, cudaStream_t stream)
{
    const starfish_flat_transfer *const t = from->transfer;
    Residual<real> a = {};
    a.matrix = matrix_of<real>(from->matrix);
    a.u = static_cast<const real *>(from->u);
    a.f = static_cast<const real *>(from->f);
    a.result = static_cast<real *>(from->coarse);
    a.wide = are_wide(from->matrix.n[0], {from->u, from->f});
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
    return a.matrix.corner ? launch<false>(restrict_kernel<real, true>, a, all, stream)
                           : launch<false>(restrict_kernel<real, false>, a, all, stream);
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flat_residual, residual)
STARFISH_CUDA_ENTRIES(starfish_flat_restrict, restrict_residual)
