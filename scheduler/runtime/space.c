/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Spaces: arrays cut into parts, owners of the parts, and halos. A space is made with a plan, so nothing here is
 * performance-critical. */
#include "scheduler/runtime/space.h"

#include "scheduler/runtime/ranks.h"

#include <limits.h>
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

/* The arrays are one piece of memory, which first[0] begins. */
starfish_status starfish_space_begin(struct starfish_space *space, struct starfish_context *context, const size_t n[2],
                                     const size_t parts[2])
{
    const size_t most = parts[0] > parts[1] ? parts[0] : parts[1];
    const size_t numbers = parts[0] + 1 + parts[1] + 1 + 2 * most;

    memset(space, 0, sizeof *space);
    space->context = context;
    memcpy(space->n, n, sizeof space->n);
    memcpy(space->parts, parts, sizeof space->parts);
    space->first[0] = calloc(1, numbers * sizeof(size_t) + most * (sizeof *space->box + sizeof *space->owner));
    STARFISH_FAIL_IF(!space->first[0], STARFISH_ERROR_MEMORY, "out of memory for %zu parts of an array", most);
    space->first[1] = space->first[0] + parts[0] + 1;
    space->before = space->first[1] + parts[1] + 1;
    space->after = space->before + most;
    space->box = (struct starfish_box *)(space->after + most);
    space->owner = (struct starfish_owner *)(space->box + most);
    space->first[0][parts[0]] = n[0];
    for (size_t p = 0; p < most; p++)
        space->owner[p].device = STARFISH_ANY;
    return STARFISH_SUCCESS;
}

static starfish_status add_halo(struct starfish_space *space, const struct starfish_halo *halo)
{
    struct starfish_halo *const all = realloc(space->halo, (space->halos + 1) * sizeof *all);

    STARFISH_FAIL_IF(!all, STARFISH_ERROR_MEMORY, "out of memory for %zu halos", space->halos + 1);
    space->halo = all;
    all[space->halos++] = *halo;
    return STARFISH_SUCCESS;
}

starfish_status starfish_space_tiles(struct starfish_space *space, struct starfish_context *context, const size_t n[2],
                                     const struct starfish_tiling *tiling)
{
    const size_t grain[2] = {tiling->grain, 1};
    size_t parts[2];

    for (int d = 0; d < 2; d++)
        parts[d] = tiling->parts[d] < n[d] / grain[d] ? tiling->parts[d] : n[d] / grain[d];
    STARFISH_TRY(starfish_space_begin(space, context, n, parts));
    for (int d = 0; d < 2; d++) {
        starfish_divide(n[d] / grain[d], parts[d], space->first[d]);
        for (size_t p = 0; p <= parts[d]; p++)
            space->first[d][p] *= grain[d];
    }
    return STARFISH_SUCCESS;
}

static starfish_status check_runs(const size_t n[2], const struct starfish_runs *runs)
{
    STARFISH_FAIL_IF(runs->parts < 1 || runs->first[0] != 0 || runs->first[runs->parts] != n[1],
                     STARFISH_ERROR_ARGUMENT, "runs: %zu parts that do not cover the %zu rows", runs->parts, n[1]);
    for (size_t p = 0; p < runs->parts; p++)
        if (runs->first[p] >= runs->first[p + 1])
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "runs: part %zu has no rows", p);
    return STARFISH_SUCCESS;
}

static int is_apart(const struct starfish_runs *runs)
{
    int gpus = 0;

    for (size_t p = 0; p < runs->parts && runs->owner; p++)
        gpus += runs->owner[p].device >= 0;
    return runs->parts > 1 && (runs->apart || gpus > 0 || starfish_runs_are_on_ranks(runs));
}

/* Rows of part `from`, which are those below part `to` (its ghosts in front of it) or above it: the `rows` ones behind
 * the `skipped` ones nearest to the cut. */
static starfish_status add_rows(struct starfish_space *space, size_t from, size_t to, int below, size_t skipped,
                                size_t rows)
{
    const size_t nx = space->n[0], behind = skipped + rows;
    struct starfish_halo halo = {.from = from, .to = to, .count = rows * nx, .far = skipped > 0};

    if (below) {
        halo.first = starfish_space_part_size(space, from) - behind * nx;
        halo.at = -(ptrdiff_t)(behind * nx);
        space->before[to] = behind * nx;
    } else {
        halo.first = skipped * nx;
        halo.at = (ptrdiff_t)(starfish_space_part_size(space, to) + skipped * nx);
        space->after[to] = behind * nx;
    }
    return add_halo(space, &halo);
}

