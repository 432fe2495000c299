/* Residuals of flat domains on the GPU, and what restricts them to the next coarser grid.
 *
 * Words per unknown that must move; H200 at 4.2 TB/s, 512 x 512 x 128, f64: residual 3 (192 us), its norm alone 2,
 * restriction of the residual 2.25 (144 us). A warp has 32 columns that are neighbours in x, a thread LAYERS layers of
 * one, and walks along y with three rows of u in registers, so that each value comes from beyond the first-level cache
 * once but for the ends of walks. */
#include "multigrid/kernels/flat_column.cuh"

#include "base/cuda_entries.h"

namespace
{

using namespace flat;

constexpr int WARPS = 8, LAYERS = 4; /* of a block; of a thread */
constexpr int HEIGHT = WARPS * LAYERS;

/* 32 columns in x, HEIGHT layers and `length` rows: what a block walks through. */
struct Walks {
    int across, up, length, first, end; /* rows first .. end-1 */
    __host__ __device__ int along() const { return (end - first + length - 1) / length; }
    __host__ __device__ size_t count() const { return size_t(across) * size_t(up) * size_t(along()); }
};

/* As long as leaves the GPU some 2000 blocks. */
Walks walks_of(const starfish_flat_matrix &m, size_t first, size_t end)
{
    const int across = blocks_of(m.n[0], LANES), up = blocks_of(m.n[2], HEIGHT), rows = int(end - first);
    const int walks = int(STARFISH_SUMS) / (across * up);
    return {across, up, blocks_of(size_t(rows), size_t(walks > 0 ? walks : 1)), int(first), int(end)};
}

template <typename real> struct Residual {
    Matrix<real> matrix;
    Walks walks;
    const real *u, *f;
    real *result;
    double *sums;
    int coarse_nx, pair_x, pair_y; /* restriction: fine cells of a coarse one */
};

template <typename real> struct alignas(16) Layer {
    real a, b, c, d;
};

/* Where a thread walks: column i, layers k0 .. k0+LAYERS-1, as far as they are there. */
struct Path {
    int i, k0, first, end;
};

template <typename real> struct Rows {
    real south[LAYERS], here[LAYERS], north[LAYERS];
};

/* Row j of u; zeros beyond the sides. */
template <typename real>
__device__ void take_row(const Matrix<real> &m, const real *u, const Path &path, int j, real row[LAYERS])
{
    const int wrapped = neighbour(j, m.ny, m.periodic_y);
    const real *const from = u + path.i + ptrdiff_t(m.row()) * wrapped + ptrdiff_t(m.nx) * path.k0;
#pragma unroll
    for (int s = 0; s < LAYERS; s++)
        row[s] = wrapped >= 0 && path.k0 + s < m.nz ? __ldg(from + ptrdiff_t(m.nx) * s) : real(0);
}

/* What the corners of a column couple in layer s. */
template <typename real>
__device__ real corners(const real *const beside[2], const real coupling[4], ptrdiff_t offset, real here)
{
    real sum = 0;
#pragma unroll
    for (int side = 0; side < 4; side++)
        if (coupling[side] != real(0))
            sum += coupling[side] * (here - __ldg(beside[side / 2] + offset + (side % 2 ? 1 : -1)));
    return sum;
}

/* f - A u in row j. */
template <typename real, bool SKEW>
__device__ void residual_of(const Residual<real> &a, const Layer<real> *layer, const Path &path, int j,
                            const Rows<real> &rows, real result[LAYERS])
{
    const Matrix<real> &m = a.matrix;
    const Column<real> at = column_of(m, path.i, j);
    const ptrdiff_t nx = m.nx, start = nx * path.k0;
    const real *const u = a.u + at.here + start, *const f = a.f ? a.f + at.here + start : nullptr;
    const real *const west = at.west < 0 ? nullptr : a.u + at.west + start;
    const real *const east = at.east < 0 ? nullptr : a.u + at.east + start;
    const real *const beside[2] = {a.u + at.south + start, a.u + at.north + start};
    real coupling[4];
#pragma unroll
    for (int side = 0; side < 4; side++)
        coupling[side] = SKEW ? corner_of(m, at.corner, side % 2, side / 2) : real(0);
    real below = path.k0 > 0 ? __ldg(u - nx) : real(0);
    const real top = path.k0 + LAYERS < m.nz ? __ldg(u + nx * LAYERS) : real(0);

#pragma unroll
    for (int s = 0; s < LAYERS; s++) {
        if (path.k0 + s >= m.nz)
            break;
        const ptrdiff_t e = nx * s;
        const Layer<real> l = layer[s];
        const real here = rows.here[s], above = s + 1 < LAYERS ? rows.here[s + 1 < LAYERS ? s + 1 : s] : top;
        real across = at.left * (here - (west ? __ldg(west + e) : real(0))) +
                      at.right * (here - (east ? __ldg(east + e) : real(0)));
        across += at.low * (here - rows.south[s]) + at.high * (here - rows.north[s]);
        if (SKEW)
            across += corners(beside, coupling, e, here);
        result[s] = (f ? __ldcs(f + e) : real(0)) - at.mass * l.a * here -
                    at.lift * (l.b * (here - below) + l.c * (here - above)) - l.d * across;
        below = here;
    }
}

/* Of a zero u the residual is f. */
template <typename real> __device__ void copy_of(const Residual<real> &a, const Path &path, int j, real result[LAYERS])
{
    const Matrix<real> &m = a.matrix;
#pragma unroll
    for (int s = 0; s < LAYERS; s++)
        if (path.k0 + s < m.nz)
            result[s] = __ldcs(a.f + path.i + ptrdiff_t(m.row()) * j + ptrdiff_t(m.nx) * (path.k0 + s));
}

/* Calls use(j, residual of row j) along the path. */
template <typename real, bool SKEW, typename Use>
__device__ void walk(const Residual<real> &a, const Layer<real> *layer, const Path &path, Use &&use)
{
    Rows<real> rows;

    if (a.u) {
        take_row(a.matrix, a.u, path, path.first - 1, rows.here);
        take_row(a.matrix, a.u, path, path.first, rows.north);
    }
    for (int j = path.first; j < path.end; j++) {
        real result[LAYERS] = {};
        if (a.u) {
#pragma unroll
            for (int s = 0; s < LAYERS; s++) {
                rows.south[s] = rows.here[s];
                rows.here[s] = rows.north[s];
            }
            take_row(a.matrix, a.u, path, j + 1, rows.north);
            residual_of<real, SKEW>(a, layer, path, j, rows, result);
        } else {
            copy_of(a, path, j, result);
        }
        use(j, result);
    }
}

/* The block's layers into shared memory, and where this thread walks; columns beyond the last are the last. */
template <typename real>
__device__ Path begin_walk(const Residual<real> &a, size_t number, Layer<real> layer[HEIGHT], int unit)
{
    const Matrix<real> &m = a.matrix;
    const Walks &w = a.walks;
    const int up = int(number % w.up), across = int(number / w.up % w.across), along = int(number / w.up / w.across);
    const int k = up * HEIGHT + int(threadIdx.x);

    __syncthreads();
    if (threadIdx.y == 0 && k < m.nz)
        layer[threadIdx.x] = {m.a[k], m.b[k], m.c[k], m.d[k]};
    __syncthreads();
    const int first = w.first + along * w.length;
    return {across * LANES + int(threadIdx.x), up * HEIGHT + int(threadIdx.y) * LAYERS, first * unit,
            min(min(first + w.length, w.end) * unit, m.ny)};
}
static_assert(HEIGHT == LANES, "a warp brings the layers of a block");

/* ---- Residual ---------------------------------------------------------------------------------------------------- */

__device__ void store_sum(double value, double *sums)
{
    __shared__ double of_warp[WARPS];
    for (int step = 16; step > 0; step >>= 1)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    if (threadIdx.x == 0)
        of_warp[threadIdx.y] = value;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        double sum = 0;
        for (int w = 0; w < WARPS; w++)
            sum += of_warp[w];
        sums[blockIdx.x] = sum;
    }
}

