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
    const real *correction;
    double factor;
    const double *scalar;
    real *v;
    int energy;
    int coarse_nx, pair_x, pair_y; /* restriction: fine cells of a coarse one */
};

/* w, of which the residual is computed: u, or where COMBINED u + factor * correction. */
template <typename real, bool COMBINED> struct Values {
    const real *u, *correction;
    real factor;
    __device__ explicit Values(const Residual<real> &a) : u(a.u), correction(a.correction), factor(0)
    {
        if (COMBINED)
            factor = real(a.factor * (a.scalar ? *a.scalar : 1.0));
    }
    __device__ real at(ptrdiff_t e) const
    {
        if (!COMBINED)
            return __ldg(u + e);
        const real value = u ? __ldg(u + e) : real(0);
        return factor == real(0) ? value : value + factor * __ldg(correction + e);
    }
};

template <typename real> struct alignas(16) Layer {
    real a, b, c, d;
};

/* Where a thread walks: column i, layers k0 .. k0+LAYERS-1; beyond the top it repeats that, and what it finds is not
 * used. */
struct Path {
    int i, k0, first, end;
};

/* What a thread knows in row j of its walk. */
template <typename real> struct Place {
    ptrdiff_t here, west, east;                /* layer k0 of its column, and from there to the columns beside */
    real west_is_there, east_is_there;         /* 1, or 0 where there is no column */
    const real *mass, *lift, *face_x, *face_y; /* of the column; face_y: above it */
    const real *corner;                        /* the first of its four */
    real low;                                  /* the face below */
    real south[LAYERS], here_values[LAYERS], north[LAYERS];
};

template <typename real> __device__ Place<real> place_of(const Matrix<real> &m, const Path &path)
{
    const Column<real> at = column_of(m, path.i, path.first);
    const size_t column = size_t(path.i) + size_t(m.nx) * path.first;
    Place<real> p;

    p.here = at.here + ptrdiff_t(m.nx) * path.k0;
    p.west = at.west < 0 ? 0 : at.west - at.here;
    p.east = at.east < 0 ? 0 : at.east - at.here;
    p.west_is_there = at.west < 0 ? 0 : 1;
    p.east_is_there = at.east < 0 ? 0 : 1;
    p.mass = m.mass + column;
    p.lift = m.lift + column;
    p.face_x = m.face_x + column + path.first;
    p.face_y = m.face_y + column + m.nx;
    p.corner = m.corner ? m.corner + column + path.first : nullptr;
    p.low = at.low;
    return p;
}

/* The layers of row j, `to` from the thread's place; zeros beyond the sides. */
template <typename real, typename From>
__device__ void take_row(const Matrix<real> &m, const From &values, const Path &path, ptrdiff_t here, int to,
                         real row[LAYERS])
{
    const int j = path.first + to, wrapped = neighbour(j, m.ny, m.periodic_y);
    const int read = wrapped >= 0 ? wrapped : min(max(j, 0), m.ny - 1); /* a row that this part has, times 0 */
    const ptrdiff_t start = here + ptrdiff_t(m.row()) * (read - path.first);
    const real there = wrapped >= 0 ? 1 : 0;
#pragma unroll
    for (int s = 0; s < LAYERS; s++)
        row[s] = there * values.at(start + m.nx * min(s, m.nz - 1 - path.k0));
}

/* What the corners of a column couple in the layer `e`. */
template <typename real, typename From>
__device__ real corners(const Matrix<real> &m, const From &values, const real coupling[4], ptrdiff_t e, real here)
{
    real sum = 0;
#pragma unroll
    for (int side = 0; side < 4; side++)
        if (coupling[side] != real(0)) {
            const ptrdiff_t beside = (side / 2 ? 1 : -1) * ptrdiff_t(m.row()) + (side % 2 ? 1 : -1);
            sum += coupling[side] * (here - values.at(e + beside));
        }
    return sum;
}

