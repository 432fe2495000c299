/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Change of basis on the GPU: cuBLAS on the planes of a batch, and one kernel that folds and unfolds in place; in f32,
 * where lanes lie side by side, tensor cores in their stead (basis_tensor.cuh).
 *
 * The products are bound by arithmetic, 2 n flops per element (n when reflected); the fold by memory, one read and
 * one write of the field. By cuBLAS on an H200, 512^3, where a product of 8192^3 reaches 60.6 (f64) and 50.6 TFLOP/s
 * (f32) and a copy of the field takes 0.51 and 0.29 ms:
 *
 *                                f64                      f32
 *     general     forward  2.38 ms  57.7 TFLOP/s   2.85 ms  48.2 TFLOP/s
 *                backward  2.53 ms  54.3 TFLOP/s   2.79 ms  49.3 TFLOP/s
 *     reflected   forward  1.96 ms                 1.76 ms
 *                backward  1.87 ms                 1.76 ms
 *
 * of which the fold is 0.5 and 0.26 ms, and the two products of half the size 0.70 and 0.75 ms each, 49 and 46
 * TFLOP/s. */
extern "C" {
#include "base/real.h"
#include "fft/kernels/basis.h"
}
#include "fft/kernels/basis_tensor.cuh"
#include "fft/kernels/products.cuh"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>

struct starfish_basis_cuda {
    size_t n, even;
    bool reflected;
    starfish_precision precision;
    void *matrix[2]; /* as in struct starfish_basis, on the device */
    float *split[2]; /* the same for tensor cores (basis_tensor.cuh); NULL where they are not used */
    unsigned multiprocessors;
    void *workspace; /* cuBLAS's, so that it never allocates during a call */
    cublasHandle_t blas;
};

namespace
{

using namespace starfish;

constexpr size_t workspace_bytes = STARFISH_BASIS_BLAS_BYTES;
constexpr unsigned fold_threads = 256, pairs_per_thread = 4;
constexpr size_t most_blocks = 65535; /* of a grid in y */

#define TRY_CUDA(expression)                                                                                           \
    do {                                                                                                               \
        int try_error = (expression);                                                                                  \
        if (try_error != cudaSuccess)                                                                                  \
            return try_error;                                                                                          \
    } while (0)

/* ---- Fold -------------------------------------------------------------------------------------------------------- */
/* What one thread reads of a row at once: 16 bytes where rows allow it. */
template <typename real, int width> struct alignas(width * sizeof(real)) lanes {
    real lane[width];
};

/* x[j], x[n-1-j] -> x[j] + x[n-1-j], x[j] - x[n-1-j] in every plane; `inner` counts vectors. The lower halves of all
 * rows of a plane are one contiguous run, which threads share out; the upper ones are the same rows in opposite
 * order. */
template <typename vector>
__global__ void __launch_bounds__(fold_threads) butterfly(vector *data, unsigned inner, unsigned n, size_t outer)
{
    const size_t pairs = (size_t)inner * (n / 2), plane = (size_t)inner * n, step = (size_t)gridDim.x * blockDim.x;
    for (size_t o = blockIdx.y; o < outer; o += gridDim.y)
#pragma unroll 4
        for (size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x; p < pairs; p += step) {
            const size_t j = p / inner;
            vector *lower = data + o * plane + p, *upper = lower + (n - 1 - 2 * j) * inner;
            vector a = *lower, b = *upper, sum, difference;
            for (unsigned l = 0; l < sizeof a.lane / sizeof a.lane[0]; l++) {
                sum.lane[l] = a.lane[l] + b.lane[l];
                difference.lane[l] = a.lane[l] - b.lane[l];
            }
            *lower = sum;
            *upper = difference;
        }
}

template <typename vector> int launch_butterfly(void *data, size_t inner, size_t n, size_t outer, cudaStream_t stream)
{
    const size_t pairs = inner * (n / 2), per_block = fold_threads * pairs_per_thread;
    const size_t blocks = std::min<size_t>((pairs + per_block - 1) / per_block, INT_MAX);
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(std::min(outer, most_blocks)));
    butterfly<<<grid, fold_threads, 0, stream>>>(static_cast<vector *>(data), static_cast<unsigned>(inner),
                                                 static_cast<unsigned>(n), outer);
    return cudaGetLastError();
}

