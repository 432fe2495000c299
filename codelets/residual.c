/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: residual of one slab, from the slab and the edges of its neighbours. Memory-bound: reads u and the right-hand
 * side once. */
#include "codelets/stencil.h"

#include "codelets/faces.h"
#include "codelets/kernel_pair.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

STARFISH_PLACE_KERNEL(run_residual, starfish_residual)

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    int below, above, offset, maximum, result, factors, dense[2]; /* position among the data, or -1 */
    int wraps;
    size_t problems;                 /* of a slab of many, else 1 */
    struct starfish_residual kernel; /* of one of them; pointers are filled in by the task */
    int has_boundary;
    struct starfish_faces faces;
    struct starfish_boundary_rhs boundary; /* pointers are filled in by the task */
};

/* A plane next to the slab: a neighbour's edge, or where the slab wraps around its own plane `own`. */
static const void *plane_beside(void *buffers[], int index, const struct arguments *a, size_t own)
{
    const size_t *n = a->kernel.n;
    if (a->wraps)
        return starfish_real_at(STARFISH_SLAB(buffers, 1), a->precision, own * n[0] * n[1]);
    return index < 0 ? NULL : STARFISH_SLAB(buffers, index);
}

/* Data: axes, u, rhs, then those that may be absent. */
static struct starfish_residual with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_residual kernel = a->kernel;
    const double *table = STARFISH_VECTOR(buffers, 0);
    const size_t length[3] = {kernel.n[0], kernel.complex_y ? 2 * kernel.n[1] : kernel.n[1], kernel.planes};
    for (int axis = 0; axis < 3; axis++) {
        const double **const part[] = {&kernel.axis[axis].lower, &kernel.axis[axis].diag, &kernel.axis[axis].upper,
                                       &kernel.axis[axis].sum};
        for (size_t p = 0; p < sizeof part / sizeof part[0]; p++, table += length[axis])
            *part[p] = table;
    }
    kernel.u = STARFISH_SLAB(buffers, 1);
    kernel.rhs = STARFISH_SLAB(buffers, 2);
    kernel.maximum = starfish_optional(buffers, a->maximum);
    kernel.result = a->result < 0 ? NULL : STARFISH_SLAB(buffers, a->result);
    kernel.below = plane_beside(buffers, a->below, a, kernel.n[2] - 1);
    kernel.above = plane_beside(buffers, a->above, a, 0);
    kernel.offset = starfish_optional(buffers, a->offset);
    for (int axis = 0; axis < 2; axis++)
        kernel.dense[axis] = starfish_optional(buffers, a->dense[axis]);
    kernel.weight_x = starfish_optional(buffers, a->factors);
    kernel.scale_y = kernel.weight_x ? kernel.weight_x + kernel.planes : NULL;
    return kernel;
}

/* On a team, each core processes some of the planes, with separate maxima. */
enum { MOST_SHARES = 128 };

struct shares {
    struct starfish_residual whole;
    double maximum[MOST_SHARES][STARFISH_MAXIMA];
};

static int residual_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    struct shares *shares = data;
    const struct starfish_residual *whole = &shares->whole;
    const starfish_precision precision = place->precision;
    const size_t used = parts < MOST_SHARES ? parts : MOST_SHARES, plane = whole->n[0] * whole->n[1];
    const size_t first = whole->n[2] * part / used, last = whole->n[2] * (part + 1) / used;
    if (part >= used || first == last)
        return 0;
    struct starfish_residual share = *whole;
    void *const u = (void *)(uintptr_t)whole->u, *const rhs = (void *)(uintptr_t)whole->rhs;
    share.first_plane += first;
    share.n[2] = last - first;
    share.u = starfish_real_at(u, precision, first * plane);
    share.rhs = starfish_real_at(rhs, precision, first * plane);
    share.below = first > 0 ? starfish_real_at(u, precision, (first - 1) * plane) : whole->below;
    share.above = last < whole->n[2] ? starfish_real_at(u, precision, last * plane) : whole->above;
    share.result = whole->result ? starfish_real_at(whole->result, precision, first * plane) : NULL;
    share.maximum = shares->maximum[part];
    return run_residual(place, &share);
}

/* The next problem of a slab of many, each its own neighbour in z. */
static void go_on(struct starfish_residual *kernel, starfish_precision precision)
{
    const size_t elements = kernel->n[0] * kernel->n[1] * kernel->n[2];
    const void **const arrays[] = {&kernel->u, &kernel->below, &kernel->above, &kernel->rhs};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (*arrays[i])
            *arrays[i] = starfish_real_at((void *)(uintptr_t)*arrays[i], precision, elements);
    if (kernel->result)
        kernel->result = starfish_real_at(kernel->result, precision, elements);
    kernel->offset = kernel->offset ? kernel->offset + 2 : NULL;
    kernel->maximum = kernel->maximum ? kernel->maximum + STARFISH_MAXIMA : NULL;
}

