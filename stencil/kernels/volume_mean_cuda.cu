/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solutions of singular problems whose rows are scaled, on the GPU (volume_mean.h): bound by memory. A thread per
 * unknown and along x, blocks of rows. */
extern "C" {
#include "stencil/kernels/volume_mean.h"
}

#include "base/cuda_entries.h"

#include <cuda_runtime.h>

namespace
{

constexpr unsigned THREADS = 256;
constexpr size_t MOST_BLOCKS = 4096;

template <typename real>
__global__ void __launch_bounds__(THREADS)
    mean_kernel(size_t nx, size_t ny, size_t rows, const double *of_row, const double *numbers, real *u)
{
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const real added = static_cast<real>(numbers[STARFISH_MEAN_P] * of_row[row % ny] - numbers[STARFISH_MEAN_MEAN]);
        for (size_t i = threadIdx.x; i < nx; i += THREADS)
            u[row * nx + i] += added;
    }
}

template <typename real> int add_mean(const starfish_volume_mean *a, cudaStream_t stream)
{
    const size_t rows = a->n[1] * a->n[2];
    if (rows == 0 || a->n[0] == 0)
        return cudaSuccess;
    mean_kernel<<<unsigned(rows < MOST_BLOCKS ? rows : MOST_BLOCKS), THREADS, 0, stream>>>(
        a->n[0], a->n[1], rows, a->row, a->numbers, static_cast<real *>(a->u));
    return cudaGetLastError();
}

__global__ void numbers_kernel(const starfish_volume_mean_numbers a)
{
    starfish_volume_mean_numbers_here(&a);
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_volume_mean, add_mean)

extern "C" int starfish_volume_mean_numbers_cuda(const struct starfish_volume_mean_numbers *arguments,
                                                 struct CUstream_st *stream)
{
    numbers_kernel<<<1, 1, 0, stream>>>(*arguments);
    return cudaGetLastError();
}
