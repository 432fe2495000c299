/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields that live spread over memories. Nothing here is timed: a program makes its fields once. */
#include "scheduler/runtime/spread.h"

#include "base/real.h"
#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/machine.h"

#include <stdlib.h>
#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>
#endif

/* ---- Devices ----------------------------------------------------------------------------------------------------- */

/* The number of a CUDA device among the context's GPUs, -1 where it is none of them; and the device of a number. */
static int gpu_of_device(const struct starfish_context *context, int device)
{
    for (size_t gpu = 0; gpu < context->workers_of[STARFISH_GPU]; gpu++)
        if (starpu_worker_get_devid(starfish_context_gpu_worker(context, gpu)) == device)
            return (int)gpu;
    return -1;
}

static int device_of_gpu(const struct starfish_context *context, int gpu)
{
    return starpu_worker_get_devid(starfish_context_gpu_worker(context, (size_t)gpu));
}

static int node_of(const struct starfish_context *context, int device)
{
    const int gpu = device == STARFISH_CORES_SHARE ? -1 : gpu_of_device(context, device);
    return gpu < 0 ? STARPU_MAIN_RAM
                   : (int)starpu_worker_get_memory_node((unsigned)starfish_context_gpu_worker(context, (size_t)gpu));
}

#ifdef STARFISH_HAVE_GPU
/* In the thread that calls, whose current device stays as it was. */
static void on_device(int device, void (*function)(void **memory, size_t bytes), void **memory, size_t bytes)
{
    int current = 0;
    cudaGetDevice(&current);
    if (cudaSetDevice(device) == cudaSuccess)
        function(memory, bytes);
    cudaSetDevice(current);
    cudaGetLastError();
}

static void take(void **memory, size_t bytes)
{
    if (cudaMalloc(memory, bytes) != cudaSuccess)
        *memory = NULL;
}

static void give_back(void **memory, size_t bytes)
{
    (void)bytes;
    cudaFree(*memory);
}
#endif

/* A simulation touches no data: an address of main memory will do. */
static starfish_status allocate(struct starfish_context *context, struct starfish_field_share *share, size_t bytes)
{
#ifdef STARFISH_HAVE_GPU
    if (share->device != STARFISH_CORES_SHARE) {
        on_device(share->device, take, &share->memory, bytes);
        return share->memory ? STARFISH_SUCCESS
                             : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu bytes on CUDA device %d",
                                             bytes, share->device);
    }
#endif
    return starfish_alloc(context, bytes, &share->memory);
}

void starfish_spread_release(struct starfish_context *context, struct starfish_spread *spread)
{
    for (size_t s = 0; spread && s < spread->count; s++) {
        struct starfish_field_share *share = &spread->part[s].share;
        if (spread->part[s].owned_bytes == 0)
            continue;
#ifdef STARFISH_HAVE_GPU
        if (share->device != STARFISH_CORES_SHARE) {
            on_device(share->device, give_back, &share->memory, spread->part[s].owned_bytes);
            continue;
        }
#endif
        starfish_free(context, share->memory, spread->part[s].owned_bytes);
    }
    free(spread);
}

/* ---- Cuts -------------------------------------------------------------------------------------------------------- */

static starfish_status check_share(const struct starfish_context *context, const struct starfish_field_share *share,
                                   size_t index, size_t first)
{
    if (share->planes == 0 || share->first_plane != first)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "shares[%zu] has %zu planes from %zu on, not some from %zu on",
                             index, share->planes, share->first_plane, first);
    if (share->device != STARFISH_CORES_SHARE && gpu_of_device(context, share->device) < 0)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "shares[%zu].device is %d, which the context does not use", index,
                             share->device);
    if (share->device == STARFISH_CORES_SHARE && context->workers_of[STARFISH_CPU] == 0)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "shares[%zu] is for cores, of which the context has none", index);
    if (!share->memory)
        return STARFISH_SUCCESS;
    int node;
    STARFISH_TRY(starfish_memory_place(context, "memory of a share", share->memory, &node, NULL));
    if (node != node_of(context, share->device) && !starfish_machine_is_simulated())
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "shares[%zu].memory is not where its owner's is", index);
    return STARFISH_SUCCESS;
}

starfish_status starfish_spread_cut(const struct starfish_context *context, const size_t n[3], size_t count,
                                    const struct starfish_field_share *shares, struct starfish_runs *cut)
{
    const size_t cores = context->workers_of[STARFISH_CPU];
    if (count > 0)
        STARFISH_NEED(shares, "shares");
    for (size_t s = 0; s < count; s++) {
        const struct starfish_field_share *share = &shares[s];
        STARFISH_TRY(check_share(context, share, s, starfish_runs_end(cut)));
        const int gpu = share->device == STARFISH_CORES_SHARE ? STARFISH_CORES : gpu_of_device(context, share->device);
        const size_t slabs = gpu >= 0 ? 1 : cores < share->planes ? cores : share->planes;
        STARFISH_FAIL_IF(cut->parts + slabs > STARFISH_FIELD_MOST_SLABS, STARFISH_ERROR_ARGUMENT,
                         "shares: %zu make more than %d slabs", count, STARFISH_FIELD_MOST_SLABS);
        STARFISH_TRY(starfish_runs_add(cut, slabs, share->planes, (struct starfish_owner){0, gpu}));
    }
    if (count > 0 && starfish_runs_end(cut) != n[2])
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "shares: %zu planes of %zu", starfish_runs_end(cut), n[2]);
    return STARFISH_SUCCESS;
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

