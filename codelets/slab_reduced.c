/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: the reduced system over slabs of one part of the modes, and, once per plan, the coefficients it is made of. */
#include "codelets/slab_window.h"

#include "base/sizes.h"
#include "codelets/kernel_pair.h"
#include "codelets/vectors.h"

STARFISH_PLACE_KERNEL(run_coefficients, starfish_slab_coefficients)
STARFISH_PLACE_KERNEL(run_reduced, starfish_slab_reduced)

/* ---- Coefficients of a slab's ends ------------------------------------------------------------------------------- */

static size_t part_lanes(const struct starfish_slab_space *space, const struct starfish_slab_parts *parts, size_t part)
{
    return (parts->first_row[part + 1] - parts->first_row[part]) * space->n[0];
}

struct coefficient_arguments {
    struct starfish_task_header header;
    const struct starfish_slab_space *space;
    struct starfish_slab_parts parts;
    size_t first_plane, planes;
};

/* Data: tables, coefficients of each part. */
static struct starfish_slab_coefficients coefficients_of(void *buffers[], const struct coefficient_arguments *a)
{
    const struct starfish_slab_space *space = a->space;
    struct starfish_slab_coefficients kernel = {
        .lines = starfish_slab_lines_of(buffers, space, &a->parts, a->first_plane, a->planes)};
    for (size_t p = 0; p < a->parts.count; p++) {
        void *const array = STARFISH_VECTOR(buffers, STARFISH_SLAB_TABLES + p);
        const size_t lanes = part_lanes(space, &a->parts, p);
        kernel.lower[p] = starfish_real_at(array, space->precision, STARFISH_SLAB_LOWER * lanes);
        kernel.diag[p] = starfish_real_at(array, space->precision, STARFISH_SLAB_DIAG * lanes);
        kernel.head_own[p] = starfish_real_at(array, space->precision, STARFISH_SLAB_HEAD_OWN * lanes);
        kernel.head_before[p] = starfish_real_at(array, space->precision, STARFISH_SLAB_HEAD_BEFORE * lanes);
    }
    return kernel;
}

static int coefficients_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    const struct starfish_slab_coefficients *whole = data;
    struct starfish_slab_window window;
    if (!starfish_slab_window(&window, &whole->lines, place->precision, part, parts))
        return 0;
    struct starfish_slab_coefficients share = {.lines = window.lines};
    starfish_slab_window_array(&window, place->precision, whole->lower, share.lower);
    starfish_slab_window_array(&window, place->precision, whole->diag, share.diag);
    starfish_slab_window_array(&window, place->precision, whole->head_own, share.head_own);
    starfish_slab_window_array(&window, place->precision, whole->head_before, share.head_before);
    return run_coefficients(place, &share);
}

static void slab_coefficients_here(const struct starfish_place *place, void *buffers[],
                                   const struct coefficient_arguments *a)
{
    struct starfish_slab_coefficients whole = coefficients_of(buffers, a);
    starfish_task_check(&a->header, "coefficients of a slab",
                        starfish_place_share(place, a->space->context, coefficients_share, &whole));
}

STARFISH_PLACE_CODELET(slab_coefficients, coefficient_arguments, a->space->precision, "slab_coefficients", 0xbbbbbb);

starfish_status starfish_submit_slab_coefficients(struct starfish_progress *progress, int phase,
                                                  const struct starfish_slab_space *space,
                                                  const struct starfish_slab_parts *parts,
                                                  const struct starfish_slab *slab, size_t first)
{
    struct starfish_task task;
    starfish_task_begin(&task, &slab_coefficients_codelet, progress, phase);
    task.name = "coefficients";
    task.device = slab->owner.device;
    task.rank = slab->owner.rank; /* each part of what it writes may be another rank's */
    task.width = space->n[0] * space->n[1];
    starfish_task_at(&task, "slab", slab->coefficient[first], 0);
    starfish_slab_tables(&task, space);
    for (size_t p = 0; p < parts->count; p++)
        starfish_task_data(&task, slab->coefficient[first + p], STARPU_W);
    struct coefficient_arguments arguments = {
        .space = space, .parts = *parts, .first_plane = slab->first_plane, .planes = slab->planes};
    arguments.header.footprint = starfish_slab_footprint(space, parts, slab, 0);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}

