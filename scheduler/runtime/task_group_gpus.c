/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches task groups on several GPUs (task_group_gpus.h): streams of all GPUs, events between dependent launches, and
 * one CUDA graph. */
#include "scheduler/runtime/task_group_gpus.h"

#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/task_group.h"
#include "scheduler/runtime/watchdog.h"

#include <stdlib.h>
#include <string.h>

#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>

enum { PROGRAMS = 32 /* of a plan's groups */ };

struct program {
    struct starfish_task_group group; /* first: its recorder leads here */
    uintptr_t key[STARFISH_GROUP_KEY];
    int misfits; /* a task is for no GPU of these */
    int seen;    /* submitted before */
    int node[STARFISH_TASK_MAX_DATA];
    cudaEvent_t *event; /* the ends of tasks for which others wait */
    cudaEvent_t begun, ended[STARFISH_GROUP_GPUS];
    struct starpu_codelet codelet;
};

struct gpu {
    int device; /* CUDA's number */
    size_t worker;
    struct CUstream_st *stream; /* of the first: the worker's, while it launches */
};

struct starfish_gpu_groups {
    struct starfish_context *context;
    struct starfish_replays *replays;
    struct gpu gpu[STARFISH_GROUP_GPUS];
    size_t gpus;
    struct program *program[PROGRAMS];
    size_t programs;
};

/* ---- Programs ---------------------------------------------------------------------------------------------------- */

static void destroy_event(cudaEvent_t event)
{
    if (event)
        cudaEventDestroy(event);
}

static void destroy_program(struct program *program)
{
    if (!program)
        return;
    for (size_t m = 0; program->event && m < program->group.count; m++)
        destroy_event(program->event[m]);
    destroy_event(program->begun);
    for (int g = 0; g < STARFISH_GROUP_GPUS; g++)
        destroy_event(program->ended[g]);
    starfish_task_group_clear(&program->group);
    free(program->event);
    free(program);
}

/* ---- The task ---------------------------------------------------------------------------------------------------- */

/* The program has the events, `recorded` the same tasks as they were submitted this time: their arguments may point to
 * what only lasts as long as a job. It is the task's, which frees it. */
struct arguments {
    struct starfish_task_header header;
    struct starfish_gpu_groups *groups;
    struct program *program, *recorded;
};

struct run {
    struct starfish_gpu_groups *groups;
    struct program *program;
    const struct starfish_task_group *recorded;
    struct starfish_progress *progress;
    void **buffers;
};

static int launch_in_order(const struct run *run, size_t m)
{
    const struct program *program = run->program;
    const struct starfish_group_task *grouped = &run->recorded->task[m];
    const struct gpu *gpu = &run->groups->gpu[grouped->gpu];
    cudaError_t error = cudaSetDevice(gpu->device);

    for (size_t g = 0; g < run->groups->gpus && error == cudaSuccess; g++)
        if (grouped->waits[g] != STARFISH_GROUP_NOBODY)
            error = cudaStreamWaitEvent(gpu->stream, program->event[grouped->waits[g]], 0);
    if (error != cudaSuccess)
        return (int)error;
    starfish_context_launch_for(gpu->worker, gpu->stream);
    starfish_task_group_launch(grouped, run->progress, run->buffers);
    starfish_context_launch_for(gpu->worker, NULL);
    return grouped->is_waited_for ? (int)cudaEventRecord(program->event[m], gpu->stream) : 0;
}

/* The streams of all GPUs follow the first one's, and it follows them in the end. */
static int fork_streams(const struct run *run)
{
    const struct starfish_gpu_groups *groups = run->groups;
    cudaError_t error = cudaEventRecord(run->program->begun, groups->gpu[0].stream);

    for (size_t g = 1; g < groups->gpus && error == cudaSuccess; g++)
        error = cudaStreamWaitEvent(groups->gpu[g].stream, run->program->begun, 0);
    return (int)error;
}

static int join_streams(const struct run *run)
{
    const struct starfish_gpu_groups *groups = run->groups;
    cudaError_t error = cudaSuccess;

    for (size_t g = 1; g < groups->gpus && error == cudaSuccess; g++) {
        error = cudaEventRecord(run->program->ended[g], groups->gpu[g].stream);
        if (error == cudaSuccess)
            error = cudaStreamWaitEvent(groups->gpu[0].stream, run->program->ended[g], 0);
    }
    return (int)error;
}

static int launch(void *data)
{
    const struct run *run = data;
    int error = fork_streams(run);

    for (size_t m = 0; m < run->recorded->count && error == 0; m++)
        error = launch_in_order(run, m);
    const cudaError_t back = cudaSetDevice(run->groups->gpu[0].device);
    if (error == 0)
        error = back == cudaSuccess ? join_streams(run) : (int)back;
    return error;
}

