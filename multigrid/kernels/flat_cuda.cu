/* Residual, transfers and the order of users' arrays of flat domains on the GPU. A warp has 32 columns that are
 * neighbours in x, a thread a run of layers of one column.
 *
 * Words per unknown that must move; H200 at 4.2 TB/s, 512 x 512 x 128, f64: residual 3 (192 us), restriction of the
 * residual 2.25 (144 us), prolongation 2.25, arrays to and from users' order 2 (128 us). */
#include "multigrid/kernels/flat_patch.cuh"

#include "base/cuda_entries.h"

namespace
{

using namespace flat;

constexpr int WARPS = 8, LAYERS = 16; /* of a block; of a thread, at most */

/* Pieces of 32 columns and LAYERS layers, which fall to warps one after the other. */
struct Pieces {
    int across, rows, up;
    size_t count() const { return size_t(across) * size_t(rows) * size_t(up); }
};

Pieces pieces_of(size_t nx, size_t rows, size_t nz)
{
    return {blocks_of(nx, LANES), int(rows), blocks_of(nz, LAYERS)};
}

/* ---- Residual ---------------------------------------------------------------------------------------------------- */

template <typename real> struct Residual {
    Matrix<real> matrix;
    Pieces pieces;
    int y0;
    const real *u, *f;
    real *result;
    double *sums;
};

template <typename real> __device__ double residual_of_piece(const Residual<real> &a, size_t piece)
{
    const Matrix<real> &m = a.matrix;
    const int up = int(piece % a.pieces.up), across = int(piece / a.pieces.up % a.pieces.across);
    const int i = across * LANES + threadIdx.x, j = a.y0 + int(piece / a.pieces.up / a.pieces.across);
    const int k0 = up * LAYERS, end = min(k0 + LAYERS, m.nz);
    double sum = 0;
    if (i >= m.nx)
        return 0;
    const Column<real> at = column_of(m, i, j);
    const Plain<real> values = {a.u, at, m.nx};
    Walk<real, Plain<real>> walk(values, k0);
#pragma unroll 4
    for (int k = k0; k < end; k++) {
        const ptrdiff_t e = at.here + ptrdiff_t(m.nx) * k;
        const real result = walk.next(m, at, values, k, a.f ? a.f[e] : real(0));
        if (a.result)
            a.result[e] = result;
        sum += double(result) * double(result);
    }
    return sum;
}

/* Of a zero u the residual is f. */
template <typename real> __device__ double copy_piece(const Residual<real> &a, size_t piece)
{
    const Matrix<real> &m = a.matrix;
    const int up = int(piece % a.pieces.up), across = int(piece / a.pieces.up % a.pieces.across);
    const int i = across * LANES + threadIdx.x, j = a.y0 + int(piece / a.pieces.up / a.pieces.across);
    double sum = 0;
    for (int k = up * LAYERS; k < min((up + 1) * LAYERS, m.nz) && i < m.nx; k++) {
        const size_t e = size_t(i) + m.row() * j + size_t(m.nx) * k;
        const real f = a.f[e];
        if (a.result)
            a.result[e] = f;
        sum += double(f) * double(f);
    }
    return sum;
}

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

template <typename real>
__global__ void __launch_bounds__(LANES *WARPS) residual_kernel(const __grid_constant__ Residual<real> a)
{
    const size_t count = size_t(a.pieces.across) * size_t(a.pieces.rows) * size_t(a.pieces.up);
    double sum = 0;
    for (size_t piece = blockIdx.x * size_t(WARPS) + threadIdx.y; piece < count; piece += size_t(gridDim.x) * WARPS)
        sum += a.u ? residual_of_piece(a, piece) : copy_piece(a, piece);
    if (a.sums)
        store_sum(sum, a.sums);
}

template <typename real> int residual(const starfish_flat_residual *from, cudaStream_t stream)
{
    const Residual<real> a = {matrix_of<real>(from->matrix),
                              pieces_of(from->matrix.n[0], from->y1 - from->y0, from->matrix.n[2]),
                              int(from->y0),
                              static_cast<const real *>(from->u),
                              static_cast<const real *>(from->f),
                              static_cast<real *>(from->result),
                              from->sums};
    if (a.sums) {
        const cudaError_t error = cudaMemsetAsync(a.sums, 0, STARFISH_SUMS * sizeof(double), stream);
        if (error != cudaSuccess)
            return error;
    }
    const size_t blocks = (a.pieces.count() + WARPS - 1) / WARPS,
                 most = a.sums ? size_t(STARFISH_SUMS) : size_t(1) << 30;
    if (blocks == 0)
        return cudaSuccess;
    residual_kernel<real><<<unsigned(blocks < most ? blocks : most), dim3(LANES, WARPS), 0, stream>>>(a);
    return cudaGetLastError();
}

/* ---- Restriction ------------------------------------------------------------------------------------------------- */

template <typename real> struct Restrict {
    Matrix<real> matrix;
    int y0, coarse_nx, pair_x, pair_y; /* fine cells of a coarse one */
    const real *u, *f;
    real *coarse;
};

/* The residual of the fine column's layers k0 .. end-1, added to those. */
template <typename real>
__device__ void add_residual(const Restrict<real> &a, int i, int j, int k0, int end, real sum[LAYERS])
{
    const Matrix<real> &m = a.matrix;
    const Column<real> at = column_of(m, i, j);
    const real *const f = a.f + at.here;
    if (!a.u) {
#pragma unroll
        for (int s = 0; s < LAYERS; s++)
            sum[s] += k0 + s < end ? f[ptrdiff_t(m.nx) * (k0 + s)] : real(0);
        return;
    }
    const Plain<real> values = {a.u, at, m.nx};
    Walk<real, Plain<real>> walk(values, k0);
#pragma unroll
    for (int s = 0; s < LAYERS; s++)
        if (k0 + s < end)
            sum[s] += walk.next(m, at, values, k0 + s, f[ptrdiff_t(m.nx) * (k0 + s)]);
}

/* Two lanes whose columns are a pair add up what they have; blocks begin at even columns. */
template <typename real>
__global__ void __launch_bounds__(LANES *WARPS) restrict_kernel(const __grid_constant__ Restrict<real> a)
{
    const Matrix<real> &m = a.matrix;
    const int i = blockIdx.x * LANES + threadIdx.x, row = a.y0 + int(blockIdx.y);
    const int k0 = (blockIdx.z * WARPS + threadIdx.y) * LAYERS, end = min(k0 + LAYERS, m.nz);
    real sum[LAYERS] = {};
    if (i < m.nx && k0 < end)
        for (int j = row * a.pair_y; j < min((row + 1) * a.pair_y, m.ny); j++)
            add_residual(a, i, j, k0, end, sum);
    if (a.pair_x == 2) {
#pragma unroll
        for (int s = 0; s < LAYERS; s++)
            sum[s] += __shfl_down_sync(0xffffffffu, sum[s], 1);
    }
    if (i >= m.nx || i % a.pair_x != 0)
        return;
    real *const coarse = a.coarse + i / a.pair_x + size_t(a.coarse_nx) * size_t(m.nz) * row;
#pragma unroll
    for (int s = 0; s < LAYERS; s++)
        if (k0 + s < end)
            coarse[size_t(a.coarse_nx) * (k0 + s)] = sum[s];
}

template <typename real> int restrict_residual(const starfish_flat_restrict *from, cudaStream_t stream)
{
    const starfish_flat_transfer *const t = from->transfer;
    const Restrict<real> a = {matrix_of<real>(from->matrix),
                              int(from->y0),
                              int(t[0].coarse),
                              t[0].fine == t[0].coarse ? 1 : 2,
                              t[1].fine == t[1].coarse ? 1 : 2,
                              static_cast<const real *>(from->u),
                              static_cast<const real *>(from->f),
                              static_cast<real *>(from->coarse)};
    const int up = blocks_of(from->matrix.n[2], LAYERS), warps = up < WARPS ? up : WARPS;
    if (from->y0 >= from->y1)
        return cudaSuccess;
    const dim3 blocks(unsigned(blocks_of(from->matrix.n[0], LANES)), unsigned(from->y1 - from->y0),
                      unsigned(blocks_of(size_t(up), WARPS)));
    restrict_kernel<real><<<blocks, dim3(LANES, unsigned(warps)), 0, stream>>>(a);
    return cudaGetLastError();
}

/* ---- Prolongation ------------------------------------------------------------------------------------------------ */

template <typename real> struct Prolong {
    Transfer<real> x, y;
    int y0, nz;
    const real *coarse, *u;
    real *v;
};

template <typename real>
__global__ void __launch_bounds__(LANES *WARPS) prolong_kernel(const __grid_constant__ Prolong<real> a)
{
    const int i = blockIdx.x * LANES + threadIdx.x, j = a.y0 + int(blockIdx.y);
    if (i >= a.x.fine)
        return;
    const Terms<real> x = terms_of(a.x, i), y = terms_of(a.y, j);
    const size_t row = size_t(a.x.coarse) * size_t(a.nz);
    for (int k = blockIdx.z * WARPS + threadIdx.y; k < a.nz; k += gridDim.z * WARPS) {
        const size_t e = size_t(i) + size_t(a.x.fine) * (size_t(k) + size_t(a.nz) * j);
        const real *const layer = a.coarse + size_t(a.x.coarse) * k;
        real sum = a.u ? a.u[e] : real(0);
#pragma unroll
        for (int s = 0; s < 4; s++)
            sum += x.weight[s % 2] * y.weight[s / 2] * __ldg(layer + row * y.index[s / 2] + x.index[s % 2]);
        a.v[e] = sum;
    }
}

/* Blocks for the layers of all cells of some rows. */
dim3 blocks_for(size_t nx, size_t rows, size_t nz)
{
    const int up = blocks_of(nz, WARPS);
    return dim3(unsigned(blocks_of(nx, LANES)), unsigned(rows), unsigned(up < 64 ? up : 64));
}

template <typename real> int prolong(const starfish_flat_prolong *from, cudaStream_t stream)
{
    const Prolong<real> a = {transfer_of<real>(from->transfer[0]),
                             transfer_of<real>(from->transfer[1]),
                             int(from->y0),
                             int(from->layers),
                             static_cast<const real *>(from->coarse),
                             static_cast<const real *>(from->u),
                             static_cast<real *>(from->v)};
    if (from->y0 >= from->y1)
        return cudaSuccess;
    prolong_kernel<real>
        <<<blocks_for(from->transfer[0].fine, from->y1 - from->y0, from->layers), dim3(LANES, WARPS), 0, stream>>>(a);
    return cudaGetLastError();
}

/* ---- The order of users' arrays ---------------------------------------------------------------------------------- */

template <typename real> struct Arrange {
    int nx, nz, y0, first, back;
    size_t pitch;
    const double *column, *layer;
    const real *from;
    real *to;
};

template <typename real>
__global__ void __launch_bounds__(LANES *WARPS) arrange_kernel(const __grid_constant__ Arrange<real> a)
{
    const int i = blockIdx.x * LANES + threadIdx.x, j = a.y0 + int(blockIdx.y);
    if (i >= a.nx)
        return;
    const double column = a.column ? a.column[size_t(i) + size_t(a.nx) * j] : 1;
    for (int k = blockIdx.z * WARPS + threadIdx.y; k < a.nz; k += gridDim.z * WARPS) {
        const size_t user = size_t(i) + size_t(a.nx) * (j - a.first) + a.pitch * k;
        const size_t grid = size_t(i) + size_t(a.nx) * (size_t(k) + size_t(a.nz) * j);
        const real value = a.from[a.back ? grid : user];
        a.to[a.back ? user : grid] = a.column ? real(double(value) * (column * a.layer[k])) : value;
    }
}

template <typename real> int arrange(const starfish_flat_arrange *from, cudaStream_t stream)
{
    const Arrange<real> a = {int(from->nx),
                             int(from->nz),
                             int(from->y0),
                             int(from->first),
                             from->back,
                             from->pitch,
                             from->column,
                             from->layer,
                             static_cast<const real *>(from->from),
                             static_cast<real *>(from->to)};
    if (from->y0 >= from->y1)
        return cudaSuccess;
    arrange_kernel<real><<<blocks_for(from->nx, from->y1 - from->y0, from->nz), dim3(LANES, WARPS), 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

extern "C" size_t starfish_flat_work_cuda(const struct starfish_flat_matrix *matrix, size_t real_size)
{
    const size_t count = matrix->n[0] * matrix->n[1] * matrix->n[2];
    return matrix->n[2] > STARFISH_FLAT_MOST_HELD ? 2 * count * real_size : 0;
}

STARFISH_CUDA_ENTRIES(starfish_flat_residual, residual)
STARFISH_CUDA_ENTRIES(starfish_flat_restrict, restrict_residual)
STARFISH_CUDA_ENTRIES(starfish_flat_prolong, prolong)
STARFISH_CUDA_ENTRIES(starfish_flat_arrange, arrange)
