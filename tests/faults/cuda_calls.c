/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What fails where a GPU or its driver does: calls of CUDA, cuFFT and cuBLAS in our own code. A launch is a call in
 * code that the compiler makes, whose failure shows when the last error is asked for, as that of others does.
 *
 * A call that fails here is not made. Calls of StarPU's own are left alone: it ends the process where one of them fails
 * (docs/reliability.md), but for memory, which it waits for. */
#include "tests/faults/calls.h"
#include "tests/faults/kind.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cufft.h>

static _Thread_local cudaError_t last;

static int fails(const char *function, cudaError_t error)
{
    if (!faults_fails(function))
        return 0;
    last = error;
    return 1;
}

cudaError_t __real_cudaGetLastError(void);
cudaError_t __wrap_cudaGetLastError(void);
cudaError_t __wrap_cudaGetLastError(void)
{
    const cudaError_t ours = last, real = __real_cudaGetLastError();
    last = cudaSuccess;
    return ours != cudaSuccess ? ours : real;
}

#define CALL(result, failure, error, name, parameters, arguments)                                                      \
    result __real_##name parameters;                                                                                   \
    result __wrap_##name parameters;                                                                                   \
    result __wrap_##name parameters                                                                                    \
    {                                                                                                                  \
        return fails(#name, error) ? failure : __real_##name arguments;                                                \
    }
#define CUDA_CALL(error, name, parameters, arguments) CALL(cudaError_t, error, error, name, parameters, arguments)
#define CUFFT_CALL(failure, name, parameters, arguments)                                                               \
    CALL(cufftResult, failure, cudaSuccess, name, parameters, arguments)
#define CUBLAS_CALL(failure, name, parameters, arguments)                                                              \
    CALL(cublasStatus_t, failure, cudaSuccess, name, parameters, arguments)

/* ---- The runtime ------------------------------------------------------------------------------------------------- */

CUDA_CALL(cudaErrorMemoryAllocation, cudaMalloc, (void **memory, size_t bytes), (memory, bytes))
CUDA_CALL(cudaErrorUnknown, cudaMemsetAsync, (void *memory, int value, size_t bytes, cudaStream_t stream),
          (memory, value, bytes, stream))
CUDA_CALL(cudaErrorUnknown, cudaMemcpyAsync,
          (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
          (to, from, bytes, kind, stream))
CUDA_CALL(cudaErrorUnknown, cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
          (to, from, bytes, kind))
CUDA_CALL(cudaErrorInvalidValue, cudaFuncSetAttribute, (const void *function, enum cudaFuncAttribute which, int value),
          (function, which, value))
CUDA_CALL(cudaErrorUnknown, cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
          (stream, mode))
CUDA_CALL(cudaErrorMemoryAllocation, cudaGraphInstantiate,
          (cudaGraphExec_t * instance, cudaGraph_t graph, unsigned long long flags), (instance, graph, flags))
CUDA_CALL(cudaErrorMemoryAllocation, cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream))
CUDA_CALL(cudaErrorMemoryAllocation, cudaLaunchKernel,
          (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
          (function, grid, block, arguments, shared, stream))

/* An end of capture that fails has ended it. */
cudaError_t __real_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    const cudaError_t ended = __real_cudaStreamEndCapture(stream, graph);
    if (!fails("cudaStreamEndCapture", cudaErrorStreamCaptureInvalidated))
        return ended;
    if (ended == cudaSuccess)
        cudaGraphDestroy(*graph);
    *graph = NULL;
    return cudaErrorStreamCaptureInvalidated;
}

#if CUDART_VERSION >= 13000
/* What <<<>>> becomes from CUDA 13 on; only C++ is told of it. */
CUDA_CALL(cudaErrorMemoryAllocation, __cudaLaunchKernel,
          (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
          (kernel, grid, block, arguments, shared, stream))
#endif

/* ---- cuFFT and cuBLAS -------------------------------------------------------------------------------------------- */

CUFFT_CALL(CUFFT_ALLOC_FAILED, cufftCreate, (cufftHandle * plan), (plan))
CUFFT_CALL(CUFFT_ALLOC_FAILED, cufftMakePlanMany64,
           (cufftHandle plan, int rank, long long *n, long long *in, long long in_stride, long long in_distance,
            long long *out, long long out_stride, long long out_distance, cufftType type, long long batch,
            size_t *bytes),
           (plan, rank, n, in, in_stride, in_distance, out, out_stride, out_distance, type, batch, bytes))
CUFFT_CALL(CUFFT_EXEC_FAILED, cufftExecR2C, (cufftHandle plan, cufftReal *in, cufftComplex *out), (plan, in, out))
CUFFT_CALL(CUFFT_EXEC_FAILED, cufftExecD2Z, (cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out),
           (plan, in, out))
CUFFT_CALL(CUFFT_EXEC_FAILED, cufftExecC2C, (cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction),
           (plan, in, out, direction))
CUFFT_CALL(CUFFT_EXEC_FAILED, cufftExecZ2Z,
           (cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction),
           (plan, in, out, direction))
CUBLAS_CALL(CUBLAS_STATUS_ALLOC_FAILED, cublasCreate_v2, (cublasHandle_t * handle), (handle))
CUBLAS_CALL(CUBLAS_STATUS_ALLOC_FAILED, cublasSetWorkspace_v2, (cublasHandle_t handle, void *memory, size_t bytes),
            (handle, memory, bytes))
CUBLAS_CALL(CUBLAS_STATUS_EXECUTION_FAILED, cublasDgemm_v2,
            (cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
             const double *alpha, const double *a, int lda, const double *b, int ldb, const double *beta, double *c,
             int ldc),
            (handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
CUBLAS_CALL(CUBLAS_STATUS_EXECUTION_FAILED, cublasDgemmStridedBatched,
            (cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
             const double *alpha, const double *a, int lda, long long stride_a, const double *b, int ldb,
             long long stride_b, const double *beta, double *c, int ldc, long long stride_c, int batch),
            (handle, op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch))

/* ---- The kind of calls ------------------------------------------------------------------------------------------- */

/* GPUs alone: where there are cores too, few of such small tasks are theirs. */
const struct starfish_context_options faults_context_options = {
    .size = sizeof faults_context_options, .cpu_workers = 0, .gpu_workers = -1};
const int faults_needs_device = 1;