static starfish_status add_run_halo(struct starfish_space *space, size_t from, size_t to, size_t depth, int below)
{
    const size_t near = space->slow && depth > 1 ? 1 : depth;

    STARFISH_TRY(add_rows(space, from, to, below, 0, near));
    return near < depth ? add_rows(space, from, to, below, near, depth - near) : STARFISH_SUCCESS;
}

static starfish_status add_run_halos(struct starfish_space *space, size_t depth)
{
    const size_t parts = space->parts[1], cuts = space->wraps ? parts : parts - 1;

    for (size_t p = 0; p < parts; p++)
        if (space->first[1][p + 1] - space->first[1][p] < depth)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "runs: part %zu has %zu rows, its neighbours read %zu", p,
                                 space->first[1][p + 1] - space->first[1][p], depth);
    for (size_t p = 0; p < cuts && parts > 0; p++) {
        STARFISH_TRY(add_run_halo(space, p, (p + 1) % parts, depth, 1));
        STARFISH_TRY(add_run_halo(space, (p + 1) % parts, p, depth, 0));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_space_runs(struct starfish_space *space, struct starfish_context *context, const size_t n[2],
                                    const struct starfish_runs *runs)
{
    memset(space, 0, sizeof *space);
    STARFISH_TRY(check_runs(n, runs));
    STARFISH_TRY(starfish_space_begin(space, context, n, (const size_t[]){1, runs->parts}));
    memcpy(space->first[1], runs->first, (runs->parts + 1) * sizeof runs->first[0]);
    for (size_t p = 0; p < runs->parts; p++)
        space->owner[p] = starfish_runs_owner(runs, p);
    space->apart = is_apart(runs);
    space->wraps = space->apart && runs->wraps;
    space->on_ranks = starfish_runs_are_on_ranks(runs);
    space->slow = starfish_runs_are_slow(runs, n[0]);
    return space->apart && runs->depth > 0 ? add_run_halos(space, runs->depth) : STARFISH_SUCCESS;
}

int starfish_space_owners(const struct starfish_space *space)
{
    int owners = 0;

    for (size_t p = 0; space->apart && p < space->parts[1]; p++) {
        size_t q = 0;
        while (q < p && !starfish_owner_is(space->owner[q], space->owner[p]))
            q++;
        owners += q == p;
    }
    return owners > 0 ? owners : 1;
}

static starfish_status add_index_halo(struct starfish_space *space, const struct starfish_index_halo *given)
{
    const struct starfish_halo halo = {.from = given->from, .to = given->to, .count = given->count, .at = given->at};
    const size_t own = starfish_space_part_size(space, given->to);

    if (given->at < 0 && space->before[given->to] < (size_t)-given->at)
        space->before[given->to] = (size_t)-given->at;
    if (given->at >= 0 && (size_t)given->at < own)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "halo: its ghosts begin inside of part %zu", given->to);
    if (given->at >= 0 && space->after[given->to] < (size_t)given->at + given->count - own)
        space->after[given->to] = (size_t)given->at + given->count - own;
    STARFISH_TRY(add_halo(space, &halo));
    return starfish_coefficient_table_ints(&space->halo[space->halos - 1].index, given->index, given->count);
}

starfish_status starfish_space_index_sets(struct starfish_space *space, struct starfish_context *context, size_t parts,
                                          const size_t *rows, const struct starfish_owner *owner, size_t halos,
                                          const struct starfish_index_halo *halo)
{
    memset(space, 0, sizeof *space);
    STARFISH_FAIL_IF(parts < 1, STARFISH_ERROR_ARGUMENT, "index sets: no parts");
    STARFISH_TRY(starfish_space_begin(space, context, (const size_t[]){1, 0}, (const size_t[]){1, parts}));
    space->apart = space->local = parts > 1;
    for (size_t p = 0; p < parts; p++) {
        space->first[1][p + 1] = space->first[1][p] + rows[p];
        if (owner)
            space->owner[p] = owner[p];
        space->on_ranks |= space->owner[p].rank != space->owner[0].rank;
    }
    space->n[1] = space->first[1][parts];
    for (size_t h = 0; h < halos; h++)
        STARFISH_TRY(add_index_halo(space, &halo[h]));
    return STARFISH_SUCCESS;
}

/* ---- Boxes ------------------------------------------------------------------------------------------------------- */

/* Where an element of a box's array is: of cell (x,y), layer 0. */
static ptrdiff_t element_of(const struct starfish_space *space, const struct starfish_box *box, ptrdiff_t x,
                            ptrdiff_t y)
{
    return x - box->array[0][0] + (ptrdiff_t)(starfish_box_memory(box, 0) * space->layers) * (y - box->array[1][0]);
}

