/* Spaces and vectors as StarPU's data. Nothing here is timed: it happens when a plan is made, and for users' arrays in
 * each solve. */
#include "scheduler/space.h"

#include "base/pages.h"
#include "base/real.h"
#include "scheduler/data.h"
#include "scheduler/field.h"
#include "scheduler/ranks.h"

#include <stdlib.h>
#include <string.h>

/* ---- Spaces ------------------------------------------------------------------------------------------------------ */

int starfish_context_has_one_memory(const struct starfish_context *context)
{
    for (size_t w = 0; w < context->workers; w++)
        if (starpu_worker_get_memory_node((unsigned)context->worker[w]) != STARPU_MAIN_RAM)
            return 0;
    return 1;
}

static void begin(struct starfish_space *space, struct starfish_context *context, const size_t n[2])
{
    memset(space, 0, sizeof *space);
    space->context = context;
    space->n[0] = n[0];
    space->n[1] = n[1];
    for (size_t p = 0; p < STARFISH_SPACE_MOST_PARTS; p++)
        space->owner[p].device = STARFISH_ANY;
}

void starfish_space_tiles(struct starfish_space *space, struct starfish_context *context, const size_t n[2],
                          const struct starfish_tiling *tiling)
{
    begin(space, context, n);
    for (int d = 0; d < 2; d++) {
        const size_t grain = d == 0 ? tiling->grain : 1, grains = n[d] / grain;
        space->parts[d] = tiling->parts[d] < grains ? tiling->parts[d] : grains;
        starfish_divide(grains, space->parts[d], space->first[d]);
        for (size_t p = 0; p <= space->parts[d]; p++)
            space->first[d][p] *= grain;
    }
}

static starfish_status check_runs(const size_t n[2], const struct starfish_runs *runs)
{
    if (runs->parts < 1 || runs->parts > STARFISH_SPACE_MOST_PARTS || runs->first[0] != 0 ||
        runs->first[runs->parts] != n[1])
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "runs: %zu parts that do not cover the %zu rows", runs->parts,
                             n[1]);
    for (size_t p = 0; p < runs->parts; p++)
        if (runs->first[p] >= runs->first[p + 1])
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "runs: part %zu has no rows", p);
    return STARFISH_SUCCESS;
}

int starfish_runs_are_on_ranks(const struct starfish_runs *runs)
{
    for (size_t p = 0; p < runs->parts && runs->owner; p++)
        if (runs->owner[p].rank != runs->owner[0].rank)
            return 1;
    return 0;
}

static int is_apart(const struct starfish_runs *runs)
{
    int gpus = 0;

    for (size_t p = 0; p < runs->parts && runs->owner; p++)
        gpus += runs->owner[p].device >= 0;
    return runs->parts > 1 && (runs->apart || gpus > 0 || starfish_runs_are_on_ranks(runs));
}

/* `depth` rows of part `from`, which are those below part `to` (its ghosts in front of it) or above it. */
static void add_run_halo(struct starfish_space *space, size_t from, size_t to, size_t depth, int below)
{
    const size_t rows = space->first[1][from + 1] - space->first[1][from], count = depth * space->n[0];
    struct starfish_halo *halo = &space->halo[space->halos++];

    *halo = (struct starfish_halo){.from = from, .to = to, .count = count};
    if (below) {
        halo->first = (rows - depth) * space->n[0];
        halo->at = -(ptrdiff_t)count;
        space->before[to] = count;
    } else {
        halo->at = (ptrdiff_t)starfish_space_part_size(space, to);
        space->after[to] = count;
    }
}

static starfish_status add_run_halos(struct starfish_space *space, size_t depth)
{
    for (size_t p = 0; p < space->parts[1]; p++)
        if (space->first[1][p + 1] - space->first[1][p] < depth)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "runs: part %zu has %zu rows, its neighbours read %zu", p,
                                 space->first[1][p + 1] - space->first[1][p], depth);
    for (size_t p = 0; p + 1 < space->parts[1]; p++) {
        add_run_halo(space, p, p + 1, depth, 1);
        add_run_halo(space, p + 1, p, depth, 0);
    }
    if (space->wraps) {
        add_run_halo(space, space->parts[1] - 1, 0, depth, 1);
        add_run_halo(space, 0, space->parts[1] - 1, depth, 0);
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_space_runs(struct starfish_space *space, struct starfish_context *context, const size_t n[2],
                                    const struct starfish_runs *runs)
{
    begin(space, context, n);
    STARFISH_TRY(check_runs(n, runs));
    space->parts[0] = 1;
    space->parts[1] = runs->parts;
    space->first[0][1] = n[0];
    memcpy(space->first[1], runs->first, (runs->parts + 1) * sizeof runs->first[0]);
    if (runs->owner)
        memcpy(space->owner, runs->owner, runs->parts * sizeof runs->owner[0]);
    space->apart = is_apart(runs);
    space->wraps = space->apart && runs->wraps;
    space->on_ranks = starfish_runs_are_on_ranks(runs);
    return space->apart ? add_run_halos(space, runs->depth) : STARFISH_SUCCESS;
}

static starfish_status add_index_halo(struct starfish_space *space, const struct starfish_index_halo *given)
{
    struct starfish_halo *halo = &space->halo[space->halos];
    const size_t own = starfish_space_part_size(space, given->to);

    *halo = (struct starfish_halo){.from = given->from, .to = given->to, .count = given->count, .at = given->at};
    if (given->at < 0 && space->before[given->to] < (size_t)-given->at)
        space->before[given->to] = (size_t)-given->at;
    if (given->at >= 0 && (size_t)given->at < own)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "halo: its ghosts begin inside of part %zu", given->to);
    if (given->at >= 0 && space->after[given->to] < (size_t)given->at + given->count - own)
        space->after[given->to] = (size_t)given->at + given->count - own;
    STARFISH_TRY(starfish_table_ints(&halo->index, given->index, given->count));
    space->halos++;
    return STARFISH_SUCCESS;
}

