/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How tasks take parts of vectors and their neighbours' edges. Ghosts and edges move a few rows of a part, twice: the
 * least that memories apart must exchange. */
#include "codelets/vectors.h"

#include "base/real.h"
#include "krylov/kernels/gather.h"
#include "scheduler/runtime/ranks.h"

#include <string.h>
#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>
#endif

STARFISH_PLACE_KERNEL(run_gather, starfish_vector_gather)
STARFISH_PLACE_KERNEL_OF(run_copy, starfish_vector_update, starfish_vector_update)

/* ---- Submission -------------------------------------------------------------------------------------------------- */

/* The rows of a part as kernels count them. */
static size_t first_row(const struct starfish_space *space, size_t part)
{
    return space->local ? 0 : space->first[1][part];
}

static ptrdiff_t first_element(const struct starfish_space *space, size_t part)
{
    return (ptrdiff_t)(first_row(space, part) * space->n[0]);
}

struct starfish_extent starfish_part_extent(const struct starfish_space *space, size_t part)
{
    const ptrdiff_t y0 = (ptrdiff_t)first_row(space, part);
    const struct starfish_box *box = &space->box[part];

    if (space->layers > 0)
        return (struct starfish_extent){0, (ptrdiff_t)(starfish_box_memory(box, 0) * space->layers),
                                        box->own[1][0] - box->array[1][0], box->own[1][1] - box->array[1][0], 0};
    return (struct starfish_extent){0, (ptrdiff_t)space->n[0], y0, y0 + (ptrdiff_t)starfish_space_rows(space, part), 0};
}

struct starfish_rectangle starfish_part_elements(const struct starfish_space *space, size_t part, size_t *pitch)
{
    const struct starfish_extent e = starfish_part_extent(space, part);
    const struct starfish_box *box = &space->box[part];
    struct starfish_rectangle at = {(size_t)e.x0, (size_t)e.x1, (size_t)e.y0, (size_t)e.y1};

    *pitch = space->n[0];
    if (space->layers == 0)
        return at;
    *pitch = starfish_box_memory(box, 0);
    at.x0 = (size_t)(box->own[0][0] - box->array[0][0]);
    at.x1 = at.x0 + starfish_box_own(box, 0);
    at.y0 *= space->layers;
    at.y1 *= space->layers;
    return at;
}

static int touches(const struct starfish_extent *e, ptrdiff_t x0, ptrdiff_t x1, ptrdiff_t y0, ptrdiff_t y1,
                   ptrdiff_t rows)
{
    if (x0 >= e->x1 || x1 <= e->x0)
        return 0;
    return (y0 < e->y1 && y1 > e->y0) || (e->wraps && (y1 > e->y0 + rows || y0 < e->y1 - rows));
}

/* All tiles that the extent touches; kernels find the array around the first of them. */
static struct starfish_access attach_tiles(struct starfish_task *task, const struct starfish_vector *vector,
                                           const struct starfish_extent *extent, enum starpu_data_access_mode mode)
{
    const struct starfish_space *space = vector->space;
    struct starfish_access access = {.buffer = -1, .space = space};

    for (size_t y = 0; y < space->parts[1]; y++)
        for (size_t x = 0; x < space->parts[0]; x++) {
            const size_t x0 = space->first[0][x], y0 = space->first[1][y];
            if (!touches(extent, (ptrdiff_t)x0, (ptrdiff_t)space->first[0][x + 1], (ptrdiff_t)y0,
                         (ptrdiff_t)space->first[1][y + 1], (ptrdiff_t)space->n[1]))
                continue;
            if (access.buffer < 0) {
                access.buffer = task->count;
                access.origin = (ptrdiff_t)(x0 + y0 * space->n[0]);
            }
            starfish_task_data(task, vector->piece[x + y * space->parts[0]], mode);
        }
    return access;
}

int starfish_extent_goes_beyond(const struct starfish_space *space, size_t part, const struct starfish_extent *extent)
{
    const struct starfish_extent own = starfish_part_extent(space, part);

    return extent->y0 < own.y0 || extent->y1 > own.y1;
}

static int is_published(const struct starfish_access *access, const struct starfish_halo *halo)
{
    const struct starfish_space *space = access->space;

    return halo->from == access->part &&
           (access->publishes == STARFISH_ALL_EDGES || halo->far ||
            starfish_space_rank(space, halo->from) == starfish_space_rank(space, halo->to));
}

