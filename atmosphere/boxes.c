/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Divides flat domains into boxes: one per GPU, or per core without GPUs; on several ranks that many for each rank. */
#include "atmosphere/boxes.h"

#include "base/sizes.h"
#include "multigrid/flat_boxes.h"
#include "multigrid/kernels/flat_sphere.h"
#include "scheduler/runtime/distribute.h"
#include "scheduler/runtime/ranks.h"

#include <stdlib.h>

/* Owners beyond which boxes have so much shorter sides than runs of rows that their corners are worth it; columns that
 * a box has by default; rows that a rank has where these are runs. */
enum { MOST_RUNS = 8, LEAST_COLUMNS = 4, LEAST_ROWS = 9 };

static int is_wide_enough(const struct starfish_atmosphere_problem *p, const size_t parts[2])
{
    return p->n[0] >= LEAST_COLUMNS * parts[0] && p->n[1] >= LEAST_COLUMNS * parts[1];
}

/* Of all ways to cut into so many boxes the one whose boxes have the shortest sides; runs of rows for a few. 0: none is
 * possible. */
static int choose_parts(const struct starfish_atmosphere_problem *p, size_t count, size_t across, size_t parts[2])
{
    double shortest = 0;
    int found = 0;

    for (size_t x = 1; x <= count; x++) {
        const size_t tried[2] = {x, count / x};
        const double sides = (double)p->n[0] / (double)tried[0] + (double)p->n[1] / (double)tried[1];
        if (count % x > 0 || !is_wide_enough(p, tried) || (across > 0 && x != across))
            continue;
        if (found && (sides >= shortest || (across == 0 && count <= MOST_RUNS)))
            continue;
        parts[0] = tried[0];
        parts[1] = tried[1];
        shortest = sides;
        found = 1;
    }
    return found;
}

/* ---- One rank ---------------------------------------------------------------------------------------------------- */

/* Boxes in runs for `owners`, of which those beyond the GPUs are the cores. */
static void set_owners(const struct starfish_context *context, size_t count, size_t owners,
                       struct starfish_atmosphere_boxes *boxes)
{
    const size_t gpus = context->workers_of[STARFISH_GPU];

    for (size_t p = 0; p < count; p++) {
        const size_t owner = p * owners / count;
        boxes->owner[p].device = gpus == 0 ? STARFISH_ANY : owner < gpus ? (int)owner : STARFISH_CORES;
    }
}

/* For the GPUs, and for the cores too where there are more boxes than GPUs. */
static starfish_status cut_alone(const starfish_context *context, const struct starfish_atmosphere_options *o,
                                 size_t ny, struct starfish_atmosphere_boxes *boxes)
{
    const size_t gpus = context->workers_of[STARFISH_GPU], cores = context->workers_of[STARFISH_CPU];
    const size_t workers = gpus > 0 ? gpus : cores, across = o->boxes;
    const size_t rows = starfish_smaller((workers + across - 1) / across, STARFISH_KRYLOV_MOST_PARTS / across);
    const size_t possible = ny < 2 * STARFISH_FLAT_BOX_COLUMNS ? 1 : ny / STARFISH_FLAT_BOX_COLUMNS;
    const size_t count = o->slabs > 0 ? o->slabs : across * starfish_smaller(rows, possible);

    STARFISH_FAIL_IF(count % across > 0, STARFISH_ERROR_ARGUMENT,
                     "options.slabs is %zu, no multiple of options.boxes, which is %zu", count, across);
    boxes->cut.parts[0] = across;
    boxes->cut.parts[1] = count / across;
    set_owners(context, count, gpus + (count > gpus && cores > 0 ? 1 : 0), boxes);
    return STARFISH_SUCCESS;
}

/* ---- Several ranks ----------------------------------------------------------------------------------------------- */

static int are_wanted(const starfish_context *context, const struct starfish_atmosphere_options *o,
                      const struct starfish_atmosphere_problem *problem)
{
    const size_t ranks = (size_t)starfish_context_ranks(context);

    return o->boxes > 0 || problem->periodic[1] || ranks > MOST_RUNS || problem->n[1] < LEAST_ROWS * ranks;
}

/* Boxes for each rank: as many as asked for, or as possible up to `most`; or more, where only these are a multiple of
 * the boxes in x that are asked for. 0: none are possible. */
