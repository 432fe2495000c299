/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The runtime context: starting (start.h) or joining StarPU, and asking about its workers. */
#include "scheduler/runtime/context.h"

#include "base/arithmetic.h"
#include "base/c_locale.h"
#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/hooks.h"
#include "scheduler/runtime/idle.h"
#include "scheduler/runtime/machine.h"
#include "scheduler/runtime/options.h"
#include "scheduler/runtime/owner.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/start.h"
#include "scheduler/runtime/team.h"

#include <starfish/starfish.h>

#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>
#endif
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void starfish_log(const struct starfish_context *context, starfish_log_level level, const char *format, ...)
{
    if (!context->log)
        return;
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    starfish_print_list(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(context->log_data, level, message);
}

static starfish_status read_options(const struct starfish_context_options *user,
                                    struct starfish_context_options *options)
{
    STARFISH_TRY(starfish_options_read(&starfish_context_option_table, user, options));
    return options->policy && starfish_hooks.check_policy
               ? starfish_hooks.check_policy("options.policy", options->policy)
               : STARFISH_SUCCESS;
}

/* The workers of the allowed kinds. A limited number of workers in a StarPU that others started too cannot be had. */
static starfish_status collect_workers(struct starfish_context *context, const struct starfish_context_options *options,
                                       int cpu_workers)
{
    static const enum starpu_worker_archtype type[STARFISH_WORKER_KINDS] = {STARPU_CPU_WORKER, STARPU_CUDA_WORKER};
    static const uint32_t where[STARFISH_WORKER_KINDS] = {STARPU_CPU, STARPU_CUDA};
    static const char *const name[STARFISH_WORKER_KINDS] = {"cpu_workers", "gpu_workers"};
    const int wanted[STARFISH_WORKER_KINDS] = {cpu_workers, options->gpu_workers};

    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        int ids[STARPU_NMAXWORKERS];
        int count = (int)starpu_worker_get_ids_by_type(type[kind], ids, STARPU_NMAXWORKERS);
        if (wanted[kind] == 0)
            continue;
        if (wanted[kind] > count)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.%s is %d, but there are only %d", name[kind],
                                 wanted[kind], count);
        if (wanted[kind] > 0 && wanted[kind] < count && context->joined)
            return starfish_fail(STARFISH_ERROR_ARGUMENT,
                                 "options.%s is %d, but the StarPU that is joined has %d: use all (-1) or none (0)",
                                 name[kind], wanted[kind], count);
        for (int i = 0; i < count; i++)
            context->worker[context->workers++] = ids[i];
        context->workers_of[kind] = (size_t)count;
        if (count > 0)
            context->where |= where[kind];
    }
    if (context->workers == 0)
        return starfish_no_worker(options);
    return STARFISH_SUCCESS;
}

/* StarPU is started and stopped under one lock, since contexts may be made in several threads. */
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t sharing_ours; /* contexts that use a StarPU which one of them has started */

static int leaves_a_core(const struct starfish_context *context)
{
#ifdef STARPU_SIMGRID
    return 0; /* simulated time stands still while a thread looks again and again */
#endif
    int cores, numa_nodes;
    size_t busy = starpu_worker_get_count(); /* each has a core, others' too */
    starfish_topology_count(&cores, &numa_nodes);
    for (size_t worker = 0; worker < context->workers; worker++)
        busy += context->team[worker].size - 1;
    const int quota = starfish_topology_quota();
    return busy < (size_t)(quota > 0 && quota < cores ? quota : cores);
}

static starfish_status let_rest(struct starfish_context *context, double idle_seconds)
{
    if (context->joined && sharing_ours == 0)
        return STARFISH_SUCCESS; /* the host program may submit tasks that this context does not see */
    STARFISH_TRY(starfish_idle_join(idle_seconds, context->spare_core));
    context->rests = 1;
    sharing_ours++;
    return STARFISH_SUCCESS;
}

static void stop_or_leave(struct starfish_context *context)
{
    starfish_team_destroy(context);
    if (context->rests) {
        starfish_idle_quit();
        sharing_ours--;
    }
    starfish_stop_starpu();
}

static starfish_status start_or_join(struct starfish_context *context, const struct starfish_context_options *options)
{
    struct starfish_crew crew = {options->cpu_workers, options->cpu_workers};
    context->joined = starpu_is_initialized();
    if (!context->joined)
        STARFISH_TRY(starfish_start_starpu(context, options, &crew));
    else
        STARFISH_TRY(starfish_join_starpu(context, sharing_ours == 0));
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    starfish_status status = collect_workers(context, options, crew.workers);
    if (status == STARFISH_SUCCESS)
        status = starfish_team_create(context, crew.cores > 0 ? (size_t)crew.cores : context->workers_of[STARFISH_CPU]);
    if (status == STARFISH_SUCCESS) {
        context->spare_core = leaves_a_core(context);
        status = let_rest(context, options->idle_seconds);
    }
    if (status != STARFISH_SUCCESS)
        stop_or_leave(context);
    return status;
}

