/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks of iterative refinement on one slab (stencil/kernels/refine.h): a correction is added, tested over all slabs,
 * and undone if it did not help. Tasks that write the slab also publish its edges. Memory-bound: adding moves 4 words
 * per unknown; undoing is rare. */
#include "codelets/stencil.h"

#include "base/precision.h"
#include "codelets/kernel_pair.h"
#include "stencil/kernels/refine.h"

#include <math.h>

STARFISH_PLACE_KERNEL(run_correction, starfish_refine_add)
STARFISH_PLACE_KERNEL(run_restore, starfish_refine_restore)
STARFISH_PLACE_KERNEL_ALONE(run_judge, starfish_refine_judge)

/* What the tasks of one slab have in common. */
struct slab {
    struct starfish_task_header header;
    starfish_precision precision;
    size_t count;             /* elements */
    struct starfish_access u; /* for its edges */
};

static void begin(struct starfish_task *task, struct starpu_codelet *codelet, struct starfish_progress *progress,
                  const struct starfish_refine_task *d)
{
    starfish_task_begin(task, codelet, progress, d->phase);
    starfish_task_of_owner(task, d->u->space, d->part, 0);
    task->width = starfish_space_part_size(d->u->space, d->part);
    task->flops = (double)task->width;
    starfish_task_at(task, "slab", d->u->piece[d->part], 0);
    starfish_task_data(task, d->u->piece[d->part], STARPU_RW);
}

static starfish_status submit(struct starfish_task *task, const struct starfish_refine_task *d)
{
    struct slab arguments = {
        .precision = d->u->precision, .count = task->width, .u = starfish_vector_attach_edges(task, d->u, d->part, 0)};
    arguments.header.footprint = STARFISH_FOOTPRINT(arguments.precision, arguments.count);
    return starfish_task_submit(task, &arguments, sizeof arguments);
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

/* Data: u, correction, maximum, then edges. */
static struct starfish_refine_add add_with_pointers(void *buffers[], const struct slab *a)
{
    return (struct starfish_refine_add){a->count, STARFISH_SLAB(buffers, 0), STARFISH_SLAB(buffers, 1),
                                        STARFISH_VECTOR(buffers, 2)};
}

/* On a team, each core processes a run of elements, with a separate maximum. */
enum { MOST_SHARES = 128 };

struct shares {
    struct starfish_refine_add whole;
    double maximum[MOST_SHARES];
};

static int add_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    struct shares *shares = data;
    const struct starfish_refine_add *whole = &shares->whole;
    const size_t used = parts < MOST_SHARES ? parts : MOST_SHARES;
    const size_t first = whole->count * part / used, last = whole->count * (part + 1) / used;
    if (part >= used || first == last)
        return 0;
    const struct starfish_refine_add share = {last - first, starfish_real_at(whole->u, place->precision, first),
                                              starfish_real_at(whole->correction, place->precision, first),
                                              place->gpu ? whole->maximum : &shares->maximum[part]};
    return run_correction(place, &share);
}

static void add_here(const struct starfish_place *place, void *buffers[], const struct slab *a)
{
    struct shares shares = {.whole = add_with_pointers(buffers, a), .maximum = {0}};
    starfish_task_check(&a->header, "correction",
                        starfish_place_share(place, a->header.progress->context, add_share, &shares));
    if (!place->gpu) {
        *shares.whole.maximum = 0;
        for (size_t part = 0; part < MOST_SHARES; part++)
            *shares.whole.maximum = fmax(*shares.whole.maximum, shares.maximum[part]);
    }
    starfish_task_check(&a->header, "edges of a slab", starfish_vector_publish(place, buffers, &a->u));
}

STARFISH_PLACE_CODELET(add, slab, a->precision, "add", 0xaaaa00);

starfish_status starfish_submit_refine_add(struct starfish_progress *progress, const struct starfish_refine_task *d,
                                           starpu_data_handle_t maximum)
{
    struct starfish_task task;
    begin(&task, &add_codelet, progress, d);
    task.name = "correction";
    starfish_task_data(&task, d->correction, STARPU_RW);
    starfish_task_data(&task, maximum, STARPU_W);
    return submit(&task, d);
}

