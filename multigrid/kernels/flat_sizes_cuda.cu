/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes of the terms of a flat domain's equations on the GPU: a thread per cell. A word per unknown must move; what
 * neighbours share comes from the caches. */
#include "multigrid/kernels/flat_column.cuh"

extern "C" {
#include "multigrid/kernels/flat_sizes.h"
}

#include "base/cuda_entries.h"

#include <algorithm>

namespace
{

using namespace flat;

constexpr int THREADS = 256;

/* |u| around, in double. */
template <typename real> struct Values {
    Matrix<real> m;
    const real *u;
    /* Of column (i,j), which may lie beyond an end, in layer k. */
    __device__ double at(int i, int j, int k) const
    {
        const int x = neighbour(i, m.nx, m.periodic_x), y = neighbour(j, m.ny, m.periodic_y);
        return x < 0 || y < 0 ? 0 : fabs(double(u[size_t(x) + size_t(m.nx) * (size_t(k) + size_t(m.nz) * size_t(y))]));
    }
};

template <typename real> __device__ double absolute(const real *array, size_t index)
{
    return fabs(double(array[index]));
}

template <typename real> __device__ double corners(const Values<real> &v, int i, int j, int k)
{
    double sum = 0;
    for (int side = 0; side < 4 && v.m.corner; side++) {
        const int east = side % 2, north = side / 2;
        const double q = double(v.m.corner[size_t(i + east) + size_t(v.m.nx + 1) * size_t(j + north)]);
        if (east == north ? q > 0 : q < 0)
            sum += fabs(q) * (v.at(i, j, k) + v.at(i + 2 * east - 1, j + 2 * north - 1, k));
    }
    return sum;
}

template <typename real> __device__ double size_of(const Values<real> &v, int i, int j, int k)
{
    const Matrix<real> &m = v.m;
    const size_t column = size_t(i) + size_t(m.nx) * size_t(j), face = column + size_t(j);
    const double here = v.at(i, j, k), under = k > 0 ? v.at(i, j, k - 1) : 0,
                 over = k + 1 < m.nz ? v.at(i, j, k + 1) : 0;
    const double across = absolute(m.face_x, face) * (here + v.at(i - 1, j, k)) +
                          absolute(m.face_x, face + 1) * (here + v.at(i + 1, j, k)) +
                          absolute(m.face_y, column) * (here + v.at(i, j - 1, k)) +
                          absolute(m.face_y, column + size_t(m.nx)) * (here + v.at(i, j + 1, k));
    return absolute(m.mass, column) * absolute(m.a, k) * here +
           absolute(m.lift, column) * (absolute(m.b, k) * (here + under) + absolute(m.c, k) * (here + over)) +
           absolute(m.d, k) * (across + corners(v, i, j, k));
}

template <typename real>
__global__ void __launch_bounds__(THREADS) sizes_kernel(const Values<real> v, int y0, int y1, double *sums)
{
    const size_t row = v.m.row(), cells = row * size_t(y1 - y0);
    double sum = 0;
    for (size_t e = blockIdx.x * size_t(THREADS) + threadIdx.x; e < cells; e += size_t(gridDim.x) * THREADS) {
        const int i = int(e % size_t(v.m.nx)), k = int(e % row / size_t(v.m.nx)), j = y0 + int(e / row);
        const double size = v.m.counts(i) ? size_of(v, i, j, k) : 0;
        sum += size * size;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

template <typename real> int sizes(const starfish_flat_sizes *from, cudaStream_t stream)
{
    const Values<real> v = {matrix_of<real>(from->matrix), static_cast<const real *>(from->u)};
    const cudaError_t error = cudaMemsetAsync(from->sums, 0, STARFISH_SUMS * sizeof(double), stream);
    if (error != cudaSuccess || from->y0 >= from->y1)
        return error;
    const size_t cells = v.m.row() * (from->y1 - from->y0), blocks = (cells + THREADS - 1) / THREADS;
    sizes_kernel<real><<<unsigned(std::min(blocks, size_t(STARFISH_SUMS))), THREADS, 0, stream>>>(
        v, int(from->y0), int(from->y1), from->sums);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flat_sizes, sizes)