enum { PATIENCE_SECONDS = 60 };

/* In a StarPU that others started too, their tasks may keep the workers for as long as they like. */
static double choose_patience(const struct starfish_context *context, double seconds)
{
#ifdef STARPU_SIMGRID
    return HUGE_VAL; /* SimGrid sees that nothing can move any more, and its waits cannot end by themselves */
#endif
    if (seconds < 0)
        return context->joined ? HUGE_VAL : PATIENCE_SECONDS;
    return seconds > 0 ? seconds : HUGE_VAL;
}

starfish_status starfish_runtime_create(starfish_context **result, const struct starfish_context_options *user)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_context_options options;
    STARFISH_NEED(result, "context");
    *result = NULL;
    STARFISH_TRY(read_options(user, &options));
    STARFISH_TRY(starfish_machine_check());
    STARFISH_TRY(starfish_fork_check());

    struct starfish_context *context = calloc(1, sizeof *context);
    if (!context)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a context");
    context->log = options.log;
    context->log_data = options.log_data;
    pthread_mutex_init(&context->bytes_lock, NULL);

    pthread_mutex_lock(&start_lock);
    starfish_status status = start_or_join(context, &options);
    pthread_mutex_unlock(&start_lock);
    if (status != STARFISH_SUCCESS) {
        pthread_mutex_destroy(&context->bytes_lock);
        free(context);
        return status;
    }
    starfish_watchdog_init(&context->watched, choose_patience(context, options.patience_seconds));
    struct starpu_sched_policy *policy = starpu_sched_ctx_get_sched_policy(0); /* StarPU's initial context */
    snprintf(context->policy, sizeof context->policy, "%s", policy && policy->policy_name ? policy->policy_name : "?");
    starfish_context_bytes(context); /* start counting now */
    memset(&context->links, 0, sizeof context->links);
    starfish_log(context, STARFISH_LOG_INFO, "%s StarPU with %zu CPU and %zu GPU workers, policy %s",
                 context->joined ? "joined" : "started", context->workers_of[STARFISH_CPU],
                 context->workers_of[STARFISH_GPU], context->policy);
    starfish_fork_watch(1);
    *result = context;
    return STARFISH_SUCCESS;
}

void starfish_context_destroy(starfish_context *context)
{
    STARFISH_OWN_ARITHMETIC;
    if (!context)
        return;
    if (starfish_is_forked()) {
        starfish_team_destroy(context); /* StarPU's threads are the parent's: nobody can stop them here */
        free(context);
        return;
    }
    if (starfish_is_stuck()) { /* StarPU would wait for its tasks, and they use the context */
        starfish_log(context, STARFISH_LOG_ERROR, "StarPU is stuck, and is not shut down");
        return;
    }
    starfish_ranks_destroy(context);
    pthread_mutex_lock(&start_lock);
    stop_or_leave(context);
    pthread_mutex_unlock(&start_lock);
    starfish_fork_watch(-1);
    starfish_watchdog_destroy(&context->watched);
    pthread_mutex_destroy(&context->bytes_lock);
    free(context);
}

size_t starfish_context_workers(const starfish_context *context)
{
    return context ? context->workers : 0;
}

size_t starfish_context_workers_of(const starfish_context *context, starfish_worker_kind kind)
{
    return context && (unsigned)kind < STARFISH_WORKER_KINDS ? context->workers_of[kind] : 0;
}

uint32_t starfish_context_gpus_else_any(const struct starfish_context *context)
{
    return context->workers_of[STARFISH_GPU] > 0 ? STARPU_CUDA : 0;
}

int starfish_kind_allowed(uint32_t where, int gpu)
{
    const uint32_t kinds = starfish_where_kinds(where);
    return kinds == 0 || (kinds & (gpu ? STARPU_CUDA : STARPU_CPU)) != 0;
}

int starfish_context_gpu_worker(const struct starfish_context *context, size_t number)
{
    for (size_t worker = 0; worker < context->workers; worker++)
        if (starfish_context_worker_kind(context, worker) == STARFISH_GPU && number-- == 0)
            return context->worker[worker];
    return -1;
}

