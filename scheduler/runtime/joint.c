/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines tasks of several GPUs into one task (joint.h): streams of all GPUs, events between dependent launches, and
 * one CUDA graph. */
#include "scheduler/runtime/joint.h"

#include "scheduler/runtime/owner.h"
#include "scheduler/runtime/watchdog.h"

#include <stdlib.h>
#include <string.h>

#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>

enum { PROGRAMS = 32 /* of a joint */ };

struct program {
    uintptr_t key[STARFISH_JOINT_KEY];
    struct starfish_joint_order order;
    int cannot; /* a task is for no GPU of these */
    int seen;   /* submitted before */
    int node[STARFISH_TASK_MAX_DATA];
    cudaEvent_t *event; /* the ends of tasks for which others wait */
    cudaEvent_t begun, ended[STARFISH_JOINT_GPUS];
    struct starpu_codelet codelet;
};

struct gpu {
    int device; /* CUDA's number */
    size_t worker;
    struct CUstream_st *stream; /* of the first: the worker's, while it launches */
};

struct starfish_joint {
    struct starfish_context *context;
    struct starfish_replays *replays;
    struct gpu gpu[STARFISH_JOINT_GPUS];
    size_t gpus;
    struct program *program[PROGRAMS], *recorded;
    size_t programs;
};

/* ---- The task ---------------------------------------------------------------------------------------------------- */

struct arguments {
    struct starfish_task_header header;
    struct starfish_joint *joint;
    struct program *program;
};

struct run {
    struct starfish_joint *joint;
    struct program *program;
    struct starfish_progress *progress;
    void **buffers;
};

static int launch_in_order(const struct run *run, size_t m)
{
    const struct program *program = run->program;
    const struct starfish_joint_member *member = &program->order.member[m];
    const struct gpu *gpu = &run->joint->gpu[member->gpu];
    cudaError_t error = cudaSetDevice(gpu->device);

    for (size_t g = 0; g < run->joint->gpus && error == cudaSuccess; g++)
        if (member->waits[g] != STARFISH_JOINT_NOBODY)
            error = cudaStreamWaitEvent(gpu->stream, program->event[member->waits[g]], 0);
    if (error != cudaSuccess)
        return (int)error;
    starfish_context_launch_for(gpu->worker, gpu->stream);
    starfish_recorded_launch(&program->order.recording.task[m], run->progress, run->buffers);
    starfish_context_launch_for(gpu->worker, NULL);
    return member->is_waited_for ? (int)cudaEventRecord(program->event[m], gpu->stream) : 0;
}

/* The streams of all GPUs follow the first one's, and it follows them in the end. */
static int fork_streams(const struct run *run)
{
    const struct starfish_joint *joint = run->joint;
    cudaError_t error = cudaEventRecord(run->program->begun, joint->gpu[0].stream);

    for (size_t g = 1; g < joint->gpus && error == cudaSuccess; g++)
        error = cudaStreamWaitEvent(joint->gpu[g].stream, run->program->begun, 0);
    return (int)error;
}

static int join_streams(const struct run *run)
{
    const struct starfish_joint *joint = run->joint;
    cudaError_t error = cudaSuccess;

    for (size_t g = 1; g < joint->gpus && error == cudaSuccess; g++) {
        error = cudaEventRecord(run->program->ended[g], joint->gpu[g].stream);
        if (error == cudaSuccess)
            error = cudaStreamWaitEvent(joint->gpu[0].stream, run->program->ended[g], 0);
    }
    return (int)error;
}

static int launch(void *data)
{
    const struct run *run = data;
    int error = fork_streams(run);

    for (size_t m = 0; m < run->program->order.recording.count && error == 0; m++)
        error = launch_in_order(run, m);
    const cudaError_t back = cudaSetDevice(run->joint->gpu[0].device);
    if (error == 0)
        error = back == cudaSuccess ? join_streams(run) : (int)back;
    return error;
}

