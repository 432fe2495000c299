/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Submitting one task: the glue between an operation's argument struct and StarPU, the same for every codelet.
 *
 *     struct starfish_task task;
 *     starfish_task_begin(&task, &codelet, progress, phase);
 *     starfish_task_at(&task, "slab", handle, 0);
 *     task.width = lines;
 *     starfish_task_data(&task, handle, STARPU_R);
 *     arguments.header.footprint = STARFISH_FOOTPRINT(lines, precision);
 *     return starfish_task_submit(&task, &arguments, sizeof arguments);
 *
 * An argument struct begins with struct starfish_task_header. */
#ifndef STARFISH_SCHEDULER_RUNTIME_TASK_H
#define STARFISH_SCHEDULER_RUNTIME_TASK_H

#include "base/cost.h"
#include "scheduler/runtime/owner.h"
#include "scheduler/runtime/progress.h"
#include "scheduler/runtime/task_header.h"

enum { STARFISH_TASK_MAX_DATA = 544, STARFISH_TASK_FEW_DATA = 24, STARFISH_TASK_COPIES = 16 };

struct starfish_task_datum {
    starpu_data_handle_t handle;
    enum starpu_data_access_mode mode;
};

struct starfish_task {
    struct starpu_codelet *codelet;
    struct starfish_progress *progress;
    int phase;
    int step; /* of struct starfish_progress; -1: none */
    int priority;
    int device; /* whose workers may run it, as of an owner (owner.h) */
    int worker; /* StarPU's number of the one worker that may run it; -1: any of those kinds */
    int rank;   /* that executes it; -1: the owner of what it writes (ranks.h) */
    int copies; /* ranks that execute it, each for itself (ranks.h); 0: one rank */
    int copy[STARFISH_TASK_COPIES];
    const char *name;
    size_t width; /* how many lanes are independent: a hint for policies (policies/policies.h); 0: not known */
    double flops; /* floating-point operations; NaN: not known */
    double bytes; /* that it reads from and writes to memory; NaN: its data, once each */
    int coordinates;
    struct starfish_coordinate at[STARFISH_TASK_COORDINATES];
    int count, room;
    int refused;                      /* how many data there was no room for: the submission then fails */
    struct starfish_task_datum *data; /* few, or an allocated array of `room` */
    struct starfish_task_datum few[STARFISH_TASK_FEW_DATA];
};

void starfish_task_begin(struct starfish_task *task, struct starpu_codelet *codelet, struct starfish_progress *progress,
                         int phase);
/* The task runs on the GPU beside a memory node, where its data were registered: models that are not calibrated yet
 * would try other GPUs too. 0, and nothing changes, where the context has no such GPU. */
int starfish_task_stay(struct starfish_task *task, int node);
/* The next of the task's data. Beyond STARFISH_TASK_MAX_DATA it is counted, and makes the submission fail. Many data
 * are allocated: the submission frees them, so nothing may return between them and it. */
void starfish_task_data(struct starfish_task *task, starpu_data_handle_t handle, enum starpu_data_access_mode mode);
/* Data that may be absent: their position among the task's data; -1 without a handle. */
static inline int starfish_task_optional(struct starfish_task *task, starpu_data_handle_t handle,
                                         enum starpu_data_access_mode mode)
{
    if (!handle)
        return -1;
    starfish_task_data(task, handle, mode);
    return task->count - 1;
}
/* What the task takes, of operations and of bytes: for tasks that go through their data several times, or through a
 * part of them. */
static inline void starfish_task_costs(struct starfish_task *task, struct starfish_cost cost)
{
    task->flops = cost.operations;
    task->bytes = cost.bytes;
}
/* The task's next coordinate: that of `data` in `dimension`, if it has one (starpu_data_set_coordinates). */
void starfish_task_at(struct starfish_task *task, const char *name, starpu_data_handle_t data, unsigned dimension);
/* A task's name for StarPU's traces, with '_' for each blank and cut off at that length: they have names without
 * quotation marks, so that no program reads a trace with blanks in names. */
void starfish_task_traced_name(const char *name, char traced[STARFISH_TRACED_NAME]);
/* One more rank that executes the task; one that is named already is not counted again. */
void starfish_task_copy_on(struct starfish_task *task, int rank);
/* Frees what data the task has allocated; submissions do. */
void starfish_task_drop(struct starfish_task *task);
/* Copies `arguments`. A task whose data do not fit into the GPUs' memory goes to the cores where it may. Errors:
 * MEMORY, also where it may not (names the bytes); RUNTIME (too many data, or StarPU is stuck or refuses the
 * task; names it). */
starfish_status starfish_task_submit(struct starfish_task *task, void *arguments, size_t size);

/* Instead of submitting the task: its expected seconds on a worker of each kind, by the performance models. NaN if the
 * models have no time, or the task cannot run there. Error: MEMORY. */