double starfish_context_copy_seconds(const struct starfish_context *context, int to_main_memory, size_t bytes)
{
    const int from = starfish_context_gpu_worker(context, 0), to = starfish_context_gpu_worker(context, 1);
    if (from < 0 || (to < 0 && !to_main_memory))
        return 0;
    return 1e-6 * starpu_transfer_predict(
                      starpu_worker_get_memory_node((unsigned)from),
                      to_main_memory ? STARPU_MAIN_RAM : starpu_worker_get_memory_node((unsigned)to), bytes);
}

starfish_worker_kind starfish_context_worker_kind(const struct starfish_context *context, size_t worker)
{
    return starpu_worker_get_type(context->worker[worker]) == STARPU_CPU_WORKER ? STARFISH_CPU : STARFISH_GPU;
}

/* Workers of a simulated machine are bound to no core: they are numbered instead. */
static int core_of(int worker)
{
#ifdef STARPU_SIMGRID
    return starpu_worker_get_devid(worker);
#else
    return starpu_worker_get_bindid(worker);
#endif
}

starfish_status starfish_context_check_index(const struct starfish_context *context, size_t index)
{
    if (index < context->workers)
        return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "index is %zu, but there are %zu workers", index, context->workers);
}

starfish_status starfish_context_worker(const starfish_context *context, size_t index, struct starfish_worker *worker)
{
    STARFISH_NEED(context, "context");
    STARFISH_NEED(worker, "worker");
    STARFISH_TRY(starfish_context_check_index(context, index));
    int id = context->worker[index];
    memset(worker, 0, sizeof *worker);
    worker->kind = starfish_context_worker_kind(context, index);
    worker->device = worker->kind == STARFISH_CPU ? core_of(id) : starpu_worker_get_devid(id);
    worker->cores = (int)context->team[index].size;
    worker->memory_node = (int)starpu_worker_get_memory_node((unsigned)id);
    worker->numa_node = worker->kind == STARFISH_CPU ? starfish_topology_numa_of_core(worker->device)
                                                     : starfish_topology_numa_of_gpu(worker->device);
    starpu_worker_get_name(id, worker->name, sizeof worker->name);
    return STARFISH_SUCCESS;
}

static _Thread_local size_t stood_for; /* for a team thread: the worker of its team */

void starfish_context_stand_for(size_t worker)
{
    stood_for = worker;
}

static _Thread_local struct {
    size_t worker;
    struct CUstream_st *stream;
} launches_for;

void starfish_context_launch_for(size_t worker, struct CUstream_st *stream)
{
    launches_for.worker = worker;
    launches_for.stream = stream;
}

struct CUstream_st *starfish_context_launch_stream(void)
{
    return launches_for.stream;
}

size_t starfish_context_current_worker(const struct starfish_context *context)
{
    if (launches_for.stream)
        return launches_for.worker;
    int id = starpu_worker_get_id();
    for (size_t i = 0; i < context->workers; i++)
        if (context->worker[i] == id)
            return i;
    return stood_for < context->workers ? stood_for : 0; /* a team thread has no StarPU worker id: it uses that of its
                                                            team's worker */
}

starfish_status starfish_context_runtime(const starfish_context *context, struct starfish_runtime *runtime)
{
    STARFISH_NEED(context, "context");
    STARFISH_NEED(runtime, "runtime");
    memset(runtime, 0, sizeof *runtime);
    snprintf(runtime->starfish_version, sizeof runtime->starfish_version, "%s", STARFISH_VERSION);
    int major, minor, release;
    starpu_get_version(&major, &minor, &release);
    snprintf(runtime->starpu_version, sizeof runtime->starpu_version, "%d.%d.%d", major, minor, release);
    snprintf(runtime->policy, sizeof runtime->policy, "%s", context->policy);
    starfish_topology_count(&runtime->cores, &runtime->numa_nodes);
#ifdef STARFISH_HAVE_GPU
    runtime->has_cuda = 1;
#endif
#ifdef STARPU_USE_FXT
    runtime->has_fxt = 1;
#endif
#ifdef STARPU_USE_MPI
    runtime->has_mpi = 1;
#endif
#ifdef STARPU_SIMGRID
    runtime->simulated = 1;
#endif
    runtime->joined = context->joined;
    return STARFISH_SUCCESS;
}

/* Under the lock. */
static void sum_links(struct starfish_context *context)
{
    for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
        struct starpu_profiling_bus_info info;
        const int from = starpu_bus_get_src(bus), to = starpu_bus_get_dst(bus);
        if (starpu_bus_get_profiling_info(bus, &info) == 0 && info.transferred_bytes > 0)
            context->links.moved[from][to] += (size_t)info.transferred_bytes;
    }
}

