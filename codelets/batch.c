/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: a batch of tridiagonal lines, and what its plan prepares. Where a CPU worker is a team, each of its cores has
 * a run of the lines. */
#include "codelets/batch.h"

#include "codelets/kernel_pair.h"

struct arguments {
    struct starfish_task_header header;
    struct starfish_batch_task task;
    int shift, factors, border, growth, input, output; /* position among the data, or -1 */
};

/* ---- Data ------------------------------------------------------------------------------------------------------- */

static int comes_before(const struct starfish_batch_extents *a, size_t one, size_t other)
{
    if (a->extent[one] == 1 || a->extent[other] == 1)
        return a->extent[one] > 1 && a->extent[other] == 1;
    return a->stride[one] < a->stride[other];
}

struct starfish_batch_shape starfish_batch_shape_of(const struct starfish_batch_extents *array, size_t lines)
{
    /* A piece has the order of the whole array. Where only its own extents counted, the runs of a piece of one line
     * could go along the rows and contain other pieces' lines. */
    size_t extent[STARFISH_BATCH_DIRECTIONS] = {array->extent[0], array->extent[1], array->extent[2]};
    if (extent[STARFISH_BATCH_LINES] > lines)
        extent[STARFISH_BATCH_LINES] = lines;

    /* Of equal directions the first is the innermost: extents of 1 have no stride. */
    struct starfish_batch_shape shape = {.order = {STARFISH_BATCH_ROWS, STARFISH_BATCH_LINES, STARFISH_BATCH_RHS}};

    for (int i = 1; i < STARFISH_BATCH_DIRECTIONS; i++)
        for (int j = i; j > 0 && comes_before(array, shape.order[j], shape.order[j - 1]); j--) {
            const enum starfish_batch_direction moved = shape.order[j];
            shape.order[j] = shape.order[j - 1];
            shape.order[j - 1] = moved;
        }
    while (shape.directions < STARFISH_BATCH_DIRECTIONS && array->extent[shape.order[shape.directions]] > 1)
        shape.directions++;
    const enum starfish_batch_direction *order = shape.order;
    const size_t stride = shape.directions > 0 ? array->stride[order[0]] : 1;
    shape.block = (struct starfish_data_block){
        .extent = {(extent[order[0]] - 1) * stride + 1, extent[order[1]], extent[order[2]]},
        .pitch = array->stride[order[1]],
        .plane = array->stride[order[2]]};
    shape.is_nested = starfish_data_block_is_nested(&shape.block);
    shape.has_gaps = !shape.is_nested || stride > 1;
    if (!shape.is_nested)
        shape.block = (struct starfish_data_block){.extent = {starfish_data_block_span(&shape.block), 1, 1}};
    return shape;
}

/* The strides that an array has where the task runs: those of a nested block's outer directions are the runtime's. */
static void set_strides(void *buffer, const struct starfish_batch_shape *shape, size_t scale, size_t *const stride[])
{
    if (shape->is_nested && shape->directions > 1)
        *stride[shape->order[1]] = STARPU_BLOCK_GET_LDY(buffer) * scale;
    if (shape->is_nested && shape->directions > 2)
        *stride[shape->order[2]] = STARPU_BLOCK_GET_LDZ(buffer) * scale;
}

/* Data: lower, diag, upper, then those that may be absent. */
static struct starfish_batch with_pointers(void *buffers[], const struct arguments *a)
{
    struct starfish_batch kernel = a->task.kernel;

    kernel.lower = STARFISH_SLAB(buffers, 0);
    kernel.diag = STARFISH_SLAB(buffers, 1);
    kernel.upper = STARFISH_SLAB(buffers, 2);
    set_strides(buffers[0], &a->task.coefficient_shape, 1,
                (size_t *const[]){&kernel.coefficients.line, &kernel.coefficients.row, NULL});
    kernel.shift = starfish_optional(buffers, a->shift);
    kernel.factors = starfish_optional(buffers, a->factors);
    kernel.border = starfish_optional(buffers, a->border);
    kernel.growth = starfish_optional(buffers, a->growth);
    if (a->output >= 0) {
        kernel.input = STARFISH_SLAB(buffers, a->input);
        kernel.output = STARFISH_SLAB(buffers, a->output);
        set_strides(buffers[a->output], &a->task.vector_shape, (size_t)kernel.components,
                    (size_t *const[]){&kernel.vectors.line, &kernel.vectors.row, &kernel.column});
    }
    kernel.workspace = starfish_workspace_here(a->task.workspace);
    return kernel;
}

/* ---- On the cores of a team -------------------------------------------------------------------------------------- */

size_t starfish_batch_runs(const struct starfish_batch *batch, size_t cores)
{
    enum { LEAST_LINES = 4, LEAST_UNKNOWNS = 4096 }; /* by lanes of SIMD; so that waking a core pays */
    const size_t worth = batch->n * batch->lines / LEAST_UNKNOWNS;
    const size_t most = worth < batch->lines / LEAST_LINES ? worth : batch->lines / LEAST_LINES;

    return most < 1 ? 1 : cores < most ? cores : most;
}

