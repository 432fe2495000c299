/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat domains (flat.h) as a grid kind: n[0] * n[2] columns and n[1] rows, so that parts are runs of rows of columns,
 * which hold columns whole. Smoothed by all lines upwards at once, or in two colours; coarser in x and y alone. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_KIND_H
#define STARFISH_MULTIGRID_KERNELS_FLAT_KIND_H

#include "multigrid/kernels/flat.h"
#include "multigrid/kernels/flat_factors.h"
#include "multigrid/kernels/grid_kind.h"

/* The shape of a grid; its table is, one after the other,
 *     mass, lift (n[0] * n[1]), face_x ((n[0] + 1) * n[1]), face_y (n[0] * (n[1] + 1)), a, b, c, d (n[2] each),
 *     corner ((n[0] + 1) * (n[1] + 1), where it is skew),
 * for x and y lower, upper (n each),
 * and where there are types of columns the type of each (n[0] * n[1]) and the factors of each type (flat_factors.h). */
struct starfish_flat_shape {
    size_t n[3], coarse[2]; /* coarse: unset for the coarsest */
    int periodic[2];
    int skew;     /* there are corners */
    size_t types; /* of columns, whose factors are in the table; 0: they are not */
    /* Of the coarsest grid: smoothing sweeps that solve it, and their damping; where `lowest` > 0 they are Chebyshev's
     * on eigenvalues of M^-1 A from lowest to 2. */
    int coarse_sweeps;
    double coarse_damping, lowest;
    /* Of a box, which is a grid by itself with columns of its neighbours around its own (boxes.h): the columns of a row
     * that count in sums, both 0: all; and whether the colours of its columns are those of the whole grid exchanged. */
    size_t own[2];
    int other_colours;
    /* Of the six panels of a sphere as one array (flat_sphere.h): ghosts around each of them, which operations fill
     * before they read; 0: of anything else. */
    size_t rim;
};

/* Where a piece of the table begins, in reals. */
enum starfish_flat_entry {
    STARFISH_FLAT_MASS,
    STARFISH_FLAT_LIFT,
    STARFISH_FLAT_FACE_X,
    STARFISH_FLAT_FACE_Y,
    STARFISH_FLAT_A,
    STARFISH_FLAT_B,
    STARFISH_FLAT_C,
    STARFISH_FLAT_D,
    STARFISH_FLAT_CORNER,
    STARFISH_FLAT_LOWER_X,
    STARFISH_FLAT_UPPER_X,
    STARFISH_FLAT_LOWER_Y,
    STARFISH_FLAT_UPPER_Y,
    STARFISH_FLAT_TYPE,
    STARFISH_FLAT_FACTORS,
    STARFISH_FLAT_ENTRIES /* their total size */
};
size_t starfish_flat_table_entry(const struct starfish_flat_shape *shape, enum starfish_flat_entry entry);

enum starfish_flat_sweep {
    STARFISH_FLAT_LINES,
    STARFISH_FLAT_EVEN_LINES,
    STARFISH_FLAT_ODD_LINES,
    STARFISH_FLAT_SWEEPS
};

extern const struct starfish_grid_kind starfish_flat_kind;

/* Operations at a place (flat_steps.c). On arrays of a sphere they are one core's, since they write ghosts into what
 * they read. */
int starfish_flat_smooth_here(const struct starfish_place *place, const struct starfish_grid_step *step);
int starfish_flat_restrict_here(const struct starfish_place *place, const struct starfish_grid_step *step);
int starfish_flat_prolong_here(const struct starfish_place *place, const struct starfish_grid_step *step);
int starfish_flat_residual_here(const struct starfish_place *place, const struct starfish_grid_step *step);
int starfish_flat_solve_here(const struct starfish_place *place, const struct starfish_smoothing *smoothing,
                             const struct starfish_grid_step *step);
/* Bytes of work space of the operations, and of `solve` with them. */
size_t starfish_flat_step_work(const struct starfish_flat_shape *shape, starfish_precision precision, int gpu);
size_t starfish_flat_solve_work(const struct starfish_flat_shape *shape, starfish_precision precision, int gpu);
/* An array of users' to or from one of the grid (flat.h). */
int starfish_flat_arrange_here(const struct starfish_place *place, const struct starfish_flat_arrange *arrange);

#endif
