/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: sums of a slab times volumes, the mean of all slabs, and what is added to a slab
 * (stencil/kernels/volume_mean.h). Memory-bound: 3 words per unknown. */
#include "codelets/volume_mean.h"

#include "codelets/kernel_pair.h"
#include "multigrid/kernels/weigh.h"
#include "stencil/kernels/volume_mean.h"

STARFISH_PLACE_KERNEL(run_sum, starfish_volume_sum)
STARFISH_PLACE_KERNEL(run_mean, starfish_volume_mean)
STARFISH_PLACE_KERNEL_ALONE(run_numbers, starfish_volume_mean_numbers)

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    size_t n[3]; /* of the part */
    size_t first_plane;
    struct starfish_access u; /* for its edges */
};

/* ---- The sum of a slab ------------------------------------------------------------------------------------------- */

/* Data: volumes, u, sums. */
static struct starfish_volume_sum sum_with_pointers(void *buffers[], const struct arguments *a)
{
    void *const volumes = STARFISH_VECTOR(buffers, 0);
    return (struct starfish_volume_sum){
        .at = {.n = {a->n[0], a->n[1], a->n[2]},
               .z1 = a->n[2],
               .weight = {volumes, starfish_real_at(volumes, a->precision, a->n[0]),
                          starfish_real_at(volumes, a->precision, a->n[0] + a->n[1] + a->first_plane)}},
        .weighs_values = 1,
        .v = STARFISH_SLAB(buffers, 1),
        .sums = STARFISH_VECTOR(buffers, 2)};
}

/* The sum is one number, so that one core computes it. */
static void sum_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_volume_sum kernel = sum_with_pointers(buffers, a);
    starfish_task_check(&a->header, "sum by volumes", run_sum(place, &kernel));
}

STARFISH_PLACE_CODELET(sum, arguments, a->precision, "volume_mean_sum", 0x88cc88);

/* ---- All slabs --------------------------------------------------------------------------------------------------- */

struct numbers {
    struct starfish_task_header header;
    int slabs, removed; /* removed: position among the data, or -1 */
};

/* Data: numbers, the sums of every slab, removed. */
static void numbers_here(const struct starfish_place *place, void *buffers[], const struct numbers *a)
{
    struct starfish_volume_mean_numbers kernel = {
        .slabs = a->slabs, .numbers = STARFISH_VECTOR(buffers, 0), .removed = starfish_optional(buffers, a->removed)};
    for (int slab = 0; slab < a->slabs; slab++)
        kernel.sums[slab] = STARFISH_VECTOR(buffers, 1 + slab);
    starfish_task_check(&a->header, "mean by volumes", run_numbers(place, &kernel));
}

STARFISH_PLACE_CODELET(numbers, numbers, STARFISH_F64, "volume_mean_numbers", 0x779977);

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

/* Data: row, u, numbers, then edges. */
static int add_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    const struct starfish_task_parameters *task = data;
    const struct arguments *a = task->arguments;
    const size_t first = a->n[2] * part / parts, last = a->n[2] * (part + 1) / parts;
    const struct starfish_volume_mean kernel = {
        .n = {a->n[0], a->n[1], last - first},
        .row = STARFISH_VECTOR(task->buffers, 0),
        .numbers = STARFISH_VECTOR(task->buffers, 2),
        .u = starfish_real_at(STARFISH_SLAB(task->buffers, 1), a->precision, first * a->n[0] * a->n[1])};
    return run_mean(place, &kernel);
}

static void mean_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    struct starfish_task_parameters task = {buffers, a};
    starfish_task_check(&a->header, "mean", starfish_place_share(place, a->header.progress->context, add_share, &task));
    starfish_task_check(&a->header, "edges of a slab", starfish_vector_publish(place, buffers, &a->u));
}

STARFISH_PLACE_CODELET(mean, arguments, a->precision, "volume_mean", 0x99cc99);

/* ---- Submission -------------------------------------------------------------------------------------------------- */

/* A task on a part: a table, then u. */
static struct arguments begin(struct starfish_task *task, const struct starfish_mean_tables *tables,
                              const struct starfish_vector *u, size_t part, starpu_data_handle_t table)
{
    struct arguments a = {.precision = u->precision,
                          .n = {tables->n[0], tables->n[1], starfish_space_rows(u->space, part)},
                          .first_plane = u->space->first[1][part],
                          .u = STARFISH_NO_ACCESS};
    starfish_task_of_owner(task, u->space, part, 0);
    task->width = a.n[0] * a.n[1] * a.n[2];
    task->flops = 2.0 * (double)task->width;
    starfish_task_at(task, "slab", u->piece[part], 0);
    starfish_task_data(task, table, STARPU_R);
    a.header.footprint = STARFISH_FOOTPRINT(a.precision, a.n[0], a.n[1], a.n[2]);
    return a;
}

static starfish_status submit_sum(struct starfish_progress *progress, int phase,
                                  const struct starfish_mean_tables *tables, const struct starfish_vector *u,
                                  size_t part, starpu_data_handle_t sums)
{
    struct starfish_task task;
    starfish_task_begin(&task, &sum_codelet, progress, phase);
    task.name = "sum by volumes";
    struct arguments a = begin(&task, tables, u, part, tables->volumes.handle);
    starfish_task_data(&task, u->piece[part], STARPU_R);
    starfish_task_data(&task, sums, STARPU_W);
    return starfish_task_submit(&task, &a, sizeof a);
}

static starfish_status submit_numbers(struct starfish_progress *progress, int phase, size_t slabs,
                                      const struct starfish_mean_data *data)
{
    struct numbers a = {.slabs = (int)slabs};
    struct starfish_task task;
    starfish_task_begin(&task, &numbers_codelet, progress, phase);
    task.name = "mean by volumes";
    task.width = 1;
    task.flops = (double)slabs;
    starfish_task_data(&task, data->numbers, STARPU_W);
    for (size_t slab = 0; slab < slabs; slab++)
        starfish_task_data(&task, data->sums[slab].handle, STARPU_R);
    a.removed = starfish_task_optional(&task, data->removed, STARPU_R);
    a.header.footprint = STARFISH_FOOTPRINT(slabs);
    return starfish_task_submit(&task, &a, sizeof a);
}

starfish_status starfish_submit_volume_mean(struct starfish_progress *progress, int phase,
                                            const struct starfish_mean_tables *tables, const struct starfish_vector *u,
                                            const struct starfish_mean_data *data)
{
    const size_t slabs = u->space->parts[1];
    for (size_t slab = 0; slab < slabs; slab++)
        STARFISH_TRY(submit_sum(progress, phase, tables, u, slab, data->sums[slab].handle));
    STARFISH_TRY(submit_numbers(progress, phase, slabs, data));
    for (size_t slab = 0; slab < slabs; slab++) {
        struct starfish_task task;
        starfish_task_begin(&task, &mean_codelet, progress, phase);
        task.name = "mean";
        struct arguments a = begin(&task, tables, u, slab, tables->row.handle);
        starfish_task_data(&task, u->piece[slab], STARPU_RW);
        starfish_task_data(&task, data->numbers, STARPU_R);
        a.u = starfish_vector_attach_edges(&task, u, slab, 1);
        STARFISH_TRY(starfish_task_submit(&task, &a, sizeof a));
    }
    return STARFISH_SUCCESS;
}