/* f - A w in a row. */
template <typename real, bool SKEW, typename From>
__device__ void residual_of(const Residual<real> &a, const From &values, const Layer<real> *layer, const Path &path,
                            Place<real> &p, real result[LAYERS])
{
    const Matrix<real> &m = a.matrix;
    const real mass = __ldg(p.mass), lift = __ldg(p.lift), left = __ldg(p.face_x), right = __ldg(p.face_x + 1);
    const real low = p.low, high = __ldg(p.face_y);
    real coupling[4];
#pragma unroll
    for (int side = 0; side < 4; side++) {
        const real q = SKEW ? __ldg(p.corner + side % 2 + (side / 2) * size_t(m.nx + 1)) : real(0);
        coupling[side] = max(side % 2 == side / 2 ? q : -q, real(0));
    }
    real below = path.k0 > 0 ? values.at(p.here - m.nx) : real(0);
    const real top = path.k0 + LAYERS < m.nz ? values.at(p.here + m.nx * LAYERS) : real(0);

#pragma unroll
    for (int s = 0; s < LAYERS; s++) {
        const ptrdiff_t e = p.here + m.nx * min(s, m.nz - 1 - path.k0);
        const Layer<real> l = layer[s];
        const real here = p.here_values[s], above = s + 1 < LAYERS ? p.here_values[s + 1 < LAYERS ? s + 1 : s] : top;
        real across = left * (here - p.west_is_there * values.at(e + p.west)) +
                      right * (here - p.east_is_there * values.at(e + p.east));
        across += low * (here - p.south[s]) + high * (here - p.north[s]);
        if (SKEW)
            across += corners<real>(m, values, coupling, e, here);
        result[s] = (a.f ? __ldcs(a.f + e) : real(0)) - mass * l.a * here -
                    lift * (l.b * (here - below) + l.c * (here - above)) - l.d * across;
        below = here;
    }
    p.low = high;
}

/* Of a zero u the residual is f. */
template <typename real>
__device__ void copy_of(const Residual<real> &a, const Path &path, ptrdiff_t here, real result[LAYERS])
{
#pragma unroll
    for (int s = 0; s < LAYERS; s++)
        result[s] = __ldcs(a.f + here + a.matrix.nx * min(s, a.matrix.nz - 1 - path.k0));
}