static void group_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    struct run run = {a->groups, a->program, &a->recorded->group, a->header.progress, buffers};
    struct starfish_replay_key key = {1, {(uintptr_t)a->program}};

    starfish_replay_add_data(&key, buffers, a->program->group.data);
    a->groups->gpu[0].stream = starpu_cuda_get_local_stream();
    starfish_task_check(&a->header, "tasks of several GPUs",
                        starfish_replay(a->groups->replays, &key, a->groups->gpu[0].stream, launch, &run));
    destroy_program(a->recorded);
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
static int connect(struct starfish_gpu_groups *groups)
{
    int possible = 1;

    for (size_t g = 0; g < groups->gpus && possible; g++) {
        for (size_t other = 0; other < groups->gpus && possible; other++)
            possible = other == g || can_reach(groups->gpu[g].device, groups->gpu[other].device);
        if (possible && g > 0)
            possible = cudaSetDevice(groups->gpu[g].device) == cudaSuccess &&
                       cudaStreamCreateWithFlags(&groups->gpu[g].stream, cudaStreamNonBlocking) == cudaSuccess;
    }
    (void)cudaGetLastError();
    return possible;
}

static void find_gpus(struct starfish_gpu_groups *groups)
{
    size_t number = 0;

    for (size_t w = 0; w < groups->context->workers && number < groups->gpus; w++)
        if (starfish_context_worker_kind(groups->context, w) == STARFISH_GPU)
            groups->gpu[number++] =
                (struct gpu){.device = starpu_worker_get_devid(groups->context->worker[w]), .worker = w};
}

/* The first GPUs of the context, up to the last owner; 0 where one is no GPU of this process. */
static size_t gpus_of(const struct starfish_context *context, size_t parts, const struct starfish_owner *owner)
{
    int last = 0;

    for (size_t p = 0; p < parts; p++) {
        if (owner[p].device < 0 || owner[p].rank != starfish_context_rank(context))
            return 0;
        last = owner[p].device > last ? owner[p].device : last;
    }
    return (size_t)last + 1;
}

starfish_status starfish_gpu_groups_create(struct starfish_gpu_groups **result, struct starfish_context *context,
                                           size_t parts, const struct starfish_owner *owner,
                                           struct starfish_replays *replays)
{
    const char *calibrates = getenv("STARPU_CALIBRATE");
    const size_t gpus = parts > 1 && owner ? gpus_of(context, parts, owner) : 0;
    int current;

    *result = NULL;
    if ((calibrates && strcmp(calibrates, "0") != 0) || gpus < 1 || gpus > STARFISH_GROUP_GPUS ||
        gpus > context->workers_of[STARFISH_GPU] || cudaGetDevice(&current) != cudaSuccess)
        return STARFISH_SUCCESS;
    struct starfish_gpu_groups *groups = calloc(1, sizeof *groups);
    STARFISH_FAIL_IF(!groups, STARFISH_ERROR_MEMORY, "out of memory for tasks of several GPUs");
    groups->context = context;
    groups->replays = replays;
    groups->gpus = gpus;
    find_gpus(groups);
    if (connect(groups)) {
        *result = groups;
    } else {
        starfish_gpu_groups_destroy(groups);
    }
    (void)cudaSetDevice(current); /* NOLINT(clang-analyzer-unix.Malloc): kept where its task may still use it */
    return STARFISH_SUCCESS;
}

void starfish_gpu_groups_destroy(struct starfish_gpu_groups *groups)
{
    if (!groups || starfish_is_stuck()) /* its task may still use it */
        return;
    for (size_t p = 0; p < groups->programs; p++)
        destroy_program(groups->program[p]);
    for (size_t g = 1; g < groups->gpus; g++)
        if (groups->gpu[g].stream)
            cudaStreamDestroy(groups->gpu[g].stream);
    free(groups);
}

/* ---- Recording --------------------------------------------------------------------------------------------------- */

static starfish_status add(struct starfish_recorder *recorder, struct starfish_task *task, const void *arguments,
                           size_t size)
{
    struct program *program = (struct program *)recorder;

    program->misfits |=
        !starfish_task_group_fits(task) || task->worker >= 0 || task->device >= (int)program->group.gpus;
    return starfish_task_group_record(&program->group, task, arguments, size);
}

/* ---- Submission -------------------------------------------------------------------------------------------------- */

static cudaError_t create_event(const struct starfish_gpu_groups *groups, int gpu, cudaEvent_t *event)
{
    const cudaError_t error = cudaSetDevice(groups->gpu[gpu].device);

    return error == cudaSuccess ? cudaEventCreateWithFlags(event, cudaEventDisableTiming) : error;
}