starfish_status starfish_space_index_sets(struct starfish_space *space, struct starfish_context *context, size_t parts,
                                          const size_t *rows, const struct starfish_owner *owner, size_t halos,
                                          const struct starfish_index_halo *halo)
{
    const size_t none[2] = {1, 0};

    begin(space, context, none);
    if (parts < 1 || parts > STARFISH_SPACE_MOST_PARTS || halos > STARFISH_SPACE_MOST_HALOS)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "index sets: %zu parts and %zu halos, at most %d and %d", parts,
                             halos, STARFISH_SPACE_MOST_PARTS, STARFISH_SPACE_MOST_HALOS);
    space->parts[0] = space->first[0][1] = 1;
    space->parts[1] = parts;
    space->apart = space->local = parts > 1;
    for (size_t p = 0; p < parts; p++) {
        space->first[1][p + 1] = space->first[1][p] + rows[p];
        if (owner)
            space->owner[p] = owner[p];
    }
    space->n[1] = space->first[1][parts];
    for (size_t h = 0; h < halos; h++)
        STARFISH_TRY(add_index_halo(space, &halo[h]));
    return STARFISH_SUCCESS;
}

void starfish_space_destroy(struct starfish_space *space)
{
    for (size_t h = 0; h < space->halos; h++)
        starfish_table_destroy(&space->halo[h].index);
    memset(space, 0, sizeof *space);
}

size_t starfish_space_part_size(const struct starfish_space *space, size_t part)
{
    return space->n[0] * (space->first[1][part + 1] - space->first[1][part]);
}

int starfish_space_rank(const struct starfish_space *space, size_t part)
{
    return space->on_ranks ? space->owner[part].rank : starfish_context_rank(space->context);
}

static int is_beside_another(const struct starfish_space *space, size_t part)
{
    const struct starfish_owner *own = &space->owner[part];
    const int before = part > 0 && memcmp(own, own - 1, sizeof *own) != 0;

    return before || (part + 1 < space->parts[1] && memcmp(own, own + 1, sizeof *own) != 0);
}

size_t starfish_space_turn(const struct starfish_space *space, size_t i)
{
    if (!space->apart || space->local)
        return i;
    for (int inner = 0; inner < 2; inner++)
        for (size_t part = 0; part < space->parts[1]; part++)
            if (is_beside_another(space, part) != inner && i-- == 0)
                return part;
    return 0; /* there is no such part */
}

/* ---- Vectors ----------------------------------------------------------------------------------------------------- */

static size_t pieces_of(const struct starfish_space *space)
{
    return space->parts[0] * space->parts[1];
}

/* Tiles of one array, or of memory that the runtime has where they are first written (node -1). */
static void register_tiles(struct starfish_vector *vector, int node, void *memory)
{
    const struct starfish_space *space = vector->space;
    const size_t size = starfish_real_size(vector->precision), *n = space->n;

    for (size_t y = 0; y < space->parts[1]; y++)
        for (size_t x = 0; x < space->parts[0]; x++) {
            const size_t x0 = space->first[0][x], y0 = space->first[1][y];
            const size_t width = space->first[0][x + 1] - x0, height = space->first[1][y + 1] - y0;
            const uintptr_t address = memory ? (uintptr_t)memory + (x0 + y0 * n[0]) * size : 0;
            starpu_data_handle_t *handle = &vector->piece[x + y * space->parts[0]];
            starpu_block_data_register(handle, node, address, (uint32_t)n[0], (uint32_t)(n[0] * n[1]), (uint32_t)width,
                                       (uint32_t)height, 1, size);
            starpu_data_set_coordinates(*handle, 2, (int)x, (int)y);
        }
}

