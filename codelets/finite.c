/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: finds values in a piece of user data that are not finite (stencil/kernels/finite.h). Memory-bound: reads the
 * data once. */
#include "codelets/stencil.h"

#include "codelets/kernel_pair.h"
#include "stencil/kernels/finite.h"

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    size_t count;
    int is_slab;
};

/* Data: the values, a slab or a vector, and the result. */
static struct starfish_finite with_pointers(void *buffers[], const struct arguments *a)
{
    return (struct starfish_finite){a->count, a->is_slab ? STARFISH_SLAB(buffers, 0) : STARFISH_VECTOR(buffers, 0),
                                    STARFISH_VECTOR(buffers, 1)};
}

STARFISH_KERNEL_CODELET(finite, starfish_finite, "finite", 0x335577);

starfish_status starfish_submit_finite(struct starfish_progress *progress, int phase,
                                       const struct starfish_finite_task *d)
{
    struct starfish_task task;
    starfish_task_begin(&task, &finite_codelet, progress, phase);
    task.name = "search for what is not finite";
    task.device = d->device;
    task.width = d->count;
    task.flops = 0; /* comparisons alone */
    starfish_task_data(&task, d->values, STARPU_R);
    starfish_task_data(&task, d->first, STARPU_W);
    struct arguments arguments = {.precision = d->precision, .count = d->count, .is_slab = d->is_slab};
    arguments.header.footprint = STARFISH_FOOTPRINT(d->precision, d->count);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