template <typename real, bool SKEW>
__global__ void __launch_bounds__(LANES *WARPS, 3) residual_kernel(const __grid_constant__ Residual<real> a)
{
    __shared__ Layer<real> layer[HEIGHT];
    const Matrix<real> &m = a.matrix;
    double sum = 0;
    for (size_t number = blockIdx.x; number < a.walks.count(); number += gridDim.x) {
        const Path path = begin_walk(a, number, layer, 1);
        if (path.i >= m.nx || path.k0 >= m.nz)
            continue;
        walk<real, SKEW>(a, layer + threadIdx.y * LAYERS, path, [&](int j, const real result[LAYERS]) {
            real *const to = a.result + path.i + ptrdiff_t(m.row()) * j + ptrdiff_t(m.nx) * path.k0;
#pragma unroll
            for (int s = 0; s < LAYERS; s++) {
                if (a.result && path.k0 + s < m.nz)
                    to[ptrdiff_t(m.nx) * s] = result[s];
                sum += double(result[s]) * double(result[s]);
            }
        });
    }
    if (a.sums)
        store_sum(sum, a.sums);
}

template <typename real> int residual(const starfish_flat_residual *from, cudaStream_t stream)
{
    const Residual<real> a = {.matrix = matrix_of<real>(from->matrix),
                              .walks = walks_of(from->matrix, from->y0, from->y1),
                              .u = static_cast<const real *>(from->u),
                              .f = static_cast<const real *>(from->f),
                              .result = static_cast<real *>(from->result),
                              .sums = from->sums,
                              .coarse_nx = 0,
                              .pair_x = 1,
                              .pair_y = 1};
    if (a.sums) {
        const cudaError_t error = cudaMemsetAsync(a.sums, 0, STARFISH_SUMS * sizeof(double), stream);
        if (error != cudaSuccess)
            return error;
    }
    if (from->y0 >= from->y1)
        return cudaSuccess;
    const size_t most = STARFISH_SUMS;
    const unsigned blocks = unsigned(a.walks.count() < most ? a.walks.count() : most);
    if (a.matrix.corner)
        residual_kernel<real, true><<<blocks, dim3(LANES, WARPS), 0, stream>>>(a);
    else
        residual_kernel<real, false><<<blocks, dim3(LANES, WARPS), 0, stream>>>(a);
    return cudaGetLastError();
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
__global__ void __launch_bounds__(LANES *WARPS, 3) restrict_kernel(const __grid_constant__ Residual<real> a)
{
    __shared__ Layer<real> layer[HEIGHT];
    const Matrix<real> &m = a.matrix;
    const Path path = begin_walk(a, blockIdx.x, layer, a.pair_y);
    const Path inside = {min(path.i, m.nx - 1), path.k0, path.first, path.end};
    const real weight = path.i < m.nx ? 1 : 0;
    real sum[LAYERS] = {};
    if (path.k0 >= m.nz)
        return;
    walk<real, SKEW>(a, layer + threadIdx.y * LAYERS, inside, [&](int j, const real result[LAYERS]) {
#pragma unroll
        for (int s = 0; s < LAYERS; s++)
            sum[s] += weight * result[s];
        if ((j + 1) % a.pair_y != 0 && j + 1 < m.ny)
            return;
        store_coarse(a, path, j / a.pair_y, sum);
#pragma unroll
        for (int s = 0; s < LAYERS; s++)
            sum[s] = 0;
    });
}

template <typename real> int restrict_residual(const starfish_flat_restrict *from, cudaStream_t stream)
{
    const starfish_flat_transfer *const t = from->transfer;
    const Residual<real> a = {.matrix = matrix_of<real>(from->matrix),
                              .walks = walks_of(from->matrix, from->y0, from->y1),
                              .u = static_cast<const real *>(from->u),
                              .f = static_cast<const real *>(from->f),
                              .result = static_cast<real *>(from->coarse),
                              .sums = nullptr,
                              .coarse_nx = int(t[0].coarse),
                              .pair_x = t[0].fine == t[0].coarse ? 1 : 2,
                              .pair_y = t[1].fine == t[1].coarse ? 1 : 2};
    if (from->y0 >= from->y1)
        return cudaSuccess;
    const unsigned blocks = unsigned(a.walks.count());
    if (a.matrix.corner)
        restrict_kernel<real, true><<<blocks, dim3(LANES, WARPS), 0, stream>>>(a);
    else
        restrict_kernel<real, false><<<blocks, dim3(LANES, WARPS), 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flat_residual, residual)
STARFISH_CUDA_ENTRIES(starfish_flat_restrict, restrict_residual)
