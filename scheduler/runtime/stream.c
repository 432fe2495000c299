/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for the caller's streams (stream.h): CUDA's errors become statuses, and the thread's current device stays what
 * it was. */
#include "scheduler/runtime/stream.h"

#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>

static starfish_status try_cuda(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return STARFISH_SUCCESS;
    (void)cudaGetLastError();
    return starfish_fail(STARFISH_ERROR_RUNTIME, "stream: %s: %s", what, cudaGetErrorString(error));
}

static starfish_status find_device(const char *name, const void *memory, int *device)
{
    struct cudaPointerAttributes attributes;
    const cudaError_t error = cudaPointerGetAttributes(&attributes, memory);
    (void)cudaGetLastError();
    if (error != cudaSuccess || attributes.type != cudaMemoryTypeDevice)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is not in CUDA device memory", name);
    *device = attributes.device;
    return STARFISH_SUCCESS;
}

static starfish_status wait_here(struct CUstream_st *stream)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    STARFISH_TRY(try_cuda(cudaStreamIsCapturing(stream, &capture), "its state"));
    if (capture != cudaStreamCaptureStatusNone)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: it is being captured");
    return try_cuda(cudaStreamSynchronize(stream), "what was in it before");
}

starfish_status starfish_stream_wait(struct CUstream_st *stream, const char *name, const void *memory)
{
    int device, current;
    STARFISH_TRY(find_device(name, memory, &device));
    STARFISH_TRY(try_cuda(cudaGetDevice(&current), "the device"));
    STARFISH_TRY(try_cuda(cudaSetDevice(device), "the device"));
    const starfish_status status = wait_here(stream);
    (void)cudaSetDevice(current);
    return status;
}
#else
starfish_status starfish_stream_wait(struct CUstream_st *stream, const char *name, const void *memory)
{
    (void)stream, (void)name, (void)memory;
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: this library was built without CUDA");
}
#endif
