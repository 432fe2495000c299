/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operations of Q1 multigrid on one grid: kernels of this folder and lines of tridiag put together, on the CPU and
 * on the GPU alike.
 *
 * A line step is u + damping * T^-1 (f - A u) with T the tridiagonal matrices of the lines in one direction. On the CPU
 * a few lines at a time pass through the cache: residual, solve, update; 8 words per unknown go to memory. On the GPU
 * it is one kernel (lines.h) where that is possible. Else each of the three is a kernel over all lines: 9 words for the
 * residual and the diagonal, 5 for the lines, 3 for the update. */
#include "multigrid/kernels/q1_steps.h"

#include "base/place.h"
#include "base/real.h"
#include "base/sizes.h"
#include "multigrid/kernels/lines.h"
#include "multigrid/kernels/q1_cycle.h"
#include "multigrid/kernels/tensor.h"
#include "multigrid/kernels/transfer.h"
#include "tridiag/kernels/batch.h"
#include "tridiag/kernels/blocking.h"

#include <string.h>

/* ---- Kernels, by place ------------------------------------------------------------------------------------------- */

STARFISH_PLACE_KERNEL_OF(run_tensor_residual, starfish_band_residual, starfish_tensor_residual)
STARFISH_PLACE_KERNEL_OF(run_tensor_jacobi, starfish_band_jacobi, starfish_tensor_jacobi)
STARFISH_PLACE_KERNEL(run_colours, starfish_band_colours)
STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)
STARFISH_PLACE_KERNEL(run_dense, starfish_band_dense)
STARFISH_PLACE_KERNEL(run_restrict, starfish_restrict)
STARFISH_PLACE_KERNEL(run_prolong, starfish_prolong)
STARFISH_PLACE_KERNEL(run_lines, starfish_batch)

