/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for the caller's streams, and launches task groups in their order between two events (task_group_stream.h). The
 * current device of the thread stays what it was. */
#include "scheduler/runtime/task_group_stream.h"

#include "scheduler/runtime/owner.h"
#include "scheduler/runtime/task_group.h"
#include "scheduler/runtime/watchdog.h"

#include <stdlib.h>

#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>

static starfish_status try_cuda(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return STARFISH_SUCCESS;
    (void)cudaGetLastError();
    return starfish_fail(STARFISH_ERROR_RUNTIME, "stream: %s: %s", what, cudaGetErrorString(error));
}

/* The context has one on every node that it can give (memory.h). */
static int worker_of(const struct starfish_context *context, int node)
{
    for (size_t w = 0; w < context->workers; w++)
        if ((int)starpu_worker_get_memory_node((unsigned)context->worker[w]) == node)
            return context->worker[w];
    return -1;
}

static starfish_status check_capture(struct CUstream_st *stream)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    STARFISH_TRY(try_cuda(cudaStreamIsCapturing(stream, &capture), "its state"));
    if (capture != cudaStreamCaptureStatusNone)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: it is being captured");
    return STARFISH_SUCCESS;
}

/* What `function` does with the device as the thread's own. */
static starfish_status on_device(int device, starfish_status (*function)(void *data), void *data)
{
    int current;
    STARFISH_TRY(try_cuda(cudaGetDevice(&current), "the device"));
    STARFISH_TRY(try_cuda(cudaSetDevice(device), "the device"));
    const starfish_status status = function(data);
    (void)cudaSetDevice(current);
    return status;
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

static starfish_status wait_here(void *stream)
{
    STARFISH_TRY(check_capture(stream));
    return try_cuda(cudaStreamSynchronize(stream), "what was in it before");
}

starfish_status starfish_stream_wait(const struct starfish_context *context, struct CUstream_st *stream, int node)
{
    return on_device(starpu_worker_get_devid(worker_of(context, node)), wait_here, stream);
}

/* ---- The task ---------------------------------------------------------------------------------------------------- */

struct starfish_stream_group {
    struct starfish_task_group group; /* first: its recorder leads here */
    struct starfish_context *context;
    struct CUstream_st *stream;
    int device, worker;   /* CUDA's number, StarPU's number */
    cudaEvent_t event[2]; /* what was in the caller's stream, and the last launch */
    int outside;          /* tasks may wait for the caller's stream */
    starpu_pthread_mutex_t lock;
    starpu_pthread_cond_t signal;
    int launched, error; /* a cudaError_t */
};

struct arguments {
    struct starfish_task_header header;
    struct starfish_stream_group *group;
};

static void launch(void *buffers[], void *data)
{
    const struct arguments *a = data;
    struct starfish_stream_group *group = a->group;
    struct CUstream_st *stream = starpu_cuda_get_local_stream();
    int error = (int)cudaStreamWaitEvent(stream, group->event[0], 0);
    for (size_t i = 0; i < group->group.count && error == 0; i++)
        starfish_task_group_launch(&group->group.task[i], a->header.progress, buffers);
    if (error == 0)
        error = (int)cudaEventRecord(group->event[1], stream);
    starfish_task_check(&a->header, "the order of a stream", error);
    STARPU_PTHREAD_MUTEX_LOCK(&group->lock);
    group->launched = 1;
    group->error = error;
    STARPU_PTHREAD_COND_BROADCAST(&group->signal);
    STARPU_PTHREAD_MUTEX_UNLOCK(&group->lock);
}

/* No performance model: there is no choice of a worker. */
static struct starpu_codelet bundle_codelet = {.cuda_funcs = {launch},
                                               .cuda_flags = {STARPU_CUDA_ASYNC},
                                               .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                               .name = "bundle",
                                               .color = 0x446688};

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static starfish_status mark(void *data)
{
    struct starfish_stream_group *group = data;
    STARFISH_TRY(check_capture(group->stream));
    for (int e = 0; e < 2; e++)
        STARFISH_TRY(try_cuda(cudaEventCreateWithFlags(&group->event[e], cudaEventDisableTiming), "an event"));
    return try_cuda(cudaEventRecord(group->event[0], group->stream), "an event");
}

static starfish_status add(struct starfish_recorder *recorder, struct starfish_task *task, const void *arguments,
                           size_t size)
{
    struct starfish_stream_group *group = (struct starfish_stream_group *)recorder;
    const int worker =
        task->device >= 0 ? starfish_context_gpu_worker(group->context, (size_t)task->device) : task->worker;
    STARFISH_FAIL_IF(!starfish_task_group_fits(task) || (worker >= 0 && worker != group->worker),
                     STARFISH_ERROR_UNSUPPORTED, "stream: task %s is not for the GPU of its device", task->name);
    return starfish_task_group_record(&group->group, task, arguments, size);
}

starfish_status starfish_stream_group_create(struct starfish_stream_group **result, struct starfish_context *context,
                                             struct CUstream_st *stream, int node)
{
    struct starfish_stream_group *group = calloc(1, sizeof *group);
    *result = NULL;
    STARFISH_FAIL_IF(!group, STARFISH_ERROR_MEMORY, "out of memory for a job in a stream");
    group->group.recorder.add = add;
    group->group.gpus = 1;
    group->context = context;
    group->stream = stream;
    group->worker = worker_of(context, node);
    group->device = starpu_worker_get_devid(group->worker);
    STARPU_PTHREAD_MUTEX_INIT(&group->lock, NULL);
    STARPU_PTHREAD_COND_INIT(&group->signal, NULL);
    const starfish_status status = on_device(group->device, mark, group);
    if (status != STARFISH_SUCCESS) {
        starfish_stream_group_destroy(group);
        return status; /* NOLINT(clang-analyzer-unix.Malloc): a group is kept where its task may still use it */
    }
    *result = group;
    return STARFISH_SUCCESS;
}

void starfish_stream_group_destroy(struct starfish_stream_group *group)
{
    if (!group || starfish_is_stuck()) /* its task may still use it */
        return;
    if (group->outside)
        starfish_outside_end(group->context);
    for (int e = 0; e < 2; e++)
        if (group->event[e])
            cudaEventDestroy(group->event[e]);
    STARPU_PTHREAD_MUTEX_DESTROY(&group->lock);
    STARPU_PTHREAD_COND_DESTROY(&group->signal);
    starfish_task_group_clear(&group->group);
    free(group);
}

/* ---- Submitting -------------------------------------------------------------------------------------------------- */

static starfish_status wait_until_launched(struct starfish_stream_group *group)
{
    struct starfish_patience patience;
    starfish_status status = STARFISH_SUCCESS;
    starfish_patience_begin(&patience, group->context);
    STARPU_PTHREAD_MUTEX_LOCK(&group->lock);
    while (!group->launched && status == STARFISH_SUCCESS)
        status = starfish_patience_wait(&patience, &group->signal, &group->lock);
    STARPU_PTHREAD_MUTEX_UNLOCK(&group->lock);
    return status;
}

/* Where the launches failed, the wait for the job says so. */
static starfish_status follow(void *data)
{
    const struct starfish_stream_group *group = data;
    return group->error == 0 ? try_cuda(cudaStreamWaitEvent(group->stream, group->event[1], 0), "an event")
                             : STARFISH_SUCCESS;
}

static starfish_status submit_whole(struct starfish_stream_group *group, struct starfish_progress *progress, int phase)
{
    struct arguments arguments = {.group = group};
    struct starfish_task whole;
    STARFISH_FAIL_IF(group->group.count == 0, STARFISH_ERROR_UNSUPPORTED, "stream: the job has no tasks");
    if (!starfish_task_group_order(&group->group))
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: the job has too many data");
    starfish_task_begin(&whole, &bundle_codelet, progress, phase);
    whole.worker = group->worker;
    starfish_task_group_attach(&group->group, &whole);
    starfish_outside_begin(group->context);
    group->outside = 1;
    return starfish_task_submit(&whole, &arguments, sizeof arguments);
}

starfish_status starfish_stream_group_run(struct starfish_stream_group *group, struct starfish_progress *progress,
                                          int phase, starfish_status (*submit)(void *data), void *data)
{
    if (!group)
        return submit(data);
    STARFISH_TRY(starfish_task_group_collect(&group->group, progress, submit, data));
    STARFISH_TRY(submit_whole(group, progress, phase));
    STARFISH_TRY(wait_until_launched(group));
    return on_device(group->device, follow, group);
}
#else
static starfish_status fail_without_cuda(void)
{
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: this library was built without CUDA");
}

starfish_status starfish_stream_wait(const struct starfish_context *context, struct CUstream_st *stream, int node)
{
    (void)context, (void)stream, (void)node;
    return fail_without_cuda();
}

starfish_status starfish_stream_group_create(struct starfish_stream_group **result, struct starfish_context *context,
                                             struct CUstream_st *stream, int node)
{
    (void)context, (void)stream, (void)node;
    *result = NULL;
    return fail_without_cuda();
}

void starfish_stream_group_destroy(struct starfish_stream_group *group)
{
    (void)group;
}

starfish_status starfish_stream_group_run(struct starfish_stream_group *group, struct starfish_progress *progress,
                                          int phase, starfish_status (*submit)(void *data), void *data)
{
    (void)group, (void)progress, (void)phase;
    return submit(data);
}
#endif
