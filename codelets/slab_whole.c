/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: whole(field), all of a solve on the context's cores, with four traversals of memory (slab_whole.h).
 * Memory-bound. */
#include "codelets/slab_whole.h"

#include "base/activity.h"
#include "base/pages.h"
#include "base/sizes.h"
#include "codelets/faces.h"
#include "codelets/kernel_pair.h"
#include "codelets/phases.h"
#include "codelets/slab_window.h"
#include "fft/kernels/columns_while.h"
#include "fft/kernels/rows_changed.h"
#include "scheduler/runtime/hooks.h"
#include "tridiag/kernels/slab_sweep.h"

#include <stdint.h>
#include <stdlib.h>

enum {
    BLOCK_BYTES = 64,      /* of a row of a block: half of what transforms of columns take at a time */
    BATCH_BYTES = 1 << 19, /* of a batch, for each core: two are in the second-level caches, or in the third */
    BUFFERS = 2,           /* for batches, in turns */
    SHARES_OF_A_CORE = 4,  /* of rows in a step, so that one that is late is helped */
    MOST_SHARES = 192,     /* of rows; with the blocks these are all items */
    LEAST_ROWS = 8,        /* of a batch: the checkpoints are a field over that */
    ROWS_OF_X = 16,        /* rows of x that are transformed side by side, in f64 */
    APART = 9 * 64         /* bytes more from plane to plane, so that planes are in other sets of the caches */
};

/* ---- Work space of a graph --------------------------------------------------------------------------------------- */

static size_t width_of(const struct starfish_slab_space *space)
{
    const size_t row = BLOCK_BYTES / starfish_real_size(space->precision);
    return row * starfish_ratio_up(space->n[0], row * STARFISH_TRANSFORM_MAX_TILES);
}

size_t starfish_slab_whole_workspace(const struct starfish_slab_space *space)
{
    return starfish_plane_set_workspace(&space->planes, STARFISH_CPU);
}

static size_t lanes_of(const struct starfish_slab_space *space)
{
    return space->n[0] * space->n[1];
}

/* Behind the batches, planes of states: unknowns, multipliers, borders of periodic lines; then checkpoints, twice if
 * periodic; then doubles: the constant lane. */
static size_t states_of(const struct starfish_slab_whole *whole)
{
    return 2 + (whole->space->periodic ? (size_t)STARFISH_SLAB_BORDERS : 0);
}

static size_t reals_of(const struct starfish_slab_whole *whole)
{
    const size_t checkpoints = whole->batches * (whole->space->periodic ? 2 : 1);
    return BUFFERS * whole->rows * whole->plane + (states_of(whole) + checkpoints) * lanes_of(whole->space);
}

static void *real_at(const struct starfish_slab_whole *whole, size_t index)
{
    return starfish_real_at(whole->memory, whole->space->precision, index);
}

static double *constant_lane(const struct starfish_slab_whole *whole)
{
    return real_at(whole, (reals_of(whole) + 1) / 2 * 2);
}

static void work(void *data, size_t step, size_t item, size_t part);

static void fill(struct starfish_slab_whole *whole)
{
    const struct starfish_slab_space *space = whole->space;
    const size_t size = starfish_real_size(space->precision), cores = starfish_gang_cores(space->context);
    const size_t fitting = cores * BATCH_BYTES / (lanes_of(space) * size);
    const size_t rows = fitting < LEAST_ROWS ? LEAST_ROWS : starfish_smaller(fitting, STARFISH_SLAB_SWEEP_ROWS);
    whole->width = width_of(space);
    whole->blocks = starfish_ratio_up(space->n[0], whole->width);
    whole->rows = starfish_smaller(rows, space->n[2]);
    whole->batches = starfish_ratio_up(space->n[2], whole->rows);
    whole->plane = lanes_of(space) + APART / size;
    whole->gang.context = space->context;
    whole->gang.cores = cores;
    whole->gang.work = work;
    whole->shares = starfish_smaller(SHARES_OF_A_CORE * cores, MOST_SHARES);
    whole->gang.items = whole->blocks + whole->shares;
}

