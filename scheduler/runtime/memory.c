/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pinned host memory, the location of an address, and the capacity of GPU memory. */
#include "scheduler/runtime/memory.h"

#include "scheduler/runtime/context.h"
#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/idle.h"
#include "scheduler/runtime/machine.h"

#include "base/arithmetic.h"
#include "base/pages.h"
#include "base/real.h"
#include <starfish/poisson.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef STARPU_SIMGRID
#include <sys/mman.h>
#endif
#ifdef STARFISH_HAVE_GPU
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#endif

int starfish_gpu_count(void)
{
#if defined(STARFISH_HAVE_GPU)
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
#elif defined(STARPU_SIMGRID)
    const struct starfish_machine *machine = starfish_machine_named();
    return machine ? machine->gpus : 0;
#else
    return 0;
#endif
}

static starfish_status check(const starfish_context *context, const void *memory)
{
    STARFISH_NEED(context, "context");
    STARFISH_NEED(memory, "memory");
    return starfish_fork_check();
}

/* A worker may have to do it. */
static starfish_status call(starfish_context *context, int (*function)(void *memory, size_t bytes), const char *done,
                            void *memory, size_t bytes)
{
    STARFISH_TRY(check(context, memory));
    if (context->workers_of[STARFISH_GPU] == 0)
        return STARFISH_SUCCESS;
    starfish_idle_task_begun();
    const int code = function(memory, bytes);
    starfish_idle_task_done();
    STARFISH_FAIL_IF(code != 0, STARFISH_ERROR_RUNTIME, "memory: %zu bytes cannot be %s", bytes, done);
    return STARFISH_SUCCESS;
}

starfish_status starfish_pin(starfish_context *context, void *memory, size_t bytes)
{
    return call(context, starpu_memory_pin, "pinned", memory, bytes);
}

starfish_status starfish_unpin(starfish_context *context, void *memory, size_t bytes)
{
    return call(context, starpu_memory_unpin, "unpinned", memory, bytes);
}

/* A simulation's tasks touch no data: addresses are enough, and only what the program itself fills takes memory. */
static void *take(size_t bytes)
{
#ifdef STARPU_SIMGRID
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
#else
    return starfish_pages_alloc(bytes);
#endif
}

static void give_back(void *memory, size_t bytes)
{
#ifdef STARPU_SIMGRID
    munmap(memory, bytes);
#else
    (void)bytes;
    free(memory);
#endif
}

starfish_status starfish_alloc(starfish_context *context, size_t bytes, void **memory)
{
    STARFISH_TRY(check(context, memory));
    *memory = NULL;
    STARFISH_REFUSE_IF(bytes == 0, "bytes is 0");
    *memory = take(bytes);
    STARFISH_FAIL_IF(!*memory, STARFISH_ERROR_MEMORY, "out of memory for %zu bytes", bytes);
    starfish_status status = starfish_pin(context, *memory, bytes);
    if (status != STARFISH_SUCCESS) {
        give_back(*memory, bytes);
        *memory = NULL;
    }
    return status;
}

void starfish_free(starfish_context *context, void *memory, size_t bytes)
{
    if (!context || !memory)
        return;
    starfish_unpin(context, memory, bytes);
    give_back(memory, bytes);
}

#ifdef STARFISH_HAVE_GPU
static starfish_status node_of_device(const struct starfish_context *context, const char *argument, int device,
                                      int *node)
{
    for (size_t i = 0; i < context->workers; i++) {
        int id = context->worker[i];
        if (starpu_worker_get_type(id) == STARPU_CUDA_WORKER && starpu_worker_get_devid(id) == device) {
            *node = (int)starpu_worker_get_memory_node((unsigned)id);
            return STARFISH_SUCCESS;
        }
    }
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is memory of CUDA device %d, which the context does not use",
                         argument, device);
}
#endif