typedef int batch_kernel(const struct starfish_place *place, const struct starfish_batch *batch);
STARFISH_PLACE_KERNEL(run_batch, starfish_batch)
STARFISH_PLACE_KERNEL_OF(run_prepare, starfish_batch, starfish_batch_prepare)

struct whole {
    struct starfish_batch batch;
    const struct arguments *arguments;
    batch_kernel *kernel;
    int prepares;
};

static int solve_run(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    const struct whole *whole = data;
    const struct starfish_batch *b = &whole->batch;
    const size_t runs = whole->prepares && starfish_batch_matrices(b) == 1 ? 1 : starfish_batch_runs(b, parts);

    if (part >= runs)
        return 0;
    const size_t first = starfish_batch_first_line(b->lines, runs, part);
    struct starfish_batch run = starfish_batch_run(
        b, first, starfish_batch_first_line(b->lines, runs, part + 1) - first, starfish_real_size(place->precision));
    run.workspace = starfish_workspace_part(whole->arguments->task.workspace, part);
    return whole->kernel(place, &run);
}

static int run_here(const struct starfish_place *place, void *buffers[], const struct arguments *a,
                    batch_kernel *kernel, int prepares)
{
    struct whole whole = {with_pointers(buffers, a), a, kernel, prepares};
    return place->gpu ? kernel(place, &whole.batch)
                      : starfish_place_share(place, a->header.progress->context, solve_run, &whole);
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------ */

static void batch_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    starfish_task_check(&a->header, "batch", run_here(place, buffers, a, run_batch, 0));
}

static void batch_prepare_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    starfish_task_check(&a->header, "batch_prepare", run_here(place, buffers, a, run_prepare, 1));
}

STARFISH_PLACE_CODELET(batch, arguments, a->task.precision, "tridiagonal_batch", 0xaa5588);
STARFISH_PLACE_CODELET(batch_prepare, arguments, a->task.precision, "tridiagonal_batch_prepare", 0x885599);

/* What the time of a task depends on: the direction that runs go along. */
enum { ONE_RUN = STARFISH_BATCH_RHS, RHS_INNERMOST };

static size_t kind_of(const struct starfish_batch_shape *shape)
{
    return shape->has_gaps ? ONE_RUN : shape->order[0] == STARFISH_BATCH_RHS ? RHS_INNERMOST : (size_t)shape->order[0];
}

static starfish_status submit(struct starfish_progress *progress, struct starpu_codelet *codelet,
                              const struct starfish_batch_task *d, enum starpu_data_access_mode kept, int vectors)
{
    struct starfish_task task;
    struct arguments arguments = {.task = *d, .input = -1, .output = -1};

    starfish_task_begin(&task, codelet, progress, 0);
    task.width = d->kernel.lines;
    if (d->where && vectors)
        task.device = starfish_device_of_kinds(d->where);
    for (int i = 0; i < 3; i++)
        starfish_task_data(&task, d->coefficient[i], STARPU_R);
    arguments.shift = starfish_task_optional(&task, d->shift, STARPU_R);
    arguments.factors = starfish_task_optional(&task, d->factors, kept);
    arguments.border = starfish_task_optional(&task, d->border, kept);
    arguments.growth = starfish_task_optional(&task, d->growth, kept);
    if (vectors && d->input != d->output)
        arguments.input = starfish_task_optional(&task, d->input, STARPU_R);
    if (vectors) /* what lies in gaps must survive */
        arguments.output = starfish_task_optional(
            &task, d->output, d->input == d->output || d->vector_shape.has_gaps ? STARPU_RW : STARPU_W);
    if (d->input == d->output)
        arguments.input = arguments.output;
    const struct starfish_batch *k = &d->kernel;
    task.flops = 8.0 * (double)(k->n * k->lines); /* by elimination */
    arguments.header.footprint =
        STARFISH_FOOTPRINT(d->precision, k->n, k->lines, k->columns, (size_t)k->components, (size_t)k->periodic,
                           (size_t)k->algorithm, k->coefficients.line == 0 ? ONE_RUN : kind_of(&d->coefficient_shape),
                           kind_of(&d->vector_shape), k->coefficients.line == 0, d->factors != NULL, d->shift != NULL);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}

starfish_status starfish_submit_batch(struct starfish_progress *progress, const struct starfish_batch_task *task)
{
    struct starfish_batch_task solve = *task;

    solve.growth = NULL;
    return submit(progress, &batch_codelet, &solve, STARPU_R, 1);
}

starfish_status starfish_submit_batch_prepare(struct starfish_progress *progress,
                                              const struct starfish_batch_task *task)
{
    return submit(progress, &batch_prepare_codelet, task, STARPU_W, 0);
}
