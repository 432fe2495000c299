/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The runtime context as seen by the other folders of the library. */
#ifndef STARFISH_SCHEDULER_RUNTIME_CONTEXT_H
#define STARFISH_SCHEDULER_RUNTIME_CONTEXT_H

#include "base/activity.h"
#include "base/failure.h"
#include <starfish/context.h>
#include <starfish/types.h>

#include <pthread.h>
#include <starpu.h>
#include <stdatomic.h>

/* CUDA implementations exist when both this build and the StarPU below it have CUDA. */
#if defined(STARFISH_CUDA) && defined(STARPU_USE_CUDA)
#define STARFISH_HAVE_GPU 1
#endif

/* Data that the runtime stores and moves. Floors that do not use the runtime's types have this name for them. */
typedef starpu_data_handle_t starfish_handle;

struct starfish_bytes {
    size_t host_to_device, device_to_host, device_to_device;
};

/* Bytes moved between memory nodes, [from][to] by StarPU's numbers. */
struct starfish_links {
    size_t moved[STARPU_MAXNODES][STARPU_MAXNODES];
};

/* The cores that run a CPU worker's tasks (team.h). */
struct starfish_team_threads;

struct starfish_team {
    size_t size;
    int *core;                             /* logical processing units; NULL for a GPU */
    struct starfish_team_threads *threads; /* NULL for one core */
    struct starfish_activity_log *log;     /* of each core: what it did in the worker's task (team.h) */
};

struct starfish_task_header;

/* What the watchdog sees of a context's tasks (watchdog.h). */
struct starfish_watchdog {
    pthread_mutex_t lock;
    struct starfish_task_header *first, *last; /* in the order of submission */
    size_t finished;                           /* tasks */
    size_t closing;                            /* tasks that are off the list and whose job does not know it yet */
    atomic_int outside;
    double patience; /* seconds; infinite: for ever */
};

struct starfish_ranks;

struct starfish_context {
    uint32_t where;                 /* StarPU's mask of the worker kinds that tasks of this context may run on */
    size_t workers;                 /* those of the allowed kinds */
    int worker[STARPU_NMAXWORKERS]; /* StarPU's identifiers */
    size_t workers_of[STARFISH_WORKER_KINDS];
    struct starfish_team team[STARPU_NMAXWORKERS]; /* by the context's worker number */
    int joined;
    int rests;      /* its workers do, while it is idle (idle.h) */
    int spare_core; /* the workers, teams and drivers of GPUs leave one of the machine's */
    char policy[64];
    starfish_log_function *log;
    void *log_data;
    /* Reading StarPU's link counters resets them, so they are summed here. */
    pthread_mutex_t bytes_lock;
    struct starfish_links links;
    struct starfish_observer *observer; /* of its tasks, or NULL (hooks.h) */
    struct starfish_ranks *ranks;       /* processes that share it, NULL: this one alone (ranks.h) */
    struct starfish_watchdog watched;
    atomic_size_t busy[STARPU_NMAXWORKERS]; /* nanoseconds of finished tasks, by StarPU's identifiers */
};

/* starfish_context_create without the laboratory. */
starfish_status starfish_runtime_create(starfish_context **result, const struct starfish_context_options *user);

/* Kinds of workers that solves may use, as StarPU's masks, 0: any of the context's: the type of everything called
 * `where`. A task has a device instead (owner.h). */
enum { STARFISH_ON_CORES = STARPU_CPU, STARFISH_ON_GPUS = STARPU_CUDA };

enum { STARFISH_MAIN_MEMORY = STARPU_MAIN_RAM }; /* memory node */

/* Seconds of the clock that tasks are timed with; simulated ones on a simulated machine. */
double starfish_now(void);

