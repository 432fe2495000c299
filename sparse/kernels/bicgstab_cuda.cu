/* BiCGStab on the GPU by one block of 1024 threads. Bound by the latency of its sums and products. Each of the two
 * objects of this file has one precision (base/real.h). */
extern "C" {
#include "base/real.h"
#include "sparse/kernels/bicgstab.h"
}

#include "base/cuda_entries.h"
#include "sparse/kernels/spmv_row.cuh"

namespace
{

constexpr unsigned BLOCK = 1024;

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
    __shared__ double of_warp[BLOCK / 32];
    for (int step = 16; step > 0; step >>= 1)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    double sum = 0;
    for (unsigned warp = 0; warp < BLOCK / 32; warp++)
        sum += of_warp[warp];
    return sum;
}

template <starfish_sparse_format format> __device__ void multiply_rows(const Matrix<real> &a, const real *x, real *y)
{
    const size_t places = format == STARFISH_SPARSE_SELL
                              ? (a.rows + STARFISH_SELL_CHUNK - 1) / STARFISH_SELL_CHUNK * STARFISH_SELL_CHUNK
                              : a.rows;
    for (size_t place = threadIdx.x; place < places; place += BLOCK) {
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
    for (size_t i = threadIdx.x; a->inverse && i < a->matrix.rows; i += BLOCK)
        y[i] = a->inverse[i] * x[i];
}

#define BICGSTAB_FUNCTION __device__ static
#define WALK(i) for (size_t i = threadIdx.x; i < a->matrix.rows; i += BLOCK)
#define MULTIPLY(result, x) multiply(a->matrix_format, a->matrix, x, result)
#define PRECONDITION(result, x) precondition(a, x, result)
#define SUM(value) sum_of_block(value)
#define WAIT() __syncthreads()
#include "sparse/kernels/bicgstab_walk.h"

__global__ void __launch_bounds__(BLOCK) bicgstab_kernel(const bicgstab_data data)
{
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
    bicgstab_kernel<<<1, BLOCK, 0, stream>>>(data);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_bicgstab, bicgstab)
