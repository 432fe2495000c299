/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work space, one piece per worker (workspace.h), allocated on the worker, so that pages are on its NUMA node. */
#include "scheduler/runtime/workspace.h"

#include "scheduler/runtime/memory.h"

#include <stdlib.h>
#include <string.h>
#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>
#endif

enum { ALIGNMENT = 64 };

static size_t aligned(size_t bytes)
{
    return (bytes / ALIGNMENT + 1) * ALIGNMENT;
}

static size_t part_bytes(const struct starfish_workspace *workspace, starfish_worker_kind kind)
{
    return aligned(workspace->bytes[kind]);
}

static size_t bytes_on(const struct starfish_workspace *workspace, size_t worker)
{
    const starfish_worker_kind kind = starfish_context_worker_kind(workspace->context, worker);
    const size_t shared = kind == STARFISH_CPU && workspace->shared > 0 ? aligned(workspace->shared) : 0;
    return part_bytes(workspace, kind) * workspace->context->team[worker].size + shared;
}

/* On the worker itself, so that a core's pages are on its NUMA node and a GPU's device is current. */
static void allocate(void *data, size_t worker)
{
    struct starfish_workspace *workspace = data;
    const size_t bytes = bytes_on(workspace, worker);
#ifdef STARFISH_HAVE_GPU
    if (starfish_context_worker_kind(workspace->context, worker) == STARFISH_GPU) {
        if (cudaMalloc(&workspace->piece[worker], bytes) != cudaSuccess) {
            workspace->piece[worker] = NULL;
            cudaGetLastError();
        }
        return;
    }
#endif
    workspace->piece[worker] = aligned_alloc(ALIGNMENT, bytes);
}

static void release(void *data, size_t worker)
{
    struct starfish_workspace *workspace = data;
#ifdef STARFISH_HAVE_GPU
    if (starfish_context_worker_kind(workspace->context, worker) == STARFISH_GPU) {
        cudaFree(workspace->piece[worker]);
        return;
    }
#endif
    free(workspace->piece[worker]);
}

static starfish_status take(struct starfish_workspace *workspace)
{
    for (size_t worker = 0; worker < workspace->context->workers; worker++) {
        STARFISH_TRY(starfish_device_take(workspace->context, worker, "work space", bytes_on(workspace, worker)));
        workspace->taken[worker] = 1;
    }
    return STARFISH_SUCCESS;
}

static void give_back(struct starfish_workspace *workspace)
{
    for (size_t worker = 0; worker < workspace->context->workers; worker++)
        if (workspace->taken[worker])
            starfish_device_give_back(workspace->context, worker, bytes_on(workspace, worker));
}

starfish_status starfish_workspace_create(struct starfish_workspace *workspace, struct starfish_context *context,
                                          size_t cpu_bytes, size_t gpu_bytes)
{
    const size_t bytes[STARFISH_WORKER_KINDS] = {[STARFISH_CPU] = cpu_bytes, [STARFISH_GPU] = gpu_bytes};

    return starfish_workspace_create_shared(workspace, context, bytes, 0);
}

starfish_status starfish_workspace_create_shared(struct starfish_workspace *workspace, struct starfish_context *context,
                                                 const size_t bytes[STARFISH_WORKER_KINDS], size_t shared)
{
    memset(workspace, 0, sizeof *workspace);
    workspace->context = context;
    memcpy(workspace->bytes, bytes, sizeof workspace->bytes);
    workspace->shared = shared;
    const starfish_status status = take(workspace);
    if (status != STARFISH_SUCCESS) {
        give_back(workspace);
        workspace->context = NULL;
        return status;
    }
    STARFISH_TRY(starfish_context_on_each_worker(context, "workspace", allocate, workspace));
#ifdef STARPU_SIMGRID
    return STARFISH_SUCCESS;
#endif
    for (size_t worker = 0; worker < context->workers; worker++) {
        if (workspace->piece[worker])
            continue;
        starfish_worker_kind kind = starfish_context_worker_kind(context, worker);
        const size_t wanted = workspace->bytes[kind];
        starfish_workspace_destroy(workspace);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu bytes of work space on a %s", wanted,
                             kind == STARFISH_GPU ? "GPU" : "core");
    }
    return STARFISH_SUCCESS;
}

void starfish_workspace_destroy(struct starfish_workspace *workspace)
{
    if (!workspace->context)
        return;
    starfish_context_on_each_worker(workspace->context, "workspace", release, workspace);
    give_back(workspace);
    workspace->context = NULL;
}

void *starfish_workspace_here(const struct starfish_workspace *workspace)
{
    return workspace->piece[starfish_context_current_worker(workspace->context)];
}

void *starfish_workspace_part(const struct starfish_workspace *workspace, size_t part)
{
    return (char *)starfish_workspace_here(workspace) + part * part_bytes(workspace, STARFISH_CPU);
}

void *starfish_workspace_shared(const struct starfish_workspace *workspace)
{
    const size_t worker = starfish_context_current_worker(workspace->context);

    return starfish_workspace_part(workspace, workspace->context->team[worker].size);
}
