/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: planes of tiles to rows of levels, and back (blktri/kernels/rows.h). Bound by memory: each row is read and
 * written once. */
#include "codelets/cyclic_reduction.h"

#include "codelets/kernel_pair.h"
#include "codelets/reduction_team.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_rows_task task; /* its handles are not used in the task */
};

/* Data: places, tiles, levels, factors. */
static struct starfish_rows rows_of_level(void *buffers[], const struct arguments *a, size_t level)
{
    const struct starfish_rows_task *task = &a->task;
    const struct starfish_level *shape = &task->shape[level];
    const int *places = STARFISH_VECTOR(buffers, 0);
    void *const factors = task->factors ? STARFISH_VECTOR(buffers, 1 + task->tiles + task->levels) : NULL;
    struct starfish_rows kernel = {
        .width = task->width,
        .count = shape->rows * task->pieces,
        .which = places + shape->row_slab,
        .position = places + shape->row_plane,
        .factor = factors ? starfish_real_at(factors, task->precision, shape->row_slab / 2) : NULL,
        .buffer = starfish_real_at(STARFISH_VECTOR(buffers, 1 + task->tiles + level), task->precision,
                                   shape->first_row * task->pieces * task->width)};
    for (size_t t = 0; t < task->tiles; t++)
        kernel.array[task->first_tile + t] = STARFISH_VECTOR(buffers, 1 + t);
    return kernel;
}

static void rows_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    for (size_t level = 0; level < a->task.levels; level++) {
        const struct starfish_rows kernel = rows_of_level(buffers, a, level);
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
    task.priority = d->priority;
    task.width = d->width;
    task.flops = 0; /* copies */
    starfish_task_at(&task, "block", d->tile[d->first_tile], 1);
    starfish_task_data(&task, d->places, STARPU_R);
    struct arguments arguments = {.task = *d};
    size_t count = 0;
    for (size_t t = 0; t < d->tiles; t++)
        starfish_task_data(&task, d->tile[d->first_tile + t], d->to_levels ? STARPU_R : STARPU_W);
    for (size_t l = 0; l < d->levels; l++) {
        starfish_task_data(&task, d->level[l], !d->to_levels ? STARPU_R : d->some ? STARPU_RW : STARPU_W);
        count += d->shape[l].rows * d->pieces;
    }
    if (d->factors)
        starfish_task_data(&task, d->factors, STARPU_R);
    arguments.header.footprint = STARFISH_FOOTPRINT(d->precision, d->width, count, d->tiles, (size_t)d->to_levels);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
