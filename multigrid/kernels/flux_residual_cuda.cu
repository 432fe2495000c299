/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The residual and its norm on the GPU.
 *
 * Words per unknown that must move in tensor form: 3, 2 without a result; H200 at 4.2 TB/s, 512^3, f64: 767 and 511 us.
 * There are no more blocks than sums: a block goes on to other tiles, so that sums do not depend on the order in which
 * blocks run. */
#include "multigrid/kernels/flux_march.cuh"

#include "base/cuda_entries.h"

namespace
{

using namespace flux;

template <typename real> struct Residual {
    Matrix<real> matrix;
    const real *u, *f;
    real *result;
    double *sums;
    Cut cut;
    int y0, y1, z0, z1;
};

template <typename real> __device__ Tile tile_of(const Residual<real> &a, unsigned tile)
{
    const Tile_index at = tile_index(a.cut, tile);
    const int first = a.z0 + at.z * a.cut.planes, end = min(first + a.cut.planes, a.z1);
    return {at.x * INSIDE_X - HALO, a.y0 + at.y * INSIDE_Y - HALO, first - 1, end - first + 2, a.y0, a.y1};
}

template <typename real, bool STORED>
__device__ double residual_of_tile(const Residual<real> &a, const Tile &tile, Planes<real, 2> &planes, Tables<real> &s)
{
    const Column<real> column = column_of<real, false>(a.matrix, tile);
    real u0[ROWS] = {}, u1[ROWS] = {}, f1[ROWS] = {}, u_next[ROWS] = {}, f_next[ROWS] = {};
    double sum = 0;

    fill_tables<real, false>(s, a.matrix, tile);
    __syncthreads();
    load_inner(u_next, a.u, s, column, 0);
    for (int p = 0; p < tile.planes; p++) {
        const Line<real> z = s.plane[max(p - 1, 0)];
        real u2[ROWS], result[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            u2[r] = u_next[r];
        put(&planes.value[p & 1][column.row][column.x], u2);
        if (p + 1 < tile.planes) {
            load_inner(u_next, a.u, s, column, p + 1);
            load_inner(f_next, a.f, s, column, max(p, 1)); /* that of the outermost planes need not be there */
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const Star<real> u = star_of(&planes.value[(p - 1) & 1][column.row][column.x], u1, r, u0[r], u2[r]);
            result[r] = residual_of_row<real, STORED>(a.matrix, s, column, z, column.row + r, max(p - 1, 0), u, f1[r]);
            if (p >= 2 && (column.written >> r & 1))
                sum += double(result[r]) * double(result[r]);
        }
        if (p >= 2 && a.result)
            write(a.result, result, s, column, p - 1);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            u0[r] = u1[r];
            u1[r] = u2[r];
            f1[r] = f_next[r];
        }
        __syncthreads();
    }
    return sum;
}

/* The block's sum, at its place. */
__device__ void store_sum(double value, double *sums)
{
    __shared__ double of_thread[THREADS];
    const int thread = threadIdx.y * ACROSS + threadIdx.x;
    of_thread[thread] = value;
    for (int step = THREADS / 2; step > 0; step /= 2) {
        __syncthreads();
        if (thread < step)
            of_thread[thread] += of_thread[thread + step];
    }
    if (thread == 0)
        sums[blockIdx.x] = of_thread[0];
}
static_assert((THREADS & (THREADS - 1)) == 0, "sums are halved");

template <typename real, bool STORED>
__global__ void __launch_bounds__(THREADS, RESIDENT<real>) residual_kernel(const __grid_constant__ Residual<real> a)
{
    __shared__ Planes<real, 2> planes;
    __shared__ Tables<real> s;
    const unsigned tiles = unsigned(a.cut.tiles());
    double sum = 0;

    clear_spare(planes);
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        sum += residual_of_tile<real, STORED>(a, tile_of(a, tile), planes, s);
    if (a.sums)
        store_sum(sum, a.sums);
}

template <typename real> int residual(const starfish_flux_residual *from, cudaStream_t stream)
{
    const starfish_flux_part &at = from->at;
    if (is_too_large(from->matrix.axis[0].n, from->matrix.axis[1].n))
        return cudaErrorInvalidValue;
    if (from->sums) {
        const cudaError_t error = cudaMemsetAsync(from->sums, 0, STARFISH_SUMS * sizeof(double), stream);
        if (error != cudaSuccess)
            return error;
    }
    if (at.y0 >= at.y1 || at.z0 >= at.z1)
        return cudaSuccess;
    const Residual<real> a = {matrix_of<real>(from->matrix),
                              static_cast<const real *>(from->u),
                              static_cast<const real *>(from->f),
                              static_cast<real *>(from->result),
                              from->sums,
                              cut_part(long(from->matrix.axis[0].n), long(at.y1 - at.y0), long(at.z1 - at.z0), INSIDE_X,
                                       INSIDE_Y, MOST_PLANES),
                              int(at.y0),
                              int(at.y1),
                              int(at.z0),
                              int(at.z1)};
    const size_t tiles = a.cut.tiles(), most = STARFISH_SUMS;
    const dim3 blocks(unsigned(tiles < most ? tiles : most)), threads(ACROSS, DOWN);
    if (from->matrix.face[0])
        residual_kernel<real, true><<<blocks, threads, 0, stream>>>(a);
    else
        residual_kernel<real, false><<<blocks, threads, 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flux_residual, residual)