static void joint_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    struct run run = {a->joint, a->program, a->header.progress, buffers};
    struct starfish_replay_key key = {1, {(uintptr_t)a->program}};

    starfish_replay_add_data(&key, buffers, a->program->order.count);
    a->joint->gpu[0].stream = starpu_cuda_get_local_stream();
    starfish_task_check(&a->header, "tasks of several GPUs",
                        starfish_replay(a->joint->replays, &key, a->joint->gpu[0].stream, launch, &run));
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static int can_reach(int from, int to)
{
    int can = 0;

    if (cudaDeviceCanAccessPeer(&can, from, to) != cudaSuccess || !can || cudaSetDevice(from) != cudaSuccess)
        return 0;
    const cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
    return error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled;
}

/* Streams, and memory that all reach. */
static int connect(struct starfish_joint *joint)
{
    int possible = 1;

    for (size_t g = 0; g < joint->gpus && possible; g++) {
        for (size_t other = 0; other < joint->gpus && possible; other++)
            possible = other == g || can_reach(joint->gpu[g].device, joint->gpu[other].device);
        if (possible && g > 0)
            possible = cudaSetDevice(joint->gpu[g].device) == cudaSuccess &&
                       cudaStreamCreateWithFlags(&joint->gpu[g].stream, cudaStreamNonBlocking) == cudaSuccess;
    }
    (void)cudaGetLastError();
    return possible;
}

static void find_gpus(struct starfish_joint *joint)
{
    size_t number = 0;

    for (size_t w = 0; w < joint->context->workers && number < joint->gpus; w++)
        if (starfish_context_worker_kind(joint->context, w) == STARFISH_GPU)
            joint->gpu[number++] =
                (struct gpu){.device = starpu_worker_get_devid(joint->context->worker[w]), .worker = w};
}

starfish_status starfish_joint_create(struct starfish_joint **result, struct starfish_context *context, size_t gpus,
                                      struct starfish_replays *replays)
{
    const char *calibrates = getenv("STARPU_CALIBRATE");
    int current;

    *result = NULL;
    if ((calibrates && strcmp(calibrates, "0") != 0) || gpus > STARFISH_JOINT_GPUS ||
        gpus > context->workers_of[STARFISH_GPU] || cudaGetDevice(&current) != cudaSuccess)
        return STARFISH_SUCCESS;
    struct starfish_joint *joint = calloc(1, sizeof *joint);
    if (!joint)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for tasks of several GPUs");
    joint->context = context;
    joint->replays = replays;
    joint->gpus = gpus;
    find_gpus(joint);
    if (connect(joint)) {
        *result = joint;
    } else {
        starfish_joint_destroy(joint);
    }
    (void)cudaSetDevice(current); /* NOLINT(clang-analyzer-unix.Malloc): kept where its task may still use it */
    return STARFISH_SUCCESS;
}

static void destroy_event(cudaEvent_t event)
{
    if (event)
        cudaEventDestroy(event);
}

static void destroy_program(struct program *program)
{
    if (!program)
        return;
    for (size_t m = 0; program->event && m < program->order.recording.count; m++)
        destroy_event(program->event[m]);
    destroy_event(program->begun);
    for (int g = 0; g < STARFISH_JOINT_GPUS; g++)
        destroy_event(program->ended[g]);
    starfish_joint_order_clear(&program->order);
    free(program->event);
    free(program);
}

void starfish_joint_destroy(struct starfish_joint *joint)
{
    if (!joint || starfish_is_stuck()) /* its task may still use it */
        return;
    for (size_t p = 0; p < joint->programs; p++)
        destroy_program(joint->program[p]);
    destroy_program(joint->recorded);
    for (size_t g = 1; g < joint->gpus; g++)
        if (joint->gpu[g].stream)
            cudaStreamDestroy(joint->gpu[g].stream);
    free(joint);
}

