/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of block cyclic reduction on the GPU: a block per piece of a row, so that the tables are read once per piece and
 * every access is coalesced. Bound by memory. */
extern "C" {
#include "blktri/kernels/rows.h"
}

#include <cuda_runtime.h>

namespace
{

template <typename real> struct Rows {
    size_t width, count;
    real *array[STARFISH_ROWS_MAX_ARRAYS];
    const int *which, *position;
    const real *factor;
    real *buffer;
};

template <typename real, starfish_rows_operation operation> __global__ void rows_kernel(const Rows<real> a)
{
    for (size_t v = blockIdx.y; v < a.count; v += gridDim.y) {
        real *row = a.array[a.which[v]] + size_t(a.position[v]) * a.width;
        real *buffer = a.buffer + v * a.width;
        for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < a.width;
             i += size_t(gridDim.x) * blockDim.x) {
            if (operation == STARFISH_ROWS_GATHER)
                buffer[i] = a.factor ? a.factor[v] * row[i] : row[i];
            else if (operation == STARFISH_ROWS_SCATTER)
                row[i] = buffer[i];
            else if (operation == STARFISH_ROWS_ADD)
                buffer[i] += row[i];
            else
                row[i] -= buffer[i];
        }
    }
}

template <typename real> int rows(const starfish_rows *a, starfish_rows_operation operation, cudaStream_t stream)
{
    if (a->count == 0 || a->width == 0)
        return cudaSuccess;
    Rows<real> k;
    k.width = a->width;
    k.count = a->count;
    for (int i = 0; i < STARFISH_ROWS_MAX_ARRAYS; i++)
        k.array[i] = static_cast<real *>(a->array[i]);
    k.which = a->which;
    k.position = a->position;
    k.factor = static_cast<const real *>(a->factor);
    k.buffer = static_cast<real *>(a->buffer);
    const size_t threads = 256, pieces = (a->width + 4 * threads - 1) / (4 * threads);
    const dim3 grid(static_cast<unsigned>(pieces < 1024 ? pieces : 1024),
                    static_cast<unsigned>(a->count < 65535 ? a->count : 65535));
    switch (operation) {
    case STARFISH_ROWS_GATHER:
        rows_kernel<real, STARFISH_ROWS_GATHER><<<grid, threads, 0, stream>>>(k);
        break;
    case STARFISH_ROWS_SCATTER:
        rows_kernel<real, STARFISH_ROWS_SCATTER><<<grid, threads, 0, stream>>>(k);
        break;
    case STARFISH_ROWS_SUBTRACT:
        rows_kernel<real, STARFISH_ROWS_SUBTRACT><<<grid, threads, 0, stream>>>(k);
        break;
    case STARFISH_ROWS_ADD:
        rows_kernel<real, STARFISH_ROWS_ADD><<<grid, threads, 0, stream>>>(k);
        break;
    }
    return cudaGetLastError();
}

} // namespace

extern "C" {
int starfish_rows_cuda_f32(const starfish_rows *arguments, starfish_rows_operation operation, cudaStream_t stream)
{
    return rows<float>(arguments, operation, stream);
}
int starfish_rows_cuda_f64(const starfish_rows *arguments, starfish_rows_operation operation, cudaStream_t stream)
{
    return rows<double>(arguments, operation, stream);
}
}
