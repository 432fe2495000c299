/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BiCGStab on the GPU by one block, of a thread per row up to 1024, with the matrices and vectors in its shared memory
 * where they fit. Bound by the latency of its sums and products. Each of the two objects of this file has one precision
 * (base/real.h). */
extern "C" {
#include "base/real.h"
#include "sparse/kernels/bicgstab.h"
}

#include "base/cuda_entries.h"
#include "sparse/kernels/spmv_row.cuh"

namespace
{

constexpr unsigned LEAST_BLOCK = 128, MOST_BLOCK = 1024;
constexpr size_t SHARED = 200 * 1024; /* bytes; one block is alone on its multiprocessor */

struct bicgstab_data {
    starfish_sparse_format matrix_format, preconditioner_format;
    Matrix<real> matrix, preconditioner;
    const real *inverse, *f;
    real *u, *work;
    double tolerance;
    int iterations, zero;
    size_t pitch;
};

/* The sum for all threads, in an order that does not depend on chance. */
__device__ double sum_of_block(double value)
{
    __shared__ double of_warp[MOST_BLOCK / 32];
    for (int step = 16; step > 0; step >>= 1)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    double sum = 0;
    for (unsigned warp = 0; warp < blockDim.x / 32; warp++)
        sum += of_warp[warp];
    return sum;
}

template <starfish_sparse_format format> __device__ void multiply_rows(const Matrix<real> &a, const real *x, real *y)
{
    const size_t places = format == STARFISH_SPARSE_SELL
                              ? (a.rows + STARFISH_SELL_CHUNK - 1) / STARFISH_SELL_CHUNK * STARFISH_SELL_CHUNK
                              : a.rows;
    for (size_t place = threadIdx.x; place < places; place += blockDim.x) {
        const size_t row = format == STARFISH_SPARSE_SELL ? sell_row(a, place) : place;
        if (row < a.rows) {
            real sum = 0;
            for (unsigned lane = 0; lane < a.threads; lane++)
                sum += share_of_row<format, false>(a, place, lane, x);
            y[row] = sum;
        }
    }
}

__device__ void multiply(starfish_sparse_format format, const Matrix<real> &a, const real *x, real *y)
{
    if (format == STARFISH_SPARSE_CSR)
        multiply_rows<STARFISH_SPARSE_CSR>(a, x, y);
    else if (format == STARFISH_SPARSE_ELLPACK_T)
        multiply_rows<STARFISH_SPARSE_ELLPACK_T>(a, x, y);
    else
        multiply_rows<STARFISH_SPARSE_SELL>(a, x, y);
}

__device__ void precondition(const bicgstab_data *a, const real *x, real *y)
{
    if (!a->inverse)
        multiply(a->preconditioner_format, a->preconditioner, x, y);
    for (size_t i = threadIdx.x; a->inverse && i < a->matrix.rows; i += blockDim.x)
        y[i] = a->inverse[i] * x[i];
}

#define BICGSTAB_FUNCTION __device__ static
#define WALK(i) for (size_t i = threadIdx.x; i < a->matrix.rows; i += blockDim.x)
#define MULTIPLY(result, x) multiply(a->matrix_format, a->matrix, x, result)
#define PRECONDITION(result, x) precondition(a, x, result)
#define SUM(value) sum_of_block(value)
#define WAIT() __syncthreads()
#include "sparse/kernels/bicgstab_walk.h"

/* ---- What is in shared memory ------------------------------------------------------------------------------------ */

/* The next `count` numbers of it, or NULL where they do not fit. All threads call this with the same. */
template <typename number> __device__ number *reserve(unsigned char *here, size_t *used, size_t count)
{
    const size_t bytes = (count * sizeof(number) + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    if (*used + bytes > SHARED)
        return NULL;
    *used += bytes;
    return reinterpret_cast<number *>(here + *used - bytes);
}

template <typename number>
__device__ const number *bring(unsigned char *here, size_t *used, const number *from, size_t count)
{
    number *to = reserve<number>(here, used, count);
    for (size_t i = threadIdx.x; to && i < count; i += blockDim.x)
        to[i] = from[i];
    return to ? to : from;
}

__device__ void bring_matrix(unsigned char *here, size_t *used, starfish_sparse_format format, Matrix<real> *m)
{
    const size_t chunks = (m->rows + STARFISH_SELL_CHUNK - 1) / STARFISH_SELL_CHUNK;
    const size_t starts = format == STARFISH_SPARSE_CSR ? m->rows : chunks;
    if (format == STARFISH_SPARSE_ELLPACK_T)
        m->length = bring(here, used, m->length, m->rows);
    else
        m->start = bring(here, used, m->start, starts + 1);
    m->value = bring(here, used, m->value, m->entries);
    m->column = bring(here, used, m->column, m->entries);
}

__global__ void __launch_bounds__(MOST_BLOCK) bicgstab_kernel(const bicgstab_data given)
{
    extern __shared__ double shared[];
    unsigned char *here = reinterpret_cast<unsigned char *>(shared);
    bicgstab_data data = given;
    size_t used = 0;
    real *vectors = reserve<real>(here, &used, STARFISH_BICGSTAB_VECTORS * data.pitch);
    data.work = vectors ? vectors : data.work;
    bring_matrix(here, &used, data.matrix_format, &data.matrix);
    if (!data.inverse)
        bring_matrix(here, &used, data.preconditioner_format, &data.preconditioner);
    __syncthreads();
    bicgstab_run(&data);
}

template <typename type> int bicgstab(const starfish_bicgstab *a, cudaStream_t stream)
{
    const bicgstab_data data = {a->matrix.format,
                                a->preconditioner.format,
                                matrix_of<type>(a->matrix),
                                matrix_of<type>(a->preconditioner),
                                static_cast<const type *>(a->inverse),
                                static_cast<const type *>(a->f),
                                static_cast<type *>(a->u),
                                static_cast<type *>(a->work),
                                a->tolerance,
                                a->iterations,
                                a->zero,
                                a->pitch};
    if (a->matrix.rows == 0)
        return cudaSuccess;
    const cudaError_t error =
        cudaFuncSetAttribute(bicgstab_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(SHARED));
    if (error != cudaSuccess)
        return error;
    const unsigned threads = unsigned((a->matrix.rows + 31) / 32 * 32);
    const unsigned block = threads < LEAST_BLOCK ? LEAST_BLOCK : threads < MOST_BLOCK ? threads : MOST_BLOCK;
    bicgstab_kernel<<<1, block, SHARED, stream>>>(data);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_bicgstab, bicgstab)
