/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: move boundary data to the right-hand side of one slab (stencil/kernels/stencil.h). Memory-bound, 2 reals per
 * unknown. */
#include "codelets/stencil.h"

#include "codelets/faces.h"
#include "codelets/kernel_pair.h"
#include "scheduler/runtime/field.h"

#include <string.h>

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    struct starfish_faces faces;
    int factors; /* position among the data, or -1 */
    size_t factor_planes, first_factor;
    struct starfish_boundary_rhs kernel; /* pointers are filled in by the task */
};

/* Data: rhs, result, factors, faces. */
static struct starfish_boundary_rhs with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_boundary_rhs kernel = a->kernel;
    kernel.rhs = starfish_slab_memory(buffers[0]);
    kernel.rhs_strides = starfish_slab_strides(buffers[0], kernel.planes);
    kernel.result = starfish_slab_memory(buffers[1]);
    kernel.result_strides = starfish_slab_strides(buffers[1], kernel.planes);
    const double *const factors = starfish_optional(buffers, a->factors);
    kernel.weight_x = factors ? factors + a->first_factor : NULL;
    kernel.scale_y = factors ? factors + a->factor_planes : NULL;
    starfish_faces_here(&a->faces, buffers, kernel.face);
    return kernel;
}

static void *plane_of(const struct starfish_boundary_rhs *kernel, void *slab, const struct starfish_strides *strides,
                      starfish_precision precision, size_t plane)
{
    const size_t packed = plane * kernel->n[0] * kernel->n[1];
    return starfish_real_at(slab, precision, strides->row > 0 ? starfish_strides_plane(strides, plane) : packed);
}

/* Some of the slab's planes, or of its problems. */
static int share_of(struct starfish_boundary_rhs *kernel, starfish_precision precision, size_t part, size_t parts)
{
    const size_t unit = kernel->n[2] > kernel->planes ? kernel->planes : 1, units = kernel->n[2] / unit;
    const size_t first = units * part / parts * unit, last = units * (part + 1) / parts * unit;
    kernel->first_plane += first;
    kernel->n[2] = last - first;
    kernel->rhs = plane_of(kernel, (void *)(uintptr_t)kernel->rhs, &kernel->rhs_strides, precision, first);
    kernel->result = plane_of(kernel, kernel->result, &kernel->result_strides, precision, first);
    return kernel->n[2] > 0;
}

STARFISH_SHARED_KERNEL_CODELET(boundary_rhs, starfish_boundary_rhs, "boundary_rhs", 0xaa4499);

starfish_status starfish_submit_boundary_rhs(struct starfish_progress *progress, int phase,
                                             const struct starfish_boundary_task *d)
{
    struct starfish_task task;
    starfish_task_begin(&task, &boundary_rhs_codelet, progress, phase);
    task.device = d->device;
    task.name = d->name ? d->name : "boundary data";
    task.width = d->n[0] * d->n[1] * d->n[2];
    task.flops = 0;
    for (int axis = 0; axis < 3; axis++) /* a product and a sum at both ends */
        task.flops += 4.0 * (double)task.width / (double)d->n[axis];
    starfish_task_at(&task, "slab", d->result, 0);
    starfish_task_data(&task, d->rhs, STARPU_R);
    starfish_task_data(&task, d->result, STARPU_W);

    struct arguments arguments = {
        .precision = d->precision,
        .factor_planes = d->factor_planes,
        .first_factor = d->first_factor,
        .kernel = {.first_plane = d->first_plane, .planes = d->planes, .past_caches = d->past_caches}};
    memcpy(arguments.kernel.n, d->n, sizeof d->n);
    memcpy(arguments.kernel.at_point, d->at_point, sizeof d->at_point);
    arguments.factors = starfish_task_optional(&task, d->factors, STARPU_R);
    arguments.faces = starfish_boundary_attach(&task, &d->data, &arguments.kernel);
    arguments.header.footprint = STARFISH_FOOTPRINT(d->precision, d->n[0], d->n[1], d->n[2]);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
