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

/* Workers that plans are made for. starfish_context_create makes it. */
typedef struct starfish_context starfish_context;

/* How serious a message is. */
typedef enum starfish_log_level {
    STARFISH_LOG_INFO,    /* what was started or chosen */
    STARFISH_LOG_WARNING, /* solves work, but something is missing or slower than it could be */
    STARFISH_LOG_ERROR    /* StarPU is stuck: patience_seconds below */
} starfish_log_level;
/* Receives messages; `data` is log_data of the options. `message` is one line without a newline, valid during the call;
 * called from any thread. */
typedef void starfish_log_function(void *data, starfish_log_level level, const char *message);

/* What runs a worker's tasks. */
typedef enum starfish_worker_kind {
    STARFISH_CPU = 0,     /* one core, or several that share each task */
    STARFISH_GPU = 1,     /* a CUDA device */
    STARFISH_WORKER_KINDS /* how many there are */
} starfish_worker_kind;

/* What the workers of one kind did in a solve. */
struct starfish_tasks_done {
    size_t tasks;        /* how many */
    double busy_seconds; /* sum of their times */
};

/* How a context is made. */
struct starfish_context_options {
    /* sizeof(struct starfish_context_options); the initialiser sets it. A smaller one, of a program that was
     * compiled with an older header, is accepted: members that it does not have take their defaults. */
    size_t size;
    int cpu_workers; /* cores that work; -1: as many as there are (and STARPU_NCPU allows) */
    int gpu_workers; /* how many; -1: as many as there are (and STARPU_NCUDA allows) */
    /* Scheduling policy: one of StarPU's, "starfish-width", or one of the plug-in that STARPU_SCHED_LIB names. NULL:
     * STARPU_SCHED, else dmdas with a GPU and lws without. */
    const char *policy;
    starfish_log_function *log; /* NULL: nothing is logged */
    void *log_data;             /* first argument of `log` */
    /* How many cores share one CPU worker, whose tasks they run together. 0: one without a GPU, where tasks are the
     * parallelism; beside a GPU all cores of a NUMA node, since one core alone is too slow to get a share of the work.
     */
    int cores_per_worker;
    /* Seconds without a task after which the workers rest, so that an idle context costs no CPU time; the next task
     * wakes them, some 50 us later. 0: at once; infinity: never; -1: at once where the workers take all cores, since
     * then each takes one from the program's threads, else 0.0002, or at once as long as more than 0.0002 seconds
     * pass between one call of the library and the next. Of several contexts the longest time counts, from when it is
     * created until the last context is gone. Workers of a StarPU that the program has started never rest. */
    double idle_seconds;
    /* The watchdog. Whoever waits for a job gets STARFISH_ERROR_RUNTIME, with a message that says what is waited for,
     * when for so many seconds no task of the context has run or finished and no data have moved, although tasks are
     * there. Only time counts in which the process could run: none in which it is stopped or in a debugger. A task that
     * runs, however long, a field that the host holds, and a stream that the caller's work is in are no reason.
     * From then on the process's StarPU is stuck: everything that would wait for it fails or returns at once with that
     * message, jobs, plans, fields and contexts are destroyed without waiting and without giving memory back, and
     * arrays that were passed to jobs must stay, since tasks may still touch them.
     * 0: never. -1: 60, and never where StarPU was joined, since others' tasks may keep its workers. */
    double patience_seconds;
};
/* Initialiser: every option's default. */
#define STARFISH_CONTEXT_OPTIONS_DEFAULTS                                                                              \
    {                                                                                                                  \
        .size = sizeof(struct starfish_context_options), .cpu_workers = -1, .gpu_workers = -1, .policy = NULL,         \
        .log = NULL, .log_data = NULL, .cores_per_worker = 0, .idle_seconds = -1, .patience_seconds = -1               \
    }

/* Start the workers, or join the StarPU that the process has already initialised: then `policy` is ignored and the
 * worker counts may only be -1 (all of that kind) or 0 (none), or at least the number that is there.
 * `options` may be NULL for the defaults. At least one worker must remain. The caller owns *context.
 * Where StarPU has not measured the machine's links yet it does so now. An installed StarPU resets the CUDA devices for
 * it (cudaDeviceReset): create the first context before using CUDA yourself; the one that this project builds does not.
 * The workers run on the cores that the calling thread may use (or OpenMP's threads, where OMP_PROC_BIND has bound it
 * to one), no more than the control group's quota grants unless cpu_workers says so. The calling thread stays bound
 * where it is. A folder for StarPU's measurements that cannot be written is replaced by another one, with a warning.
 * In a child that the process forks while it has a context, no function works that needs workers (RUNTIME).
 * Errors: ARGUMENT (names the option, or there is no such policy), UNSUPPORTED, MEMORY, RUNTIME (StarPU or CUDA). */
