/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids of seven-point matrices (flux.h): their shape, where arrays lie in their table, the hierarchies of their
 * planes, and the sweeps of their smoothers. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLUX_SHAPE_H
#define STARFISH_MULTIGRID_KERNELS_FLUX_SHAPE_H

#include "multigrid/kernels/flux.h"
#include "multigrid/kernels/grid_kind.h"

/* The shape of a grid, and how it is interpolated from the next coarser one; its table is, for x, y, z one after the
 * other,
 *     coupling (n + 1), extra, weight (n each),
 * then again for x, y, z
 *     lower, upper (n each), gather (4 times coarse),
 * then in the stored form the faces in x, those in y and z where there is more than one unknown, and the rest unless it
 * is 0 (all unknowns each), and the inverse if the grid is `coarsest`. */
struct starfish_flux_shape {
    size_t n[3], coarse[3]; /* coarse: unset for the coarsest */
    int periodic[3], decoupled[3];
    int stored, coarsest;
    int without_rest; /* stored form: the rest is 0 everywhere */
    int pairs;        /* coarse unknowns are pairs (struct starfish_flux_transfer) */
    double lambda;
    double eigenvalue; /* an upper bound of those of D^-1 A; for Chebyshev's steps alone */
    /* for sweeps of planes: the hierarchies of planes across x, y and z; NULL: there are none */
    const struct starfish_flux_plane *plane;
};
size_t starfish_flux_unknowns(const struct starfish_flux_shape *shape);
size_t starfish_flux_table_axis(const struct starfish_flux_shape *shape, int direction); /* where coupling begins */
size_t starfish_flux_table_transfer(const struct starfish_flux_shape *shape, int direction);
size_t starfish_flux_table_stored(const struct starfish_flux_shape *shape);
/* Does a direction have stored faces? */
int starfish_flux_stores_faces(const struct starfish_flux_shape *shape, int direction);
size_t starfish_flux_table_inverse(const struct starfish_flux_shape *shape);
size_t starfish_flux_table_size(const struct starfish_flux_shape *shape);

/* All planes across a direction as a hierarchy of grids that are decoupled in it and not coarsened; 0 levels where the
 * grid has one plane. The coarsest grid has one line per plane. The tables lie behind that of the grid. */
struct starfish_flux_plane {
    int levels;
    struct starfish_flux_shape shape[STARFISH_GRID_MOST_LEVELS];
    size_t table[STARFISH_GRID_MOST_LEVELS]; /* where they begin in the grid's table, in reals */
    struct starfish_smoothing smoothing;
    struct starfish_cost cost[2]; /* what a cycle takes, by precision */
};
/* `cost`, once all else is there: sweeps are many, and a count walks over all levels. */
void starfish_flux_planes_count(struct starfish_flux_plane *plane);

/* One pass of a smoother over a grid: points at once, in two colours, the even or the odd first; all lines of a
 * direction; or all planes across a direction, by a V cycle on each. */
enum starfish_flux_sweep {
    STARFISH_FLUX_POINTS,
    STARFISH_FLUX_RED_BLACK,
    STARFISH_FLUX_BLACK_RED,
    STARFISH_FLUX_LINES_X,
    STARFISH_FLUX_LINES_Y,
    STARFISH_FLUX_LINES_Z,
    STARFISH_FLUX_PLANES_X,
    STARFISH_FLUX_PLANES_Y,
    STARFISH_FLUX_PLANES_Z,
    STARFISH_FLUX_SWEEPS
};

#endif
