/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The runtime context: the workers (CPU cores and GPUs) on which plans run their tasks, through StarPU.
 *
 * Thread-safety: a context may be used by many threads at once; create and destroy it from one.
 * Several contexts may live at once: they share the process's one StarPU. */
#ifndef STARFISH_CONTEXT_H
#define STARFISH_CONTEXT_H

#include <starfish/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of workers on which plans run their tasks. Created by starfish_context_create. */
typedef struct starfish_context starfish_context;

/* How serious a message is. */
typedef enum starfish_log_level {
    STARFISH_LOG_INFO,    /* something was started or chosen */
    STARFISH_LOG_WARNING, /* solves work, but something is missing or slower than possible */
    STARFISH_LOG_ERROR    /* StarPU is stuck: patience_seconds below */
} starfish_log_level;
/* Receives messages; `data` is log_data of the options. `message` is one line without a newline, valid during the call;
 * called from any thread. */
typedef void starfish_log_function(void *data, starfish_log_level level, const char *message);

/* The hardware that runs a worker's tasks. */
typedef enum starfish_worker_kind {
    STARFISH_CPU = 0,     /* one core, or several that share each task */
    STARFISH_GPU = 1,     /* a CUDA device */
    STARFISH_WORKER_KINDS /* how many there are */
} starfish_worker_kind;

/* Work done by all workers of one kind during a solve. */
struct starfish_tasks_done {
    size_t tasks;        /* number of tasks */
    double busy_seconds; /* sum of their times */
};

/* Options of a context. */
struct starfish_context_options {
    /* sizeof(struct starfish_context_options); the initialiser sets it. A smaller size, from a program compiled with an
     * older header, is accepted: the missing members take their defaults. */
    size_t size;
    int cpu_workers; /* cores used for tasks; -1: all cores that STARPU_NCPU allows */
    int gpu_workers; /* GPUs used for tasks; -1: all GPUs that STARPU_NCUDA allows */
    /* Scheduling policy: one of StarPU's, "starfish-width", or one from the plug-in named by STARPU_SCHED_LIB. NULL:
     * the value of STARPU_SCHED; if it is not set, dmdas with a GPU and lws without. */
    const char *policy;
    starfish_log_function *log; /* NULL: nothing is logged */
    void *log_data;             /* first argument of `log` */
    /* Number of cores that form one CPU worker and run its tasks together. 0: one core without a GPU, since the tasks
     * are parallel. With a GPU, 0 means all cores of a NUMA node: a single core is too slow to get a share of the
     * work. */
    int cores_per_worker;
    /* Seconds without a task after which the workers sleep. An idle context then uses no CPU time; the next task wakes
     * the workers within some 50 us. 0: sleep at once; infinity: never sleep. -1: sleep at once if the workers occupy
     * all cores, since the program's threads need them; otherwise after 0.0002 seconds, or at once while calls of the
     * library are more than 0.0002 seconds apart. With several contexts the longest time applies, from its creation
     * until the last context is destroyed. Workers of a StarPU that the program itself started never sleep. */
    double idle_seconds;
    /* Timeout of the watchdog in seconds. If tasks are pending, but none has run or finished and no data have moved for
     * that long, StarPU counts as stuck. Waiting for a job then returns STARFISH_ERROR_RUNTIME, with a message that
     * names the pending work. Time in which the process is stopped or in a debugger does not count. A running task, a
     * field that the host has acquired, and the caller's work in a stream do not trigger the timeout. Once StarPU is
     * stuck, every call that would wait for it returns at once with that message. Jobs, plans, fields and contexts are
     * then destroyed without waiting and without freeing memory. Arrays passed to jobs must stay allocated, since tasks
     * may still access them. 0: no timeout. -1: 60 seconds; no timeout if StarPU was joined, since tasks of others may
     * occupy its workers. */
    double patience_seconds;
};
/* Initialiser: every option's default. */
#define STARFISH_CONTEXT_OPTIONS_DEFAULTS                                                                              \
    {                                                                                                                  \
        .size = sizeof(struct starfish_context_options), .cpu_workers = -1, .gpu_workers = -1, .policy = NULL,         \
        .log = NULL, .log_data = NULL, .cores_per_worker = 0, .idle_seconds = -1, .patience_seconds = -1               \
    }

