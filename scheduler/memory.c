/* Host memory that GPUs copy at full speed, and where an address lies. */
#include "scheduler/context.h"
#include "scheduler/fork.h"
#include "scheduler/machine.h"
#include "scheduler/rest.h"

#include "base/pages.h"

#include <stdlib.h>
#include <string.h>
#ifdef STARPU_SIMGRID
#include <sys/mman.h>
#endif
#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>
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
    if (!context)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "context is NULL");
    if (!memory)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "memory is NULL");
    return starfish_fork_check();
}

/* A worker may have to do it. */
static int awake(int (*function)(void *memory, size_t bytes), void *memory, size_t bytes)
{
    starfish_rest_busy();
    const int code = function(memory, bytes);
    starfish_rest_idle();
    return code;
}

starfish_status starfish_pin(starfish_context *context, void *memory, size_t bytes)
{
    STARFISH_TRY(check(context, memory));
    if (context->workers_of[STARFISH_GPU] > 0 && awake(starpu_memory_pin, memory, bytes) != 0)
        return starfish_fail(STARFISH_ERROR_RUNTIME, "memory: %zu bytes cannot be pinned", bytes);
    return STARFISH_SUCCESS;
}

starfish_status starfish_unpin(starfish_context *context, void *memory, size_t bytes)
{
    STARFISH_TRY(check(context, memory));
    if (context->workers_of[STARFISH_GPU] > 0 && awake(starpu_memory_unpin, memory, bytes) != 0)
        return starfish_fail(STARFISH_ERROR_RUNTIME, "memory: %zu bytes cannot be unpinned", bytes);
    return STARFISH_SUCCESS;
}

/* A simulation touches no data: addresses are enough. */
static void *take(size_t bytes)
{
#ifdef STARPU_SIMGRID
    void *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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
    *memory = bytes > 0 ? take(bytes) : NULL;
    if (!*memory)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu bytes", bytes);
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
