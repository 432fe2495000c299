/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operations of flat domains at a place: kernels of flat.h with pointers into a grid's table, and the coarsest grid
 * solved by sweeps. Bound by the kernels. */
#include "multigrid/kernels/flat_kind.h"

#include "base/real.h"
#include "multigrid/kernels/flat_sizes.h"
#include "multigrid/kernels/flat_sphere.h"

#include <stdint.h>

STARFISH_PLACE_KERNEL(run_smooth, starfish_flat_smooth)
STARFISH_PLACE_KERNEL(run_residual, starfish_flat_residual)
STARFISH_PLACE_KERNEL(run_sizes, starfish_flat_sizes)
STARFISH_PLACE_KERNEL(run_restrict, starfish_flat_restrict)
STARFISH_PLACE_KERNEL(run_prolong, starfish_flat_prolong)
STARFISH_PLACE_KERNEL(run_arrange, starfish_flat_arrange)
STARFISH_PLACE_KERNEL(run_seams, starfish_flat_seams)
STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

size_t starfish_flat_table_entry(const struct starfish_flat_shape *shape, enum starfish_flat_entry entry)
{
    const size_t nx = shape->n[0], ny = shape->n[1], nz = shape->n[2];
    const size_t columns = nx * ny, corners = shape->skew ? (nx + 1) * (ny + 1) : 0;
    const size_t size[STARFISH_FLAT_ENTRIES] = {columns,
                                                columns,
                                                (nx + 1) * ny,
                                                nx * (ny + 1),
                                                nz,
                                                nz,
                                                nz,
                                                nz,
                                                corners,
                                                nx,
                                                nx,
                                                ny,
                                                ny,
                                                shape->types > 0 ? columns : 0,
                                                shape->types > 0 ? shape->types * starfish_flat_factors_size(nz) : 0};
    size_t start = 0;

    for (int e = 0; e < (int)entry; e++)
        start += size[e];
    return start;
}

static const void *at_entry(const struct starfish_place *place, const struct starfish_flat_shape *shape,
                            const void *table, enum starfish_flat_entry entry)
{
    return (const char *)table + starfish_flat_table_entry(shape, entry) * starfish_real_size(place->precision);
}

static struct starfish_flat_matrix matrix_of(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_flat_shape *shape = s->shape;

    return (struct starfish_flat_matrix){.n = {shape->n[0], shape->n[1], shape->n[2]},
                                         .periodic = {shape->periodic[0], shape->periodic[1]},
                                         .mass = at_entry(place, shape, s->table, STARFISH_FLAT_MASS),
                                         .lift = at_entry(place, shape, s->table, STARFISH_FLAT_LIFT),
                                         .face_x = at_entry(place, shape, s->table, STARFISH_FLAT_FACE_X),
                                         .face_y = at_entry(place, shape, s->table, STARFISH_FLAT_FACE_Y),
                                         .a = at_entry(place, shape, s->table, STARFISH_FLAT_A),
                                         .b = at_entry(place, shape, s->table, STARFISH_FLAT_B),
                                         .c = at_entry(place, shape, s->table, STARFISH_FLAT_C),
                                         .d = at_entry(place, shape, s->table, STARFISH_FLAT_D),
                                         .corner = shape->skew ? at_entry(place, shape, s->table, STARFISH_FLAT_CORNER)
                                                               : NULL,
                                         .types = shape->types,
                                         .type = at_entry(place, shape, s->table, STARFISH_FLAT_TYPE),
                                         .factors = at_entry(place, shape, s->table, STARFISH_FLAT_FACTORS),
                                         .own = {shape->own[0], shape->own[1]}};
}

static void set_transfers(const struct starfish_place *place, const struct starfish_grid_step *s,
                          struct starfish_flat_transfer transfer[2])
{
    static const enum starfish_flat_entry lower[2] = {STARFISH_FLAT_LOWER_X, STARFISH_FLAT_LOWER_Y};
    static const enum starfish_flat_entry upper[2] = {STARFISH_FLAT_UPPER_X, STARFISH_FLAT_UPPER_Y};
    const struct starfish_flat_shape *shape = s->shape;

