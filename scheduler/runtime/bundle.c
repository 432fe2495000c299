/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines the tasks of one job into one task (bundle.h): collects their data, and launches them in order between two
 * events. */
#include "scheduler/runtime/bundle.h"

#include "scheduler/runtime/owner.h"
#include "scheduler/runtime/recording.h"
#include "scheduler/runtime/watchdog.h"

#include <stdlib.h>
#include <string.h>

#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>

struct starfish_bundle {
    struct starfish_context *context;
    struct CUstream_st *stream;
    int device, worker;         /* CUDA's number, StarPU's number */
    cudaEvent_t event[2];       /* what was in the caller's stream, and the last launch */
    struct starfish_task whole; /* with the data of all */
    struct starfish_recording recording;
    int outside; /* tasks may wait for the caller's stream */
    starpu_pthread_mutex_t lock;
    starpu_pthread_cond_t signal;
    int launched, error; /* a cudaError_t */
};

/* ---- The task ---------------------------------------------------------------------------------------------------- */

struct arguments {
    struct starfish_task_header header;
    struct starfish_bundle *bundle;
};

static void launch(void *buffers[], void *data)
{
    const struct arguments *a = data;
    struct starfish_bundle *bundle = a->bundle;
    struct CUstream_st *stream = starpu_cuda_get_local_stream();
    int error = (int)cudaStreamWaitEvent(stream, bundle->event[0], 0);
    for (size_t i = 0; i < bundle->recording.count && error == 0; i++)
        starfish_recorded_launch(&bundle->recording.task[i], a->header.progress, buffers);
    if (error == 0)
        error = (int)cudaEventRecord(bundle->event[1], stream);
    starfish_task_check(&a->header, "the order of a stream", error);
    STARPU_PTHREAD_MUTEX_LOCK(&bundle->lock);
    bundle->launched = 1;
    bundle->error = error;
    STARPU_PTHREAD_COND_BROADCAST(&bundle->signal);
    STARPU_PTHREAD_MUTEX_UNLOCK(&bundle->lock);
}

/* No model: nobody has to choose where it runs. */
static struct starpu_codelet bundle_codelet = {.cuda_funcs = {launch},
                                               .cuda_flags = {STARPU_CUDA_ASYNC},
                                               .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                               .name = "bundle",
                                               .color = 0x446688};

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static starfish_status fail_cuda(cudaError_t error)
{
    (void)cudaGetLastError();
    return starfish_fail(STARFISH_ERROR_RUNTIME, "stream: %s", cudaGetErrorString(error));
}

static starfish_status find_worker(struct starfish_bundle *bundle, const char *name, const void *memory)
{
    struct cudaPointerAttributes attributes;
    const cudaError_t error = cudaPointerGetAttributes(&attributes, memory);
    (void)cudaGetLastError();
    if (error != cudaSuccess || attributes.type != cudaMemoryTypeDevice)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is not in CUDA device memory", name);
    bundle->device = attributes.device;
    for (size_t w = 0; w < bundle->context->workers; w++) {
        const int id = bundle->context->worker[w];
        if (starpu_worker_get_type(id) == STARPU_CUDA_WORKER && starpu_worker_get_devid(id) == attributes.device) {
            bundle->worker = id;
            return STARFISH_SUCCESS;
        }
    }
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is memory of CUDA device %d, which the context does not use",
                         name, attributes.device);
}

/* On the stream's device. */
static starfish_status mark(struct starfish_bundle *bundle)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaError_t error = cudaStreamIsCapturing(bundle->stream, &capture);
    if (error == cudaSuccess && capture != cudaStreamCaptureStatusNone)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: it is being captured");
    for (int e = 0; e < 2 && error == cudaSuccess; e++)
        error = cudaEventCreateWithFlags(&bundle->event[e], cudaEventDisableTiming);
    if (error == cudaSuccess)
        error = cudaEventRecord(bundle->event[0], bundle->stream);
    return error == cudaSuccess ? STARFISH_SUCCESS : fail_cuda(error);
}

/* What `function` does with the device of the bundle as the thread's own. */
static starfish_status on_device(struct starfish_bundle *bundle, starfish_status (*function)(struct starfish_bundle *))
{
    int current;
    cudaError_t error = cudaGetDevice(&current);
    if (error == cudaSuccess)
        error = cudaSetDevice(bundle->device);
    if (error != cudaSuccess)
        return fail_cuda(error);
    const starfish_status status = function(bundle);
    (void)cudaSetDevice(current);
    return status;
}

starfish_status starfish_bundle_create(struct starfish_bundle **result, struct starfish_context *context,
                                       struct CUstream_st *stream, const char *name, const void *memory)
{
    struct starfish_bundle *bundle = calloc(1, sizeof *bundle);
    *result = NULL;
    if (!bundle)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a job in a stream");
    bundle->context = context;
    bundle->stream = stream;
    STARPU_PTHREAD_MUTEX_INIT(&bundle->lock, NULL);
    STARPU_PTHREAD_COND_INIT(&bundle->signal, NULL);
    starfish_status status = find_worker(bundle, name, memory);
    if (status == STARFISH_SUCCESS)
        status = on_device(bundle, mark);
    if (status != STARFISH_SUCCESS) {
        starfish_bundle_destroy(bundle);
        return status; /* NOLINT(clang-analyzer-unix.Malloc): a bundle is kept where its task may still use it */
    }
    *result = bundle;
    return STARFISH_SUCCESS;
}