/* Calls use(j, w, f - A w) for the rows of a path. */
template <typename real, bool SKEW, bool COMBINED, typename Use>
__device__ void walk(const Residual<real> &a, const Layer<real> *layer, const Path &path, Use &&use)
{
    const Matrix<real> &m = a.matrix;
    const Values<real, COMBINED> values(a);
    const bool zero = !a.u && !COMBINED;
    Place<real> p = place_of(m, path);
    const ptrdiff_t start = p.here;

    if (!zero) {
        take_row(m, values, path, start, -1, p.here_values);
        take_row(m, values, path, start, 0, p.north);
    }
    for (int j = path.first; j < path.end; j++) {
        real result[LAYERS];
        if (zero) {
            copy_of(a, path, p.here, result);
        } else {
#pragma unroll
            for (int s = 0; s < LAYERS; s++) {
                p.south[s] = p.here_values[s];
                p.here_values[s] = p.north[s];
            }
            take_row(m, values, path, start, j + 1 - path.first, p.north);
            residual_of<real, SKEW>(a, values, layer, path, p, result);
        }
        use(j, p.here_values, result);
        p.here += m.row();
        p.mass += m.nx;
        p.lift += m.nx;
        p.face_x += m.nx + 1;
        p.face_y += m.nx;
        p.corner += SKEW ? m.nx + 1 : 0;
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
    if (threadIdx.y == 0 && threadIdx.x < HEIGHT && k < m.nz)
        layer[threadIdx.x] = {m.a[k], m.b[k], m.c[k], m.d[k]};
    __syncthreads();
    const int first = w.first + along * w.length;
    return {across * LANES + int(threadIdx.x), up * HEIGHT + int(threadIdx.y) * LAYERS, first * unit,
            min(min(first + w.length, w.end) * unit, m.ny)};
}
static_assert(HEIGHT <= LANES, "a warp brings the layers of a block");

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

/* Lanes beyond the last column walk along it, and neither store nor add. */
template <typename real, bool SKEW, bool COMBINED>
__global__ void __launch_bounds__(LANES *WARPS, 3) residual_kernel(const __grid_constant__ Residual<real> a)
{
    __shared__ Layer<real> layer[HEIGHT];
    const Matrix<real> &m = a.matrix;
    double sum = 0;
    for (size_t number = blockIdx.x; number < a.walks.count(); number += gridDim.x) {
        const Path path = begin_walk(a, number, layer, 1);
        const Path inside = {min(path.i, m.nx - 1), path.k0, path.first, path.end};
        if (path.k0 >= m.nz)
            continue;
        const auto use = [&](int j, const real w[LAYERS], const real result[LAYERS]) {
            const ptrdiff_t start = path.i + ptrdiff_t(m.row()) * j + ptrdiff_t(m.nx) * path.k0;
#pragma unroll
            for (int s = 0; s < LAYERS; s++) {
                const bool there = path.i < m.nx && path.k0 + s < m.nz;
                if (there && a.result)
                    a.result[start + m.nx * s] = result[s];
                if (COMBINED && there && a.v)
                    a.v[start + m.nx * s] = w[s];
                sum += there ? double(a.energy ? w[s] : result[s]) * double(result[s]) : 0.0;
            }
        };
        walk<real, SKEW, COMBINED>(a, layer + threadIdx.y * LAYERS, inside, use);
    }
    if (a.sums)
        store_sum(sum, a.sums);
}

template <typename real, bool SKEW> void launch_residual(const Residual<real> &a, cudaStream_t stream)
{
    const size_t most = STARFISH_SUMS;
    const unsigned blocks = unsigned(a.walks.count() < most ? a.walks.count() : most);

    if (a.correction || a.v)
        residual_kernel<real, SKEW, true><<<blocks, dim3(LANES, WARPS), 0, stream>>>(a);
    else
        residual_kernel<real, SKEW, false><<<blocks, dim3(LANES, WARPS), 0, stream>>>(a);
}

template <typename real> int residual(const starfish_flat_residual *from, cudaStream_t stream)
{
    Residual<real> a = {};
    a.matrix = matrix_of<real>(from->matrix);
    a.walks = walks_of(from->matrix, from->y0, from->y1);
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
    if (a.matrix.corner)
        launch_residual<real, true>(a, stream);
    else
        launch_residual<real, false>(a, stream);
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
    const auto use = [&](int j, const real *, const real result[LAYERS]) {
#pragma unroll
        for (int s = 0; s < LAYERS; s++)
            sum[s] += weight * result[s];
        if ((j + 1) % a.pair_y != 0 && j + 1 < m.ny)
            return;
        store_coarse(a, path, j / a.pair_y, sum);
#pragma unroll
        for (int s = 0; s < LAYERS; s++)
            sum[s] = 0;
    };
    walk<real, SKEW, false>(a, layer + threadIdx.y * LAYERS, inside, use);
}

template <typename real> int restrict_residual(const starfish_flat_restrict *from, cudaStream_t stream)
{
    const starfish_flat_transfer *const t = from->transfer;
    Residual<real> a = {};
    a.matrix = matrix_of<real>(from->matrix);
    a.walks = walks_of(from->matrix, from->y0, from->y1);
    a.u = static_cast<const real *>(from->u);
    a.f = static_cast<const real *>(from->f);
    a.result = static_cast<real *>(from->coarse);
    a.coarse_nx = int(t[0].coarse);
    a.pair_x = t[0].fine == t[0].coarse ? 1 : 2;
    a.pair_y = t[1].fine == t[1].coarse ? 1 : 2;
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
