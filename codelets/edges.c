/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: writes the edges of a slab of a solution, for slabs whose writers know of no edges. Bound by the copy of two
 * planes. */
#include "codelets/kernel_pair.h"
#include "codelets/stencil.h"

/* Data: the slab, then its edges. */
struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    struct starfish_access slab;
};

static void edges_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    starfish_task_check(&a->header, "edges of a slab", starfish_vector_publish(place, buffers, &a->slab));
}

STARFISH_PLACE_CODELET(edges, arguments, a->precision, "edges", 0x99aa33);

starfish_status starfish_submit_edges(struct starfish_progress *progress, int phase,
                                      const struct starfish_vector *vector, size_t part)
{
    struct arguments arguments = {.precision = vector->precision};
    struct starfish_task task;
    starfish_task_begin(&task, &edges_codelet, progress, phase);
    starfish_task_of_owner(&task, vector->space, part, 0);
    task.flops = 0; /* copies */
    starfish_task_at(&task, "slab", vector->piece[part], 0);
    starfish_task_data(&task, vector->piece[part], STARPU_R);
    arguments.slab = starfish_vector_attach_edges(&task, vector, part, 0);
    arguments.header.footprint = STARFISH_FOOTPRINT(vector->precision, vector->space->n[0], (size_t)task.count);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