/* Of kernels of matrices, that of the entries' storage. */
#ifdef STARFISH_CUDA
#define RUN_MATRIX_ON_GPU(kernel)                                                                                      \
    static int (*const on_gpu[])(const struct kernel *, struct CUstream_st *) = {                                      \
        kernel##_cuda_f32, kernel##_cuda_f64, kernel##_cuda_f32_f16, kernel##_cuda_f32_bf16};                          \
    if (place->gpu)                                                                                                    \
        return on_gpu[kind_of(place, &arguments->matrix)](arguments, place->stream);
#else
#define RUN_MATRIX_ON_GPU(kernel)
#endif
#define MATRIX_KERNEL(run, kernel)                                                                                     \
    static int run(const struct starfish_place *place, const struct kernel *arguments)                                 \
    {                                                                                                                  \
        static void (*const on_cpu[])(const struct kernel *) = {kernel##_cpu_f32, kernel##_cpu_f64,                    \
                                                                kernel##_cpu_f32_f16, kernel##_cpu_f32_bf16};          \
        RUN_MATRIX_ON_GPU(kernel)                                                                                      \
        on_cpu[kind_of(place, &arguments->matrix)](arguments);                                                         \
        return 0;                                                                                                      \
    }

static size_t kind_of(const struct starfish_place *place, const struct starfish_band_matrix *matrix)
{
    return matrix->storage == STARFISH_BAND_REALS ? (size_t)place->precision : 1 + (size_t)matrix->storage;
}

MATRIX_KERNEL(run_band_residual, starfish_band_residual)
MATRIX_KERNEL(run_band_jacobi, starfish_band_jacobi)

static int is_tensor(const struct starfish_band_matrix *matrix)
{
    return matrix->storage == STARFISH_BAND_REALS && !matrix->band[0];
}

static int run_residual(const struct starfish_place *place, const struct starfish_band_residual *residual)
{
    return (is_tensor(&residual->matrix) ? run_tensor_residual : run_band_residual)(place, residual);
}

static int run_jacobi(const struct starfish_place *place, const struct starfish_band_jacobi *jacobi)
{
    return (is_tensor(&jacobi->matrix) ? run_tensor_jacobi : run_band_jacobi)(place, jacobi);
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

size_t starfish_q1_table_weights(const struct starfish_q1_shape *shape)
{
    if (shape->tensor)
        return 2 * (shape->n[0] + shape->n[1] + 2);
    return shape->storage == STARFISH_BAND_REALS ? starfish_band_table_start(shape->n[0], shape->n[1], 5)
                                                 : starfish_band_packed_size(shape->n[0], shape->n[1]);
}

size_t starfish_q1_table_inverse(const struct starfish_q1_shape *shape)
{
    return starfish_q1_table_weights(shape) + 2 * (shape->n[0] + shape->n[1]);
}

size_t starfish_q1_table_size(const struct starfish_q1_shape *shape)
{
    const size_t n = shape->n[0] * shape->n[1];

    return starfish_q1_table_inverse(shape) + (shape->coarsest ? n * n : 0);
}

static const void *at_real(const struct starfish_place *place, const void *array, size_t index)
{
    return (const char *)array + index * starfish_real_size(place->precision);
}

static struct starfish_band_matrix tensor_of(const struct starfish_place *place, const struct starfish_q1_shape *shape,
                                             const void *table)
{
    struct starfish_band_matrix matrix = {.nx = shape->n[0], .ny = shape->n[1], .reaction = shape->reaction};
    size_t next = 0;

    for (int d = 0; d < 2; d++) {
        matrix.axis[d].width = at_real(place, table, next);
        matrix.axis[d].inverse = at_real(place, table, next + shape->n[d] + 1);
        next += 2 * (shape->n[d] + 1);
    }
    return matrix;
}

static struct starfish_band_matrix matrix_of(const struct starfish_place *place, const struct starfish_q1_shape *shape,
                                             const void *table)
{
    if (shape->tensor)
        return tensor_of(place, shape, table);
    if (shape->storage != STARFISH_BAND_REALS)
        return starfish_band_packed_point(shape->n[0], shape->n[1], table, shape->storage, shape->scale);
    struct starfish_band_matrix matrix =
        starfish_band_table_point(shape->n[0], shape->n[1], table, starfish_real_size(place->precision));
    matrix.diagonals = shape->diagonals;
    return matrix;
}

/* Between a fine grid and the next coarser one, whose table has the weights. */
static void set_axes(const struct starfish_place *place, const struct starfish_q1_shape *fine,
                     const struct starfish_q1_shape *coarse, const void *table, struct starfish_transfer_axis axis[2])
{
    size_t next = starfish_q1_table_weights(coarse);

    for (int d = 0; d < 2; d++) {
        const void *left = at_real(place, table, next), *right = at_real(place, table, next + coarse->n[d]);
        axis[d] = (struct starfish_transfer_axis){fine->n[d],        coarse->n[d], coarse->stride[d],
                                                  coarse->origin[d], left,         right};
        next += 2 * coarse->n[d];
    }
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* What lines sweeps run along, and which of them they solve for; points are not `there`. */
struct lines {
    int there, along_y;
    enum starfish_band_choice choice;
};
static const struct lines sweep_lines[STARFISH_Q1_SWEEPS] = {
    [STARFISH_Q1_LINES_X] = {1, 0, STARFISH_BAND_ALL_LINES},
    [STARFISH_Q1_LINES_Y] = {1, 1, STARFISH_BAND_ALL_LINES},
    [STARFISH_Q1_EVEN_LINES_X] = {1, 0, STARFISH_BAND_EVEN_LINES},
    [STARFISH_Q1_ODD_LINES_X] = {1, 0, STARFISH_BAND_ODD_LINES},
    [STARFISH_Q1_EVEN_LINES_Y] = {1, 1, STARFISH_BAND_EVEN_LINES},
    [STARFISH_Q1_ODD_LINES_Y] = {1, 1, STARFISH_BAND_ODD_LINES},
};

/* From one line that is solved for to the next, among lines in x on the CPU. Elsewhere all are. */
static size_t line_stride(struct lines sweep)
{
    return !sweep.along_y && sweep.choice != STARFISH_BAND_ALL_LINES ? 2 : 1;
}

/* Lines that pass through the cache together: on the CPU as many as the batch has side by side, on the GPU all. */
static size_t lines_at_once(const struct starfish_place *place, const struct starfish_q1_shape *shape,
                            struct lines sweep)
{
    const size_t size = starfish_real_size(place->precision);

    if (place->gpu)
        return shape->n[1 - sweep.along_y];
    if (!sweep.along_y)
        return starfish_tridiag_smaller(line_stride(sweep) * STARFISH_TRIDIAG_CACHE_LINE / size, shape->n[1]);
    /* the wider, the fewer pages and pieces of cache lines that a row of the strip touches: measured best */
    return starfish_tridiag_block_lanes(shape->n[1], shape->n[0], 1, size);
}

/* Reals of one vector of the work space: whole rows of the grid, so that rows lie as those of the bands. */
static size_t vector_reals(const struct starfish_q1_shape *shape, struct starfish_rectangle at)
{
    return starfish_tridiag_round_up(shape->n[0] * (at.y1 - at.y0), 32);
}

/* Vectors of lines in the work space: the residual, which becomes the correction, the diagonal, of entries in 16 bits
 * also those ahead, of tensor products the couplings, those of a line's next unknown one further on: the first of a row
 * are 0, so that the last's are. A coupling beyond the last needs another one. */
static size_t line_vectors(const struct starfish_q1_shape *shape)
{
    if (shape->tensor)
        return 4;
    return shape->storage == STARFISH_BAND_REALS ? 2 : 3;
}

/* Where in an array of the rectangle's rows its first line is that is solved for. */
static size_t first_line(const struct starfish_q1_shape *shape, struct lines sweep, struct starfish_rectangle at)
{
    return line_stride(sweep) > 1 && !STARFISH_BAND_CHOSEN(sweep.choice, at.y0) ? shape->n[0] : 0;
}

/* Lines of a rectangle, and what of them is in the work space. */
static struct starfish_batch batch_of(const struct starfish_place *place, const struct starfish_q1_shape *shape,
                                      struct lines sweep, struct starfish_rectangle at)
{
    const size_t width = at.x1 - at.x0, height = at.y1 - at.y0, nx = shape->n[0];
    const size_t start = first_line(shape, sweep, at), stride = line_stride(sweep);
    const int x = !sweep.along_y;
    const struct starfish_layout layout =
        x ? (struct starfish_layout){1, stride * nx} : (struct starfish_layout){nx, 1};
    struct starfish_batch batch = {
        .n = x ? width : height,
        .lines = x ? (height - start / nx + stride - 1) / stride : width,
        .columns = 1,
        .components = 1,
        .coefficients = layout,
        .vectors = layout,
        .diag = at_real(place, place->work, vector_reals(shape, at) + start),
        .input = at_real(place, place->work, start),
        .output = (void *)(uintptr_t)at_real(place, place->work, start),
    };

    batch.algorithm = place->gpu ? starfish_batch_choose_cuda(&batch) : starfish_batch_choose_cpu(&batch);
    batch.workspace = (void *)(uintptr_t)at_real(place, place->work, line_vectors(shape) * vector_reals(shape, at));
    return batch;
}

/* Lines in y on the CPU, whose residual is solved for as it is computed. */
static int smooth_columns(const struct starfish_place *place, const struct starfish_grid_step *s,
                          struct starfish_rectangle at)
{
    static void (*const run[])(const struct starfish_band_columns *) = {
        starfish_band_columns_cpu_f32, starfish_band_columns_cpu_f64, starfish_band_columns_cpu_f32_f16,
        starfish_band_columns_cpu_f32_bf16};
    const struct starfish_band_columns columns = {.matrix = matrix_of(place, s->shape, s->table),
                                                  .at = at,
                                                  .choice = sweep_lines[s->sweep].choice,
                                                  .damping = s->damping,
                                                  .u = s->u,
                                                  .f = s->f,
                                                  .v = s->result,
                                                  .work = place->work};

    run[kind_of(place, &columns.matrix)](&columns);
    return 0;
}

/* Of tensor products, rows in x on the CPU. */
static void find_couplings(const struct starfish_place *place, const struct starfish_band_matrix *matrix,
                           struct starfish_rectangle at, void *lower)
{
    static void (*const run[])(const struct starfish_tensor_lower *) = {starfish_tensor_lower_cpu_f32,
                                                                        starfish_tensor_lower_cpu_f64};
    const size_t size = starfish_real_size(place->precision);
    const struct starfish_tensor_lower rows = {.matrix = *matrix, .at = at, .lower = lower, .pitch = matrix->nx};

    run[place->precision](&rows);
    memset((char *)lower + matrix->nx * (at.y1 - at.y0) * size, 0, size);
}

/* Where the entries before and after each unknown of the lines are. */
static void find_beside(const struct starfish_place *place, const struct starfish_grid_step *s,
                        struct starfish_rectangle at, const struct starfish_band_matrix *matrix,
                        struct starfish_batch *lines)
{
    const int x = !sweep_lines[s->sweep].along_y;
    const struct starfish_q1_shape *shape = s->shape;
    const size_t nx = shape->n[0], first = first_line(shape, sweep_lines[s->sweep], at);
    const size_t start = at.x0 + at.y0 * nx + first, third = 2 * vector_reals(shape, at);

    if (is_tensor(matrix)) {
        lines->lower = at_real(place, place->work, third + first);
        lines->upper = at_real(place, lines->lower, 1);
        find_couplings(place, matrix, at, (void *)(uintptr_t)at_real(place, place->work, third));
    } else if (matrix->storage != STARFISH_BAND_REALS) { /* which the residual's kernel writes */
        lines->lower = at_real(place, place->work, third - (x ? 1 : nx));
        lines->upper = at_real(place, place->work, third);
    } else {
        lines->lower = at_real(place, matrix->band[x ? STARFISH_BAND_W : STARFISH_BAND_S], start);
        lines->upper = at_real(place, matrix->band[x ? STARFISH_BAND_E : STARFISH_BAND_N], start);
    }
}

#ifdef STARFISH_CUDA
/* On a GPU in one kernel, but for matrices with diagonals or entries in 16 bits, and lines that are too long. */
static int lines_are_one_kernel(const struct starfish_q1_shape *shape)
{
    return !shape->diagonals && shape->storage == STARFISH_BAND_REALS && shape->n[0] <= STARFISH_BAND_LINES_MOST &&
           shape->n[1] <= STARFISH_BAND_LINES_MOST;
}

static int smooth_in_one_kernel(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    static int (*const run[])(const struct starfish_band_lines *,
                              struct CUstream_st *) = {starfish_band_lines_cuda_f32, starfish_band_lines_cuda_f64};
    const int along_y = sweep_lines[s->sweep].along_y;
    const struct starfish_band_lines lines = {.matrix = matrix_of(place, s->shape, s->table),
                                              .direction = along_y,
                                              .first = along_y ? s->at.x0 : s->at.y0,
                                              .last = along_y ? s->at.x1 : s->at.y1,
                                              .choice = sweep_lines[s->sweep].choice,
                                              .damping = s->damping,
                                              .u = s->u,
                                              .f = s->f,
                                              .work = place->work,
                                              .v = s->result};

    return run[place->precision](&lines, place->stream);
}
#endif

/* The rows of a rectangle are treated alike where all are solved for, else one at a time. */
static int smooth_lines(const struct starfish_place *place, const struct starfish_grid_step *s,
                        struct starfish_rectangle at)
{
    const struct starfish_q1_shape *shape = s->shape;
    const struct lines sweep = sweep_lines[s->sweep];
    const size_t pitch = shape->n[0], stride = line_stride(sweep), rows = stride > 1 ? 1 : at.y1 - at.y0;
    const struct starfish_band_matrix matrix = matrix_of(place, shape, s->table);
    const int packed = matrix.storage != STARFISH_BAND_REALS;
    struct starfish_batch lines = batch_of(place, shape, sweep, at);
    find_beside(place, s, at, &matrix, &lines);

    for (size_t line = 0; line<lines.lines; line += stride> 1 ? 1 : lines.lines) {
        const size_t shift = line * lines.vectors.line, first = first_line(shape, sweep, at) / pitch + line * stride;
        const struct starfish_band_residual residual = {.matrix = matrix,
                                                        .at = {at.x0, at.x1, at.y0 + first, at.y0 + first + rows},
                                                        .u = s->u,
                                                        .f = s->f,
                                                        .result = (void *)(uintptr_t)at_real(place, lines.input, shift),
                                                        .diag = (void *)(uintptr_t)at_real(place, lines.diag, shift),
                                                        .ahead = packed ? (void *)(uintptr_t)lines.upper : NULL,
                                                        .along_y = sweep.along_y,
                                                        .pitch = pitch};
        TRY_LAUNCH(run_residual(place, &residual));
    }
    TRY_LAUNCH(run_lines(place, &lines));
    for (size_t j = at.y0; j < at.y1; j += rows) {
        const struct starfish_vector_update update = {
            .nx = pitch,
            .at = {at.x0, at.x1, j, j + rows},
            .factor = stride == 1 || STARFISH_BAND_CHOSEN(sweep.choice, j) ? s->damping : 0,
            .u = s->u,
            .correction = at_real(place, place->work, (j - at.y0) * pitch),
            .pitch = pitch,
            .v = s->result};
        TRY_LAUNCH(run_update(place, &update));
    }
    return 0;
}

static int smooth_points(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_band_jacobi jacobi = {.matrix = matrix_of(place, s->shape, s->table),
                                                .at = s->at,
                                                .damping = s->damping,
                                                .u = s->u,
                                                .f = s->f,
                                                .v = s->result};

    return run_jacobi(place, &jacobi);
}

static int smooth_colours(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_band_colours colours = {.matrix = matrix_of(place, s->shape, s->table),
                                                  .at = s->at,
                                                  .parity = s->sweep == STARFISH_Q1_ROWS_ODD,
                                                  .damping = s->damping,
                                                  .u = s->u,
                                                  .f = s->f,
                                                  .v = s->result};

    return run_colours(place, &colours);
}

static int smooth_rows(const struct starfish_place *place, const struct starfish_grid_step *s, size_t at_once)
{
    struct starfish_rectangle at = s->at;

    for (; at.y0 < s->at.y1; at.y0 = at.y1) {
        at.y1 = starfish_tridiag_smaller(at.y0 + at_once, s->at.y1);
        TRY_LAUNCH(smooth_lines(place, s, at));
    }
    return 0;
}

static int smooth_strips(const struct starfish_place *place, const struct starfish_grid_step *s, size_t at_once)
{
    struct starfish_rectangle at = s->at;

    for (; at.x0 < s->at.x1; at.x0 = at.x1) {
        at.x1 = starfish_tridiag_smaller(at.x0 + at_once, s->at.x1);
        TRY_LAUNCH((place->gpu ? smooth_lines : smooth_columns)(place, s, at));
    }
    return 0;
}

int starfish_q1_smooth_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const enum starfish_q1_sweep sweep = (enum starfish_q1_sweep)s->sweep;

    if (sweep == STARFISH_Q1_POINTS)
        return smooth_points(place, s);
    if (sweep == STARFISH_Q1_ROWS_EVEN || sweep == STARFISH_Q1_ROWS_ODD)
        return smooth_colours(place, s);
#ifdef STARFISH_CUDA
    if (place->gpu && lines_are_one_kernel(s->shape))
        return smooth_in_one_kernel(place, s);
#endif
    const struct lines lines = sweep_lines[sweep];
    return (lines.along_y ? smooth_strips : smooth_rows)(place, s, lines_at_once(place, s->shape, lines));
}

/* ---- Between grids ----------------------------------------------------------------------------------------------- */

/* Coarse rows whose residual is in the cache at a time. */
static size_t rows_at_once(const struct starfish_place *place, const struct starfish_q1_shape *coarse)
{
    enum { ROWS = 8 };

    return place->gpu ? coarse->n[1] : ROWS;
}

static int restrict_rows(const struct starfish_place *place, const struct starfish_grid_step *s,
                         struct starfish_rectangle at)
{
    const struct starfish_q1_shape *shape = s->shape;
    struct starfish_restrict rows = {.at = at, .residual = place->work, .coarse = s->result};
    size_t fine[2];

    set_axes(place, shape, s->coarse_shape, s->coarse_table, rows.axis);
    starfish_transfer_fine(&rows.axis[1], at.y0, at.y1, fine);
    rows.first_row = fine[0];
    if (!s->u) { /* the residual is f, which need not be copied */
        rows.first_row = 0;
        rows.residual = s->f;
        return run_restrict(place, &rows);
    }
    const struct starfish_band_residual residual = {.matrix = matrix_of(place, shape, s->table),
                                                    .at = {0, shape->n[0], fine[0], fine[1]},
                                                    .u = s->u,
                                                    .f = s->f,
                                                    .result = place->work,
                                                    .pitch = shape->n[0]};
    TRY_LAUNCH(run_residual(place, &residual));
    return run_restrict(place, &rows);
}

int starfish_q1_restrict_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const size_t step = rows_at_once(place, s->coarse_shape);
    struct starfish_rectangle at = s->at;

    for (; at.y0 < s->at.y1; at.y0 = at.y1) {
        at.y1 = starfish_tridiag_smaller(at.y0 + step, s->at.y1);
        TRY_LAUNCH(restrict_rows(place, s, at));
    }
    return 0;
}

int starfish_q1_prolong_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    struct starfish_prolong prolong = {.at = s->at, .zero = s->zero, .coarse = s->coarse, .u = s->result};

    set_axes(place, s->shape, s->coarse_shape, s->coarse_table, prolong.axis);
    return run_prolong(place, &prolong);
}

/* ---- Residual, coarsest grid ------------------------------------------------------------------------------------- */

int starfish_q1_residual_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_q1_shape *shape = s->shape;
    const size_t nx = shape->n[0], start = s->at.x0 + s->at.y0 * nx;
    const struct starfish_band_residual residual = {
        .matrix = matrix_of(place, shape, s->table),
        .at = s->at,
        .u = s->u,
        .f = s->f,
        .result = s->result ? (void *)(uintptr_t)at_real(place, s->result, start) : NULL,
        .pitch = nx,
        .sums = s->sums};

    return run_residual(place, &residual);
}