/* ---- Judging ----------------------------------------------------------------------------------------------------- */

struct judging {
    struct starfish_task_header header;
    int slabs;
    double epsilon;
};

/* Data: verdict, then of every slab the maxima before, after, and of the correction. */
static struct starfish_refine_judge judge_with_pointers(void *buffers[], const struct judging *a)
{
    struct starfish_refine_judge kernel = {
        .slabs = a->slabs, .epsilon = a->epsilon, .verdict = STARFISH_VECTOR(buffers, 0)};
    for (int slab = 0; slab < a->slabs; slab++) {
        kernel.sets[slab] = (unsigned)(STARPU_VECTOR_GET_NX(buffers[1 + 3 * slab]) / STARFISH_MAXIMA);
        kernel.before[slab] = STARFISH_VECTOR(buffers, 1 + 3 * slab);
        kernel.after[slab] = STARFISH_VECTOR(buffers, 2 + 3 * slab);
        kernel.correction[slab] = STARFISH_VECTOR(buffers, 3 + 3 * slab);
    }
    return kernel;
}

static void judge_here(const struct starfish_place *place, void *buffers[], const struct judging *a)
{
    const struct starfish_refine_judge kernel = judge_with_pointers(buffers, a);
    starfish_task_check(&a->header, "verdict on a correction", run_judge(place, &kernel));
}

STARFISH_PLACE_CODELET(judge, judging, STARFISH_F64, "judge", 0x777733);

starfish_status starfish_submit_refine_judge(struct starfish_progress *progress,
                                             const struct starfish_refine_judge_task *d)
{
    struct starfish_task task;
    starfish_task_begin(&task, &judge_codelet, progress, d->phase);
    task.name = "verdict on a correction";
    task.device = d->device;
    task.width = 1;
    task.flops = 0; /* comparisons alone */
    starfish_task_data(&task, d->verdict, STARPU_W);
    for (size_t slab = 0; slab < d->slabs; slab++) {
        starfish_task_data(&task, d->before[slab].handle, STARPU_R);
        starfish_task_data(&task, d->after[slab].handle, STARPU_R);
        starfish_task_data(&task, d->correction[slab].handle, STARPU_R);
    }
    struct judging arguments = {.slabs = (int)d->slabs, .epsilon = starfish_epsilon(d->precision)};
    arguments.header.footprint = STARFISH_FOOTPRINT(d->slabs);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}

/* ---- Taking back ------------------------------------------------------------------------------------------------- */

/* Data: u, what it was before, verdict, then edges. */
static struct starfish_refine_restore restore_with_pointers(void *buffers[], const struct slab *a)
{
    const double *verdict = STARFISH_VECTOR(buffers, 2);
    return (struct starfish_refine_restore){a->count, STARFISH_SLAB(buffers, 0), STARFISH_SLAB(buffers, 1),
                                            &verdict[STARFISH_VERDICT_KEPT]};
}

static void restore_here(const struct starfish_place *place, void *buffers[], const struct slab *a)
{
    const struct starfish_refine_restore kernel = restore_with_pointers(buffers, a);
    starfish_task_check(&a->header, "taking back", run_restore(place, &kernel));
    starfish_task_check(&a->header, "edges of a slab", starfish_vector_publish(place, buffers, &a->u));
}

STARFISH_PLACE_CODELET(restore, slab, a->precision, "restore", 0x999900);

starfish_status starfish_submit_refine_restore(struct starfish_progress *progress, const struct starfish_refine_task *d,
                                               starpu_data_handle_t verdict)
{
    struct starfish_task task;
    begin(&task, &restore_codelet, progress, d);
    task.name = "taking back";
    starfish_task_data(&task, d->correction, STARPU_R);
    starfish_task_data(&task, verdict, STARPU_R);
    return submit(&task, d);
}