template <typename real> int fold(void *data, size_t inner, size_t n, size_t outer, cudaStream_t stream)
{
    constexpr int width = 16 / sizeof(real);
    if (n < 2)
        return cudaSuccess;
    if (inner % width == 0 && reinterpret_cast<uintptr_t>(data) % 16 == 0)
        return launch_butterfly<lanes<real, width>>(data, inner / width, n, outer, stream);
    return launch_butterfly<lanes<real, 1>>(data, inner, n, outer, stream);
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */
template <typename real>
int multiply(const starfish_basis_cuda *plan, const starfish_basis_columns &arguments, const real *matrix, size_t first,
             size_t size)
{
    const size_t inner = arguments.inner, plane = inner * plan->n, offset = inner * first;
    const product_matrix<real> m = {matrix, size, size, size, false, static_cast<real>(arguments.scale)};
    const size_t pitch = inner == 1 ? plan->n : inner;
    const product_side<const real> in = {static_cast<const real *>(arguments.in) + offset, pitch, plane};
    const product_side<real> out = {static_cast<real *>(arguments.out) + offset, pitch, plane};
    if (inner == 1)
        return cublas_error(multiply_lines(plan->blas, m, arguments.outer, in, out));
    return cublas_error(multiply_lanes(plan->blas, m, inner, arguments.outer, in, out));
}

static_assert(tensor::rows == STARFISH_BASIS_SPLIT_ROWS, "plans count the memory of split matrices by it");

tensor::shape shape_of(const starfish_basis_cuda *plan)
{
    return {static_cast<unsigned>(plan->n), static_cast<unsigned>(plan->even), plan->reflected};
}

int multiply_split(const starfish_basis_cuda *plan, starfish_transform_direction direction,
                   const starfish_basis_columns &c, cudaStream_t stream)
{
    const tensor::shape shape = shape_of(plan);
    const size_t lanes = c.inner * c.outer, tiles = (lanes + tensor::lanes - 1) / tensor::lanes * shape.tiles();
    const bool forward = direction == STARFISH_FORWARD;
    const bool wide =
        c.inner % 4 == 0 && reinterpret_cast<uintptr_t>(c.in) % 16 == 0 && reinterpret_cast<uintptr_t>(c.out) % 16 == 0;
    const tensor::arguments arguments = {plan->split[direction],
                                         static_cast<const float *>(c.in),
                                         static_cast<float *>(c.out),
                                         shape.n,
                                         shape.even,
                                         shape.steps(),
                                         shape.tiles(),
                                         static_cast<unsigned>(tiles),
                                         c.inner,
                                         lanes,
                                         static_cast<float>(c.scale)};
    const size_t blocks = std::min<size_t>(tiles, tensor::blocks_each * plan->multiprocessors);
    tensor::kernel_of(plan->reflected, forward,
                      wide)<<<static_cast<unsigned>(blocks), tensor::threads,
                              plan->reflected ? tensor::bytes<true> : tensor::bytes<false>, stream>>>(arguments);
    return cudaGetLastError();
}

template <typename real>
int columns(const starfish_basis_cuda *plan, starfish_transform_direction direction,
            const starfish_basis_columns &arguments, cudaStream_t stream)
{
    const real *matrix = static_cast<const real *>(plan->matrix[direction]);
    const size_t inner = arguments.inner, outer = arguments.outer, n = plan->n, even = plan->even;
    if (inner == 0 || outer == 0)
        return cudaSuccess;
    if (plan->split[direction] && inner > 1)
        return multiply_split(plan, direction, arguments, stream);
    /* Setting the stream takes the work space away. */
    TRY_CUDA(cublas_error(cublasSetStream(plan->blas, stream)));
    TRY_CUDA(cublas_error(cublasSetWorkspace(plan->blas, plan->workspace, workspace_bytes)));
    if (plan->reflected && direction == STARFISH_FORWARD)
        TRY_CUDA(fold<real>(arguments.in, inner, n, outer, stream));
    TRY_CUDA(multiply(plan, arguments, matrix, 0, even));
    if (even < n)
        TRY_CUDA(multiply(plan, arguments, matrix + even * even, even, n - even));
    if (plan->reflected && direction == STARFISH_BACKWARD)
        TRY_CUDA(fold<real>(arguments.out, inner, n, outer, stream));
    return cudaSuccess;
}

/* ---- Creation ---------------------------------------------------------------------------------------------------- */
int upload(starfish_basis_cuda *plan, const starfish_basis &basis)
{
    const size_t odd = basis.n - basis.even;
    const size_t bytes = (basis.even * basis.even + odd * odd) * starfish_real_size(basis.precision);
    for (int direction = 0; direction < 2; direction++) {
        TRY_CUDA(cudaMalloc(&plan->matrix[direction], bytes));
        TRY_CUDA(cudaMemcpy(plan->matrix[direction], basis.matrix[direction], bytes, cudaMemcpyHostToDevice));
    }
    return cudaMalloc(&plan->workspace, workspace_bytes);
}

int split(starfish_basis_cuda *plan)
{
    int device, count;
    const tensor::shape shape = shape_of(plan);
    if (plan->precision != STARFISH_F32 || plan->n > STARFISH_BASIS_MOST_SPLIT || !tensor::prepare(plan->reflected))
        return cudaSuccess;
    TRY_CUDA(cudaGetDevice(&device));
    TRY_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    plan->multiprocessors = static_cast<unsigned>(count);
    for (int direction = 0; direction < 2; direction++) {
        TRY_CUDA(cudaMalloc(&plan->split[direction], shape.floats() * sizeof(float)));
        tensor::split<<<4 * plan->multiprocessors, 256>>>(plan->split[direction],
                                                          static_cast<const float *>(plan->matrix[direction]), shape,
                                                          direction == STARFISH_FORWARD);
        TRY_CUDA(cudaGetLastError());
    }
    return cudaDeviceSynchronize();
}

starfish_status fill(starfish_basis_cuda *plan, const starfish_basis &basis)
{
    plan->n = basis.n;
    plan->even = basis.even;
    plan->reflected = basis.reflected;
    plan->precision = basis.precision;
    int error = upload(plan, basis);
    if (error == cudaSuccess)
        error = split(plan);
    if (error != cudaSuccess)
        return starfish_fail(error == cudaErrorMemoryAllocation ? STARFISH_ERROR_MEMORY : STARFISH_ERROR_RUNTIME,
                             "matrices of a basis of %zu rows: %s", basis.n,
                             cudaGetErrorString(static_cast<cudaError_t>(error)));
    return create_cublas(&plan->blas);
}

} // namespace