starfish_status starfish_slab_whole_create(struct starfish_slab_whole **result, const struct starfish_slab_space *space,
                                           const struct starfish_workspace *workspace)
{
    struct starfish_slab_whole *whole = *result = calloc(1, sizeof *whole);
    STARFISH_FAIL_IF(!whole, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    whole->space = space;
    whole->workspace = workspace;
    fill(whole);
    const size_t bytes = (reals_of(whole) + 2) * starfish_real_size(space->precision) + space->n[2] * sizeof(double);
    whole->memory = starfish_pages_alloc(bytes);
    starfish_status status =
        whole->memory ? starfish_array_register(&whole->token, 1, 1)
                      : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu bytes of work space", bytes);
    if (status == STARFISH_SUCCESS)
        return STARFISH_SUCCESS;
    starfish_slab_whole_destroy(whole);
    *result = NULL;
    return status;
}

void starfish_slab_whole_destroy(struct starfish_slab_whole *whole)
{
    if (!whole)
        return;
    starfish_array_unregister(whole->token);
    free(whole->memory);
    free(whole);
}

/* ---- One solve --------------------------------------------------------------------------------------------------- */

struct arguments {
    struct starfish_task_header header;
    struct starfish_slab_whole *whole;
    const struct starfish_runs *cut; /* the graph's */
    int in_place, has_modes, has_boundary;
    struct starfish_faces faces;
    struct starfish_boundary_rhs boundary; /* pointers are filled in by the task */
};

/* Data: tables; token; slabs of the solution, of the right-hand side unless in place, of modes unless packed; constant
 * tables and removed if singular; faces with boundary data. */
struct solve {
    const struct arguments *a;
    struct starfish_slab_whole *whole;
    struct starfish_slab_lines lines;
    const struct starfish_slab_whole_field *rhs, *solution, *modes;
    struct starfish_boundary_rhs boundary;
    const double *constant;
    double *removed;
};

static int attach_field(void *buffers[], const struct starfish_runs *cut, int at,
                        struct starfish_slab_whole_field *field)
{
    for (size_t s = 0; s < cut->parts; s++) {
        field->slab[s] = starfish_slab_memory(buffers[at]);
        field->strides[s] = starfish_slab_strides(buffers[at++], starfish_runs_rows(cut, s));
    }
    return at;
}

static struct solve solve_of(void *buffers[], const struct arguments *a)
{
    const struct starfish_slab_space *space = a->whole->space;
    const struct starfish_slab_parts all = {.count = 1, .first_row = {0, space->n[1]}};
    struct starfish_slab_whole *whole = a->whole;
    struct solve solve = {.a = a,
                          .whole = whole,
                          .lines = starfish_slab_lines_of(buffers, space, &all, 0, space->n[2]),
                          .rhs = a->in_place ? &whole->solution : &whole->rhs,
                          .solution = &whole->solution,
                          .modes = a->has_modes ? &whole->modes : &whole->solution};
    int at = attach_field(buffers, a->cut, STARFISH_SLAB_TABLES + 1, &whole->solution);
    if (!a->in_place)
        at = attach_field(buffers, a->cut, at, &whole->rhs);
    if (a->has_modes)
        at = attach_field(buffers, a->cut, at, &whole->modes);
    if (space->constant_lane >= 0) {
        solve.constant = STARFISH_VECTOR(buffers, at++);
        solve.removed = STARFISH_VECTOR(buffers, at++);
    }
    solve.boundary = a->boundary;
    if (a->has_boundary)
        starfish_faces_here(&a->faces, buffers, solve.boundary.face);
    return solve;
}

/* Plane k of a field, and how its rows lie. */
static char *plane_of(const struct solve *solve, const struct starfish_slab_whole_field *field, size_t k,
                      struct starfish_strides *strides)
{
    const struct starfish_slab_space *space = solve->whole->space;
    const struct starfish_runs *cut = solve->a->cut;
    size_t s = 0;
    while (k >= cut->first[s + 1])
        s++;
    *strides = field->strides[s];
    k -= cut->first[s];
    return starfish_real_at(field->slab[s], space->precision,
                            strides->row > 0 ? starfish_strides_plane(strides, k) : k * lanes_of(space));
}

/* Planes of a batch. */
struct batch {
    size_t number, first, rows;
};

static struct batch batch_of(const struct starfish_slab_whole *whole, size_t number)
{
    const size_t first = number * whole->rows;
    return (struct batch){number, first, starfish_smaller(whole->rows, whole->space->n[2] - first)};
}

/* The reals of a row of the batch, `before` ones later. */
static void *in_batch(const struct starfish_slab_whole *whole, const struct batch *batch, size_t row, size_t before)
{
    return real_at(whole, (batch->number % BUFFERS * whole->rows + row) * whole->plane + before);
}

/* Lanes before a block in a plane that has one block behind the other; and the block's width. */
static size_t lanes_before(const struct starfish_slab_whole *whole, size_t block)
{
    return starfish_smaller(block * whole->width, whole->space->n[0]) * whole->space->n[1];
}

static size_t block_width(const struct starfish_slab_whole *whole, size_t block)
{
    return starfish_smaller(whole->width, whole->space->n[0] - block * whole->width);
}

/* What a core does, [direction]: colours of one phase are alike. */
static const struct starfish_activity in_x[] = {
    [STARFISH_FORWARD] = {"transform x", 0x4477aa, STARFISH_PHASE_FORWARD},
    [STARFISH_BACKWARD] = {"transform x back", 0x228833, STARFISH_PHASE_BACKWARD}};
static const struct starfish_activity in_y[] = {
    [STARFISH_FORWARD] = {"transform y", 0x66ccee, STARFISH_PHASE_FORWARD},
    [STARFISH_BACKWARD] = {"transform y back", 0x99cc66, STARFISH_PHASE_BACKWARD}};
static const struct starfish_activity in_z[] = {
    [STARFISH_FORWARD] = {"eliminate in z", 0xee6677, STARFISH_PHASE_MODES},
    [STARFISH_BACKWARD] = {"substitute in z", 0xaa3377, STARFISH_PHASE_MODES}};

/* ---- Rows of x --------------------------------------------------------------------------------------------------- */

/* Rows of a plane whose boundary data are moved to the right-hand side. */
struct rows_at {
    const struct solve *solve;
    size_t first, plane;
};

static void move_boundary(const void *data, size_t row, void *values, size_t stride)
{
    static void (*const kernel[])(const struct starfish_boundary_rhs *, size_t, size_t, void *,
                                  size_t) = {starfish_boundary_row_cpu_f32, starfish_boundary_row_cpu_f64};
    const struct rows_at *at = data;
    kernel[at->solve->whole->space->precision](&at->solve->boundary, at->first + row, at->plane, values, stride);
}

static void rows_with_boundary(const struct solve *solve, const struct starfish_transform_rows *rows, size_t first,
                               size_t plane)
{
    const struct rows_at at = {solve, first, plane};
    const struct starfish_row_change change = {move_boundary, &at};
    starfish_transform_changed_rows_cpu(solve->whole->space->planes.x.cpu, rows, &change);
}

/* Rows first .. last-1 of a plane of the batch. */
static void transform_rows(const struct solve *solve, enum starfish_transform_direction direction,
                           const struct batch *batch, size_t row, size_t first, size_t last, void *room)
{
    const struct starfish_slab_whole *whole = solve->whole;
    const struct starfish_slab_space *space = whole->space;
    struct starfish_strides strides;
    char *const values =
        plane_of(solve, direction == STARFISH_FORWARD ? solve->rhs : solve->solution, batch->first + row, &strides);
    struct starfish_transform_rows rows = {
        .count = last - first, .scale = 1, .workspace = room, .strides = strides, .past_caches = 1};
    rows.rows = starfish_real_at(values, space->precision, first * (strides.row > 0 ? strides.row : space->n[0]));
    rows.tiles = (int)whole->blocks;
    for (size_t block = 0; block < whole->blocks; block++) {
        const size_t before = lanes_before(whole, block) + first * block_width(whole, block);
        rows.tile[block] = in_batch(whole, batch, row, before);
        rows.first_mode[block + 1] = block * whole->width + block_width(whole, block);
    }
    if (direction == STARFISH_FORWARD && solve->a->has_boundary)
        rows_with_boundary(solve, &rows, first, batch->first + row);
    else
        starfish_transform_rows_cpu(space->planes.x.cpu, direction, &rows);
}

/* A share of a batch's rows, in groups of those that are transformed side by side. */
static void share_rows(const struct solve *solve, enum starfish_transform_direction direction,
                       const struct batch *batch, size_t share, void *room)
{
    const size_t shares = solve->whole->shares, ny = solve->whole->space->n[1];
    const size_t side_by_side = ROWS_OF_X * sizeof(double) / starfish_real_size(solve->whole->space->precision);
    const size_t groups = starfish_ratio_up(ny, side_by_side), all = groups * batch->rows;
    size_t group = all * share / shares;
    const size_t end = all * (share + 1) / shares;
    starfish_activity_begin(&in_x[direction]);
    while (group < end) {
        const size_t row = group / groups, first = group % groups,
                     count = starfish_smaller(groups - first, end - group);
        transform_rows(solve, direction, batch, row, first * side_by_side,
                       starfish_smaller(ny, (first + count) * side_by_side), room);
        group += count;
    }
}

/* ---- Blocks: columns of y, lines of z ---------------------------------------------------------------------------- */

/* What this core reads of the block that it is likely to do next: rows of the batch on the way up, eliminated ones on
 * the way down. */
struct ahead {
    struct starfish_fetch fetch;
    const void *piece[STARFISH_SLAB_SWEEP_ROWS];
};

static void set_ahead(const struct solve *solve, enum starfish_transform_direction direction, const struct batch *batch,
                      size_t block, struct ahead *ahead)
{
    const struct starfish_slab_whole *whole = solve->whole;
    const struct starfish_slab_space *space = whole->space;
    const size_t next = block + whole->gang.cores, before = lanes_before(whole, next);
    ahead->fetch = (struct starfish_fetch){.piece = ahead->piece};
    if (next >= whole->blocks)
        return;
    ahead->fetch.bytes = block_width(whole, next) * space->n[1] * starfish_real_size(space->precision);
    ahead->fetch.pieces = batch->rows;
    for (size_t row = 0; row < batch->rows; row++) {
        struct starfish_strides packed;
        ahead->piece[row] = direction == STARFISH_FORWARD
                                ? in_batch(whole, batch, row, before)
                                : starfish_real_at(plane_of(solve, solve->modes, batch->first + row, &packed),
                                                   space->precision, before);
    }
}

static void transform_columns(const struct solve *solve, enum starfish_transform_direction direction,
                              const struct batch *batch, size_t block, void *room)
{
    const struct starfish_slab_whole *whole = solve->whole;
    const struct starfish_slab_space *space = whole->space;
    const struct starfish_transform_columns columns = {
        .inner = block_width(whole, block),
        .outer = batch->rows,
        .apart = whole->plane,
        .data = in_batch(whole, batch, 0, lanes_before(whole, block)),
        .scale = direction == STARFISH_FORWARD ? 1 / starfish_plane_set_scale(&space->planes) : 1,
        .workspace = room};
    struct ahead ahead;
    starfish_activity_begin(&in_y[direction]);
    set_ahead(solve, direction, batch, block, &ahead);
    starfish_transform_columns_cpu_while(space->planes.y.cpu, direction, &columns, &ahead.fetch);
}

/* The constant lane as lanes of a block count it; -1: it is not there. */
static ptrdiff_t constant_in(const struct starfish_slab_whole *whole, size_t block)
{
    const struct starfish_slab_space *space = whole->space;
    if (space->constant_lane < 0)
        return -1;
    const size_t i = (size_t)space->constant_lane % space->n[0], j = (size_t)space->constant_lane / space->n[0];
    return i / whole->width == block ? (ptrdiff_t)(i % whole->width + j * block_width(whole, block)) : -1;
}

static void sweep(const struct solve *solve, enum starfish_transform_direction direction, const struct batch *batch,
                  size_t block)
{
    static void (*const kernel[][2])(const struct starfish_slab_sweep *) = {
        {starfish_slab_sweep_up_f32, starfish_slab_sweep_up_f64},
        {starfish_slab_sweep_down_f32, starfish_slab_sweep_down_f64}};
    const struct starfish_slab_whole *whole = solve->whole;
    const struct starfish_slab_space *space = whole->space;
    const size_t before = lanes_before(whole, block), lanes = lanes_of(space);
    const size_t states = BUFFERS * whole->rows * whole->plane + before,
                 checkpoints = states + states_of(whole) * lanes;
    void *eliminated[STARFISH_SLAB_SWEEP_ROWS];
    struct starfish_strides packed;
    for (size_t row = 0; row < batch->rows; row++)
        eliminated[row] =
            starfish_real_at(plane_of(solve, solve->modes, batch->first + row, &packed), space->precision, before);
    struct starfish_slab_sweep sweep = {.lines = solve->lines,
                                        .first = batch->first,
                                        .rows = batch->rows,
                                        .periodic = space->periodic,
                                        .pinned_lane = constant_in(whole, block),
                                        .data = in_batch(whole, batch, 0, before),
                                        .eliminated = eliminated,
                                        .unknown = real_at(whole, states),
                                        .multiplier = real_at(whole, states + lanes),
                                        .checkpoint = real_at(whole, checkpoints + batch->number * lanes)};
    sweep.lines.inner = block_width(whole, block);
    sweep.lines.plane = whole->plane;
    sweep.lines.shift_inner =
        starfish_real_at((void *)(uintptr_t)solve->lines.shift_inner, space->precision, block * whole->width);
    for (size_t b = 0; b < STARFISH_SLAB_BORDERS && space->periodic; b++)
        sweep.border[b] = real_at(whole, states + (2 + b) * lanes);
    if (space->periodic)
        sweep.border_checkpoint = real_at(whole, checkpoints + (whole->batches + batch->number) * lanes);
    kernel[direction][space->precision](&sweep);
}

/* A batch's rows of the constant lane of a singular problem. `lane`: of a block. */
static struct starfish_slab_lane lane_of(const struct starfish_slab_whole *whole, const struct batch *batch,
                                         size_t block, size_t lane)
{
    return (struct starfish_slab_lane){.planes = batch->rows,
                                       .stride = whole->plane,
                                       .lane = in_batch(whole, batch, 0, lanes_before(whole, block) + lane),
                                       .line = constant_lane(whole) + batch->first};
}

/* When the last rows have been taken, all are solved for. */
static void take_constant(const struct solve *solve, const struct batch *batch, size_t block, size_t lane)
{
    const struct starfish_slab_whole *whole = solve->whole;
    const struct starfish_place place = {.precision = whole->space->precision};
    const struct starfish_slab_lane rows = lane_of(whole, batch, block, lane);
    starfish_slab_lane_take(&place, &rows);
    const struct starfish_slab_lane all = {
        .line = constant_lane(whole), .tables = solve->constant, .removed = solve->removed};
    if (batch->number + 1 == whole->batches)
        starfish_slab_lane_solve(&place, whole->space, &all);
}

static void put_constant(const struct solve *solve, const struct batch *batch, size_t block, size_t lane)
{
    const struct starfish_place place = {.precision = solve->whole->space->precision};
    const struct starfish_slab_lane rows = lane_of(solve->whole, batch, block, lane);
    starfish_slab_lane_put(&place, &rows);
}

static void block_up(const struct solve *solve, const struct batch *batch, size_t block, void *room)
{
    const ptrdiff_t lane = constant_in(solve->whole, block);
    transform_columns(solve, STARFISH_FORWARD, batch, block, room);
    starfish_activity_begin(&in_z[STARFISH_FORWARD]);
    if (lane >= 0)
        take_constant(solve, batch, block, (size_t)lane);
    sweep(solve, STARFISH_FORWARD, batch, block);
}

static void block_down(const struct solve *solve, const struct batch *batch, size_t block, void *room)
{
    const ptrdiff_t lane = constant_in(solve->whole, block);
    starfish_activity_begin(&in_z[STARFISH_BACKWARD]);
    sweep(solve, STARFISH_BACKWARD, batch, block);
    if (lane >= 0)
        put_constant(solve, batch, block, (size_t)lane);
    transform_columns(solve, STARFISH_BACKWARD, batch, block, room);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* Steps 0 .. 2 batches: rows of one batch and blocks of the one before it, which is in the other buffer, so that cores
 * wait for each other once for each batch each way. The last batch's blocks go up and down in one step. */
static void do_rows(const struct solve *solve, size_t step, size_t share, void *room)
{
    const struct starfish_slab_whole *whole = solve->whole;
    const size_t batches = whole->batches;
    if (step == batches)
        return;
    const struct batch batch = batch_of(whole, step < batches ? step : 2 * batches - step);
    share_rows(solve, step < batches ? STARFISH_FORWARD : STARFISH_BACKWARD, &batch, share, room);
}

static void do_block(const struct solve *solve, size_t step, size_t block, void *room)
{
    const struct starfish_slab_whole *whole = solve->whole;
    const size_t batches = whole->batches;
    if (step >= 1 && step <= batches) {
        const struct batch batch = batch_of(whole, step - 1);
        block_up(solve, &batch, block, room);
    }
    if (step >= batches && step < 2 * batches) {
        const struct batch batch = batch_of(whole, 2 * batches - 1 - step);
        block_down(solve, &batch, block, room);
    }
}

static void work(void *data, size_t step, size_t item, size_t part)
{
    const struct solve *solve = data;
    void *const room = starfish_workspace_part(solve->whole->workspace, part);
    if (item < solve->whole->blocks)
        do_block(solve, step, item, room);
    else
        do_rows(solve, step, item - solve->whole->blocks, room);
}

static void slab_whole_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    struct solve solve = solve_of(buffers, a);
    struct starfish_gang *gang = &a->whole->gang;
    gang->data = &solve;
    starfish_gang_run(gang, a->header.progress, a->header.phase, 2 * a->whole->batches + 1);
}

STARFISH_CORES_CODELET(slab_whole, "slab_whole", 0x4477aa);

int starfish_slab_whole_possible(const struct starfish_slab_space *space)
{
    const struct starfish_context *context = space->context;
    const size_t blocks = starfish_ratio_up(space->n[0], width_of(space)), cores = starfish_gang_cores(context);
    return context->workers_of[STARFISH_GPU] == 0 && context->workers_of[STARFISH_CPU] > 0 &&
           space->planes.basis.basis.n == 0 && space->count == 1 && 2 * space->n[0] >= width_of(space) &&
           2 * blocks >= cores && cores <= STARFISH_GANG_MOST_ITEMS &&
           starfish_times_known(&slab_whole_codelet, context, STARFISH_CPU);
}

static void attach_slabs(struct starfish_task *task, const struct starfish_runs *cut, const starpu_data_handle_t *slab,
                         enum starpu_data_access_mode mode)
{
    for (size_t s = 0; s < cut->parts; s++)
        starfish_task_data(task, slab[s], mode);
}

starfish_status starfish_submit_slab_whole(struct starfish_progress *progress, int phase,
                                           const struct starfish_slab_whole_task *d)
{
    const struct starfish_slab_space *space = d->whole->space;
    struct starfish_task task;
    struct arguments arguments = {.whole = d->whole,
                                  .cut = d->cut,
                                  .in_place = d->rhs[0] == d->solution[0],
                                  .has_modes = d->modes != NULL,
                                  .has_boundary = d->boundary != NULL,
                                  .boundary = {.n = {space->n[0], space->n[1], space->n[2]}, .planes = space->n[2]}};
    starfish_task_begin(&task, &slab_whole_codelet, progress, phase);
    task.name = "whole";
    task.device = STARFISH_CORES;
    task.width = space->n[0] * space->n[1];
    task.flops = 2 * starfish_slab_flops(space, space->n[2]);
    starfish_slab_tables(&task, space);
    starfish_task_data(&task, d->whole->token, STARPU_W);
    attach_slabs(&task, d->cut, d->solution, arguments.in_place ? STARPU_RW : STARPU_W);
    if (!arguments.in_place)
        attach_slabs(&task, d->cut, d->rhs, STARPU_R);
    if (d->modes)
        attach_slabs(&task, d->cut, d->modes, STARPU_W);
    if (space->constant_lane >= 0) {
        starfish_task_data(&task, space->constant.handle, STARPU_R);
        starfish_task_data(&task, d->removed, STARPU_W);
    }
    if (d->boundary)
        arguments.faces = starfish_boundary_attach(&task, d->boundary, &arguments.boundary);
    arguments.header.footprint = STARFISH_FOOTPRINT(space->precision, space->n[0], space->n[1], space->n[2],
                                                    space->planes.x.kind, space->planes.y.kind, d->whole->gang.cores,
                                                    space->constant_lane >= 0, (size_t)space->periodic);
    arguments.header.uses_all_cores = 1;
    d->whole->gang.footprint = arguments.header.footprint;
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