/* ---- Recording --------------------------------------------------------------------------------------------------- */

int starfish_joint_is_for(const struct starfish_joint *joint, const struct starfish_progress *progress)
{
    return joint && !progress->bundle && !progress->joint && !progress->context->observer;
}

void starfish_joint_begin(struct starfish_joint *joint, struct starfish_progress *progress)
{
    progress->joint = joint;
}

void starfish_joint_abandon(struct starfish_joint *joint, struct starfish_progress *progress)
{
    progress->joint = NULL;
    destroy_program(joint->recorded);
    joint->recorded = NULL;
}

static int is_for(const struct starfish_joint *joint, const struct starfish_task *task)
{
    return task->codelet->cuda_funcs[0] && starfish_kind_allowed(starfish_where_kinds(task->where), 1) &&
           starfish_kind_allowed(task->progress->where, 1) && task->worker < 0 &&
           starfish_where_gpu(task->where) < (int)joint->gpus;
}

starfish_status starfish_joint_add(struct starfish_joint *joint, struct starfish_task *task, const void *arguments,
                                   size_t size)
{
    if (!joint->recorded)
        joint->recorded = calloc(1, sizeof *joint->recorded);
    if (!joint->recorded)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for tasks of several GPUs");
    joint->recorded->cannot |= !is_for(joint, task);
    return starfish_recording_add(&joint->recorded->order.recording, task, arguments, size);
}

/* ---- Programs ---------------------------------------------------------------------------------------------------- */

static cudaError_t create_event(const struct starfish_joint *joint, int gpu, cudaEvent_t *event)
{
    const cudaError_t error = cudaSetDevice(joint->gpu[gpu].device);

    return error == cudaSuccess ? cudaEventCreateWithFlags(event, cudaEventDisableTiming) : error;
}

/* On the devices whose streams record them; the thread's device is as before in the end. */
static int create_events(const struct starfish_joint *joint, struct program *program)
{
    const size_t count = program->order.recording.count;
    int current;
    cudaError_t error = cudaGetDevice(&current);

    program->event = calloc(count, sizeof program->event[0]);
    if (!program->event)
        return 0;
    if (error == cudaSuccess)
        error = create_event(joint, 0, &program->begun);
    for (size_t g = 1; g < joint->gpus && error == cudaSuccess; g++)
        error = create_event(joint, (int)g, &program->ended[g]);
    for (size_t m = 0; m < count && error == cudaSuccess; m++)
        if (program->order.member[m].is_waited_for)
            error = create_event(joint, program->order.member[m].gpu, &program->event[m]);
    (void)cudaSetDevice(current);
    (void)cudaGetLastError();
    return error == cudaSuccess;
}

/* No model: nobody has to choose where it runs. */
static void describe(const struct starfish_joint *joint, struct program *program)
{
    for (int d = 0; d < program->order.count; d++)
        program->node[d] = (int)starpu_worker_get_memory_node(
            (unsigned)joint->context->worker[joint->gpu[program->order.datum[d].gpu].worker]);
    program->codelet = (struct starpu_codelet){.cuda_funcs = {joint_cuda},
                                               .cuda_flags = {STARPU_CUDA_ASYNC},
                                               .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                               .specific_nodes = 1,
                                               .dyn_nodes = program->node,
                                               .name = "joint",
                                               .color = 0x5588cc};
}

/* The program of what was recorded, an earlier one or a new one; NULL: it cannot be one task. Error: MEMORY. */
static starfish_status find_program(struct starfish_joint *joint, struct program *recorded, struct program **found)
{
    int possible;

    *found = NULL;
    STARFISH_TRY(starfish_joint_order_find(&recorded->order, &possible));
    if (recorded->cannot || !possible)
        return STARFISH_SUCCESS;
    for (size_t p = 0; p < joint->programs && !*found; p++)
        if (memcmp(joint->program[p]->key, recorded->key, sizeof recorded->key) == 0 &&
            starfish_joint_order_is_same(&joint->program[p]->order, &recorded->order))
            *found = joint->program[p];
    if (*found || joint->programs == PROGRAMS || !create_events(joint, recorded))
        return STARFISH_SUCCESS;
    describe(joint, recorded);
    *found = joint->program[joint->programs++] = recorded;
    return STARFISH_SUCCESS;
}

