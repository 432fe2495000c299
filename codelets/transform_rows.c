/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: transform along x between a slab and its tiles (transform.h). Bound as the transforms are. */
#include "codelets/kernel_pair.h"
#include "codelets/transform.h"
#include "scheduler/runtime/ranks.h"

#include <math.h>
#include <string.h>

struct arguments {
    struct starfish_task_header header;
    const struct starfish_transform_set *set;
    const struct starfish_workspace *workspace;
    enum starfish_transform_direction direction;
    struct starfish_access slab;           /* for its edges */
    struct starfish_transform_rows kernel; /* pointers are filled in by the task */
};

static struct starfish_transform_rows with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_transform_rows kernel = a->kernel;
    kernel.rows = STARFISH_SLAB(buffers, 0);
    for (int t = 0; t < kernel.tiles; t++)
        kernel.tile[t] = STARFISH_VECTOR(buffers, 1 + t);
    return kernel;
}

/* The rows that one core of a team transforms. */
struct shared {
    const struct arguments *a;
    const struct starfish_transform_rows *whole;
};

static int transform_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    const struct shared *shared = data;
    const struct starfish_transform_set *set = shared->a->set;
    struct starfish_transform_rows rows = *shared->whole;
    const size_t first = rows.count * part / parts;
    rows.count = rows.count * (part + 1) / parts - first;
    rows.rows = starfish_real_at(rows.rows, set->precision, first * set->n);
    for (int t = 0; t < rows.tiles; t++)
        rows.tile[t] =
            starfish_real_at(rows.tile[t], set->precision, first * (rows.first_mode[t + 1] - rows.first_mode[t]));
    rows.workspace = starfish_workspace_part(shared->a->workspace, part);
    return starfish_transform_set_rows(place, set, shared->a->direction, &rows);
}

static void transform_rows_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_transform_rows kernel = with_pointers(buffers, a);
    struct shared shared = {a, &kernel};
    starfish_task_check(&a->header, "transform_rows",
                        starfish_place_share(place, a->set->context, transform_share, &shared));
    starfish_task_check(&a->header, "edges of a slab", starfish_vector_publish(place, buffers, &a->slab));
}

STARFISH_PLACE_CODELET(transform_rows, arguments, a->set->precision, "transform_rows", 0x4477aa);

starfish_status starfish_submit_transform_rows(struct starfish_progress *progress, int phase,
                                               const struct starfish_transform_task *d)
{
    const int forward = d->direction == STARFISH_FORWARD;
    const size_t rows = d->n[0] * d->n[1];
    struct starfish_task task;
    starfish_task_begin(&task, &transform_rows_codelet, progress, phase);
    task.name = forward ? "transform x" : "inverse transform x";
    task.device = d->device;
    task.priority = d->priority;
    task.width = rows;
    task.rank = starfish_data_owner(d->slab); /* tiles may be other ranks' */
    starfish_task_at(&task, "slab", d->tile[0], 0);
    starfish_task_data(&task, d->slab, forward ? STARPU_R : STARPU_W);
    for (size_t t = 0; t < d->tiles; t++)
        starfish_task_data(&task, d->tile[t], forward ? STARPU_W : STARPU_R);

    starfish_task_optional(&task, d->after, STARPU_R);
    struct arguments arguments = {.set = d->set,
                                  .workspace = d->workspace,
                                  .direction = d->direction,
                                  .slab = starfish_vector_attach_edges(&task, d->written, d->part, 0),
                                  .kernel = {.count = rows, .tiles = (int)d->tiles, .scale = d->scale}};
    memcpy(arguments.kernel.first_mode, d->first_mode, (d->tiles + 1) * sizeof *d->first_mode);
    task.flops = 2.5 * log2((double)d->set->n) * (double)(d->set->n * rows);
    arguments.header.footprint =
        STARFISH_FOOTPRINT(d->set->kind, d->set->n, d->set->precision, d->direction, rows, d->tiles);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
