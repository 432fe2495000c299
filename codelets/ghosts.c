/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: fill the ghosts around a solution (stencil/kernels/ghosts.h). It writes a layer around the field. */
#include "codelets/ghosts.h"

#include "codelets/faces.h"
#include "codelets/kernel_pair.h"

#include <string.h>

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    struct starfish_faces faces;
    struct starfish_ghosts kernel; /* pointers and strides are filled in by the task */
};

/* Data: the array, then faces and slabs. */
static struct starfish_ghosts with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_ghosts kernel = a->kernel;
    const size_t *n = kernel.n;
    kernel.strides =
        starfish_strides_or_packed(starfish_slab_strides(buffers[0], n[2] + 2), n[0] + 2, n[1] + 2, n[2] + 2);
    kernel.first =
        starfish_real_at(starfish_slab_memory(buffers[0]), a->precision, 1 + kernel.strides.row + kernel.strides.plane);
    starfish_faces_here(&a->faces, buffers, kernel.face);
    return kernel;
}

STARFISH_KERNEL_CODELET(ghosts, starfish_ghosts, "ghosts", 0x882255);

/* The worker beside the memory node that the array is on; of main memory any core. */
static starfish_status choose_worker(const struct starfish_context *context, int node, struct starfish_task *task)
{
    task->device = node == STARPU_MAIN_RAM ? STARFISH_CORES : STARFISH_GPUS;
    if (node == STARPU_MAIN_RAM ? context->workers_of[STARFISH_CPU] > 0 : starfish_task_stay(task, node))
        return STARFISH_SUCCESS;
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                         "ghosts: no worker of the context is beside the memory of the solution");
}

starfish_status starfish_submit_ghosts(struct starfish_progress *progress, int phase,
                                       const struct starfish_ghosts_task *d)
{
    struct starfish_task task;
    starfish_task_begin(&task, &ghosts_codelet, progress, phase);
    task.flops = 0; /* nearly all are copies */
    STARFISH_TRY(choose_worker(progress->context, starpu_data_get_home_node(d->array), &task));
    starfish_task_data(&task, d->array, STARPU_RW);
    struct arguments arguments = {.precision = d->precision, .kernel = {.problems = d->problems}};
    memcpy(arguments.kernel.n, d->n, sizeof d->n);
    memcpy(arguments.kernel.rule, d->rule, sizeof d->rule);
    memcpy(arguments.kernel.constant, d->constant, sizeof d->constant);
    arguments.faces = starfish_faces_attach(&task, d->face);
    for (size_t slab = 0; slab < d->slabs; slab++)
        starfish_task_data(&task, d->slab[slab], STARPU_R);
    arguments.header.footprint = STARFISH_FOOTPRINT(d->precision, d->n[0], d->n[1], d->n[2], d->problems);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