static void residual_on_team(const struct starfish_place *place, const struct arguments *a,
                             const struct starfish_residual *kernel)
{
    struct shares shares = {.whole = *kernel, .maximum = {{0}}};
    starfish_place_share(place, a->header.progress->context, residual_share, &shares);
    for (int m = 0; m < STARFISH_MAXIMA && shares.whole.maximum; m++) {
        shares.whole.maximum[m] = 0;
        for (size_t part = 0; part < MOST_SHARES; part++)
            shares.whole.maximum[m] = fmax(shares.whole.maximum[m], shares.maximum[part][m]);
    }
}

/* Boundary data come to a right-hand side on cores alone. */
static void residual_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    struct starfish_residual kernel = with_pointers(buffers, a);
    struct starfish_boundary_rhs boundary = a->boundary;
    if (a->has_boundary && !place->gpu) {
        starfish_faces_here(&a->faces, buffers, boundary.face);
        kernel.boundary = &boundary;
    }
    for (size_t p = 0; p < a->problems; p++, go_on(&kernel, a->precision))
        if (place->gpu)
            starfish_task_check(&a->header, "residual", run_residual(place, &kernel));
        else
            residual_on_team(place, a, &kernel);
}

STARFISH_PLACE_CODELET(residual, arguments, a->precision, "residual", 0x999933);

static starfish_status submit_part(struct starfish_progress *progress, int phase, const struct starfish_operator *op,
                                   const struct starfish_vector *u, size_t part,
                                   const struct starfish_residual_data *data)
{
    const struct starfish_space *space = u->space;
    const size_t planes = starfish_space_rows(space, part), size = op->n[0] * op->n[1] * planes;
    struct starfish_task task;
    starfish_task_begin(&task, &residual_codelet, progress, phase);
    starfish_task_of_owner(&task, space, part, 0);
    task.width = size;
    starfish_task_at(&task, "slab", u->piece[part], 0);
    starfish_task_data(&task, op->axes.handle, STARPU_R);
    starfish_task_data(&task, u->piece[part], STARPU_R);
    starfish_task_data(&task, data->rhs[part], STARPU_R);

    struct arguments a = {.precision = op->precision,
                          .wraps = (data->many || space->parts[1] == 1) && op->periodic[2],
                          .problems = data->many ? planes / op->n[2] : 1,
                          .has_boundary = data->boundary != NULL,
                          .boundary = {.n = {op->n[0], op->n[1], planes}, .planes = op->n[2]},
                          .kernel = {.n = {op->n[0], op->n[1], data->many ? op->n[2] : planes},
                                     .first_plane = data->many ? 0 : space->first[1][part],
                                     .planes = op->n[2],
                                     .complex_pairs = op->complex_pairs,
                                     .complex_y = op->complex_y,
                                     .lambda = op->lambda}};
    for (int axis = 0; axis < 3; axis++)
        a.kernel.axis[axis].periodic = op->periodic[axis];
    a.below = starfish_task_optional(&task, starfish_vector_edge_beside(u, part, 1), STARPU_R);
    a.above = starfish_task_optional(&task, starfish_vector_edge_beside(u, part, 0), STARPU_R);
    a.offset = starfish_task_optional(&task, data->removed_of_slab ? data->removed_of_slab[part].handle : data->removed,
                                      STARPU_R);
    a.maximum = starfish_task_optional(&task, data->maximum ? data->maximum[part].handle : NULL, STARPU_W);
    a.result = starfish_task_optional(&task, data->result ? data->result[part] : NULL, STARPU_W);
    a.factors = starfish_task_optional(&task, op->factors.handle, STARPU_R);
    for (int axis = 0; axis < 2; axis++)
        a.dense[axis] = starfish_task_optional(&task, op->dense[axis].handle, STARPU_R);
    if (data->boundary)
        a.faces = starfish_boundary_attach(&task, data->boundary, &a.boundary);
    task.flops = 14.0 * (double)size; /* seven products and sums each */
    a.header.footprint = STARFISH_FOOTPRINT(op->precision, (size_t)op->complex_y, op->n[0], op->n[1], planes);
    return starfish_task_submit(&task, &a, sizeof a);
}

starfish_status starfish_submit_residual(struct starfish_progress *progress, int phase,
                                         const struct starfish_operator *op, const struct starfish_vector *u,
                                         const struct starfish_residual_data *data)
{
    for (size_t part = 0; part < u->space->parts[1]; part++)
        STARFISH_TRY(submit_part(progress, phase, op, u, part, data));
    return STARFISH_SUCCESS;
}