/* Does the task read any of the rows that the halo's elements become? Those of index sets are in no order. */
static int is_filled(const struct starfish_access *access, const struct starfish_halo *halo)
{
    const struct starfish_space *space = access->space;
    const ptrdiff_t nx = (ptrdiff_t)space->n[0];
    const ptrdiff_t y0 = (ptrdiff_t)first_row(space, access->part) + halo->at / nx,
                    y1 = y0 + (ptrdiff_t)halo->count / nx;

    return access->fills && halo->to == access->part &&
           (space->local || (y0 < access->filled.y1 && y1 > access->filled.y0));
}

static void attach_arriving(struct starfish_task *task, const struct starfish_vector *vector,
                            const struct starfish_access *access)
{
    for (size_t h = 0; h < vector->space->halos; h++)
        if (is_filled(access, &vector->space->halo[h]))
            starfish_task_data(task, vector->edge[h], STARPU_R);
}

/* Index sets are attached with the edges that they are gathered into. */
static void attach_leaving(struct starfish_task *task, const struct starfish_vector *vector,
                           const struct starfish_access *access)
{
    for (size_t h = 0; h < vector->space->halos; h++) {
        const struct starfish_halo *halo = &vector->space->halo[h];
        if (!is_published(access, halo))
            continue;
        starfish_task_data(task, vector->edge[h], STARPU_W);
        if (halo->index.handle)
            starfish_task_data(task, halo->index.handle, STARPU_R);
    }
}

struct starfish_access starfish_vector_attach_as(struct starfish_task *task, const struct starfish_vector *vector,
                                                 const struct starfish_access *wanted,
                                                 enum starpu_data_access_mode mode)
{
    const struct starfish_space *space = vector->space;
    struct starfish_access access = *wanted;

    access.buffer = task->count;
    access.space = space;
    access.origin = first_element(space, access.part);
    if (vector->ghosts)
        access.origin -= (ptrdiff_t)space->before[access.part];
    /* ghosts are written by those who read them: only tasks on this part do */
    starfish_task_data(task, vector->piece[access.part], access.fills ? STARPU_RW : mode);
    access.edge = task->count;
    attach_arriving(task, vector, &access);
    access.leaving = task->count;
    if (access.publishes != STARFISH_NO_EDGES)
        attach_leaving(task, vector, &access);
    return access;
}

struct starfish_access starfish_vector_attach_edges(struct starfish_task *task, const struct starfish_vector *vector,
                                                    size_t part, int buffer)
{
    if (!vector || !vector->edge)
        return STARFISH_NO_ACCESS;
    const struct starfish_access access = {.buffer = buffer,
                                           .leaving = task->count,
                                           .origin = first_element(vector->space, part),
                                           .part = part,
                                           .space = vector->space,
                                           .publishes = STARFISH_ALL_EDGES};
    attach_leaving(task, vector, &access);
    return access;
}

starpu_data_handle_t starfish_vector_edge_beside(const struct starfish_vector *vector, size_t part, int below)
{
    for (size_t h = 0; vector->edge && h < vector->space->halos; h++)
        if (vector->space->halo[h].to == part && (vector->space->halo[h].at < 0) == below)
            return vector->edge[h];
    return NULL;
}

struct starfish_access starfish_vector_attach(struct starfish_task *task, const struct starfish_vector *vector,
                                              size_t part, const struct starfish_extent *extent,
                                              enum starpu_data_access_mode mode)
{
    if (!vector)
        return STARFISH_NO_ACCESS;
    const struct starfish_space *space = vector->space;
    if (!space->apart)
        return attach_tiles(task, vector, extent, mode);
    const int writes = vector->ghosts && mode != STARPU_R;
    const struct starfish_access wanted = {.part = part,
                                           .fills = vector->ghosts && !writes &&
                                                    starfish_extent_goes_beyond(space, part, extent),
                                           .filled = *extent,
                                           .publishes = writes ? STARFISH_ALL_EDGES : STARFISH_NO_EDGES};
    return starfish_vector_attach_as(task, vector, &wanted, mode);
}

void starfish_task_of_owner(struct starfish_task *task, const struct starfish_space *space, size_t part,
                            uint32_t otherwise)
{
    const int device = space->owner[part].device;

    task->device = device == STARFISH_ANY ? starfish_device_of_kinds(otherwise) : device;
}

void starfish_task_of_all_owners(struct starfish_task *task, const struct starfish_space *space, uint32_t otherwise)
{
    const int here = starfish_context_rank(space->context);
    size_t own = 0;

    for (size_t part = space->parts[1]; part-- > 0;)
        if (starfish_space_rank(space, part) == here)
            own = part;
    starfish_task_of_owner(task, space, own, otherwise);
    for (size_t part = 0; part < space->parts[1] && space->on_ranks; part++)
        starfish_task_copy_on(task, starfish_space_rank(space, part));
}

/* ---- On a worker ------------------------------------------------------------------------------------------------- */