int starfish_q1_invert_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_q1_shape *shape = s->shape;
    const struct starfish_band_dense dense = {.n = shape->n[0] * shape->n[1],
                                              .inverse = at_real(place, s->table, starfish_q1_table_inverse(shape)),
                                              .f = s->f,
                                              .u = s->result};

    return run_dense(place, &dense);
}

/* ---- Coarse grids in one kernel ---------------------------------------------------------------------------------- */

#ifdef STARFISH_CUDA
int starfish_q1_cycle_from(const struct starfish_grid_cycle *cycle)
{
    const struct starfish_smoothing *smoothing = cycle->smoothing;
    const int points =
        smoothing->smoother == STARFISH_SMOOTHER_JACOBI || smoothing->smoother == STARFISH_SMOOTHER_CHEBYSHEV;
    const struct starfish_q1_shape *last = cycle->shape[cycle->levels - 1];
    int first = cycle->levels;
    size_t unknowns = 0;

    if (!points || !last->tensor || last->n[0] * last->n[1] > STARFISH_Q1_CYCLE_COARSEST ||
        smoothing->coarse.solver != STARFISH_COARSE_DIRECT || smoothing->before < 1 ||
        smoothing->before > STARFISH_Q1_CYCLE_STEPS || smoothing->after > STARFISH_Q1_CYCLE_STEPS)
        return first;
    while (first > 1 && cycle->levels - first < STARFISH_Q1_CYCLE_LEVELS) {
        const struct starfish_q1_shape *shape = cycle->shape[first - 1];
        unknowns += shape->n[0] * shape->n[1];
        if (unknowns > STARFISH_Q1_CYCLE_UNKNOWNS)
            break;
        first--;
    }
    return first;
}