/* On the devices whose streams record them; the thread's device is as before in the end. */
static int create_events(const struct starfish_gpu_groups *groups, struct program *program)
{
    const size_t count = program->group.count;
    int current;
    cudaError_t error = cudaGetDevice(&current);

    program->event = calloc(count, sizeof program->event[0]);
    if (!program->event)
        return 0;
    if (error == cudaSuccess)
        error = create_event(groups, 0, &program->begun);
    for (size_t g = 1; g < groups->gpus && error == cudaSuccess; g++)
        error = create_event(groups, (int)g, &program->ended[g]);
    for (size_t m = 0; m < count && error == cudaSuccess; m++)
        if (program->group.task[m].is_waited_for)
            error = create_event(groups, program->group.task[m].gpu, &program->event[m]);
    (void)cudaSetDevice(current);
    (void)cudaGetLastError();
    return error == cudaSuccess;
}

/* No performance model: there is no choice of a worker. */
static void describe(const struct starfish_gpu_groups *groups, struct program *program)
{
    for (int d = 0; d < program->group.data; d++)
        program->node[d] = (int)starpu_worker_get_memory_node(
            (unsigned)groups->context->worker[groups->gpu[program->group.datum[d].gpu].worker]);
    program->codelet = (struct starpu_codelet){.cuda_funcs = {group_cuda},
                                               .cuda_flags = {STARPU_CUDA_ASYNC},
                                               .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                               .specific_nodes = 1,
                                               .dyn_nodes = program->node,
                                               .name = "joint",
                                               .color = 0x5588cc};
}

/* The program of what was recorded, an earlier one or a new one; NULL: it cannot be one task. */
static struct program *find_program(struct starfish_gpu_groups *groups, struct program *recorded)
{
    if (recorded->misfits || recorded->group.count == 0 || !starfish_task_group_order(&recorded->group))
        return NULL;
    for (size_t p = 0; p < groups->programs; p++)
        if (memcmp(groups->program[p]->key, recorded->key, sizeof recorded->key) == 0 &&
            starfish_task_group_is_same(&groups->program[p]->group, &recorded->group))
            return groups->program[p];
    if (groups->programs == PROGRAMS || !create_events(groups, recorded))
        return NULL;
    describe(groups, recorded);
    return groups->program[groups->programs++] = recorded;
}

static starfish_status submit_one_by_one(const struct starfish_task_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        STARFISH_TRY(starfish_task_submit(group->task[i].task, group->task[i].arguments, group->task[i].size));
    return STARFISH_SUCCESS;
}

static starfish_status submit_whole(struct starfish_gpu_groups *groups, struct program *program,
                                    struct program *recorded, struct starfish_task *whole)
{
    struct arguments arguments = {.groups = groups, .program = program, .recorded = recorded};

    arguments.header.gpus = groups->gpus;
    arguments.header.footprint = STARFISH_FOOTPRINT(recorded->group.count, (size_t)recorded->group.data);
    whole->device = 0;
    starfish_task_group_attach(&recorded->group, whole);
    return starfish_task_submit(whole, &arguments, sizeof arguments);
}

starfish_status starfish_gpu_groups_run(struct starfish_gpu_groups *groups, struct starfish_progress *progress,
                                        const char *name, int phase, const uintptr_t key[STARFISH_GROUP_KEY],
                                        starfish_status (*submit)(void *data), void *data)
{
    struct starfish_task whole;

    if (!groups || progress->recorder || progress->context->observer)
        return submit(data);
    struct program *recorded = calloc(1, sizeof *recorded), *program = NULL;
    STARFISH_FAIL_IF(!recorded, STARFISH_ERROR_MEMORY, "out of memory for tasks of several GPUs");
    recorded->group.recorder.add = add;
    recorded->group.gpus = groups->gpus;
    memcpy(recorded->key, key, sizeof recorded->key);
    starfish_status status = starfish_task_group_collect(&recorded->group, progress, submit, data);
    if (status == STARFISH_SUCCESS)
        program = find_program(groups, recorded);
    if (status == STARFISH_SUCCESS && program && program->seen++ > 0) {
        starfish_task_begin(&whole, &program->codelet, progress, phase);
        whole.name = name;
        status = submit_whole(groups, program, recorded, &whole);
        recorded = status == STARFISH_SUCCESS ? program : recorded; /* which is the task's */
    } else if (status == STARFISH_SUCCESS) {
        status = submit_one_by_one(&recorded->group);
    }
    if (program != recorded)
        destroy_program(recorded);
    return status;
}
#else
starfish_status starfish_gpu_groups_create(struct starfish_gpu_groups **result, struct starfish_context *context,
                                           size_t parts, const struct starfish_owner *owner,
                                           struct starfish_replays *replays)
{
    (void)context, (void)parts, (void)owner, (void)replays;
    *result = NULL;
    return STARFISH_SUCCESS;
}

void starfish_gpu_groups_destroy(struct starfish_gpu_groups *groups)
{
    (void)groups;
}

starfish_status starfish_gpu_groups_run(struct starfish_gpu_groups *groups, struct starfish_progress *progress,
                                        const char *name, int phase, const uintptr_t key[STARFISH_GROUP_KEY],
                                        starfish_status (*submit)(void *data), void *data)
{
    (void)groups, (void)progress, (void)name, (void)phase, (void)key;
    return submit(data);
}
#endif
