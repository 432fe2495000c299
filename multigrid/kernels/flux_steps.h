/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operations of starfish_flux_kind (flux_kind.h) at a place: struct starfish_grid_kind says what they do. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLUX_STEPS_H
#define STARFISH_MULTIGRID_KERNELS_FLUX_STEPS_H

#include "multigrid/kernels/flux_shape.h"
#include "multigrid/kernels/weigh.h"

/* A rectangle of an array of nx * ny columns that is whole rows of x. */
static inline struct starfish_flux_part starfish_flux_part_of(size_t nx, struct starfish_rectangle at)
{
    return (struct starfish_flux_part){at.x0 / nx, at.x1 / nx, at.y0, at.y1};
}

int starfish_flux_smooth_here(const struct starfish_place *place, const struct starfish_grid_step *step);
int starfish_flux_restrict_here(const struct starfish_place *place, const struct starfish_grid_step *step);
int starfish_flux_prolong_here(const struct starfish_place *place, const struct starfish_grid_step *step);
int starfish_flux_residual_here(const struct starfish_place *place, const struct starfish_grid_step *step);
int starfish_flux_pass_here(const struct starfish_place *place, const struct starfish_grid_pass *pass);
/* result = inverse f on the coarsest grid. */
int starfish_flux_invert_here(const struct starfish_place *place, const struct starfish_grid_step *step);

/* Bytes of work space of all of them, but for sweeps of planes; and of lines in `direction` alone. */
size_t starfish_flux_step_work(starfish_precision precision, const struct starfish_flux_shape *shape,
                               starfish_smoother smoother, int gpu);
size_t starfish_flux_line_work(starfish_precision precision, const struct starfish_flux_shape *shape, int direction,
                               int gpu);

/* A sweep of planes, on the whole grid, what its cycle takes, and its work space; and the coarsest grid of planes
 * (flux_planes.c). */
int starfish_flux_planes_here(const struct starfish_place *place, const struct starfish_grid_step *step);
struct starfish_cost starfish_flux_planes_cost(starfish_precision precision, const struct starfish_grid_step *step);
size_t starfish_flux_planes_work(starfish_precision precision, const struct starfish_flux_shape *shape, int gpu);
int starfish_flux_plane_solve(const struct starfish_place *place, const struct starfish_smoothing *smoothing,
                              const struct starfish_grid_step *step);
struct starfish_cost starfish_flux_plane_solve_cost(starfish_precision precision,
                                                    const struct starfish_smoothing *smoothing,
                                                    const struct starfish_grid_step *step);
size_t starfish_flux_plane_solve_work(const struct starfish_smoothing *smoothing, const void *shape,
                                      starfish_precision precision, int gpu);

/* What multigrid/kernels/weigh.h does, with the volumes of a grid's table: of `at` the planes z0 and z1 are given. */
int starfish_flux_weigh_here(const struct starfish_place *place, const struct starfish_flux_shape *shape,
                             const void *table, const struct starfish_weigh *weigh);
int starfish_flux_sum_here(const struct starfish_place *place, const struct starfish_flux_shape *shape,
                           const void *table, const struct starfish_volume_sum *sum);

#endif
