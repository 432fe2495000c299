/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors as StarPU's data: a piece for each part of their space, and an edge for each halo. Vectors of a plan are made
 * with it; users' arrays are registered in each solve. */
#include "scheduler/runtime/space.h"

#include "base/pages.h"
#include "base/real.h"
#include "scheduler/runtime/data.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/watchdog.h"

#include <stdint.h>
#include <stdlib.h>

/* Elements of a part, with ghosts. */
static size_t memory_of(const struct starfish_space *space, size_t part)
{
    const struct starfish_box *box = &space->box[part];

    if (space->layers > 0)
        return starfish_box_memory(box, 0) * starfish_box_memory(box, 1) * space->layers;
    return space->before[part] + starfish_space_part_size(space, part) + space->after[part];
}

static size_t pieces_of(const struct starfish_space *space)
{
    return space->parts[0] * space->parts[1];
}

/* Edges travel to their readers, and pieces to a task that collects them. */
static void set_rank(const struct starfish_space *space, starpu_data_handle_t handle, size_t part)
{
    if (space->on_ranks)
        starfish_data_set_travelling(space->context, handle, space->owner[part].rank);
}

/* Of a user's array, whose rows are planes, the cells of a box in a run of planes. */
static void register_box_tile(struct starfish_vector *vector, int node, void *memory, size_t tile)
{
    const struct starfish_space *space = vector->space;
    const struct starfish_box *box = &space->box[tile % space->parts[0]];
    const size_t run = tile / space->parts[0], z0 = space->first[1][run], planes = space->first[1][run + 1] - z0;
    const size_t size = starfish_real_size(vector->precision), nx = space->cells[0];
    const size_t width = starfish_box_own(box, 0), height = starfish_box_own(box, 1);
    const int here = memory && starfish_space_rank(space, run) == starfish_context_rank(space->context);
    size_t first, rows;

    starfish_space_rows_here(space, &first, &rows);
    const size_t start = (size_t)box->own[0][0] + nx * (size_t)box->own[1][0] + space->n[0] * (z0 - first);
    const uintptr_t address = here ? (uintptr_t)memory + start * size : 0;
    starpu_block_data_register(&vector->piece[tile], here ? node : -1, address, (uint32_t)(here ? nx : width),
                               (uint32_t)(here ? space->n[0] : width * height), (uint32_t)width, (uint32_t)height,
                               (uint32_t)planes, size);
    set_rank(space, vector->piece[tile], run);
}

/* Tiles of one array, or of memory that the runtime has where they are first written (node -1). Those of other ranks
 * have no memory here until they travel. */
static void register_tiles(struct starfish_vector *vector, int node, void *memory)
{
    const struct starfish_space *space = vector->space;
    const size_t size = starfish_real_size(vector->precision), *n = space->n;
    size_t first, rows;

    starfish_space_rows_here(space, &first, &rows);
    for (size_t y = 0; y < space->parts[1] && space->layers == 0; y++)
        for (size_t x = 0; x < space->parts[0]; x++) {
            const size_t x0 = space->first[0][x], y0 = space->first[1][y];
            const size_t width = space->first[0][x + 1] - x0, height = space->first[1][y + 1] - y0;
            const int here = memory && starfish_space_rank(space, y) == starfish_context_rank(space->context);
            const uintptr_t address = here ? (uintptr_t)memory + (x0 + (y0 - first) * n[0]) * size : 0;
            const size_t pitch = here || !space->on_ranks ? n[0] : width;
            starpu_data_handle_t *handle = &vector->piece[x + y * space->parts[0]];
            starpu_block_data_register(handle, here ? node : -1, address, (uint32_t)pitch, (uint32_t)(pitch * height),
                                       (uint32_t)width, (uint32_t)height, 1, size);
            starpu_data_set_coordinates(*handle, 2, (int)x, (int)y);
            set_rank(space, *handle, y);
        }
    for (size_t tile = 0; space->layers > 0 && tile < pieces_of(space); tile++)
        register_box_tile(vector, node, memory, tile);
}

static void register_run(starpu_data_handle_t *handle, size_t count, size_t size)
{
    starpu_block_data_register(handle, -1, 0, (uint32_t)count, (uint32_t)count, (uint32_t)count, 1, 1, size);
}

static void register_edge(struct starfish_vector *vector, size_t h)
{
    const struct starfish_halo *halo = &vector->space->halo[h];

    register_run(&vector->edge[h], halo->count, starfish_real_size(vector->precision));
    starpu_data_set_coordinates(vector->edge[h], 2, (int)halo->from, (int)halo->to);
    starpu_data_set_name(vector->edge[h], "edge");
}

