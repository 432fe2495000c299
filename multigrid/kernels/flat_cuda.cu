/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prolongation and the order of users' arrays of flat domains on the GPU. A warp has 32 columns that are neighbours in
 * x.
 *
 * Words per unknown that must move; H200 at 4.2 TB/s, 512 x 512 x 128, f64: prolongation 2.25, arrays to and from
 * users' order 2 (128 us). */
#include "multigrid/kernels/flat_patch.cuh"

#include "base/cuda_entries.h"

namespace
{

using namespace flat;

constexpr int WARPS = 8, LAYERS = 8; /* of a block; of a thread, at least */

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
    const int up = blocks_of(nz, WARPS * LAYERS);
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
    int nx, nz, x0, x1, y0, z0, z1, first, back;
    size_t row, plane, columns;
    const double *column, *layer;
    const real *from;
    real *to;
};

template <typename real>
__global__ void __launch_bounds__(LANES *WARPS) arrange_kernel(const __grid_constant__ Arrange<real> a)
{
    const int i = a.x0 + int(blockIdx.x * LANES + threadIdx.x), j = a.y0 + int(blockIdx.y);
    if (i >= a.x1)
        return;
    const double column = a.column ? a.column[size_t(i) + a.columns * j] : 1;
    for (int k = a.z0 + int(blockIdx.z * WARPS + threadIdx.y); k < a.z1; k += gridDim.z * WARPS) {
        const size_t user = size_t(i - a.x0) + a.row * (j - a.first) + a.plane * (k - a.z0);
        const size_t grid = size_t(i) + size_t(a.nx) * (size_t(k) + size_t(a.nz) * j);
        const real value = a.from[a.back ? grid : user];
        a.to[a.back ? user : grid] = a.column ? real(double(value) * (column * a.layer[k])) : value;
    }
}

template <typename real> int arrange(const starfish_flat_arrange *from, cudaStream_t stream)
{
    const Arrange<real> a = {int(from->nx),
                             int(from->nz),
                             int(from->x0),
                             int(from->x1),
                             int(from->y0),
                             int(from->z0),
                             int(from->z1),
                             int(from->first),
                             from->back,
                             from->row,
                             from->plane,
                             from->columns,
                             from->column,
                             from->layer,
                             static_cast<const real *>(from->from),
                             static_cast<real *>(from->to)};
    if (from->y0 >= from->y1)
        return cudaSuccess;
    arrange_kernel<real>
        <<<blocks_for(from->x1 - from->x0, from->y1 - from->y0, from->z1 - from->z0), dim3(LANES, WARPS), 0, stream>>>(
            a);
    return cudaGetLastError();
}

} // namespace

/* Lines: of long columns factors and values, and of each block of columns a sum. */
extern "C" size_t starfish_flat_work_cuda(const struct starfish_flat_matrix *matrix, size_t real_size)
{
    return long_bytes(matrix, real_size) +
           size_t(blocks_of(matrix->n[0], LEAST_COLUMNS)) * matrix->n[1] * sizeof(double);
}

STARFISH_CUDA_ENTRIES(starfish_flat_prolong, prolong)
STARFISH_CUDA_ENTRIES(starfish_flat_arrange, arrange)