static starfish_status submit_one_by_one(const struct starfish_recording *recording)
{
    for (size_t i = 0; i < recording->count; i++)
        STARFISH_TRY(
            starfish_task_submit(recording->task[i].task, recording->task[i].arguments, recording->task[i].size));
    return STARFISH_SUCCESS;
}

static starfish_status submit_whole(struct starfish_joint *joint, struct program *program,
                                    const struct starfish_joint_order *recorded, struct starfish_task *whole)
{
    struct arguments arguments = {.joint = joint, .program = program};

    arguments.header.footprint = STARFISH_FOOTPRINT(recorded->recording.count, (size_t)recorded->count);
    whole->where = starfish_where_of((struct starfish_owner){0, 0}, 0);
    for (int d = 0; d < recorded->count; d++)
        starfish_task_data(whole, recorded->datum[d].handle, recorded->datum[d].mode);
    return starfish_task_submit(whole, &arguments, sizeof arguments);
}

static starfish_status submit(struct starfish_joint *joint, struct starfish_progress *progress, const char *name,
                              int phase, struct program *recorded, struct program *program)
{
    struct starfish_task whole;

    if (!program || program->seen++ == 0)
        return submit_one_by_one(&recorded->order.recording);
    starfish_task_begin(&whole, &program->codelet, progress, phase);
    whole.name = name;
    return submit_whole(joint, program, &recorded->order, &whole);
}

starfish_status starfish_joint_end(struct starfish_joint *joint, struct starfish_progress *progress, const char *name,
                                   int phase, const uintptr_t key[STARFISH_JOINT_KEY])
{
    struct program *recorded = joint->recorded, *program;

    progress->joint = NULL;
    joint->recorded = NULL;
    if (!recorded)
        return STARFISH_SUCCESS;
    memcpy(recorded->key, key, sizeof recorded->key);
    starfish_status status = find_program(joint, recorded, &program);
    if (status == STARFISH_SUCCESS)
        status = submit(joint, progress, name, phase, recorded, program);
    if (program != recorded)
        destroy_program(recorded);
    return status;
}
#else
starfish_status starfish_joint_create(struct starfish_joint **result, struct starfish_context *context, size_t gpus,
                                      struct starfish_replays *replays)
{
    (void)context, (void)gpus, (void)replays;
    *result = NULL;
    return STARFISH_SUCCESS;
}

void starfish_joint_destroy(struct starfish_joint *joint)
{
    (void)joint;
}

int starfish_joint_is_for(const struct starfish_joint *joint, const struct starfish_progress *progress)
{
    (void)joint, (void)progress;
    return 0;
}

void starfish_joint_begin(struct starfish_joint *joint, struct starfish_progress *progress)
{
    (void)joint, (void)progress;
}

void starfish_joint_abandon(struct starfish_joint *joint, struct starfish_progress *progress)
{
    (void)joint, (void)progress;
}

starfish_status starfish_joint_end(struct starfish_joint *joint, struct starfish_progress *progress, const char *name,
                                   int phase, const uintptr_t key[STARFISH_JOINT_KEY])
{
    (void)joint, (void)progress, (void)name, (void)phase, (void)key;
    return STARFISH_SUCCESS;
}

starfish_status starfish_joint_add(struct starfish_joint *joint, struct starfish_task *task, const void *arguments,
                                   size_t size)
{
    (void)joint, (void)arguments, (void)size;
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "task %s is not for a GPU", task->name);
}
#endif