/* The cells of a box's ghosts, in direction d, whose neighbours are the box's own. */
static void clip_to_neighbour(const struct starfish_box_neighbour *neighbour, const struct starfish_box *from, int d,
                              ptrdiff_t *first, ptrdiff_t *last)
{
    const int e = neighbour->step[0][d] != 0 ? 0 : 1;
    const ptrdiff_t step = neighbour->step[e][d], origin = neighbour->origin[e];
    const ptrdiff_t low = step * (from->own[e][step < 0] - (step < 0) - origin);
    const ptrdiff_t high = step * (from->own[e][step > 0] - origin) + (step < 0);

    *first = low > *first ? low : *first;
    *last = high < *last ? high : *last;
}

/* The cells that box `to` reads of box `from`; 0: there are none. */
static int find_ghosts(const struct starfish_space *space, const struct starfish_box_neighbour *neighbour, size_t depth,
                       ptrdiff_t first[2], ptrdiff_t last[2])
{
    const struct starfish_box *to = &space->box[neighbour->to];

    for (int d = 0; d < 2; d++) {
        const ptrdiff_t low = to->own[d][0] - (ptrdiff_t)depth, high = to->own[d][1] + (ptrdiff_t)depth;
        first[d] = low > to->array[d][0] ? low : to->array[d][0];
        last[d] = high < to->array[d][1] ? high : to->array[d][1];
        first[d] = first[d] > neighbour->ghost[d][0] ? first[d] : neighbour->ghost[d][0];
        last[d] = last[d] < neighbour->ghost[d][1] ? last[d] : neighbour->ghost[d][1];
        clip_to_neighbour(neighbour, &space->box[neighbour->from], d, &first[d], &last[d]);
    }
    return first[0] < last[0] && first[1] < last[1];
}

/* The element of box `from` that is the neighbour of cell (x,y), layer 0. */
static ptrdiff_t element_beyond(const struct starfish_space *space, const struct starfish_box_neighbour *neighbour,
                                ptrdiff_t x, ptrdiff_t y)
{
    return element_of(space, &space->box[neighbour->from], starfish_box_neighbour_cell(neighbour, 0, x, y),
                      starfish_box_neighbour_cell(neighbour, 1, x, y));
}

/* In the order of the reader's array: rows, of these layers, of these columns. */
static starfish_status index_halo(const struct starfish_space *space, const struct starfish_box_neighbour *neighbour,
                                  const ptrdiff_t first[2], const ptrdiff_t last[2], struct starfish_halo *halo)
{
    const ptrdiff_t layer = (ptrdiff_t)starfish_box_memory(&space->box[neighbour->from], 0);
    int *const index = malloc(halo->count * sizeof *index), *next = index;

    STARFISH_FAIL_IF(!index, STARFISH_ERROR_MEMORY, "out of memory for a halo of %zu cells", halo->count);
    for (ptrdiff_t y = first[1]; y < last[1]; y++)
        for (ptrdiff_t k = 0; k < (ptrdiff_t)space->layers; k++)
            for (ptrdiff_t x = first[0]; x < last[0]; x++)
                *next++ = (int)(element_beyond(space, neighbour, x, y) + layer * k);
    const starfish_status status = starfish_coefficient_table_ints(&halo->index, index, halo->count);
    free(index);
    return status;
}

static int has_int_indices(const struct starfish_space *space, const struct starfish_box *box)
{
    return starfish_box_memory(box, 0) * starfish_box_memory(box, 1) * space->layers <= INT_MAX;
}

static starfish_status add_box_halo(struct starfish_space *space, size_t depth,
                                    const struct starfish_box_neighbour *neighbour)
{
    ptrdiff_t first[2], last[2];

    if (!find_ghosts(space, neighbour, depth, first, last))
        return STARFISH_SUCCESS;
    const size_t width = (size_t)(last[0] - first[0]), rows = (size_t)(last[1] - first[1]);
    const int is_run = starfish_box_neighbour_is_shift(neighbour);
    const struct starfish_halo halo = {.from = neighbour->from,
                                       .to = neighbour->to,
                                       .count = width * rows * space->layers,
                                       .first =
                                           is_run ? (size_t)element_beyond(space, neighbour, first[0], first[1]) : 0,
                                       .at = element_of(space, &space->box[neighbour->to], first[0], first[1]),
                                       .width = width};
    STARFISH_TRY(add_halo(space, &halo));
    if (is_run)
        return STARFISH_SUCCESS;
    STARFISH_FAIL_IF(!has_int_indices(space, &space->box[neighbour->from]), STARFISH_ERROR_ARGUMENT,
                     "boxes: box %zu has more than %d cells", neighbour->from, INT_MAX);
    return index_halo(space, neighbour, first, last, &space->halo[space->halos - 1]);
}