STARFISH_API starfish_status starfish_context_create(starfish_context **context,
                                                     const struct starfish_context_options *options);
/* Frees the context; the last one stops a StarPU that the first has started. Plans, fields and jobs made from the
 * context must be gone. NULL is allowed. */
STARFISH_API void starfish_context_destroy(starfish_context *context);

/* One worker as StarPU and hwloc see it. */
struct starfish_worker {
    starfish_worker_kind kind; /* CPU or GPU */
    int device;                /* core (the first of them) or CUDA device number */
    int cores;                 /* that share a CPU worker; 1 for a GPU's */
    int memory_node;           /* StarPU's number of the memory that its tasks use */
    int numa_node;             /* operating system's number of the nearest NUMA node, -1 when unknown */
    char name[96];             /* StarPU's name of the worker */
};
/* How many workers the context has; 0 where it is NULL. Thread-safe. */
STARFISH_API size_t starfish_context_workers(const starfish_context *context);
/* How many workers of a kind the context has; 0 where it is NULL or there is no such kind. Thread-safe. */
STARFISH_API size_t starfish_context_workers_of(const starfish_context *context, starfish_worker_kind kind);
/* Describes worker `index` of the context, from 0. Thread-safe. Errors: ARGUMENT (no such worker). */
STARFISH_API starfish_status starfish_context_worker(const starfish_context *context, size_t index,
                                                     struct starfish_worker *worker);

/* Bytes of the worker's memory that plans may use: of a GPU what StarPU sees there (STARPU_LIMIT_CUDA_MEM), without
 * what plans have taken for good; of a core the main memory of the machine. 0 where it is not known. Thread-safe.
 * Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_context_worker_memory(const starfish_context *context, size_t index,
                                                            size_t *bytes);

/* What runs below. */
struct starfish_runtime {
    char starfish_version[32]; /* of the library: STARFISH_VERSION of the headers that it was built with */
    char starpu_version[32];   /* "major.minor.release" of the StarPU that runs */
    char policy[64];           /* StarPU's scheduling policy */
    int cores;                 /* that the process may use, by hwloc */
    int numa_nodes;            /* of the machine, by hwloc; 1 where it is not known */
    int has_cuda;              /* 1: Starfish was built for GPUs */
    int has_fxt;               /* 1: StarPU was built with FxT, for traces */
    int has_mpi;               /* 1: StarPU was built with StarPU-MPI */
    int simulated;             /* 1: StarPU was built with SimGrid: times are simulated */
    int joined;                /* the process had initialised StarPU before */
};
/* Describes the runtime. Thread-safe. Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_context_runtime(const starfish_context *context,
                                                      struct starfish_runtime *runtime);

/* Host memory that GPUs can copy from and to at full speed (pinned where there is a GPU), aligned to 64 bytes, owned by
 * the caller, released by starfish_free with the same size, 1 byte or more, and before the context is gone.
 * Thread-safe. Errors: ARGUMENT, MEMORY. */
STARFISH_API starfish_status starfish_alloc(starfish_context *context, size_t bytes, void **memory);
/* Frees memory of starfish_alloc, whose `bytes` are the same. NULL is allowed. Thread-safe. */
STARFISH_API void starfish_free(starfish_context *context, void *memory, size_t bytes);

/* Pin memory of the user's own, so that it is copied at full speed too; starfish_unpin it before it is freed. It costs
 * about a millisecond per 4 MB. An array is pinned whole, by one call: CUDA copies no other. Without a GPU it does
 * nothing. Thread-safe. Errors: ARGUMENT (NULL), RUNTIME (CUDA: for instance memory that is pinned already). */
STARFISH_API starfish_status starfish_pin(starfish_context *context, void *memory, size_t bytes);
/* Undoes starfish_pin, with its arguments. Thread-safe. Errors: ARGUMENT (NULL), RUNTIME (CUDA: for instance memory
 * that is not pinned). */
STARFISH_API starfish_status starfish_unpin(starfish_context *context, void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