int starfish_q1_cycle_here(const struct starfish_place *place, const struct starfish_grid_cycle *cycle)
{
    static int (*const run[])(const struct starfish_q1_cycle *, struct CUstream_st *) = {starfish_q1_cycle_cuda_f32,
                                                                                         starfish_q1_cycle_cuda_f64};
    const struct starfish_smoothing *smoothing = cycle->smoothing;
    const int last = cycle->levels - 1;
    struct starfish_q1_cycle all = {
        .levels = cycle->levels - cycle->first,
        .before = smoothing->before,
        .after = smoothing->after,
        .inverse = at_real(place, cycle->table[last], starfish_q1_table_inverse(cycle->shape[last])),
        .f = cycle->f,
        .u = cycle->result};

    for (int l = cycle->first; l < cycle->levels; l++) {
        const struct starfish_q1_shape *shape = cycle->shape[l];
        const int to = l - cycle->first;
        all.level[to].matrix = matrix_of(place, shape, cycle->table[l]);
        set_axes(place, cycle->shape[l - 1], shape, cycle->table[l], all.level[to].axis);
        for (int after = 0; after < 2; after++)
            for (int s = 0; s < (after ? smoothing->after : smoothing->before); s++)
                all.level[to].damping[after][s] = starfish_grid_step_damping(
                    cycle->kind, smoothing, shape, s, after ? smoothing->after : smoothing->before);
    }
    return run[place->precision](&all, place->stream);
}
#endif

