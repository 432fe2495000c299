/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernels for rows and for columns share (transform_rows.cuh, transform_columns.cuh): their launch,
 * and how many lanes a tile has. */
#ifndef STARFISH_FFT_KERNELS_TRANSFORM_LINES_CUH
#define STARFISH_FFT_KERNELS_TRANSFORM_LINES_CUH

#include "fft/kernels/transform_cuda.cuh"

#include <cstdint>

namespace starfish
{

namespace
{

constexpr int threads = STARFISH_LINE_THREADS;
constexpr int blocks = STARFISH_LINE_BLOCKS;

extern __shared__ double2 shared_memory[];

template <typename real> __device__ __forceinline__ number<real> *shared_numbers()
{
    return reinterpret_cast<number<real> *>(shared_memory);
}

__device__ __forceinline__ unsigned lanes_of_tile(const tile_shape &shape, size_t first, size_t count)
{
    return count - first < (size_t)shape.lanes ? static_cast<unsigned>(count - first) : shape.lanes;
}

/* More than 48 KB of shared memory must be asked for; asking again changes nothing. */
template <typename... parameters>
int launch(void (*kernel)(parameters...), const tile_shape &shape, size_t lanes, cudaStream_t stream,
           const parameters &...arguments)
{
    const size_t tiles = (lanes + shape.lanes - 1) / shape.lanes;
    if (tiles == 0)
        return cudaSuccess;
    if (tiles > INT32_MAX)
        return cudaErrorInvalidConfiguration;
    if (shape.shared > 48 * 1024)
        STARFISH_TRY_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(shape.shared)));
    kernel<<<static_cast<unsigned>(tiles), shape.threads, shape.shared, stream>>>(arguments...);
    return cudaGetLastError();
}

} // namespace

} // namespace starfish

#endif
