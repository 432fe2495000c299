/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: planes of tiles to rows of levels, and back (blktri/kernels/rows.h). Bound by memory: each row is read and
 * written once. */
#include "codelets/cyclic_reduction.h"

#include "codelets/kernel_pair.h"
#include "codelets/reduction_team.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_rows_task task; /* its pointers are gone */
    size_t level_rows[STARFISH_MAX_LEVELS];
};

/* Data: places, tiles, levels. */
static struct starfish_rows rows_of_level(void *buffers[], const struct arguments *a, size_t level, size_t *place)
{
    struct starfish_rows kernel = {.width = a->task.width, .count = a->level_rows[level]};
    const int *places = STARFISH_VECTOR(buffers, 0);
    for (size_t t = 0; t < a->task.tiles; t++)
        kernel.array[t] = STARFISH_VECTOR(buffers, 1 + t);
    kernel.which = places + *place;
    kernel.position = places + *place + kernel.count;
    kernel.buffer = STARFISH_VECTOR(buffers, 1 + a->task.tiles + level);
    *place += 2 * kernel.count;
    return kernel;
}

static void rows_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    size_t first = 0;
    for (size_t level = 0; level < a->task.levels; level++) {
        const struct starfish_rows kernel = rows_of_level(buffers, a, level, &first);
        starfish_task_check(&a->header, "rows",
                            starfish_rows_at(place, a->header.progress->context, &kernel,
                                             a->task.to_levels ? STARFISH_ROWS_GATHER : STARFISH_ROWS_SCATTER));
    }
}

STARFISH_PLACE_CODELET(rows, arguments, a->task.precision, "rows", 0xbbbbbb);

starfish_status starfish_submit_rows(struct starfish_progress *progress, int phase, const struct starfish_rows_task *d)
{
    struct starfish_task task;
    starfish_task_begin(&task, &rows_codelet, progress, phase);
    task.name = d->to_levels ? "rows to levels" : "levels to rows";
    task.device = d->device;
    task.width = d->width;
    task.flops = 0; /* copies */
    starfish_task_at(&task, "block", d->tile[0], 1);
    starfish_task_data(&task, d->places, STARPU_R);
    struct arguments arguments = {.task = *d};
    size_t count = 0;
    for (size_t t = 0; t < d->tiles; t++)
        starfish_task_data(&task, d->tile[t], d->to_levels ? STARPU_R : STARPU_W);
    for (size_t l = 0; l < d->levels; l++) {
        starfish_task_data(&task, d->level[l], d->to_levels ? STARPU_W : STARPU_R);
        arguments.level_rows[l] = d->shape[l].rows;
        count += d->shape[l].rows;
    }
    arguments.header.footprint = STARFISH_FOOTPRINT(d->precision, d->width, count, d->tiles, (size_t)d->to_levels);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
