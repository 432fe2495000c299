/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: solves the line of a singular problem's constant mode, from the pieces copied by the slabs. The codelet keeps
 * the name that recorded machines contain. */
#include "tridiag/kernels/constant_line.h"

#include "codelets/kernel_pair.h"
#include "codelets/slab.h"

#include <string.h>

STARFISH_PLACE_KERNEL_ALONE(run_line, starfish_constant_solve)

struct arguments {
    struct starfish_task_header header;
    const struct starfish_slab_space *space;
    size_t pieces, first[STARFISH_CONSTANT_MAX_SLABS + 1];
};

/* Data: constant tables, removed, then a piece of every slab. */
static struct starfish_constant_solve with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_constant_solve kernel = {
        .tables = starfish_constant_tables_in(STARFISH_VECTOR(buffers, 0), a->space->n[2]),
        .scale = a->space->constant_scale,
        .removed = STARFISH_VECTOR(buffers, 1),
        .pieces = a->pieces};
    memcpy(kernel.first, a->first, sizeof kernel.first);
    for (size_t s = 0; s < a->pieces; s++)
        kernel.piece[s] = STARFISH_VECTOR(buffers, 2 + s);
    return kernel;
}

static void constant_sum_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_constant_solve kernel = with_pointers(buffers, a);
    starfish_task_check(&a->header, "constant mode", run_line(place, &kernel));
}

STARFISH_PLACE_CODELET(constant_sum, arguments, a->space->precision, "constant_sum", 0xddcc77);

starfish_status starfish_submit_constant_line(struct starfish_progress *progress, int phase,
                                              const struct starfish_constant_line_task *d)
{
    enum { OPERATIONS = 10 }; /* of an unknown */
    struct starfish_task task;
    struct arguments arguments = {.space = d->space, .pieces = d->slabs};
    starfish_task_begin(&task, &constant_sum_codelet, progress, phase);
    task.name = "constant mode";
    task.device = d->device;
    task.width = 1;
    task.flops = OPERATIONS * (double)d->space->n[2];
    task.priority = STARFISH_PRIORITY_REDUCED;
    starfish_task_data(&task, d->space->constant.handle, STARPU_R);
    starfish_task_data(&task, d->removed, STARPU_W);
    for (size_t s = 0; s < d->slabs; s++) {
        arguments.first[s + 1] = arguments.first[s] + d->slab[s].planes;
        starfish_task_data(&task, d->slab[s].constant, STARPU_RW);
    }
    arguments.header.footprint = STARFISH_FOOTPRINT(d->slabs);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