void starfish_bundle_destroy(struct starfish_bundle *bundle)
{
    if (!bundle || starfish_is_stuck()) /* its task may still use it */
        return;
    if (bundle->outside)
        starfish_outside_end(bundle->context);
    for (int e = 0; e < 2; e++)
        if (bundle->event[e])
            cudaEventDestroy(bundle->event[e]);
    STARPU_PTHREAD_MUTEX_DESTROY(&bundle->lock);
    STARPU_PTHREAD_COND_DESTROY(&bundle->signal);
    starfish_recording_clear(&bundle->recording);
    starfish_task_drop(&bundle->whole);
    free(bundle);
}

/* ---- Collecting -------------------------------------------------------------------------------------------------- */

/* The number of a task's data among those of all; what is first written need not be there before. */
static int data_number(struct starfish_task *whole, starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
    for (int i = 0; i < whole->count; i++)
        if (whole->data[i].handle == handle) {
            if (whole->data[i].mode == STARPU_R && mode != STARPU_R)
                whole->data[i].mode = STARPU_RW;
            return i;
        }
    starfish_task_data(whole, handle, mode);
    return whole->count - 1;
}

static int is_for(const struct starfish_bundle *bundle, const struct starfish_task *task)
{
    const uint32_t kinds = starfish_where_kinds(task->where);
    const int gpu = starfish_where_gpu(task->where);
    const int worker = gpu >= 0 ? starfish_context_gpu_worker(bundle->context, (size_t)gpu) : task->worker;
    return task->codelet->cuda_funcs[0] && starfish_kind_allowed(kinds, 1) &&
           starfish_kind_allowed(task->progress->where, 1) && (worker < 0 || worker == bundle->worker);
}

starfish_status starfish_bundle_add(struct starfish_bundle *bundle, struct starfish_task *task, const void *arguments,
                                    size_t size)
{
    if (!is_for(bundle, task))
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: task %s is not for the GPU of its device",
                             task->name);
    STARFISH_TRY(starfish_recording_add(&bundle->recording, task, arguments, size));
    if (bundle->recording.count == 1)
        starfish_task_begin(&bundle->whole, &bundle_codelet, task->progress, task->phase);
    const struct starfish_recorded *last = &bundle->recording.task[bundle->recording.count - 1];
    for (int i = 0; i < last->task->count; i++)
        last->data[i] = data_number(&bundle->whole, last->task->data[i].handle, last->task->data[i].mode);
    return STARFISH_SUCCESS;
}

/* ---- Submitting -------------------------------------------------------------------------------------------------- */

static starfish_status wait_until_launched(struct starfish_bundle *bundle)
{
    struct starfish_patience patience;
    starfish_status status = STARFISH_SUCCESS;
    starfish_patience_begin(&patience, bundle->context);
    STARPU_PTHREAD_MUTEX_LOCK(&bundle->lock);
    while (!bundle->launched && status == STARFISH_SUCCESS)
        status = starfish_patience_wait(&patience, &bundle->signal, &bundle->lock);
    STARPU_PTHREAD_MUTEX_UNLOCK(&bundle->lock);
    return status;
}

/* Where the launches failed, the wait for the job says so. */
static starfish_status follow(struct starfish_bundle *bundle)
{
    const cudaError_t error =
        bundle->error == 0 ? cudaStreamWaitEvent(bundle->stream, bundle->event[1], 0) : cudaSuccess;
    return error == cudaSuccess ? STARFISH_SUCCESS : fail_cuda(error);
}

starfish_status starfish_bundle_submit(struct starfish_bundle *bundle, struct starfish_progress *progress, int phase)
{
    struct arguments arguments = {.bundle = bundle};
    if (bundle->recording.count == 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: the job has no tasks");
    progress->bundle = NULL;
    bundle->whole.phase = phase;
    bundle->whole.worker = bundle->worker;
    starfish_outside_begin(bundle->context);
    bundle->outside = 1;
    STARFISH_TRY(starfish_task_submit(&bundle->whole, &arguments, sizeof arguments));
    STARFISH_TRY(wait_until_launched(bundle));
    return on_device(bundle, follow);
}
#else
starfish_status starfish_bundle_create(struct starfish_bundle **result, struct starfish_context *context,
                                       struct CUstream_st *stream, const char *name, const void *memory)
{
    (void)context, (void)stream, (void)name, (void)memory;
    *result = NULL;
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: this library was built without CUDA");
}

void starfish_bundle_destroy(struct starfish_bundle *bundle)
{
    (void)bundle;
}

starfish_status starfish_bundle_add(struct starfish_bundle *bundle, struct starfish_task *task, const void *arguments,
                                    size_t size)
{
    (void)bundle, (void)task, (void)arguments, (void)size;
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: this library was built without CUDA");
}

starfish_status starfish_bundle_submit(struct starfish_bundle *bundle, struct starfish_progress *progress, int phase)
{
    (void)bundle, (void)progress, (void)phase;
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: this library was built without CUDA");
}
#endif