    for (int d = 0; d < 2; d++)
        transfer[d] = (struct starfish_flat_transfer){.fine = shape->n[d],
                                                      .coarse = shape->coarse[d],
                                                      .periodic = shape->periodic[d],
                                                      .lower = at_entry(place, shape, s->table, lower[d]),
                                                      .upper = at_entry(place, shape, s->table, upper[d])};
}

/* ---- Operations -------------------------------------------------------------------------------------------------- */

/* What is read of a sphere's array has the columns of the neighbours around each panel. */
static int fill_seams(const struct starfish_place *place, const struct starfish_flat_shape *shape, const void *u)
{
    if (!u || !shape || shape->rim == 0)
        return 0;
    const struct starfish_flat_seams seams = {shape->n[0] - 2 * shape->rim, shape->rim, shape->n[2],
                                              (void *)(uintptr_t)u};
    return run_seams(place, &seams);
}

int starfish_flat_smooth_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    static const enum starfish_flat_columns columns[2][STARFISH_FLAT_SWEEPS] = {
        {STARFISH_FLAT_ALL, STARFISH_FLAT_EVEN, STARFISH_FLAT_ODD},
        {STARFISH_FLAT_ALL, STARFISH_FLAT_ODD, STARFISH_FLAT_EVEN}};
    const struct starfish_flat_shape *shape = s->shape;
    struct starfish_flat_smooth smooth = {.matrix = matrix_of(place, s),
                                          .y0 = s->at.y0,
                                          .y1 = s->at.y1,
                                          .columns = columns[shape->other_colours != 0][s->sweep],
                                          .damping = s->damping,
                                          .u = s->u,
                                          .f = s->f,
                                          .coarse = s->coarse,
                                          .v = s->result,
                                          .work = place->work,
                                          .sums = s->sums,
                                          .sum_count = s->sum_count};

    TRY_LAUNCH(fill_seams(place, shape, s->u));
    TRY_LAUNCH(fill_seams(place, s->coarse_shape, s->coarse));
    if (s->coarse)
        set_transfers(place, s, smooth.transfer);
    return run_smooth(place, &smooth);
}

int starfish_flat_restrict_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    struct starfish_flat_restrict restrict_ = {.matrix = matrix_of(place, s),
                                               .y0 = s->at.y0,
                                               .y1 = s->at.y1,
                                               .u = s->u,
                                               .f = s->f,
                                               .coarse = s->result,
                                               .work = place->work};

    TRY_LAUNCH(fill_seams(place, s->shape, s->u));
    set_transfers(place, s, restrict_.transfer);
    return run_restrict(place, &restrict_);
}

int starfish_flat_prolong_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_flat_shape *shape = s->shape;
    struct starfish_flat_prolong prolong = {.layers = shape->n[2],
                                            .y0 = s->at.y0,
                                            .y1 = s->at.y1,
                                            .coarse = s->coarse,
                                            .u = s->zero ? NULL : s->result,
                                            .v = s->result,
                                            .work = place->work};

    TRY_LAUNCH(fill_seams(place, s->coarse_shape, s->coarse));
    set_transfers(place, s, prolong.transfer);
    return run_prolong(place, &prolong);
}