void starfish_log(const struct starfish_context *context, starfish_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Is it that of a worker of the context? Errors: ARGUMENT. */
starfish_status starfish_context_check_index(const struct starfish_context *context, size_t index);

/* Seconds that a worker has spent on the context's tasks that have finished. */
double starfish_context_busy_seconds(const struct starfish_context *context, size_t worker);

/* Bytes moved over links of each kind since the context was made, by everything in the process. */
struct starfish_bytes starfish_context_bytes(struct starfish_context *context);
void starfish_context_links(struct starfish_context *context, struct starfish_links *links);
/* Links by their kinds. */
struct starfish_bytes starfish_bytes_of_links(const struct starfish_links *links);

/* Run function(argument, worker index in the context) on every worker of the context, GPUs' with their device current,
 * and wait. For setting up what a worker owns; `name` appears in traces. Functions run at the same time. */
starfish_status starfish_context_on_each_worker(struct starfish_context *context, const char *name,
                                                void (*function)(void *argument, size_t worker), void *argument);
/* The context's number of the StarPU worker that runs the calling task, or whose task the calling thread shares. A
 * team's threads are not StarPU's workers; they set the worker of their team before they begin. */
size_t starfish_context_current_worker(const struct starfish_context *context);
void starfish_context_stand_for(size_t worker);
/* Inside a task that launches on several GPUs (task_group_gpus.h): what follows is for that worker's GPU, on its
 * stream; NULL: for the worker that runs the task. The stream that was set, or NULL. */
struct CUstream_st;
void starfish_context_launch_for(size_t worker, struct CUstream_st *stream);
struct CUstream_st *starfish_context_launch_stream(void);
/* StarPU's mask of GPUs where the context has one, else 0, which is any worker; and whether a mask allows GPUs, or
 * cores. */
uint32_t starfish_context_gpus_else_any(const struct starfish_context *context);
int starfish_kind_allowed(uint32_t where, int gpu);
/* StarPU's number of the worker of the context's GPU `number` (0, 1, ...); -1 where there are not as many. */
int starfish_context_gpu_worker(const struct starfish_context *context, size_t number);
/* Seconds that a copy from a GPU to another one, or to main memory, takes by what StarPU has measured of the links; 0
 * where there are no two memories. */
double starfish_context_copy_seconds(const struct starfish_context *context, int to_main_memory, size_t bytes);
starfish_worker_kind starfish_context_worker_kind(const struct starfish_context *context, size_t worker);

/* What is submitted from the one to the other is iteration `number` in StarPU's traces. For programs in which one
 * thread submits: StarPU keeps the number without a lock. */
void starfish_iteration_begin(size_t number);
void starfish_iteration_end(void);

/* CUDA devices that can be used, 0 without CUDA (memory.c). */
int starfish_gpu_count(void);

/* Where memory lies, as far as copies from and to it go. */
enum starfish_residence {
    STARFISH_PAGEABLE,
    STARFISH_STAGED, /* pageable, but cores copy it through pinned memory (a method's choice, poisson/methods.h) */
    STARFISH_PINNED,
    STARFISH_ON_DEVICE,
    STARFISH_SPREAD, /* over the memories of its owners (spread.h) */
    STARFISH_RESIDENCES
};

/* The residence of an address (unless NULL), and StarPU's memory node of it: the GPU's for CUDA device memory, else
 * main memory. */
starfish_status starfish_memory_place(const struct starfish_context *context, const char *argument, const void *memory,
                                      int *node, enum starfish_residence *residence);
/* Before an array of the host becomes data that GPUs copy: CUDA copies nothing that begins in pinned memory and goes
 * beyond what was pinned with it at once. `bytes`: of the copies that begin at `memory`. Error: ARGUMENT (names the
 * argument and the bytes that are pinned). */
starfish_status starfish_memory_check_pinned(const struct starfish_context *context, const char *argument,
                                             const void *memory, size_t bytes);
/* A right-hand side and a solution: neither is NULL, both are aligned to their reals, and where they are packed arrays
 * of so many reals they are one array or do not overlap. Errors: ARGUMENT (names the argument). */
starfish_status starfish_memory_check_arrays(const void *rhs, const void *solution, starfish_precision precision,
                                             size_t reals);
/* The same of arrays that may not be one, and their nodes. */
starfish_status starfish_memory_places(const struct starfish_context *context, const void *rhs, const void *solution,
                                       starfish_precision precision, size_t reals, int node[2]);

/* By hwloc (topology.c): the cores that this process may use, the machine's NUMA nodes, and the NUMA node nearest to a
 * core or CUDA device. The cores are found once, at the first call or by starfish_topology_look, from the affinity of
 * the calling thread. */
void starfish_topology_look(void);
void starfish_topology_count(int *cores, int *numa_nodes);
int starfish_topology_numa_of_core(int core);
int starfish_topology_numa_of_gpu(int device);
/* The first processing unit of every core that this process may use, as StarPU numbers them; how many. */
size_t starfish_topology_cores(int *unit, size_t most);
/* Processing units and cores of the whole machine; 0 where hwloc finds nothing. */
void starfish_topology_machine(int *units, int *cores);
/* Is a file a topology in XML? */
int starfish_topology_can_read(const char *file);
/* Whether the machine has cores that this process may not use. */
int starfish_topology_is_restricted(void);
/* Cores' worth of time that the system grants this process (quota.h); 0: no limit. */
int starfish_topology_quota(void);
/* Bind the calling thread to a processing unit; where the system refuses it stays where it is. */
void starfish_topology_bind(int unit);
/* Where the calling thread is bound, and to bind it there again, which releases what the first one returned. */
void *starfish_topology_binding(void);
void starfish_topology_bind_again(void *binding);

#endif
