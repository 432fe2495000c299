/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The constant mode on the GPU: one block of threads, sums in double, a fixed order so that results repeat. */
extern "C" {
#include "blktri/kernels/constant_mode.h"
}

#include "base/cuda_entries.h"

#include <cuda_runtime.h>

namespace
{

enum { THREADS = 1024 };

template <typename real> struct ConstantMode {
    size_t lanes, ny;
    int tiles;
    real *tile[STARFISH_CONSTANT_MODE_MAX_TILES];
    size_t first[STARFISH_CONSTANT_MODE_MAX_TILES + 1];
    const real *weight_y, *weight_z;
    double scale;
    double *removed;
};

template <typename real> __device__ double partial_sum(const ConstantMode<real> &a)
{
    double sum = 0;
    for (int t = 0; t < a.tiles; t++) {
        const size_t rows = (a.first[t + 1] - a.first[t]) * a.ny;
        for (size_t row = threadIdx.x; row < rows; row += THREADS)
            sum += double(a.weight_y[row % a.ny]) * double(a.weight_z[a.first[t] + row / a.ny]) *
                   double(a.tile[t][row * a.lanes]);
    }
    return sum;
}

template <typename real> __global__ void __launch_bounds__(THREADS) constant_mode_kernel(const ConstantMode<real> a)
{
    __shared__ double sums[THREADS];
    sums[threadIdx.x] = partial_sum(a);
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    __syncthreads();
    const double mean = sums[0];
    for (int t = 0; t < a.tiles; t++) {
        const size_t rows = (a.first[t + 1] - a.first[t]) * a.ny;
        for (size_t row = threadIdx.x; row < rows; row += THREADS)
            a.tile[t][row * a.lanes] -= real(mean);
    }
    if (threadIdx.x == 0 && a.removed)
        *a.removed = mean * a.scale;
}

template <typename real> int constant_mode(const starfish_constant_mode *a, cudaStream_t stream)
{
    ConstantMode<real> k = {};
    k.lanes = a->lanes;
    k.ny = a->ny;
    k.tiles = a->tiles;
    for (int t = 0; t < a->tiles; t++) {
        k.tile[t] = static_cast<real *>(a->tile[t]);
        k.first[t + 1] = a->first[t + 1];
    }
    k.first[0] = a->first[0];
    k.weight_y = static_cast<const real *>(a->weight_y);
    k.weight_z = static_cast<const real *>(a->weight_z);
    k.scale = a->scale;
    k.removed = a->removed;
    constant_mode_kernel<real><<<1, THREADS, 0, stream>>>(k);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_constant_mode, constant_mode)