static size_t choose_each(const struct starfish_atmosphere_problem *problem, size_t ranks, size_t most, size_t across,
                          size_t parts[2])
{
    for (size_t each = most; each > 0; each--)
        if (choose_parts(problem, each * ranks, across, parts))
            return each;
    for (size_t each = most + 1; across > 0 && each * ranks <= STARFISH_KRYLOV_MOST_PARTS; each++)
        if (choose_parts(problem, each * ranks, across, parts))
            return each;
    return 0;
}

/* As many for each rank as the least of them has workers. */
static void cut_for(size_t ranks, const struct starfish_atmosphere_options *o,
                    const struct starfish_atmosphere_problem *problem, const struct starfish_share *share,
                    struct starfish_atmosphere_boxes *boxes)
{
    size_t each = STARFISH_KRYLOV_MOST_PARTS / ranks;

    for (size_t r = 0; r < ranks; r++) {
        each = starfish_smaller(each, starfish_share_devices(&share[r]));
        boxes->any_gpu |= share[r].gpus > 0;
    }
    if (o->slabs > 0)
        each = starfish_smaller(each, (o->slabs + ranks - 1) / ranks);
    each = choose_each(problem, ranks, each, o->boxes, boxes->cut.parts);
    for (size_t p = 0; p < each * ranks; p++)
        boxes->owner[p] = (struct starfish_owner){
            (int)(p / each), share[p / each].gpus > 0 ? (int)(p % each % share[p / each].gpus) : STARFISH_ANY};
    boxes->owners = each > 0 ? (int)ranks : 1;
}

static starfish_status cut_on_ranks(starfish_context *context, const struct starfish_atmosphere_options *o,
                                    const struct starfish_atmosphere_problem *problem,
                                    struct starfish_atmosphere_boxes *boxes)
{
    const size_t ranks = (size_t)starfish_context_ranks(context);
    struct starfish_share *share;

    if (ranks > STARFISH_KRYLOV_MOST_PARTS || !are_wanted(context, o, problem))
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_gather_shares(context, 0, &share));
    cut_for(ranks, o, problem, share, boxes);
    free(share);
    return STARFISH_SUCCESS;
}

/* ---- The panels of a sphere -------------------------------------------------------------------------------------- */

/* In runs for the ranks; those of a rank for its GPUs, one after the other. */
static starfish_status deal_panels(starfish_context *context, struct starfish_atmosphere_boxes *boxes)
{
    const size_t ranks = starfish_smaller((size_t)starfish_context_ranks(context), STARFISH_PANELS);
    struct starfish_share *share;

    STARFISH_TRY(starfish_gather_shares(context, 0, &share));
    for (size_t p = 0; p < STARFISH_PANELS; p++) {
        const size_t rank = p * ranks / STARFISH_PANELS, gpus = share[rank].gpus;
        boxes->owner[p] = (struct starfish_owner){(int)rank, gpus > 0 ? (int)(p % gpus) : STARFISH_ANY};
        boxes->any_gpu |= gpus > 0;
    }
    boxes->owners = (int)ranks;
    free(share);
    return STARFISH_SUCCESS;
}

/* Cores beside GPUs have none: a GPU does a panel in a tenth of their time. */
static starfish_status cut_panels(starfish_context *context, const struct starfish_atmosphere_options *o,
                                  struct starfish_atmosphere_boxes *boxes)
{
    if (o->boxes > 1 || (o->slabs > 0 && o->slabs != STARFISH_PANELS))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.%s is %zu, but the parts of a sphere are its six panels",
                             o->boxes > 1 ? "boxes" : "slabs", o->boxes > 1 ? o->boxes : o->slabs);
    boxes->cut.parts[0] = 1;
    boxes->cut.parts[1] = STARFISH_PANELS;
    if (starfish_context_ranks(context) > 1)
        return deal_panels(context, boxes);
    set_owners(context, STARFISH_PANELS, context->workers_of[STARFISH_GPU], boxes);
    return STARFISH_SUCCESS;
}

starfish_status starfish_atmosphere_cut(starfish_context *context, const struct starfish_atmosphere_options *o,
                                        const struct starfish_atmosphere_problem *problem,
                                        struct starfish_atmosphere_boxes *boxes)
{
    *boxes = (struct starfish_atmosphere_boxes){.owners = 1};
    boxes->cut.owner = boxes->owner;
    if (problem->geometry == STARFISH_SPHERE)
        return cut_panels(context, o, boxes);
    if (starfish_context_ranks(context) > 1)
        return cut_on_ranks(context, o, problem, boxes);
    return o->boxes > 0 ? cut_alone(context, o, problem->n[1], boxes) : STARFISH_SUCCESS;
}
