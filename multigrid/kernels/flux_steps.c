/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operations of 3D multigrid on one grid, but for sweeps of planes: tables unpacked, kernels of flux.h and weigh.h
 * called, on the CPU and on the GPU alike. */
#include "multigrid/kernels/flux_steps.h"

#include "base/real.h"
#include "multigrid/kernels/flux_pass.h"

/* ---- Kernels, by place ------------------------------------------------------------------------------------------- */

STARFISH_PLACE_KERNEL(run_smooth, starfish_flux_smooth)
STARFISH_PLACE_KERNEL(run_lines, starfish_flux_lines)
STARFISH_PLACE_KERNEL(run_residual, starfish_flux_residual)
STARFISH_PLACE_KERNEL(run_restrict, starfish_flux_restrict)
STARFISH_PLACE_KERNEL(run_prolong, starfish_flux_prolong)
STARFISH_PLACE_KERNEL(run_dense, starfish_band_dense)
STARFISH_PLACE_KERNEL(run_weigh, starfish_weigh)
STARFISH_PLACE_KERNEL(run_sum, starfish_volume_sum)

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

size_t starfish_flux_unknowns(const struct starfish_flux_shape *shape)
{
    return shape->n[0] * shape->n[1] * shape->n[2];
}

size_t starfish_flux_table_axis(const struct starfish_flux_shape *shape, int direction)
{
    size_t start = 0;

    for (int d = 0; d < direction; d++)
        start += 3 * shape->n[d] + 1;
    return start;
}

size_t starfish_flux_table_transfer(const struct starfish_flux_shape *shape, int direction)
{
    size_t start = starfish_flux_table_axis(shape, 3);

    for (int d = 0; d < direction; d++)
        start += 2 * shape->n[d] + 4 * shape->coarse[d];
    return start;
}

/* At a cache line, as the table is: loops load whole lines. */
size_t starfish_flux_table_stored(const struct starfish_flux_shape *shape)
{
    enum { LINE = 16 };

    return (starfish_flux_table_transfer(shape, 3) + LINE - 1) / LINE * LINE;
}

int starfish_flux_stores_faces(const struct starfish_flux_shape *shape, int direction)
{
    return shape->stored && (direction == 0 || shape->n[direction] > 1);
}

size_t starfish_flux_table_inverse(const struct starfish_flux_shape *shape)
{
    size_t arrays = shape->stored && !shape->without_rest;

    for (int d = 0; d < 3; d++)
        arrays += starfish_flux_stores_faces(shape, d) != 0;
    return starfish_flux_table_stored(shape) + arrays * starfish_flux_unknowns(shape);
}

size_t starfish_flux_table_size(const struct starfish_flux_shape *shape)
{
    const size_t n = starfish_flux_unknowns(shape);

    return starfish_flux_table_inverse(shape) + (shape->coarsest ? n * n : 0);
}

static const void *at_real(const struct starfish_place *place, const void *array, size_t index)
{
    return (const char *)array + index * starfish_real_size(place->precision);
}

static struct starfish_flux_matrix matrix_of(const struct starfish_place *place,
                                             const struct starfish_flux_shape *shape, const void *table)
{
    struct starfish_flux_matrix matrix = {.lambda = shape->lambda};
    const size_t all = starfish_flux_unknowns(shape);
    size_t stored = starfish_flux_table_stored(shape);

    for (int d = 0; d < 3; d++) {
        const size_t n = shape->n[d], start = starfish_flux_table_axis(shape, d);
        matrix.axis[d] = (struct starfish_flux_axis){.n = n,
                                                     .periodic = shape->periodic[d],
                                                     .decoupled = shape->decoupled[d],
                                                     .coupling = at_real(place, table, start),
                                                     .extra = at_real(place, table, start + n + 1),
                                                     .weight = at_real(place, table, start + 2 * n + 1)};
        if (!starfish_flux_stores_faces(shape, d))
            continue;
        matrix.face[d] = at_real(place, table, stored);
        stored += all;
    }
    if (shape->stored && !shape->without_rest)
        matrix.rest = at_real(place, table, stored);
    return matrix;
}

static void set_transfers(const struct starfish_place *place, const struct starfish_flux_shape *shape,
                          const void *table, struct starfish_flux_transfer transfer[3])
{
    for (int d = 0; d < 3; d++) {
        const size_t n = shape->n[d], coarse = shape->coarse[d], start = starfish_flux_table_transfer(shape, d);
        transfer[d] = (struct starfish_flux_transfer){.fine = n,
                                                      .coarse = coarse,
                                                      .periodic = shape->periodic[d],
                                                      .pairs = shape->pairs,
                                                      .lower = at_real(place, table, start),
                                                      .upper = at_real(place, table, start + n)};
        for (size_t t = 0; t < 4; t++)
            transfer[d].gather[t] = at_real(place, table, start + 2 * n + t * coarse);
    }
}