struct starfish_bytes starfish_bytes_of_links(const struct starfish_links *links)
{
    struct starfish_bytes bytes = {0, 0, 0};
    for (unsigned from = 0; from < starpu_memory_nodes_get_count(); from++)
        for (unsigned to = 0; to < starpu_memory_nodes_get_count(); to++) {
            const int from_gpu = starpu_node_get_kind(from) == STARPU_CUDA_RAM;
            const int to_gpu = starpu_node_get_kind(to) == STARPU_CUDA_RAM;
            size_t *sum = from_gpu && to_gpu ? &bytes.device_to_device
                          : to_gpu           ? &bytes.host_to_device
                          : from_gpu         ? &bytes.device_to_host
                                             : NULL;
            if (sum)
                *sum += links->moved[from][to];
        }
    return bytes;
}

/* Links are 8 kB, too much for the stack of a caller's thread. In a child of a fork, where nothing moves, another
 * thread may have held the lock. */
static void read_links(struct starfish_context *context, struct starfish_links *links, struct starfish_bytes *bytes)
{
    const int forked = starfish_is_forked();
    if (!forked) {
        pthread_mutex_lock(&context->bytes_lock);
        sum_links(context);
    }
    if (links)
        *links = context->links;
    if (bytes)
        *bytes = starfish_bytes_of_links(&context->links);
    if (!forked)
        pthread_mutex_unlock(&context->bytes_lock);
}

void starfish_context_links(struct starfish_context *context, struct starfish_links *links)
{
    read_links(context, links, NULL);
}

struct starfish_bytes starfish_context_bytes(struct starfish_context *context)
{
    struct starfish_bytes bytes;
    read_links(context, NULL, &bytes);
    return bytes;
}

double starfish_now(void)
{
    return 1e-6 * starpu_timing_now();
}

void starfish_iteration_begin(size_t number)
{
    starpu_iteration_push(number);
}

void starfish_iteration_end(void)
{
    starpu_iteration_pop();
}

struct each_worker {
    const struct starfish_context *context;
    void (*function)(void *, size_t);
    void *argument;
};

static void run_on_worker(void *buffers[], void *data)
{
    STARFISH_OWN_ARITHMETIC;
    const struct each_worker *each = data;
    (void)buffers;
    each->function(each->argument, starfish_context_current_worker(each->context));
#ifdef STARFISH_HAVE_GPU
    (void)
        cudaGetLastError(); /* of a call that failed, which the function has told: else the next launch would find it */
#endif
}

/* Not by starpu_execute_on_specific_workers: StarPU's heteroprio, which keeps what it has seen of each codelet in a
 * file, takes that function's for a new one in every process, and gives up at the hundredth. */
static struct starpu_codelet on_each_worker = {.cpu_funcs = {run_on_worker},
#ifdef STARFISH_HAVE_GPU
                                               .cuda_funcs = {run_on_worker},
#endif
                                               .name = "on_each_worker"};

static struct starpu_task *submit_to_worker(struct each_worker *each, const char *name, int worker)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = &on_each_worker;
    task->name = name;
    task->cl_arg = each;
    task->cl_arg_size = sizeof *each;
    task->execute_on_a_specific_worker = 1;
    task->workerid = (unsigned)worker;
    task->detach = 0;
    task->destroy = 0;
    if (starpu_task_submit(task) == 0)
        return task;
    starpu_task_destroy(task);
    return NULL;
}

starfish_status starfish_context_on_each_worker(struct starfish_context *context, const char *name,
                                                void (*function)(void *, size_t), void *argument)
{
#ifdef STARPU_SIMGRID
    (void)context, (void)name, (void)function, (void)argument; /* no task computes, so no worker needs anything */
    return STARFISH_SUCCESS;
#endif
    if (starfish_is_stuck())
        return starfish_fail_stuck();
    struct each_worker each = {context, function, argument};
    struct starpu_task *task[STARPU_NMAXWORKERS];
    starfish_status status = STARFISH_SUCCESS;
    STARFISH_TRY(starfish_fork_check());
    starfish_idle_task_begun();
    for (size_t i = 0; i < context->workers; i++) {
        task[i] = submit_to_worker(&each, name, context->worker[i]);
        if (!task[i])
            status = starfish_fail(STARFISH_ERROR_RUNTIME, "StarPU refuses a task, %s, on worker %zu", name, i);
    }
    for (size_t i = 0; i < context->workers; i++)
        if (task[i]) {
            if (starpu_task_wait(task[i]) != 0)
                status = starfish_fail(STARFISH_ERROR_RUNTIME, "StarPU lost a task, %s, on worker %zu", name, i);
            starpu_task_destroy(task[i]);
        }
    starfish_idle_task_done();
    return status;
}