int starfish_flat_residual_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_flat_residual residual = {.matrix = matrix_of(place, s),
                                                    .y0 = s->at.y0,
                                                    .y1 = s->at.y1,
                                                    .u = s->u,
                                                    .f = s->f,
                                                    .result = s->result,
                                                    .sums = s->sums,
                                                    .work = place->work,
                                                    .correction = s->combined.correction,
                                                    .factor = s->combined.factor,
                                                    .scalar = s->combined.scalar,
                                                    .v = s->combined.v,
                                                    .energy = s->combined.energy,
                                                    .lower = s->combined.lower,
                                                    .sum_count = s->sum_count};
    const struct starfish_place correcting =
        starfish_place_in(place, s->combined.lower ? STARFISH_F32 : place->precision);

    const struct starfish_flat_sizes sizes = {.matrix = residual.matrix,
                                              .y0 = s->at.y0,
                                              .y1 = s->at.y1,
                                              .u = s->u,
                                              .sums = s->sums,
                                              .sum_count = s->sum_count};

    TRY_LAUNCH(fill_seams(place, s->shape, s->u));
    if (s->combined.absolute)
        return run_sizes(place, &sizes);
    TRY_LAUNCH(fill_seams(&correcting, s->shape, s->combined.correction));
    return run_residual(place, &residual);
}

int starfish_flat_arrange_here(const struct starfish_place *place, const struct starfish_flat_arrange *arrange)
{
    return run_arrange(place, arrange);
}

/* ---- The coarsest grid ------------------------------------------------------------------------------------------- */

static size_t unknowns(const struct starfish_flat_shape *shape)
{
    return shape->n[0] * shape->n[1] * shape->n[2];
}

static size_t array_bytes(const struct starfish_flat_shape *shape, starfish_precision precision)
{
    return (unknowns(shape) * starfish_real_size(precision) + 255) / 256 * 256;
}

static double damping_of(const struct starfish_flat_shape *shape, int sweep)
{
    const struct starfish_smoothing chebyshev = {.smoother = STARFISH_SMOOTHER_CHEBYSHEV, .damping = shape->lowest / 2};

    return shape->lowest > 0 ? starfish_grid_damping(&chebyshev, 2, sweep, shape->coarse_sweeps)
                             : shape->coarse_damping;
}

static int copy(const struct starfish_place *place, const struct starfish_grid_step *s, const void *from, void *to)
{
    const struct starfish_vector_update update = {.nx = s->at.x1, .at = s->at, .u = from, .pitch = s->at.x1, .v = to};

    return run_update(place, &update);
}

/* Two arrays take turns, so that the last sweep ends in the result. */
int starfish_flat_solve_here(const struct starfish_place *place, const struct starfish_smoothing *smoothing,
                             const struct starfish_grid_step *s)
{
    const struct starfish_flat_shape *shape = s->shape;
    void *const array[2] = {s->result, place->work};
    struct starfish_place rest = *place;
    struct starfish_grid_step step = *s;
    int now = shape->coarse_sweeps % 2; /* which array the first sweep starts from */

    (void)smoothing;
    rest.work = (char *)place->work + array_bytes(shape, place->precision);
    if (!s->zero && now != 0)
        TRY_LAUNCH(copy(place, s, array[0], array[1]));
    step.sweep = STARFISH_FLAT_LINES;
    step.coarse = NULL;
    for (int sweep = 0; sweep < shape->coarse_sweeps; sweep++) {
        step.damping = damping_of(shape, sweep);
        step.u = s->zero && sweep == 0 ? NULL : array[now];
        now = !now;
        step.result = array[now];
        TRY_LAUNCH(starfish_flat_smooth_here(&rest, &step));
    }
    return 0;
}

/* ---- Work space -------------------------------------------------------------------------------------------------- */

size_t starfish_flat_step_work(const struct starfish_flat_shape *shape, starfish_precision precision, int gpu)
{
    const struct starfish_flat_matrix matrix = {.n = {shape->n[0], shape->n[1], shape->n[2]}};
    const size_t size = starfish_real_size(precision);

#ifdef STARFISH_CUDA
    if (gpu)
        return starfish_flat_work_cuda(&matrix, size);
#endif
    (void)gpu;
    return starfish_flat_work_cpu(&matrix, size);
}

size_t starfish_flat_solve_work(const struct starfish_flat_shape *shape, starfish_precision precision, int gpu)
{
    return array_bytes(shape, precision) + starfish_flat_step_work(shape, precision, gpu);
}