/* In memory of its own where node is -1. */
static void register_run(starpu_data_handle_t *handle, int node, uintptr_t memory, size_t count, size_t size)
{
    starpu_block_data_register(handle, node, memory, (uint32_t)count, (uint32_t)count, (uint32_t)count, 1, 1, size);
}

/* Edges travel to their readers, and pieces to a task that collects them. */
static void set_rank(const struct starfish_space *space, starpu_data_handle_t handle, size_t part)
{
    if (space->on_ranks)
        starfish_data_set_travelling(space->context, handle, space->owner[part].rank);
}

static void register_apart(struct starfish_vector *vector)
{
    const struct starfish_space *space = vector->space;
    const size_t size = starfish_real_size(vector->precision);

    for (size_t p = 0; p < space->parts[1]; p++) {
        register_run(&vector->piece[p], -1, 0, space->before[p] + starfish_space_part_size(space, p) + space->after[p],
                     size);
        starpu_data_set_coordinates(vector->piece[p], 2, 0, (int)p);
        set_rank(space, vector->piece[p], p);
    }
    for (size_t h = 0; h < space->halos; h++) {
        register_run(&vector->edge[h], -1, 0, space->halo[h].count, size);
        starpu_data_set_coordinates(vector->edge[h], 2, (int)space->halo[h].from, (int)space->halo[h].to);
        starpu_data_set_name(vector->edge[h], "edge");
        set_rank(space, vector->edge[h], space->halo[h].from);
    }
}

starfish_status starfish_vector_create(struct starfish_vector *vector, const struct starfish_space *space,
                                       starfish_precision precision)
{
    *vector = (struct starfish_vector){.space = space, .precision = precision, .ghosts = space->apart};
    if (space->apart) {
        register_apart(vector);
        return STARFISH_SUCCESS;
    }
    if (space->context->workers_of[STARFISH_GPU] == 0 || pieces_of(space) > 1) {
        vector->memory = starfish_pages_alloc(space->n[0] * space->n[1] * starfish_real_size(precision));
        if (!vector->memory) {
            vector->space = NULL;
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a grid of %zu x %zu", space->n[0],
                                 space->n[1]);
        }
    }
    register_tiles(vector, vector->memory ? STARPU_MAIN_RAM : -1, vector->memory);
    return STARFISH_SUCCESS;
}

starfish_status starfish_vector_over(struct starfish_vector *vector, const struct starfish_space *space,
                                     starfish_precision precision, int node, void *memory, const char *name)
{
    const size_t bytes = space->n[0] * space->n[1] * starfish_real_size(precision);

    *vector = (struct starfish_vector){.space = NULL};
    STARFISH_TRY(starfish_memory_check_pinned(space->context, name, memory, bytes));
    *vector = (struct starfish_vector){.space = space, .precision = precision};
    register_tiles(vector, node, memory);
    return STARFISH_SUCCESS;
}

/* Handles without memory stand for other ranks' parts: their tasks are not executed here. */
starfish_status starfish_vector_over_own(struct starfish_vector *vector, const struct starfish_space *space,
                                         starfish_precision precision, int node, void *memory, const char *name)
{
    const int here = starfish_context_rank(space->context);
    const size_t size = starfish_real_size(precision);
    size_t own = 0;

    for (size_t p = 0; p < space->parts[1]; p++)
        own += starfish_space_rank(space, p) == here ? starfish_space_part_size(space, p) : 0;
    *vector = (struct starfish_vector){.space = NULL};
    STARFISH_TRY(starfish_memory_check_pinned(space->context, name, memory, own * size));
    *vector = (struct starfish_vector){.space = space, .precision = precision};
    own = 0;
    for (size_t p = 0; p < space->parts[1]; p++) {
        const int rank = starfish_space_rank(space, p), is_own = rank == here;
        const size_t count = starfish_space_part_size(space, p);
        register_run(&vector->piece[p], is_own ? node : -1, is_own ? (uintptr_t)memory + own * size : 0, count, size);
        starpu_data_set_coordinates(vector->piece[p], 2, 0, (int)p);
        starfish_data_set_owner(space->context, vector->piece[p], rank);
        own += is_own ? count : 0;
    }
    return STARFISH_SUCCESS;
}

void starfish_vector_borrow(struct starfish_vector *vector, const struct starfish_space *space,
                            starfish_precision precision, const starpu_data_handle_t *piece)
{
    *vector = (struct starfish_vector){.space = space, .precision = precision, .borrowed = 1};
    memcpy(vector->piece, piece, space->parts[1] * sizeof piece[0]);
}

/* Values that nobody wants need not be brought home, and may not even be there. */
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
    for (size_t h = 0; space && vector->ghosts && h < space->halos; h++)
        unregister(vector->edge[h]);
    free(vector->memory);
    *vector = (struct starfish_vector){.space = NULL};
}
