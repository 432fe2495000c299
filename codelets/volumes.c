/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: integrals over the volumes of unknowns, means taken off, and sums, on parts of a 3D grid. Bound by memory. */
#include "codelets/volumes.h"

#include "codelets/kernel_pair.h"
#include "multigrid/kernels/flux_steps.h"

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    struct starfish_flux_shape shape;
    size_t z0, z1;
    struct starfish_weighing what;
    int table, sums;
    struct starfish_access v, result;
};

/* ---- On a worker ------------------------------------------------------------------------------------------------- */

static int weigh_share(const struct starfish_place *place, void *data, size_t share, size_t shares)
{
    const struct starfish_task_parameters *task = data;
    const struct arguments *a = task->arguments;
    void **const buffers = task->buffers;
    const size_t planes = a->z1 - a->z0;
    const struct starfish_weigh weigh = {
        .at = {.z0 = a->z0 + planes * share / shares, .z1 = a->z0 + planes * (share + 1) / shares},
        .weighs_values = a->what.weighs_values,
        .weighs_offset = a->what.weighs_offset,
        .scale = a->what.scale,
        .offset = a->what.offset,
        .v = starfish_vector_here(buffers, &a->v, a->precision),
        .result = starfish_vector_here(buffers, &a->result, a->precision)};

    return starfish_flux_weigh_here(place, &a->shape, (const void *)STARPU_VECTOR_GET_PTR(buffers[a->table]), &weigh);
}

static int sum_at(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_volume_sum sum = {.at = {.z0 = a->z0, .z1 = a->z1},
                                            .weighs_values = a->what.weighs_values,
                                            .v = starfish_vector_here(buffers, &a->v, a->precision),
                                            .sums = (double *)STARPU_VECTOR_GET_PTR(buffers[a->sums])};

    return starfish_flux_sum_here(place, &a->shape, (const void *)STARPU_VECTOR_GET_PTR(buffers[a->table]), &sum);
}

static void weigh_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    struct starfish_task_parameters task = {buffers, a};
    const int error = starfish_place_share(place, a->header.progress->context, weigh_share, &task);

    starfish_task_check(&a->header, "weigh", error ? error : starfish_vector_publish(place, buffers, &a->result));
}

/* The sum is one number, so that one core computes it. */
static void volume_sum_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    starfish_task_check(&a->header, "mean", sum_at(place, buffers, a));
}

STARFISH_PLACE_CODELET(weigh, arguments, a->precision, "weigh", 0xaa9955);
STARFISH_PLACE_CODELET(volume_sum, arguments, a->precision, "volume_sum", 0xaaaa55);

/* ---- Submission -------------------------------------------------------------------------------------------------- */

/* `operations`: of an unknown. */
static struct arguments begin(struct starfish_task *task, const struct starfish_volume_part *at,
                              const struct starfish_weighing *what, double operations, const struct starfish_vector *v)
{
    const struct starfish_flux_shape *shape = at->shape;
    struct arguments a = {.precision = at->setting->precision,
                          .shape = *shape,
                          .z0 = v->space->first[1][at->part],
                          .z1 = v->space->first[1][at->part + 1],
                          .what = *what,
                          .result = STARFISH_NO_ACCESS};

    starfish_task_of_owner(task, v->space, at->part, at->setting->where);
    task->width = shape->n[1] * (a.z1 - a.z0);
    task->flops = operations * (double)(shape->n[0] * task->width);
    a.table = task->count;
    starfish_task_data(task, at->table, STARPU_R);
    a.header.footprint = STARFISH_FOOTPRINT(a.precision, shape->n[0], shape->n[1], a.z1 - a.z0,
                                            (size_t)what->weighs_values, (size_t)what->weighs_offset);
    return a;
}

starfish_status starfish_submit_weigh(struct starfish_progress *progress, const struct starfish_volume_part *at,
                                      const struct starfish_weighing *what, const struct starfish_vector *v,
                                      const struct starfish_vector *result)
{
    const struct starfish_extent extent = starfish_part_extent(v->space, at->part);
    struct starfish_task task;

    starfish_task_begin(&task, &weigh_codelet, progress, STARFISH_PHASE_VECTORS);
    struct arguments a = begin(&task, at, what, 2 + what->weighs_values + what->weighs_offset, v);
    a.result = starfish_vector_attach(&task, result, at->part, &extent, v == result ? STARPU_RW : STARPU_W);
    a.v = v == result ? a.result : starfish_vector_attach(&task, v, at->part, &extent, STARPU_R);
    return starfish_task_submit(&task, &a, sizeof a);
}

starfish_status starfish_submit_volume_sum(struct starfish_progress *progress, const struct starfish_volume_part *at,
                                           int weighs, const struct starfish_vector *v, starpu_data_handle_t sums)
{
    const struct starfish_extent extent = starfish_part_extent(v->space, at->part);
    const struct starfish_weighing what = {.weighs_values = weighs};
    struct starfish_task task;

    starfish_task_begin(&task, &volume_sum_codelet, progress, STARFISH_PHASE_VECTORS);
    task.name = "mean";
    struct arguments a = begin(&task, at, &what, 1 + weighs, v);
    a.v = starfish_vector_attach(&task, v, at->part, &extent, STARPU_R);
    a.sums = task.count;
    starfish_task_data(&task, sums, STARPU_W);
    return starfish_task_submit(&task, &a, sizeof a);
}