/* ---- Reduced system ---------------------------------------------------------------------------------------------- */

struct arguments {
    struct starfish_task_header header;
    const struct starfish_slab_space *space;
    const struct starfish_workspace *workspace;
    int gathered, has_ends;
    struct starfish_slab_reduced kernel; /* pointers are filled in by the task */
};

/* Row `row` of slab s: of the slab's own array, or of a matrix with `rows` rows for every slab. */
static void *row_of(void *buffers[], const struct arguments *a, size_t array, size_t s, size_t rows, size_t row)
{
    if (!a->gathered)
        return starfish_real_at(STARFISH_VECTOR(buffers, 1 + array + 3 * s), a->space->precision,
                                row * a->kernel.lanes);
    void *const buffer = buffers[1 + array];
    return starfish_real_at((void *)STARPU_MATRIX_GET_PTR(buffer), a->space->precision,
                            (rows * s + row) * STARPU_MATRIX_GET_LD(buffer));
}

enum { SEPARATORS, HEADS, COEFFICIENTS, ROWS = STARFISH_SLAB_COEFFICIENTS };

/* Data: upper, then separators, heads or ends, coefficients: of every slab, or gathered. */
static struct starfish_slab_reduced with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_slab_reduced kernel = a->kernel;
    kernel.upper = STARFISH_VECTOR(buffers, 0);
    for (size_t s = 0; s < (size_t)kernel.slabs; s++) {
        kernel.rhs[s] = row_of(buffers, a, SEPARATORS, s, 1, 0);
        kernel.head[s] = row_of(buffers, a, HEADS, s, 1, a->has_ends ? 1 : 0);
        kernel.lower[s] = row_of(buffers, a, COEFFICIENTS, s, ROWS, STARFISH_SLAB_LOWER);
        kernel.diag[s] = row_of(buffers, a, COEFFICIENTS, s, ROWS, STARFISH_SLAB_DIAG);
        kernel.head_own[s] = row_of(buffers, a, COEFFICIENTS, s, ROWS, STARFISH_SLAB_HEAD_OWN);
        kernel.head_before[s] = row_of(buffers, a, COEFFICIENTS, s, ROWS, STARFISH_SLAB_HEAD_BEFORE);
    }
    return kernel;
}

/* The right-hand sides from where several owners read them to where the system is solved in place. */
static int take_ends(const struct starfish_place *place, void *buffers[], const struct arguments *a,
                     const struct starfish_slab_reduced *kernel)
{
    for (size_t s = 0; s < (size_t)kernel->slabs && a->has_ends; s++)
        TRY_LAUNCH(starfish_place_copy(place, kernel->rhs[s], row_of(buffers, a, HEADS, s, 1, 0), kernel->lanes));
    return 0;
}

/* Lanes first .. last-1 of a reduced system. */
static struct starfish_slab_reduced lanes_of(const struct starfish_slab_reduced *whole, starfish_precision precision,
                                             size_t first, size_t last)
{
    struct starfish_slab_reduced share = *whole;
    share.lanes = last - first;
    for (int s = 0; s < whole->slabs; s++) {
        share.rhs[s] = starfish_real_at(whole->rhs[s], precision, first);
        const void **const arrays[] = {&share.head[s], &share.lower[s], &share.diag[s], &share.head_own[s],
                                       &share.head_before[s]};
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
            *arrays[i] = starfish_real_at((void *)(uintptr_t)*arrays[i], precision, first);
    }
    share.pinned_lane = starfish_slab_pinned(whole->pinned_lane, first, share.lanes);
    return share;
}

struct work {
    const struct arguments *a;
    struct starfish_slab_reduced whole;
};

static int reduced_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    const struct work *work = data;
    const size_t lanes = work->whole.lanes, first = lanes * part / parts, last = lanes * (part + 1) / parts;
    if (first == last)
        return 0;
    struct starfish_slab_reduced share = lanes_of(&work->whole, place->precision, first, last);
    share.workspace = starfish_workspace_part(work->a->workspace, part);
    return run_reduced(place, &share);
}

