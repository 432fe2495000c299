/* Steps on one grid of 3D multigrid. */
#include "codelets/seven_steps.h"

#include "base/real.h"
#include "codelets/place_kernel.h"

/* ---- Kernels, by place ------------------------------------------------------------------------------------------- */

STARFISH_PLACE_KERNEL(run_smooth, starfish_seven_smooth)
STARFISH_PLACE_KERNEL(run_lines, starfish_seven_lines)
STARFISH_PLACE_KERNEL(run_defect, starfish_seven_defect)
STARFISH_PLACE_KERNEL(run_restrict, starfish_seven_restrict)
STARFISH_PLACE_KERNEL(run_prolong, starfish_seven_prolong)
STARFISH_PLACE_KERNEL(run_dense, starfish_band_dense)

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

size_t starfish_seven_unknowns(const struct starfish_seven_shape *shape)
{
    return shape->n[0] * shape->n[1] * shape->n[2];
}

size_t starfish_seven_table_axis(const struct starfish_seven_shape *shape, int direction)
{
    size_t start = 0;

    for (int d = 0; d < direction; d++)
        start += 3 * shape->n[d] + 1;
    return start;
}

size_t starfish_seven_table_transfer(const struct starfish_seven_shape *shape, int direction)
{
    size_t start = starfish_seven_table_axis(shape, 3);

    for (int d = 0; d < direction; d++)
        start += 2 * shape->n[d] + 4 * shape->coarse[d];
    return start;
}

size_t starfish_seven_table_stored(const struct starfish_seven_shape *shape)
{
    return starfish_seven_table_transfer(shape, 3);
}

size_t starfish_seven_table_inverse(const struct starfish_seven_shape *shape)
{
    return starfish_seven_table_stored(shape) + (shape->stored ? 4 * starfish_seven_unknowns(shape) : 0);
}

size_t starfish_seven_table_size(const struct starfish_seven_shape *shape)
{
    const size_t n = starfish_seven_unknowns(shape);

    return starfish_seven_table_inverse(shape) + (shape->coarsest ? n * n : 0);
}

static const void *at_real(const struct starfish_q1_place *place, const void *array, size_t index)
{
    return (const char *)array + index * starfish_real_size(place->precision);
}

static struct starfish_seven_matrix matrix_of(const struct starfish_q1_place *place,
                                              const struct starfish_seven_shape *shape, const void *table)
{
    struct starfish_seven_matrix matrix = {.lambda = shape->lambda};
    const size_t all = starfish_seven_unknowns(shape), stored = starfish_seven_table_stored(shape);

    for (int d = 0; d < 3; d++) {
        const size_t n = shape->n[d], start = starfish_seven_table_axis(shape, d);
        matrix.axis[d] = (struct starfish_seven_axis){.n = n,
                                                      .periodic = shape->periodic[d],
                                                      .decoupled = shape->decoupled[d],
                                                      .coupling = at_real(place, table, start),
                                                      .extra = at_real(place, table, start + n + 1),
                                                      .weight = at_real(place, table, start + 2 * n + 1)};
        matrix.face[d] = shape->stored ? at_real(place, table, stored + (size_t)d * all) : NULL;
    }
    matrix.rest = shape->stored ? at_real(place, table, stored + 3 * all) : NULL;
    return matrix;
}

static void set_transfers(const struct starfish_q1_place *place, const struct starfish_seven_shape *shape,
                          const void *table, struct starfish_seven_transfer transfer[3])
{
    for (int d = 0; d < 3; d++) {
        const size_t n = shape->n[d], coarse = shape->coarse[d], start = starfish_seven_table_transfer(shape, d);
        transfer[d] = (struct starfish_seven_transfer){.fine = n,
                                                       .coarse = coarse,
                                                       .periodic = shape->periodic[d],
                                                       .lower = at_real(place, table, start),
                                                       .upper = at_real(place, table, start + n)};
        for (size_t t = 0; t < 4; t++)
            transfer[d].gather[t] = at_real(place, table, start + 2 * n + t * coarse);
    }
}

/* ---- Smoothing --------------------------------------------------------------------------------------------------- */

static int smooth_points(const struct starfish_q1_place *place, const struct starfish_seven_smooth_step *s)
{
    static const enum starfish_seven_order order[] = {[STARFISH_SEVEN_POINTS] = STARFISH_SEVEN_AT_ONCE,
                                                      [STARFISH_SEVEN_RED_BLACK] = STARFISH_SEVEN_EVEN_FIRST,
                                                      [STARFISH_SEVEN_BLACK_RED] = STARFISH_SEVEN_ODD_FIRST};
    struct starfish_seven_smooth smooth = {.matrix = matrix_of(place, &s->shape, s->table),
                                           .at = s->at,
                                           .order = order[s->sweep],
                                           .damping = s->damping,
                                           .u = s->u,
                                           .f = s->f,
                                           .coarse = s->coarse,
                                           .v = s->v,
                                           .work = place->work};

    if (s->coarse)
        set_transfers(place, &s->shape, s->table, smooth.transfer);
    return run_smooth(place, &smooth);
}