void *starfish_vector_here(void *buffers[], const struct starfish_access *access, starfish_precision precision)
{
    if (access->buffer < 0)
        return NULL;
    const uintptr_t piece = (uintptr_t)STARPU_BLOCK_GET_PTR(buffers[access->buffer]);
    return (void *)(piece - (uintptr_t)access->origin * starfish_real_size(precision));
}

/* In a graph of several GPUs a kernel begins sooner than a copy by the engines for that. */
static int copy_by_kernel(const struct starfish_place *place, void *to, const void *from, size_t count)
{
    const size_t rows = count % 64 == 0 ? 64 : 1, width = count / rows;
    const struct starfish_vector_update copy = {
        .nx = width, .at = {0, width, 0, rows}, .factor = 1, .correction = from, .pitch = width, .v = to};

    return run_copy(place, &copy);
}

int starfish_place_copy(const struct starfish_place *place, void *to, const void *from, size_t count)
{
    const size_t bytes = count * starfish_real_size(place->precision);

    if (place->gpu && starfish_context_launch_stream())
        return copy_by_kernel(place, to, from, count);
#ifdef STARFISH_HAVE_GPU
    if (place->gpu)
        return (int)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, place->stream);
#endif
    memcpy(to, from, bytes);
    return 0;
}

int starfish_place_copy_rows(const struct starfish_place *place, const struct starfish_pitched *to,
                             const struct starfish_pitched *from, size_t width, size_t rows)
{
    const struct starfish_vector_update copy = {.nx = to->pitch,
                                                .at = {0, width, 0, rows},
                                                .factor = 1,
                                                .correction = from->first,
                                                .pitch = from->pitch,
                                                .v = to->first};

    return run_copy(place, &copy);
}

/* Element `index` of the part, counted from its first own one. */
static void *own_element(const struct starfish_place *place, void *buffers[], const struct starfish_access *access,
                         ptrdiff_t index)
{
    char *piece = (char *)STARPU_BLOCK_GET_PTR(buffers[access->buffer]);
    const ptrdiff_t ghosts = first_element(access->space, access->part) - access->origin;

    return piece + (ghosts + index) * (ptrdiff_t)starfish_real_size(place->precision);
}

/* Between an edge, which is packed, and a part's elements from `index` on: to the edge where `leaves`. */
static int copy_halo(const struct starfish_place *place, void *buffers[], const struct starfish_access *access,
                     const struct starfish_halo *halo, void *edge, int leaves)
{
    void *own = own_element(place, buffers, access, leaves ? (ptrdiff_t)halo->first : halo->at);

    if (halo->width == 0)
        return starfish_place_copy(place, leaves ? edge : own, leaves ? own : edge, halo->count);
    const struct starfish_pitched packed = {edge, halo->width};
    const struct starfish_pitched rows = {own, starfish_box_memory(&access->space->box[access->part], 0)};
    return starfish_place_copy_rows(place, leaves ? &packed : &rows, leaves ? &rows : &packed, halo->width,
                                    halo->count / halo->width);
}

int starfish_vector_fill(const struct starfish_place *place, void *buffers[], const struct starfish_access *access)
{
    int buffer = access->edge;

    for (size_t h = 0; access->buffer >= 0 && access->fills && h < access->space->halos; h++) {
        const struct starfish_halo *halo = &access->space->halo[h];
        if (is_filled(access, halo))
            TRY_LAUNCH(copy_halo(place, buffers, access, halo, (void *)STARPU_BLOCK_GET_PTR(buffers[buffer++]), 0));
    }
    return 0;
}

static int publish(const struct starfish_place *place, void *buffers[], const struct starfish_access *access,
                   const struct starfish_halo *halo, int buffer)
{
    void *edge = (void *)STARPU_BLOCK_GET_PTR(buffers[buffer]);

    if (!halo->index.handle)
        return copy_halo(place, buffers, access, halo, edge, 1);
    const struct starfish_vector_gather gather = {.count = halo->count,
                                                  .index = (const int *)STARPU_VECTOR_GET_PTR(buffers[buffer + 1]),
                                                  .from = own_element(place, buffers, access, 0),
                                                  .to = edge};
    return run_gather(place, &gather);
}

int starfish_vector_publish(const struct starfish_place *place, void *buffers[], const struct starfish_access *access)
{
    int buffer = access->leaving;

    for (size_t h = 0; access->buffer >= 0 && access->publishes && h < access->space->halos; h++) {
        const struct starfish_halo *halo = &access->space->halo[h];
        if (!is_published(access, halo))
            continue;
        TRY_LAUNCH(publish(place, buffers, access, halo, buffer));
        buffer += halo->index.handle ? 2 : 1;
    }
    return 0;
}