/* Whose memory a slab is in. */
static int device_of_slab(const struct starfish_context *context, const struct starfish_runs *cut, size_t slab)
{
    const size_t gpus = context->workers_of[STARFISH_GPU];
    const int gpu = starfish_runs_owner(cut, slab).device;
    if (gpus == 0 || gpu == STARFISH_CORES)
        return STARFISH_CORES_SHARE;
    return device_of_gpu(context, gpu >= 0 ? gpu : (int)(slab * gpus / cut->parts));
}

static void shares_of_cut(const struct starfish_context *context, const struct starfish_runs *cut,
                          struct starfish_spread *spread)
{
    for (size_t slab = 0; slab < cut->parts; slab++) {
        const int device = device_of_slab(context, cut, slab);
        struct starfish_field_share *share = &spread->part[spread->count].share;
        if (spread->count == 0 || share[-1].device != device)
            spread->part[spread->count++].share =
                (struct starfish_field_share){.device = device, .first_plane = cut->first[slab]};
        share = &spread->part[spread->count - 1].share;
        share->planes = cut->first[slab + 1] - share->first_plane;
    }
}

static void shares_as_given(size_t planes, const struct starfish_field_share *shares, struct starfish_spread *spread)
{
    for (size_t done = 0; done < planes; done += shares[spread->count++].planes)
        spread->part[spread->count].share = shares[spread->count];
}

static starfish_status find_memory(struct starfish_context *context, size_t plane_bytes, struct starfish_spread *spread)
{
    for (size_t s = 0; s < spread->count; s++) {
        struct starfish_field_share *share = &spread->part[s].share;
        spread->part[s].node = node_of(context, share->device);
        if (share->memory)
            continue;
        STARFISH_TRY(allocate(context, share, share->planes * plane_bytes));
        spread->part[s].owned_bytes = share->planes * plane_bytes;
    }
    return STARFISH_SUCCESS;
}

/* The field's slabs as the runtime's data, each in its share. */
static void register_slabs(struct starfish_field *field, size_t plane_bytes)
{
    const struct starfish_spread *spread = field->spread;
    size_t s = 0;
    for (size_t slab = 0; slab < field->cut.parts; slab++) {
        s += field->cut.first[slab] == spread->part[s].share.first_plane + spread->part[s].share.planes;
        const uintptr_t start =
            (uintptr_t)spread->part[s].share.memory - spread->part[s].share.first_plane * plane_bytes;
        const struct starfish_field_array array = {
            .n = field->n, .precision = field->precision, .memory = (void *)start, .node = spread->part[s].node};
        starfish_slab_register(&field->handle[slab], "share", &field->cut, slab, &array);
    }
}

starfish_status starfish_field_spread(struct starfish_context *context, const struct starfish_field_shape *shape,
                                      const struct starfish_runs *cut, const struct starfish_field_share *shares,
                                      struct starfish_field **field)
{
    const size_t plane_bytes = shape->n[0] * shape->n[1] * starfish_real_size(shape->precision);
    *field = NULL;
    STARFISH_TRY(starfish_fork_check());
    struct starfish_spread *spread = calloc(1, sizeof *spread + cut->parts * sizeof spread->part[0]);
    STARFISH_FAIL_IF(!spread, STARFISH_ERROR_MEMORY, "out of memory for a field");
    if (shares)
        shares_as_given(shape->n[2], shares, spread);
    else
        shares_of_cut(context, cut, spread);
    const starfish_status status = find_memory(context, plane_bytes, spread);
    struct starfish_field *made = status == STARFISH_SUCCESS ? starfish_field_empty(context, shape, cut) : NULL;
    if (!made) {
        starfish_spread_release(context, spread);
        return status != STARFISH_SUCCESS ? status : STARFISH_ERROR_MEMORY;
    }
    made->memory = spread->part[0].share.memory;
    made->spread = spread;
    register_slabs(made, plane_bytes);
    *field = made;
    return STARFISH_SUCCESS;
}

/* ---- Interface --------------------------------------------------------------------------------------------------- */

size_t starfish_field_shares(const starfish_field *field)
{
    return !field ? 0 : field->spread ? field->spread->count : 1;
}

static int device_of_node(const struct starfish_context *context, int node)
{
    for (size_t gpu = 0; gpu < context->workers_of[STARFISH_GPU]; gpu++)
        if (node_of(context, device_of_gpu(context, (int)gpu)) == node)
            return device_of_gpu(context, (int)gpu);
    return STARFISH_CORES_SHARE;
}

starfish_status starfish_field_share(const starfish_field *field, size_t index, struct starfish_field_share *share)
{
    STARFISH_NEED(field, "field");
    STARFISH_NEED(share, "share");
    STARFISH_FAIL_IF(index >= starfish_field_shares(field), STARFISH_ERROR_ARGUMENT,
                     "index is %zu, but there are %zu shares", index, starfish_field_shares(field));
    if (field->spread)
        *share = field->spread->part[index].share;
    else
        *share = (struct starfish_field_share){
            .device = device_of_node(field->context, starpu_data_get_home_node(field->handle[0])),
            .planes = field->n[2],
            .memory = field->memory};
    return STARFISH_SUCCESS;
}