starfish_status starfish_memory_place(const struct starfish_context *context, const char *argument, const void *memory,
                                      int *node, enum starfish_residence *residence)
{
    STARFISH_TRY(starfish_fork_check());
    *node = STARPU_MAIN_RAM;
    enum starfish_residence unwanted;
    if (!residence)
        residence = &unwanted;
    *residence = STARFISH_PAGEABLE;
#ifdef STARFISH_HAVE_GPU
    struct cudaPointerAttributes attributes;
    if (starfish_gpu_count() == 0)
        return STARFISH_SUCCESS;
    if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
        cudaGetLastError(); /* unregistered host memory is no error to us */
        return STARFISH_SUCCESS;
    }
    *residence = attributes.type == cudaMemoryTypeDevice ? STARFISH_ON_DEVICE
                 : attributes.type == cudaMemoryTypeHost ? STARFISH_PINNED
                                                         : STARFISH_PAGEABLE;
    if (*residence == STARFISH_ON_DEVICE)
        return node_of_device(context, argument, attributes.device, node);
#else
    (void)context;
    (void)argument;
    (void)memory;
#endif
#ifdef STARPU_SIMGRID
    *residence = STARFISH_PINNED; /* as `starfish sched` and `starfish trace` have it */
#endif
    return STARFISH_SUCCESS;
}

#ifdef STARFISH_HAVE_GPU
typedef CUresult pointer_attributes_function(unsigned count, CUpointer_attribute *attribute, void **value,
                                             CUdeviceptr pointer);
static pointer_attributes_function *pointer_attributes; /* the driver's, which is not linked; NULL: it has none */

static void find_driver(void)
{
    void *function = NULL;
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuPointerGetAttributes", &function, 12000, cudaEnableDefault, &found);
#else
    const cudaError_t error = cudaGetDriverEntryPoint("cuPointerGetAttributes", &function, cudaEnableDefault, &found);
#endif
    if (error != cudaSuccess)
        cudaGetLastError();
    else if (found == cudaDriverEntryPointSuccess)
        memcpy(&pointer_attributes, &function, sizeof function);
}

/* From an address in pinned memory of the host to the end of what was pinned with it at once; SIZE_MAX elsewhere. */
static size_t pinned_from(const void *memory)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const CUdeviceptr address = (CUdeviceptr)(uintptr_t)memory;
    CUdeviceptr start = 0;
    CUmemorytype type = CU_MEMORYTYPE_DEVICE;
    size_t bytes = 0;
    CUpointer_attribute attribute[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                       CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *value[] = {&type, &start, &bytes};

    pthread_once(&once, find_driver);
    /* The driver sets zeros for addresses that it does not manage, without an error, unlike cuPointerGetAttribute. */
    if (!pointer_attributes || pointer_attributes(3, attribute, value, address) != CUDA_SUCCESS ||
        type != CU_MEMORYTYPE_HOST)
        return SIZE_MAX;
    return (size_t)(start + bytes - address);
}
#endif

starfish_status starfish_memory_check_pinned(const struct starfish_context *context, const char *argument,
                                             const void *memory, size_t bytes)
{
#ifdef STARFISH_HAVE_GPU
    const size_t pinned = context->workers_of[STARFISH_GPU] > 0 ? pinned_from(memory) : SIZE_MAX;
    STARFISH_REFUSE_IF(pinned < bytes,
                       "%s: %zu bytes are pinned, but not with the %zu bytes after them: GPUs copy an array that "
                       "is pinned at once, or not at all",
                       argument, pinned, bytes - pinned);
#else
    (void)context, (void)argument, (void)memory, (void)bytes;
#endif
    return STARFISH_SUCCESS;
}