static void slab_reduced_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    struct work work = {.a = a, .whole = with_pointers(buffers, a)};
    starfish_task_check(&a->header, "ends of slabs", take_ends(place, buffers, a, &work.whole));
    starfish_task_check(&a->header, "reduced system",
                        starfish_place_share(place, a->space->context, reduced_share, &work));
}

STARFISH_PLACE_CODELET(slab_reduced, arguments, a->space->precision, "slab_reduced", 0xcc6677);

static void attach(struct starfish_task *task, const struct starfish_slab_reduced_task *d)
{
    starfish_task_data(task, d->upper, STARPU_R);
    if (d->gathered) {
        starfish_task_data(task, d->gathered->separators, STARPU_RW);
        starfish_task_data(task, d->gathered->heads, STARPU_R);
        starfish_task_data(task, d->gathered->coefficients, STARPU_R);
        return;
    }
    for (size_t s = 0; s < d->slabs; s++) {
        const struct starfish_slab *slab = &d->slab[s];
        const size_t at = d->solver + d->part;
        starfish_task_data(task, slab->separator[at], slab->ends ? STARPU_W : STARPU_RW);
        starfish_task_data(task, slab->ends ? slab->ends : slab->head[at], STARPU_R);
        starfish_task_data(task, slab->coefficient[at], STARPU_R);
    }
}

starfish_status starfish_submit_slab_reduced(struct starfish_progress *progress, int phase,
                                             const struct starfish_slab_reduced_task *d)
{
    const struct starfish_slab_space *space = d->space;
    const size_t lanes = part_lanes(space, d->parts, d->part);
    struct starfish_task task;
    starfish_task_begin(&task, &slab_reduced_codelet, progress, phase);
    task.name = "reduced";
    task.device = d->owner.device;
    task.priority = STARFISH_PRIORITY_REDUCED;
    task.width = lanes;
    task.flops = 8.0 * (double)(lanes * d->slabs); /* by elimination of a row for each slab */
    starfish_task_at(&task, "part", d->gathered ? d->gathered->separators : d->slab[0].separator[d->solver + d->part],
                     1);
    if (d->slab[0].ends)
        task.rank = d->owner.rank; /* what it writes stays there */
    attach(&task, d);
    struct arguments arguments = {
        .space = space,
        .workspace = d->parts->workspace,
        .gathered = d->gathered != NULL,
        .has_ends = d->slab[0].ends != NULL,
        .kernel = {.lanes = lanes,
                   .slabs = (int)d->slabs,
                   .periodic = space->periodic,
                   .row_sums = space->row_sums,
                   .pinned_lane =
                       starfish_slab_pinned(space->constant_lane, d->parts->first_row[d->part] * space->n[0], lanes)}};
    arguments.header.footprint = STARFISH_FOOTPRINT(space->precision, lanes, d->slabs, (size_t)space->periodic);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}

/* ---- Work space of all the slab tasks ---------------------------------------------------------------------------- */

size_t starfish_slab_workspace(const struct starfish_slab_space *space, starfish_worker_kind kind, size_t slabs,
                               size_t planes)
{
    const size_t size = starfish_real_size(space->precision), lanes = space->n[0] * space->n[1];
    const int periodic = space->periodic && slabs == 1; /* else the reduced system is what is periodic */
    const size_t bytes = starfish_plane_set_workspace(&space->planes, kind);
    if (kind == STARFISH_CPU)
        return starfish_larger(bytes, starfish_slab_solve_workspace_cpu(planes, lanes, periodic, size));
#ifdef STARFISH_HAVE_GPU
    return starfish_larger(bytes, starfish_slab_solve_workspace_cuda(planes, lanes, periodic, size));
#else
    return bytes;
#endif
}

size_t starfish_slab_reduced_workspace(const struct starfish_slab_space *space, starfish_worker_kind kind, size_t slabs,
                                       size_t parts)
{
    const size_t size = starfish_real_size(space->precision), lanes = (space->n[1] / parts + 1) * space->n[0];
    if (kind == STARFISH_CPU)
        return starfish_slab_reduced_workspace_cpu((int)slabs, lanes, space->periodic, size);
#ifdef STARFISH_HAVE_GPU
    return starfish_slab_reduced_workspace_cuda((int)slabs, lanes, space->periodic, size);
#else
    return 0;
#endif
}