/* Starts the workers, or joins the StarPU that the process has already initialised. When joining, `policy` is ignored,
 * and worker counts must be -1 (all of that kind), 0 (none), or at least the existing number. `options` may be NULL for
 * the defaults. At least one worker must remain. The caller owns *context. If StarPU has not measured the machine's
 * links yet, it does so now. An installed StarPU resets the CUDA devices for this (cudaDeviceReset), so create the
 * first context before using CUDA. The StarPU that this project builds does not reset them. The workers run on the
 * cores that the calling thread may use; if OMP_PROC_BIND has bound it to one core, on those of OpenMP's threads.
 * Without cpu_workers, their number is limited by the control group's quota. The binding of the calling thread does not
 * change. If the folder for StarPU's measurements is not writable, another one is used, with a warning. In a child
 * process forked while a context exists, functions that need workers fail (RUNTIME). Errors: ARGUMENT (names the
 * option, or there is no such policy), UNSUPPORTED, MEMORY, RUNTIME (StarPU or CUDA). */
STARFISH_API starfish_status starfish_context_create(starfish_context **context,
                                                     const struct starfish_context_options *options);
/* Frees the context. The last context stops StarPU if the first one started it. Destroy all plans, fields and jobs of
 * the context first. NULL is allowed. */
STARFISH_API void starfish_context_destroy(starfish_context *context);

/* One worker as StarPU and hwloc see it. */
struct starfish_worker {
    starfish_worker_kind kind; /* CPU or GPU */
    int device;                /* number of the first core, or of the CUDA device */
    int cores;                 /* number of cores of a CPU worker; 1 for a GPU */
    int memory_node;           /* StarPU's number of the memory node that its tasks use */
    int numa_node;             /* operating system's number of the nearest NUMA node; -1: unknown */
    char name[96];             /* StarPU's name of the worker */
};
/* Number of workers of the context; 0 for NULL. Thread-safe. */
STARFISH_API size_t starfish_context_workers(const starfish_context *context);
/* Number of workers of one kind; 0 for a NULL context or an unknown kind. Thread-safe. */
STARFISH_API size_t starfish_context_workers_of(const starfish_context *context, starfish_worker_kind kind);
/* Describes worker `index` of the context, from 0. Thread-safe. Errors: ARGUMENT (no such worker). */
STARFISH_API starfish_status starfish_context_worker(const starfish_context *context, size_t index,
                                                     struct starfish_worker *worker);

/* Bytes of the worker's memory that plans may use. For a GPU: the memory that StarPU sees (STARPU_LIMIT_CUDA_MEM),
 * minus permanent allocations of plans. For a core: the machine's main memory. 0: unknown. Thread-safe. Errors:
 * ARGUMENT. */
STARFISH_API starfish_status starfish_context_worker_memory(const starfish_context *context, size_t index,
                                                            size_t *bytes);

/* The software and hardware that a context runs on. */
struct starfish_runtime {
    char starfish_version[32]; /* version of the library: STARFISH_VERSION of the headers it was built with */
    char starpu_version[32];   /* "major.minor.release" of the StarPU that runs */
    char policy[64];           /* StarPU's scheduling policy */
    int cores;                 /* cores that the process may use, from hwloc */
    int numa_nodes;            /* NUMA nodes of the machine, from hwloc; 1 if unknown */
    int has_cuda;              /* 1: Starfish was built for GPUs */
    int has_fxt;               /* 1: StarPU was built with FxT, for traces */
    int has_mpi;               /* 1: StarPU was built with StarPU-MPI */
    int simulated;             /* 1: StarPU was built with SimGrid: times are simulated */
    int joined;                /* 1: the process had initialised StarPU before */
};
/* Describes the runtime. Thread-safe. Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_context_runtime(const starfish_context *context,
                                                      struct starfish_runtime *runtime);

/* Allocates host memory for copies at full speed, aligned to 64 bytes; pinned if the context has a GPU. `bytes` is 1 or
 * more. The caller owns the memory and releases it by starfish_free, with the same size, before destroying the context.
 * Thread-safe. Errors: ARGUMENT, MEMORY. */
STARFISH_API starfish_status starfish_alloc(starfish_context *context, size_t bytes, void **memory);
/* Frees memory from starfish_alloc; `bytes` must be the same. NULL is allowed. Thread-safe. */
STARFISH_API void starfish_free(starfish_context *context, void *memory, size_t bytes);

/* Pins the user's own memory, so that it is copied at full speed; call starfish_unpin before freeing it. Pinning takes
 * about a millisecond per 4 MB. Pin each array as a whole by one call: CUDA cannot copy partly pinned arrays. Does
 * nothing without a GPU. Thread-safe. Errors: ARGUMENT (NULL), RUNTIME (CUDA: for example, the memory is already
 * pinned). */
STARFISH_API starfish_status starfish_pin(starfish_context *context, void *memory, size_t bytes);
/* Undoes starfish_pin; takes the same arguments. Thread-safe. Errors: ARGUMENT (NULL), RUNTIME (CUDA: for example, the
 * memory is not pinned). */
STARFISH_API starfish_status starfish_unpin(starfish_context *context, void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