/* A box of an array, which has it again `shift` cells further where it is periodic. */
static struct starfish_box_neighbour in_an_array(size_t from, size_t to, const ptrdiff_t shift[2])
{
    return (struct starfish_box_neighbour){.from = from,
                                           .to = to,
                                           .ghost = {{PTRDIFF_MIN, PTRDIFF_MAX}, {PTRDIFF_MIN, PTRDIFF_MAX}},
                                           .origin = {-shift[0], -shift[1]},
                                           .step = {{1, 0}, {0, 1}}};
}

static starfish_status add_array_halos(struct starfish_space *space, const struct starfish_boxes *boxes, size_t from,
                                       size_t to)
{
    const ptrdiff_t n[2] = {(ptrdiff_t)boxes->cells[0], (ptrdiff_t)boxes->cells[1]};

    for (int y = -boxes->periodic[1]; y <= boxes->periodic[1]; y++)
        for (int x = -boxes->periodic[0]; x <= boxes->periodic[0]; x++) {
            const struct starfish_box_neighbour neighbour =
                in_an_array(from, to, (const ptrdiff_t[]){x * n[0], y * n[1]});
            if (from != to || x != 0 || y != 0)
                STARFISH_TRY(add_box_halo(space, boxes->depth, &neighbour));
        }
    return STARFISH_SUCCESS;
}

static starfish_status add_box_halos(struct starfish_space *space, const struct starfish_boxes *boxes)
{
    for (size_t i = 0; i < boxes->neighbours; i++)
        STARFISH_TRY(add_box_halo(space, boxes->depth, &boxes->neighbour[i]));
    for (size_t to = 0; to < boxes->parts && !boxes->neighbour; to++)
        for (size_t from = 0; from < boxes->parts; from++)
            STARFISH_TRY(add_array_halos(space, boxes, from, to));
    return STARFISH_SUCCESS;
}

starfish_status starfish_space_boxes(struct starfish_space *space, struct starfish_context *context,
                                     const struct starfish_boxes *boxes)
{
    memset(space, 0, sizeof *space);
    STARFISH_FAIL_IF(boxes->parts < 1, STARFISH_ERROR_ARGUMENT, "boxes: no parts");
    STARFISH_TRY(starfish_space_begin(space, context,
                                      (const size_t[]){boxes->cells[0] * boxes->layers, boxes->cells[1]},
                                      (const size_t[]){1, boxes->parts}));
    space->apart = space->local = 1;
    space->layers = boxes->layers;
    space->rim = boxes->rim;
    memcpy(space->cells, boxes->cells, sizeof space->cells);
    memcpy(space->box, boxes->box, boxes->parts * sizeof boxes->box[0]);
    for (size_t p = 0; p < boxes->parts && boxes->owner; p++)
        space->owner[p] = boxes->owner[p];
    for (size_t p = 1; p < boxes->parts && boxes->owner; p++)
        space->on_ranks |= boxes->owner[p].rank != boxes->owner[0].rank;
    return add_box_halos(space, boxes);
}

void starfish_space_destroy(struct starfish_space *space)
{
    for (size_t h = 0; h < space->halos; h++)
        starfish_coefficient_table_destroy(&space->halo[h].index);
    free(space->halo);
    free(space->first[0]);
    memset(space, 0, sizeof *space);
}

size_t starfish_space_part_size(const struct starfish_space *space, size_t part)
{
    const struct starfish_box *box = &space->box[part];

    if (space->layers > 0)
        return starfish_box_own(box, 0) * starfish_box_own(box, 1) * space->layers;
    return space->n[0] * (space->first[1][part + 1] - space->first[1][part]);
}

int starfish_space_rank(const struct starfish_space *space, size_t part)
{
    return space->on_ranks ? space->owner[part].rank : starfish_context_rank(space->context);
}

void starfish_space_rows_here(const struct starfish_space *space, size_t *first, size_t *rows)
{
    *first = *rows = 0;
    for (size_t y = space->parts[1]; y-- > 0;)
        if (starfish_space_rank(space, y) == starfish_context_rank(space->context)) {
            *first = space->first[1][y];
            *rows += space->first[1][y + 1] - space->first[1][y];
        }
}

static int is_beside_another(const struct starfish_space *space, size_t part)
{
    const struct starfish_owner *own = &space->owner[part];
    const int before = part > 0 && !starfish_owner_is(own[0], own[-1]);

    return before || (part + 1 < space->parts[1] && !starfish_owner_is(own[0], own[1]));
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
