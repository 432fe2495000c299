/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Seven-point matrices in 3D (flux.h) as a grid kind: nx * ny columns and nz rows, smoothed by points in one or two
 * colours, by lines or by planes.
 *
 * A grid's table has its matrix and the transfers to the next coarser grid. Sweeps by lines in z work on runs of
 * columns that are whole rows of x; all others on planes, planes as smoother on all of them. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLUX_KIND_H
#define STARFISH_MULTIGRID_KERNELS_FLUX_KIND_H

#include "multigrid/kernels/flux_shape.h"

extern const struct starfish_grid_kind starfish_flux_kind;
/* The grids of planes (struct starfish_flux_plane): the same, but that the coarsest is solved line by line. */
extern const struct starfish_grid_kind starfish_flux_plane_kind;

#endif