static struct starfish_seven_lines lines_of(const struct starfish_q1_place *place,
                                            const struct starfish_seven_smooth_step *s)
{
    return (struct starfish_seven_lines){.matrix = matrix_of(place, &s->shape, s->table),
                                         .at = s->at,
                                         .direction = (int)s->sweep - (int)STARFISH_SEVEN_LINES_X,
                                         .which = STARFISH_SEVEN_ALL_LINES,
                                         .damping = s->damping,
                                         .u = s->u,
                                         .f = s->f,
                                         .v = s->v,
                                         .work = place->work};
}

int starfish_seven_smooth_here(const struct starfish_q1_place *place, const struct starfish_seven_smooth_step *s)
{
    if (s->sweep < STARFISH_SEVEN_LINES_X)
        return smooth_points(place, s);
    const struct starfish_seven_lines lines = lines_of(place, s);
    return run_lines(place, &lines);
}

/* ---- The rest ---------------------------------------------------------------------------------------------------- */

int starfish_seven_restrict_here(const struct starfish_q1_place *place, const struct starfish_seven_restrict_step *s)
{
    struct starfish_seven_restrict restrict_ = {.matrix = matrix_of(place, &s->shape, s->table),
                                                .at = s->at,
                                                .u = s->u,
                                                .f = s->f,
                                                .coarse = s->result,
                                                .work = place->work};

    set_transfers(place, &s->shape, s->table, restrict_.transfer);
    return run_restrict(place, &restrict_);
}

int starfish_seven_prolong_here(const struct starfish_q1_place *place, const struct starfish_seven_prolong_step *s)
{
    struct starfish_seven_prolong prolong = {
        .at = s->at, .coarse = s->coarse, .u = s->zero ? NULL : s->u, .v = s->u, .work = place->work};

    set_transfers(place, &s->shape, s->table, prolong.transfer);
    return run_prolong(place, &prolong);
}

int starfish_seven_defect_here(const struct starfish_q1_place *place, const struct starfish_seven_defect_step *s)
{
    const struct starfish_seven_defect defect = {.matrix = matrix_of(place, &s->shape, s->table),
                                                 .at = s->at,
                                                 .u = s->u,
                                                 .f = s->f,
                                                 .result = s->result,
                                                 .sums = s->sums,
                                                 .work = place->work};

    return run_defect(place, &defect);
}

int starfish_seven_solve_here(const struct starfish_q1_place *place, const struct starfish_seven_shape *shape,
                              const void *table, const void *f, void *u)
{
    const struct starfish_band_dense dense = {.n = starfish_seven_unknowns(shape),
                                              .inverse = at_real(place, table, starfish_seven_table_inverse(shape)),
                                              .f = f,
                                              .u = u};

    return run_dense(place, &dense);
}

/* ---- Work space -------------------------------------------------------------------------------------------------- */

static size_t line_work(const struct starfish_q1_place *place, const struct starfish_seven_shape *shape,
                        enum starfish_seven_sweep sweep)
{
    const size_t size = starfish_real_size(place->precision);
    const struct starfish_seven_smooth_step step = {
        .shape = *shape, .sweep = sweep, .at = {0, shape->n[1], 0, shape->n[2]}};
    const struct starfish_seven_lines lines = lines_of(place, &step);

#ifdef STARFISH_CUDA
    if (place->gpu)
        return starfish_seven_lines_work_cuda(&lines, size);
#endif
    return starfish_seven_lines_work_cpu(&lines, size);
}

static int sweeps_lines(starfish_smoother smoother, int direction)
{
    static const int lines[STARFISH_SMOOTHERS][3] = {[STARFISH_SMOOTHER_ADI] = {1, 1, 1},
                                                     [STARFISH_SMOOTHER_LINE_X] = {1, 0, 0},
                                                     [STARFISH_SMOOTHER_LINE_Y] = {0, 1, 0},
                                                     [STARFISH_SMOOTHER_LINE_Z] = {0, 0, 1}};
    return lines[smoother][direction];
}

size_t starfish_seven_step_work(starfish_precision precision, const struct starfish_seven_shape *shape,
                                starfish_smoother smoother, int gpu)
{
    const struct starfish_q1_place place = {.precision = precision, .gpu = gpu};
    size_t most = starfish_seven_work(shape->n[0]) * starfish_real_size(precision);

    for (int d = 0; d < 3; d++)
        if (sweeps_lines(smoother, d) && !shape->decoupled[d]) {
            const size_t work = line_work(&place, shape, (enum starfish_seven_sweep)(STARFISH_SEVEN_LINES_X + d));
            most = work > most ? work : most;
        }
    return most;
}