starfish_status starfish_memory_check_arrays(const void *rhs, const void *solution, starfish_precision precision,
                                             size_t reals)
{
    const uintptr_t from = (uintptr_t)rhs, to = (uintptr_t)solution;
    const size_t size = starfish_real_size(precision), apart = from < to ? to - from : from - to;
    STARFISH_NEED(rhs, "rhs");
    STARFISH_NEED(solution, "solution");
    STARFISH_REFUSE_IF(from % size != 0 || to % size != 0, "%s: the address is no multiple of %zu, the bytes of a real",
                       from % size != 0 ? "rhs" : "solution", size);
    STARFISH_REFUSE_IF(apart > 0 && apart / size < reals, "solution: overlaps with rhs");
    return STARFISH_SUCCESS;
}

starfish_status starfish_memory_places(const struct starfish_context *context, const void *rhs, const void *solution,
                                       starfish_precision precision, size_t reals, int node[2])
{
    STARFISH_TRY(starfish_memory_check_arrays(rhs, solution, precision, reals));
    STARFISH_REFUSE_IF(rhs == solution, "rhs and solution are the same array");
    STARFISH_TRY(starfish_memory_place(context, "rhs", rhs, &node[0], NULL));
    return starfish_memory_place(context, "solution", solution, &node[1], NULL);
}

/* ---- What fits into GPUs ----------------------------------------------------------------------------------------- */

enum { PIECE = 32 << 20, FREE_PIECES = 4 }; /* of StarPU's suballocator */

/* Taken for good, by StarPU's memory nodes. */
static atomic_size_t taken[STARPU_MAXNODES];

int starfish_memory_is_limited(void)
{
    char name[40];
    if (getenv("STARPU_LIMIT_CUDA_MEM"))
        return 1;
    for (int device = 0; device < starfish_gpu_count(); device++) {
        snprintf(name, sizeof name, "STARPU_LIMIT_CUDA_%d_MEM", device);
        if (getenv(name))
            return 1;
    }
    return 0;
}

static int has_suballocator(void)
{
    const char *value = getenv("STARPU_SUBALLOCATOR");
    return !value || !*value || atoi(value) != 0;
}

size_t starfish_device_footprint(size_t large, size_t small)
{
    return has_suballocator() ? large + (small / PIECE + 1 + FREE_PIECES) * PIECE : large + small;
}

static size_t total_of(unsigned node)
{
    const starpu_ssize_t total = starpu_memory_get_total(node);
    return total > 0 ? (size_t)total : SIZE_MAX;
}

static size_t room_of(unsigned node)
{
    const size_t total = total_of(node), gone = atomic_load(&taken[node]);
    return total == SIZE_MAX ? SIZE_MAX : total > gone ? total - gone : 0;
}

static unsigned node_of(const struct starfish_context *context, size_t worker)
{
    return starpu_worker_get_memory_node((unsigned)context->worker[worker]);
}

size_t starfish_device_room(const struct starfish_context *context)
{
    size_t room = SIZE_MAX;
    for (size_t worker = 0; worker < context->workers; worker++)
        if (starfish_context_worker_kind(context, worker) == STARFISH_GPU) {
            const size_t here = room_of(node_of(context, worker));
            room = here < room ? here : room;
        }
    return room;
}

void starfish_memory_complete(const struct starfish_context *context, int made, struct starfish_memory *memory)
{
    const size_t room = starfish_device_room(context);
    memory->gpu_there = 0;
    if (context->workers_of[STARFISH_GPU] == 0)
        memory->gpu_work = memory->gpu_data = memory->gpu_least = 0;
    else
        memory->gpu_there = room == SIZE_MAX || !made ? room : room + memory->gpu_work;
}

starfish_status starfish_memory_check(const char *what, const struct starfish_memory *memory)
{
    return STARFISH_OR_FAIL(memory->gpu_least <= memory->gpu_there, STARFISH_ERROR_MEMORY,
                            "%s needs %zu bytes of a GPU's memory, %zu of them work space, and there are %zu", what,
                            memory->gpu_least, memory->gpu_work, memory->gpu_there);
}

starfish_status starfish_memory_report(const struct starfish_context *context, const struct starfish_memory *memory,
                                       struct starfish_memory *user)
{
    STARFISH_NEED(user, "memory");
    *user = *memory;
    starfish_memory_complete(context, 1, user);
    return STARFISH_SUCCESS;
}