/* ---- The contract ------------------------------------------------------------------------------------------------ */
extern "C" starfish_status starfish_basis_cuda_create(struct starfish_basis_cuda **plan,
                                                      const struct starfish_basis *basis)
{
    *plan = static_cast<starfish_basis_cuda *>(calloc(1, sizeof **plan));
    if (!*plan)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the plan of a basis");
    const starfish_status status = fill(*plan, *basis);
    if (status != STARFISH_SUCCESS) {
        starfish_basis_cuda_destroy(*plan);
        *plan = nullptr;
    }
    return status;
}

/* Failures here mean that the device is lost already; there is nobody to tell. */
extern "C" void starfish_basis_cuda_destroy(struct starfish_basis_cuda *plan)
{
    if (!plan)
        return;
    if (plan->blas)
        (void)cublasDestroy(plan->blas);
    (void)cudaFree(plan->matrix[0]);
    (void)cudaFree(plan->matrix[1]);
    (void)cudaFree(plan->split[0]);
    (void)cudaFree(plan->split[1]);
    (void)cudaFree(plan->workspace);
    free(plan);
}

extern "C" int starfish_basis_columns_cuda(struct starfish_basis_cuda *plan,
                                           enum starfish_transform_direction direction,
                                           const struct starfish_basis_columns *arguments, struct CUstream_st *stream)
{
    return plan->precision == STARFISH_F32 ? columns<float>(plan, direction, *arguments, stream)
                                           : columns<double>(plan, direction, *arguments, stream);
}
