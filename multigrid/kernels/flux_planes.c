/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Planes as smoother of 3D multigrid: v = u + damping * B (f - A u), B one V cycle from zero on all planes across a
 * direction at once, over a hierarchy that is decoupled across them.
 * Source: Trottenberg, Oosterlee, Schueller, Multigrid, section 5.2. */
#include "multigrid/kernels/flux_kind.h"
#include "multigrid/kernels/flux_steps.h"
#include "multigrid/kernels/tail.h"

#include "base/real.h"

enum { ALIGNMENT = 256 };

STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)

static struct starfish_tail cycle_of(const struct starfish_flux_plane *plane, starfish_precision precision)
{
    struct starfish_tail cycle = {.kind = &starfish_flux_plane_kind,
                                  .precision = precision,
                                  .levels = plane->levels,
                                  .smoothing = plane->smoothing};

    for (int l = 0; l < plane->levels; l++)
        cycle.shape[l] = &plane->shape[l];
    return cycle;
}

/* The correction lies before the work space of the cycle. */
static size_t correction_bytes(starfish_precision precision, const struct starfish_flux_shape *shape)
{
    const size_t bytes = starfish_flux_unknowns(shape) * starfish_real_size(precision);

    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t starfish_flux_planes_work(starfish_precision precision, const struct starfish_flux_shape *shape, int gpu)
{
    size_t most = 0;

    for (int d = 0; d < 3 && shape->plane; d++) {
        if (shape->plane[d].levels == 0)
            continue;
        const struct starfish_tail cycle = cycle_of(&shape->plane[d], precision);
        const size_t bytes = correction_bytes(precision, shape) + starfish_tail_work(&cycle, gpu);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* The correction, from the residual, which is f where u is zero and else goes where the result will be. */
static int correct(const struct starfish_place *place, const struct starfish_grid_step *s, void *correction)
{
    const struct starfish_flux_shape *shape = s->shape;
    const struct starfish_flux_plane *plane = &shape->plane[s->sweep - (int)STARFISH_FLUX_PLANES_X];
    const struct starfish_tail cycle = cycle_of(plane, place->precision);
    struct starfish_place below = *place;
    struct starfish_tail_arrays arrays = {.f = s->u ? s->result : s->f, .u = correction};

    below.work = (char *)place->work + correction_bytes(place->precision, shape);
    for (int l = 0; l < plane->levels; l++)
        arrays.table[l] = (const char *)s->table + plane->table[l] * starfish_real_size(place->precision);
    if (s->u)
        TRY_LAUNCH(starfish_flux_residual_here(place, s));
    return starfish_tail_run(&below, &cycle, &arrays, STARFISH_CYCLE_V, 1);
}

void starfish_flux_planes_count(struct starfish_flux_plane *plane)
{
    for (starfish_precision precision = STARFISH_F32; precision <= STARFISH_F64; precision++) {
        const struct starfish_tail cycle = cycle_of(plane, precision);
        plane->cost[precision] = starfish_tail_cost(&cycle, STARFISH_CYCLE_V, 1);
    }
}

struct starfish_cost starfish_flux_planes_cost(starfish_precision precision, const struct starfish_grid_step *s)
{
    const struct starfish_flux_shape *shape = s->shape;

    return shape->plane[s->sweep - (int)STARFISH_FLUX_PLANES_X].cost[precision];
}

int starfish_flux_planes_here(const struct starfish_place *place, const struct starfish_grid_step *s)
{
    const struct starfish_vector_update update = {.nx = s->at.x1,
                                                  .at = s->at,
                                                  .factor = s->damping,
                                                  .u = s->u,
                                                  .correction = place->work,
                                                  .pitch = s->at.x1,
                                                  .v = s->result};

    TRY_LAUNCH(correct(place, s, place->work));
    return run_update(place, &update);
}

/* ---- The coarsest grid ------------------------------------------------------------------------------------------- */

/* One line in each plane, or one unknown. */
static enum starfish_flux_sweep sweep_that_solves(const struct starfish_flux_shape *shape)
{
    for (int d = 0; d < 3; d++)
        if (!shape->decoupled[d] && shape->n[d] > 1)
            return (enum starfish_flux_sweep)((int)STARFISH_FLUX_LINES_X + d);
    return STARFISH_FLUX_POINTS;
}

static struct starfish_grid_step sweep_of(const struct starfish_grid_step *step)
{
    struct starfish_grid_step sweep = *step;

    sweep.sweep = (int)sweep_that_solves(step->shape);
    sweep.damping = 1;
    sweep.u = NULL;
    sweep.coarse = NULL;
    return sweep;
}

int starfish_flux_plane_solve(const struct starfish_place *place, const struct starfish_smoothing *smoothing,
                              const struct starfish_grid_step *step)
{
    const struct starfish_grid_step sweep = sweep_of(step);

    (void)smoothing;
    return starfish_flux_smooth_here(place, &sweep);
}

struct starfish_cost starfish_flux_plane_solve_cost(starfish_precision precision,
                                                    const struct starfish_smoothing *smoothing,
                                                    const struct starfish_grid_step *step)
{
    const struct starfish_grid_step sweep = sweep_of(step);

    (void)smoothing;
    return starfish_flux_plane_kind.costs->cost(precision, STARFISH_GRID_SMOOTH, &sweep);
}

size_t starfish_flux_plane_solve_work(const struct starfish_smoothing *smoothing, const void *shape,
                                      starfish_precision precision, int gpu)
{
    const struct starfish_flux_shape *grid = shape;
    const enum starfish_flux_sweep sweep = sweep_that_solves(grid);

    (void)smoothing;
    if (sweep == STARFISH_FLUX_POINTS)
        return starfish_flux_work(grid->n[0]) * starfish_real_size(precision);
    return starfish_flux_line_work(precision, grid, (int)sweep - (int)STARFISH_FLUX_LINES_X, gpu);
}
