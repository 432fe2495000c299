/* Turns on streams of the caller's. */
#include "scheduler/stream.h"

#include <stdatomic.h>
#ifdef STARFISH_HAVE_GPU
#include <cuda.h>
#include <cuda_runtime_api.h>

typedef CUresult (*wait_function)(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags);

static starfish_status try_cuda(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return STARFISH_SUCCESS;
    (void)cudaGetLastError();
    return starfish_fail(STARFISH_ERROR_RUNTIME, "stream: %s: %s", what, cudaGetErrorString(error));
}

/* The driver's function, by the runtime, so that the library needs no libcuda of its own. */
static starfish_status find_wait(wait_function *wait)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
    void *function = NULL;
#if CUDART_VERSION >= 12050
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", &function, 11070, cudaEnableDefault, &found);
#else
    const cudaError_t error = cudaGetDriverEntryPoint("cuStreamWaitValue32", &function, cudaEnableDefault, &found);
#endif
    *(void **)wait = function;
    if (error == cudaSuccess && found == cudaDriverEntryPointSuccess && function)
        return STARFISH_SUCCESS;
    (void)cudaGetLastError();
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: this CUDA driver has no cuStreamWaitValue32");
}

/* Mapped into every device's addresses, which are the host's. */
static starfish_status make_numbers(struct starfish_stream_turns *turns)
{
    void *memory = NULL;
    if (turns->number)
        return STARFISH_SUCCESS;
    STARFISH_TRY(try_cuda(cudaHostAlloc(&memory, STARFISH_STREAM_TURNS * sizeof *turns->number,
                                        cudaHostAllocPortable | cudaHostAllocMapped),
                          "memory"));
    turns->number = memory;
    for (size_t i = 0; i < STARFISH_STREAM_TURNS; i++)
        turns->number[i] = turns->last[i] = 0;
    return STARFISH_SUCCESS;
}

static starfish_status find_turn(struct starfish_stream_turns *turns, size_t *index)
{
    for (*index = 0; *index < STARFISH_STREAM_TURNS; ++*index)
        if (!turns->taken[*index])
            return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_RUNTIME, "stream: %d jobs are in flight: wait for some", STARFISH_STREAM_TURNS);
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

static starfish_status record(struct starfish_stream_turn *turn, struct CUstream_st *stream)
{
    cudaEvent_t event = NULL;
    STARFISH_TRY(
        try_cuda(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming), "an event"));
    turn->event = event;
    return try_cuda(cudaEventRecord(event, stream), "recording an event");
}

/* The wait is the last that can fail: once it is in the stream there is a turn, and somebody who releases it. */
static starfish_status enter(struct starfish_stream_turns *turns, struct CUstream_st *stream,
                             struct starfish_stream_turn *turn)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    wait_function wait;
    STARFISH_TRY(try_cuda(cudaStreamIsCapturing(stream, &capture), "its state"));
    if (capture != cudaStreamCaptureStatusNone)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: it is being captured");
    STARFISH_TRY(find_wait(&wait));
    STARFISH_TRY(make_numbers(turns));
    STARFISH_TRY(find_turn(turns, &turn->index));
    STARFISH_TRY(record(turn, stream));
    volatile uint32_t *const number = &turns->number[turn->index];
    const CUresult code =
        wait(stream, (CUdeviceptr)(uintptr_t)number, turns->last[turn->index] + 1, CU_STREAM_WAIT_VALUE_GEQ);
    if (code != CUDA_SUCCESS)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: it cannot wait for a value (CUDA driver error %d)",
                             (int)code);
    turns->last[turn->index]++;
    turns->taken[turn->index] = 1;
    return STARFISH_SUCCESS;
}

starfish_status starfish_stream_turn_take(struct starfish_stream_turns *turns, struct CUstream_st *stream,
                                          const char *name, const void *memory, struct starfish_stream_turn *turn)
{
    int current;
    *turn = (struct starfish_stream_turn){.turns = turns};
    STARFISH_TRY(find_device(name, memory, &turn->device));
    STARFISH_TRY(try_cuda(cudaGetDevice(&current), "the device"));
    STARFISH_TRY(try_cuda(cudaSetDevice(turn->device), "the device"));
    const starfish_status status = enter(turns, stream, turn);
    if (status != STARFISH_SUCCESS && turn->event)
        (void)cudaEventDestroy(turn->event);
    (void)cudaSetDevice(current);
    return status;
}

starfish_status starfish_stream_turn_wait(const struct starfish_stream_turn *turn)
{
    return try_cuda(cudaEventSynchronize(turn->event), "what was in it before");
}

void starfish_stream_turn_release(const struct starfish_stream_turn *turn)
{
    atomic_thread_fence(memory_order_seq_cst);
    turn->turns->number[turn->index] = turn->turns->last[turn->index];
}

void starfish_stream_turn_end(struct starfish_stream_turn *turn)
{
    (void)cudaEventDestroy(turn->event);
    turn->turns->taken[turn->index] = 0;
}

void starfish_stream_turns_destroy(struct starfish_stream_turns *turns)
{
    if (turns->number)
        (void)cudaFreeHost((void *)(uintptr_t)turns->number);
    turns->number = NULL;
}
#else
starfish_status starfish_stream_turn_take(struct starfish_stream_turns *turns, struct CUstream_st *stream,
                                          const char *name, const void *memory, struct starfish_stream_turn *turn)
{
    (void)stream, (void)name, (void)memory;
    *turn = (struct starfish_stream_turn){.turns = turns};
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: this library was built without CUDA");
}

starfish_status starfish_stream_turn_wait(const struct starfish_stream_turn *turn)
{
    (void)turn;
    return STARFISH_SUCCESS;
}

void starfish_stream_turn_release(const struct starfish_stream_turn *turn)
{
    (void)turn;
}

void starfish_stream_turn_end(struct starfish_stream_turn *turn)
{
    (void)turn;
}

void starfish_stream_turns_destroy(struct starfish_stream_turns *turns)
{
    (void)turns;
}
#endif