static void register_apart(struct starfish_vector *vector)
{
    const struct starfish_space *space = vector->space;
    const size_t size = starfish_real_size(vector->precision);

    for (size_t p = 0; p < space->parts[1]; p++) {
        register_run(&vector->piece[p], memory_of(space, p), size);
        starpu_data_set_coordinates(vector->piece[p], 2, 0, (int)p);
        set_rank(space, vector->piece[p], p);
    }
    for (size_t h = 0; h < space->halos; h++) {
        register_edge(vector, h);
        set_rank(space, vector->edge[h], space->halo[h].from);
    }
}

/* A vector with room for its handles. */
static starfish_status begin(struct starfish_vector *vector, const struct starfish_space *space,
                             starfish_precision precision, int ghosts)
{
    *vector = (struct starfish_vector){.space = NULL};
    starpu_data_handle_t *const handle = calloc(pieces_of(space) + space->halos, sizeof *handle);
    STARFISH_FAIL_IF(!handle, STARFISH_ERROR_MEMORY, "out of memory for a vector");
    *vector = (struct starfish_vector){.space = space,
                                       .precision = precision,
                                       .ghosts = ghosts,
                                       .piece = handle,
                                       .edge = ghosts ? handle + pieces_of(space) : NULL};
    return STARFISH_SUCCESS;
}

starfish_status starfish_vector_create(struct starfish_vector *vector, const struct starfish_space *space,
                                       starfish_precision precision)
{
    STARFISH_TRY(begin(vector, space, precision, space->apart));
    if (space->apart) {
        register_apart(vector);
        return STARFISH_SUCCESS;
    }
    if (space->context->workers_of[STARFISH_GPU] == 0 || pieces_of(space) > 1) {
        vector->memory = starfish_pages_alloc(space->n[0] * space->n[1] * starfish_real_size(precision));
        if (!vector->memory) {
            free(vector->piece);
            *vector = (struct starfish_vector){.space = NULL};
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a grid of %zu x %zu", space->n[0],
                                 space->n[1]);
        }
    }
    register_tiles(vector, vector->memory ? STARPU_MAIN_RAM : -1, vector->memory);
    return STARFISH_SUCCESS;
}

static starfish_status check_pinned_here(const struct starfish_space *space, starfish_precision precision,
                                         const void *memory, const char *name)
{
    size_t first, rows;

    starfish_space_rows_here(space, &first, &rows);
    return rows == 0 ? STARFISH_SUCCESS
                     : starfish_memory_check_pinned(space->context, name, memory,
                                                    rows * space->n[0] * starfish_real_size(precision));
}

starfish_status starfish_vector_over(struct starfish_vector *vector, const struct starfish_space *space,
                                     starfish_precision precision, int node, void *memory, const char *name)
{
    starfish_status status = begin(vector, space, precision, 0);
    STARFISH_THEN(status, check_pinned_here(space, precision, memory, name));
    status = space->on_ranks ? starfish_ranks_agree(space->context, status) : status;
    if (status != STARFISH_SUCCESS) {
        free(vector->piece);
        *vector = (struct starfish_vector){.space = NULL};
        return status;
    }
    register_tiles(vector, node, memory);
    return STARFISH_SUCCESS;
}

void starfish_vector_borrow(struct starfish_vector *vector, const struct starfish_space *space,
                            starfish_precision precision, const starpu_data_handle_t *piece)
{
    *vector = (struct starfish_vector){
        .space = space, .precision = precision, .borrowed = 1, .piece = (starpu_data_handle_t *)(uintptr_t)piece};
}

starfish_status starfish_vector_add_edges(struct starfish_vector *vector)
{
    const struct starfish_space *space = vector->space;

    if (space->halos == 0)
        return STARFISH_SUCCESS;
    vector->edge = calloc(space->halos, sizeof(starpu_data_handle_t));
    STARFISH_FAIL_IF(!vector->edge, STARFISH_ERROR_MEMORY, "out of memory for the edges of %zu slabs", space->parts[1]);
    for (size_t h = 0; h < space->halos; h++) {
        register_edge(vector, h);
        starfish_data_set_travelling(space->context, vector->edge[h], space->owner[space->halo[h].from].rank);
    }
    return STARFISH_SUCCESS;
}

/* The values are not needed, so they are not copied to main memory; they may not even be initialised. */
static void unregister(starpu_data_handle_t handle)
{
    if (starpu_data_get_home_node(handle) < 0)
        starfish_data_discard(handle);
    else
        starfish_data_unregister(handle);
}

void starfish_vector_destroy(struct starfish_vector *vector)
{
    const struct starfish_space *space = vector->space;

    if (starfish_is_stuck())
        return; /* tasks may still touch its memory */
    for (size_t p = 0; space && !vector->borrowed && p < pieces_of(space); p++)
        unregister(vector->piece[p]);
    for (size_t h = 0; space && vector->edge && h < space->halos; h++)
        unregister(vector->edge[h]);
    free(vector->borrowed ? vector->edge : vector->piece);
    free(vector->memory);
    *vector = (struct starfish_vector){.space = NULL};
}
