/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: remove the mean of the constant mode (blktri/kernels/constant_mode.h). It touches one mode of each plane. */
#include "codelets/constant_mode.h"

#include "codelets/kernel_pair.h"

#include <string.h>

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    int wants_removed;
    size_t part;
    struct starfish_constant_mode kernel; /* pointers are filled in by the task */
};

/* Data: weight_y, weight_z, tiles, removed when wanted. */
static struct starfish_constant_mode with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_constant_mode kernel = a->kernel;
    kernel.weight_y = STARFISH_VECTOR(buffers, 0);
    kernel.weight_z = STARFISH_VECTOR(buffers, 1);
    for (int t = 0; t < kernel.tiles; t++)
        kernel.tile[t] = starfish_real_at(STARFISH_VECTOR(buffers, 2 + t), a->precision, a->part);
    kernel.removed = a->wants_removed ? (double *)STARFISH_VECTOR(buffers, 2 + kernel.tiles) + a->part : NULL;
    return kernel;
}

STARFISH_KERNEL_CODELET(constant_mode, starfish_constant_mode, "constant_mode", 0xddcc77);

starfish_status starfish_submit_constant_mode(struct starfish_progress *progress, int phase,
                                              const struct starfish_constant_mode_task *d)
{
    struct starfish_task task;
    starfish_task_begin(&task, &constant_mode_codelet, progress, phase);
    task.name = "constant mode";
    task.device = d->device;
    task.width = 1;
    task.flops = 4.0 * (double)(d->ny * d->first[d->tiles]); /* the mean, and taking it away: a product, a sum each */
    starfish_task_data(&task, d->weight_y, STARPU_R);
    starfish_task_data(&task, d->weight_z, STARPU_R);
    for (size_t t = 0; t < d->tiles; t++)
        starfish_task_data(&task, d->tile[t], STARPU_RW);
    if (d->removed)
        starfish_task_data(&task, d->removed, d->part > 0 ? STARPU_RW : STARPU_W);

    struct arguments arguments = {
        .precision = d->precision,
        .wants_removed = d->removed != NULL,
        .part = d->part,
        .kernel = {.lanes = d->lanes, .ny = d->ny, .tiles = (int)d->tiles, .scale = d->scale}};
    memcpy(arguments.kernel.first, d->first, (d->tiles + 1) * sizeof *d->first);
    arguments.header.footprint = STARFISH_FOOTPRINT(d->precision, d->lanes, d->ny, d->tiles, d->first[d->tiles]);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