static struct starfish_flux_matrix matrix_of_step(const struct starfish_place *place,
                                                  const struct starfish_grid_step *s)
{
    struct starfish_flux_matrix matrix = matrix_of(place, s->shape, s->table);

    matrix.axis[2].ghosts = s->ghosts;
    return matrix;
}

static void set_transfers_of_step(const struct starfish_place *place, const struct starfish_grid_step *s,
                                  struct starfish_flux_transfer transfer[3])
{
    set_transfers(place, s->shape, s->table, transfer);
    transfer[2].ghosts = s->coarse_ghosts;
}

/* ---- Operations -------------------------------------------------------------------------------------------------- */

static const enum starfish_flux_order orders[] = {[STARFISH_FLUX_POINTS] = STARFISH_FLUX_AT_ONCE,
                                                  [STARFISH_FLUX_RED_BLACK] = STARFISH_FLUX_EVEN_FIRST,
                                                  [STARFISH_FLUX_BLACK_RED] = STARFISH_FLUX_ODD_FIRST};

static int smooth_points(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    static const enum starfish_flux_phase phase[] = {[STARFISH_SWEEP_WHOLE] = STARFISH_FLUX_WHOLE,
                                                     [STARFISH_SWEEP_BEGIN] = STARFISH_FLUX_BEGIN,
                                                     [STARFISH_SWEEP_END_EVEN] = STARFISH_FLUX_END_EVEN,
                                                     [STARFISH_SWEEP_END_ODD] = STARFISH_FLUX_END_ODD};
    const struct starfish_flux_shape *shape = s->shape;
    struct starfish_flux_smooth smooth = {.matrix = matrix_of_step(place, s),
                                          .at = starfish_flux_part_of(shape->n[0], s->at),
                                          .order = orders[s->sweep],
                                          .phase = phase[s->phase],
                                          .damping = s->damping,
                                          .u = s->u,
                                          .f = s->f,
                                          .coarse = s->coarse,
                                          .v = s->result,
                                          .work = place->work};

    if (s->coarse)
        set_transfers_of_step(place, s, smooth.transfer);
    return run_smooth(place, &smooth);
}

int starfish_flux_pass_here(const struct starfish_place *place, const struct starfish_grid_pass *pass)
{
    static void (*const on_core[])(const struct starfish_flux_pass *) = {starfish_flux_pass_cpu_f32,
                                                                         starfish_flux_pass_cpu_f64};
    const struct starfish_grid_step *s = &pass->step;
    struct starfish_flux_pass kernel = {.matrix = matrix_of_step(place, s),
                                        .order = orders[s->sweep],
                                        .sweeps = pass->sweeps,
                                        .zero = !s->u,
                                        .damping = s->damping,
                                        .f = s->f,
                                        .correction = s->coarse,
                                        .v = s->result,
                                        .coarse = pass->restricted,
                                        .work = place->work,
                                        .sum = pass->sum,
                                        .part = pass->part,
                                        .parts = pass->parts,
                                        .barrier = pass->barrier};

    if (s->coarse || pass->restricted)
        set_transfers_of_step(place, s, kernel.transfer);
    on_core[place->precision](&kernel);
    return 0;
}

static struct starfish_flux_lines lines_of(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_flux_shape *shape = s->shape;

    return (struct starfish_flux_lines){.matrix = matrix_of_step(place, s),
                                        .at = starfish_flux_part_of(shape->n[0], s->at),
                                        .direction = s->sweep - (int)STARFISH_FLUX_LINES_X,
                                        .which = STARFISH_FLUX_ALL_LINES,
                                        .damping = s->damping,
                                        .u = s->u,
                                        .f = s->f,
                                        .v = s->result,
                                        .work = place->work};
}

int starfish_flux_smooth_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    if (s->sweep < STARFISH_FLUX_LINES_X)
        return smooth_points(place, s);
    if (s->sweep >= STARFISH_FLUX_PLANES_X)
        return starfish_flux_planes_here(place, s);
    const struct starfish_flux_lines lines = lines_of(place, s);
    return run_lines(place, &lines);
}