/* ---- Work space -------------------------------------------------------------------------------------------------- */

static size_t line_work(const struct starfish_place *place, const struct starfish_q1_shape *shape,
                        enum starfish_q1_sweep direction)
{
    const struct lines sweep = sweep_lines[direction];
    const size_t size = starfish_real_size(place->precision), lines = lines_at_once(place, shape, sweep);
    const struct starfish_rectangle at = {0, sweep.along_y ? lines : shape->n[0], 0,
                                          sweep.along_y ? shape->n[1] : lines};
    const struct starfish_batch batch = batch_of(place, shape, sweep, at);

    if (!place->gpu && sweep.along_y)
        return starfish_band_columns_work(lines, shape->n[1]) * size;
#ifdef STARFISH_CUDA
    if (place->gpu && lines_are_one_kernel(shape))
        return starfish_band_lines_work(shape->n[0], shape->n[1], size);
#endif
    return line_vectors(shape) * vector_reals(shape, at) * size +
           (place->gpu ? starfish_batch_workspace_cuda(&batch, size) : starfish_batch_workspace_cpu(&batch, size));
}

size_t starfish_q1_work(starfish_precision precision, const struct starfish_q1_shape *shape, int gpu)
{
    const struct starfish_place place = {.precision = precision, .gpu = gpu};
    const size_t rows = gpu ? shape->n[1] : 2 * rows_at_once(&place, shape) + 1;
    const size_t residual = rows * shape->n[0] * starfish_real_size(precision);
    size_t work = residual;

    for (int sweep = 0; sweep < STARFISH_Q1_SWEEPS; sweep++)
        if (sweep_lines[sweep].there)
            work = starfish_larger(work, line_work(&place, shape, (enum starfish_q1_sweep)sweep));
    return work;
}
