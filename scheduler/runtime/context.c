/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Questions about a context: its workers, where the calling thread is, the bytes that were moved. */
#include "scheduler/runtime/context.h"

#include "base/c_locale.h"
#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/owner.h"

#include <starfish/starfish.h>

#include <stdarg.h>
#include <stdio.h>
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
    return where == 0 || (where & (gpu ? STARPU_CUDA : STARPU_CPU)) != 0;
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

double starfish_context_busy_seconds(const struct starfish_context *context, size_t worker)
{
    return 1e-9 * (double)atomic_load(&context->busy[context->worker[worker]]);
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
    return STARFISH_OR_FAIL(index < context->workers, STARFISH_ERROR_ARGUMENT,
                            "index is %zu, but there are %zu workers", index, context->workers);
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