int starfish_flux_restrict_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_flux_shape *shape = s->shape;
    struct starfish_flux_restrict restrict_ = {.matrix = matrix_of_step(place, s),
                                               .at = starfish_flux_part_of(shape->coarse[0], s->at),
                                               .u = s->u,
                                               .f = s->f,
                                               .coarse = s->result,
                                               .work = place->work};

    set_transfers_of_step(place, s, restrict_.transfer);
    return run_restrict(place, &restrict_);
}

int starfish_flux_prolong_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_flux_shape *shape = s->shape;
    struct starfish_flux_prolong prolong = {.at = starfish_flux_part_of(shape->n[0], s->at),
                                            .coarse = s->coarse,
                                            .u = s->zero ? NULL : s->result,
                                            .v = s->result,
                                            .work = place->work};

    set_transfers_of_step(place, s, prolong.transfer);
    return run_prolong(place, &prolong);
}

int starfish_flux_residual_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_flux_shape *shape = s->shape;
    const struct starfish_flux_residual residual = {.matrix = matrix_of_step(place, s),
                                                    .at = starfish_flux_part_of(shape->n[0], s->at),
                                                    .u = s->u,
                                                    .f = s->f,
                                                    .result = s->result,
                                                    .sums = s->sums,
                                                    .work = place->work};

    return run_residual(place, &residual);
}

int starfish_flux_invert_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_flux_shape *shape = s->shape;
    const struct starfish_band_dense dense = {.n = starfish_flux_unknowns(shape),
                                              .inverse = at_real(place, s->table, starfish_flux_table_inverse(shape)),
                                              .f = s->f,
                                              .u = s->result};

    return run_dense(place, &dense);
}

/* ---- Volumes ----------------------------------------------------------------------------------------------------- */

static struct starfish_volumes volumes_of(const struct starfish_place *place, const struct starfish_flux_shape *shape,
                                          const void *table, const struct starfish_volumes *planes)
{
    struct starfish_volumes at = {.z0 = planes->z0, .z1 = planes->z1};

    for (int d = 0; d < 3; d++) {
        at.n[d] = shape->n[d];
        at.weight[d] = at_real(place, table, starfish_flux_table_axis(shape, d) + 2 * shape->n[d] + 1);
    }
    return at;
}

int starfish_flux_weigh_here(const struct starfish_place *place, const struct starfish_flux_shape *shape,
                             const void *table, const struct starfish_weigh *weigh)
{
    struct starfish_weigh complete = *weigh;

    complete.at = volumes_of(place, shape, table, &weigh->at);
    return run_weigh(place, &complete);
}

int starfish_flux_sum_here(const struct starfish_place *place, const struct starfish_flux_shape *shape,
                           const void *table, const struct starfish_volume_sum *sum)
{
    struct starfish_volume_sum complete = *sum;

    complete.at = volumes_of(place, shape, table, &sum->at);
    return run_sum(place, &complete);
}

/* ---- Work space -------------------------------------------------------------------------------------------------- */

size_t starfish_flux_line_work(starfish_precision precision, const struct starfish_flux_shape *shape, int direction,
                               int gpu)
{
    const struct starfish_place place = {.precision = precision, .gpu = gpu};
    const size_t size = starfish_real_size(precision);
    const struct starfish_grid_step step = {.shape = shape,
                                            .sweep = (int)STARFISH_FLUX_LINES_X + direction,
                                            .at = {0, shape->n[0] * shape->n[1], 0, shape->n[2]}};
    const struct starfish_flux_lines lines = lines_of(&place, &step);

#ifdef STARFISH_CUDA
    if (gpu)
        return starfish_flux_lines_work_cuda(&lines, size);
#endif
    return starfish_flux_lines_work_cpu(&lines, size);
}

static int sweeps_lines(starfish_smoother smoother, int direction)
{
    static const int lines[STARFISH_SMOOTHERS][3] = {[STARFISH_SMOOTHER_ADI] = {1, 1, 1},
                                                     [STARFISH_SMOOTHER_LINE_X] = {1, 0, 0},
                                                     [STARFISH_SMOOTHER_LINE_Y] = {0, 1, 0},
                                                     [STARFISH_SMOOTHER_LINE_Z] = {0, 0, 1}};
    return lines[smoother][direction];
}

size_t starfish_flux_step_work(starfish_precision precision, const struct starfish_flux_shape *shape,
                               starfish_smoother smoother, int gpu)
{
    size_t most = starfish_flux_work(shape->n[0]) * starfish_real_size(precision);

    for (int d = 0; d < 3; d++)
        if (sweeps_lines(smoother, d) && !shape->decoupled[d]) {
            const size_t work = starfish_flux_line_work(precision, shape, d, gpu);
            most = work > most ? work : most;
        }
    return most;
}