size_t starfish_main_memory(void)
{
#ifdef STARPU_SIMGRID
    return 0; /* this machine's is not the simulated one's */
#else
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : 0;
#endif
}

starfish_status starfish_context_worker_memory(const starfish_context *context, size_t index, size_t *bytes)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(context, "context");
    STARFISH_NEED(bytes, "bytes");
    STARFISH_TRY(starfish_context_check_index(context, index));
    if (starfish_context_worker_kind(context, index) == STARFISH_CPU) {
        *bytes = starfish_main_memory();
        return STARFISH_SUCCESS;
    }
    const size_t room = room_of(node_of(context, index));
    *bytes = room == SIZE_MAX ? 0 : room;
    return STARFISH_SUCCESS;
}

starfish_status starfish_device_take(const struct starfish_context *context, size_t worker, const char *what,
                                     size_t bytes)
{
    if (starfish_context_worker_kind(context, worker) != STARFISH_GPU)
        return STARFISH_SUCCESS;
    const unsigned node = node_of(context, worker);
    STARFISH_FAIL_IF(bytes > room_of(node), STARFISH_ERROR_MEMORY,
                     "out of memory: %s needs %zu bytes on a GPU, which has %zu left", what, bytes, room_of(node));
    atomic_fetch_add(&taken[node], bytes);
    starpu_memory_allocate(node, bytes, STARPU_MEMORY_OVERFLOW); /* others' data can be taken out */
    return STARFISH_SUCCESS;
}

void starfish_device_give_back(const struct starfish_context *context, size_t worker, size_t bytes)
{
    if (starfish_context_worker_kind(context, worker) != STARFISH_GPU)
        return;
    const unsigned node = node_of(context, worker);
    atomic_fetch_sub(&taken[node], bytes);
    starpu_memory_deallocate(node, bytes);
}

/* StarPU does not allocate data that were registered in a GPU's memory. */
static size_t bytes_on(const struct starpu_task *task, int node)
{
    size_t sum[2] = {0, 0};
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++) {
        if (task->cl->specific_nodes && STARPU_CODELET_GET_NODE(task->cl, i) != node)
            continue;
        const starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
        const int home = starpu_data_get_home_node(handle);
        const size_t bytes = starpu_data_get_size(handle);
        if (home < 0 || starpu_node_get_kind((unsigned)home) != STARPU_CUDA_RAM)
            sum[bytes <= STARFISH_SMALL_DATA] += bytes;
    }
    return starfish_device_footprint(sum[0], sum[1]);
}

/* At most, in one memory. */
static size_t bytes_of(const struct starpu_task *task)
{
    size_t most = 0;
    for (unsigned node = 0; node < (task->cl->specific_nodes ? starpu_memory_nodes_get_count() : 1); node++) {
        const size_t bytes = bytes_on(task, (int)node);
        most = bytes > most ? bytes : most;
    }
    return most;
}

starfish_status starfish_fit_task(const struct starfish_context *context, struct starpu_task *task)
{
    if (context->workers_of[STARFISH_GPU] == 0 || !(task->where & (int32_t)STARPU_CUDA))
        return STARFISH_SUCCESS;
    const size_t needed = bytes_of(task), room = starfish_device_room(context);
    if (needed <= room)
        return STARFISH_SUCCESS;
    task->where &= ~(int32_t)STARPU_CUDA;
    return STARFISH_OR_FAIL(task->where != 0 && !task->execute_on_a_specific_worker, STARFISH_ERROR_MEMORY,
                            "task %s needs %zu bytes on a GPU at once, which has %zu", task->name, needed, room);
}

size_t starfish_missing_bytes(const struct starpu_task *task, unsigned node)
{
    size_t sum = 0;
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++)
        if (!starpu_data_test_if_allocated_on_node(STARPU_TASK_GET_HANDLE(task, i), node))
            sum += starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i));
    return sum;
}