starfish_status starfish_task_expect(struct starfish_task *task, void *arguments, size_t size,
                                     double seconds[STARFISH_WORKER_KINDS]);

/* For a codelet's performance model. */
uint32_t starfish_task_footprint(struct starpu_task *task);
uint32_t starfish_footprint_of(const size_t *values, size_t count);
/* The same of sizes that are listed, but for the last `without` of them. */
#define STARFISH_FOOTPRINT(...) STARFISH_FOOTPRINT_BUT(0, __VA_ARGS__)
#define STARFISH_FOOTPRINT_BUT(without, ...)                                                                           \
    starfish_footprint_of((const size_t[]){__VA_ARGS__},                                                               \
                          sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t) - (without))
/* The cores of the teams for which a submitted task's footprint was made: they are its last eight bits, since a team
 * takes another time than a core and people should see which. */
static inline unsigned starfish_footprint_cores(uint32_t footprint)
{
    return footprint & 0xff;
}
/* Its other bits: the lowest ones of the hash of the sizes. */
static inline uint32_t starfish_footprint_hash(uint32_t footprint)
{
    return footprint >> 8;
}

/* In a codelet's function: keep the first error that a CUDA kernel's launch returned. */
void starfish_task_check(const struct starfish_task_header *header, const char *operation, int cuda_error);

/* In a codelet's function on a GPU: the stream of its launches. */
struct CUstream_st *starfish_task_stream(void);

/* Calls function(buffers, arguments) in the default floating-point environment: a host program that has started StarPU
 * may trap or round otherwise in its workers (base/arithmetic.h). */
void starfish_task_run(void (*function)(void *buffers[], void *arguments), void *buffers[], void *arguments);

/* A codelet's function `function`_task, which StarPU calls: `function` through starfish_task_run. */
#define STARFISH_TASK_FUNCTION(function)                                                                               \
    static void function##_task(void *buffers[], void *arguments)                                                      \
    {                                                                                                                  \
        starfish_task_run(function, buffers, arguments);                                                               \
    }

/* The function for CUDA exists when this build and StarPU have CUDA. On a simulated machine there is one that is never
 * called. */
#if defined(STARFISH_HAVE_GPU)
#define STARFISH_CUDA_TASK_FUNCTION STARFISH_TASK_FUNCTION
#define STARFISH_CUDA_FUNCTION(function) .cuda_funcs = {function##_task}, .cuda_flags = {STARPU_CUDA_ASYNC},
#elif defined(STARPU_SIMGRID)
#define STARFISH_CUDA_TASK_FUNCTION(function)
#define STARFISH_CUDA_FUNCTION(function) .cuda_funcs = {starfish_task_simulated}, .cuda_flags = {STARPU_CUDA_ASYNC},
#else
#define STARFISH_CUDA_TASK_FUNCTION(function)
#define STARFISH_CUDA_FUNCTION(function)
#endif
void starfish_task_simulated(void *buffers[], void *arguments);

/* 0: models that are being calibrated learn nothing from tasks that are submitted from now on, in the whole process; 1:
 * they do again. The first solves of a plan make CUDA graphs and find clocks low; solves that are measured must not
 * change the models that their policy is compared with. */
void starfish_tasks_teach(int teach);

/* The length of a task by the hook, on a simulated machine (hooks.h). */
double starfish_task_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation);
/* How long tasks take: what they took before; on a simulated machine, what they took on the real one. */
#ifdef STARPU_SIMGRID
#define STARFISH_LENGTH .type = STARPU_PER_ARCH, .arch_cost_function = starfish_task_length
#else
#define STARFISH_LENGTH .type = STARPU_HISTORY_BASED
#endif

/* A codelet named `label` over cpu and cuda functions `operation`_cpu and `operation`_cuda, any number of data, with a
 * performance model of its own. */
#define STARFISH_CODELET(operation, label, trace_color)                                                                \
    STARFISH_CUDA_TASK_FUNCTION(operation##_cuda)                                                                      \
    STARFISH_CODELET_WITH(operation, label, trace_color, STARFISH_CUDA_FUNCTION(operation##_cuda))
/* One whose tasks run on cores alone. */
#define STARFISH_CORES_CODELET(operation, label, trace_color) STARFISH_CODELET_WITH(operation, label, trace_color, )
#define STARFISH_CODELET_WITH(operation, label, trace_color, cuda_function)                                            \
    STARFISH_TASK_FUNCTION(operation##_cpu)                                                                            \
    static struct starpu_perfmodel operation##_model = {STARFISH_LENGTH, .symbol = "starfish_" label,                  \
                                                        .footprint = starfish_task_footprint};                         \
    static struct starpu_codelet operation##_codelet = {.cpu_funcs = {operation##_cpu_task},                           \
                                                        cuda_function.nbuffers = STARPU_VARIABLE_NBUFFERS,             \
                                                        .model = &operation##_model,                                   \
                                                        .name = label,                                                 \
                                                        .color = trace_color}

#endif
