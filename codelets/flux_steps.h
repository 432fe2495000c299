/* What is done on one grid of 3D multigrid, on pointers: kernels of multigrid/kernels/flux.h, on the CPU and on the GPU
 * alike. Tasks of parts of a grid (flux.h) and the task of all small grids (flux_tail.c) call them. */
#ifndef STARFISH_CODELETS_FLUX_STEPS_H
#define STARFISH_CODELETS_FLUX_STEPS_H

#include "codelets/q1_steps.h"
#include "multigrid/kernels/flux.h"
#include <starfish/multigrid.h>

/* A grid, and how it is interpolated from the next coarser one; its table is, for x, y, z one after the other,
 *     coupling (n + 1), extra, weight (n each),
 * then again for x, y, z
 *     lower, upper (n each), gather (4 times coarse),
 * then in the stored form the faces in x, y, z and the rest (4 times all unknowns), and the inverse if the grid is
 * `coarsest`. */
struct starfish_flux_shape {
    size_t n[3], coarse[3]; /* coarse: unset for the coarsest */
    int periodic[3], decoupled[3];
    int stored, coarsest;
    double lambda;
    double eigenvalue; /* an upper bound of those of D^-1 A; for Chebyshev's steps alone */
};
size_t starfish_flux_unknowns(const struct starfish_flux_shape *shape);
size_t starfish_flux_table_axis(const struct starfish_flux_shape *shape, int direction); /* where coupling begins */
size_t starfish_flux_table_transfer(const struct starfish_flux_shape *shape, int direction);
size_t starfish_flux_table_stored(const struct starfish_flux_shape *shape);
size_t starfish_flux_table_inverse(const struct starfish_flux_shape *shape);
size_t starfish_flux_table_size(const struct starfish_flux_shape *shape);

/* One pass of a smoother over a grid: points at once, in two colours, the even or the odd first; all lines of a
 * direction; or all planes across a direction, which take a cycle of their own (flux_tail.c). */
enum starfish_flux_sweep {
    STARFISH_FLUX_POINTS,
    STARFISH_FLUX_RED_BLACK,
    STARFISH_FLUX_BLACK_RED,
    STARFISH_FLUX_LINES_X,
    STARFISH_FLUX_LINES_Y,
    STARFISH_FLUX_LINES_Z,
    STARFISH_FLUX_PLANES_X,
    STARFISH_FLUX_PLANES_Y,
    STARFISH_FLUX_PLANES_Z
};

/* Bytes of work space for steps on a grid with that smoother. */
size_t starfish_flux_step_work(starfish_precision precision, const struct starfish_flux_shape *shape,
                               starfish_smoother smoother, int gpu);

/* v = w improved by one sweep, w = u + prolonged coarse; either may be NULL, coarse must be for lines. v is neither. */
struct starfish_flux_smooth_step {
    struct starfish_flux_shape shape;
    enum starfish_flux_sweep sweep;
    struct starfish_flux_part at;
    double damping;
    const void *table, *u, *f, *coarse;
    void *v;
};
/* All return a cudaError_t, 0 on the CPU. */
int starfish_flux_smooth_here(const struct starfish_place *place, const struct starfish_flux_smooth_step *step);

/* result = restricted f - A u on a part of the coarse grid; u == NULL is zero. */
struct starfish_flux_restrict_step {
    struct starfish_flux_shape shape; /* of the fine grid */
    struct starfish_flux_part at;
    const void *table, *u, *f;
    void *result;
};
int starfish_flux_restrict_here(const struct starfish_place *place, const struct starfish_flux_restrict_step *step);

/* u += prolonged coarse, or = where zero, on a part of the fine grid. */
struct starfish_flux_prolong_step {
    struct starfish_flux_shape shape; /* of the fine grid */
    struct starfish_flux_part at;
    int zero;
    const void *table, *coarse;
    void *u;
};
int starfish_flux_prolong_here(const struct starfish_place *place, const struct starfish_flux_prolong_step *step);

/* result = f - A u, and the sum of its squares, either NULL where it is not wanted. */
struct starfish_flux_residual_step {
    struct starfish_flux_shape shape;
    struct starfish_flux_part at;
    const void *table, *u, *f;
    void *result;
    double *sums; /* STARFISH_SUMS */
};
int starfish_flux_residual_here(const struct starfish_place *place, const struct starfish_flux_residual_step *step);

/* u = inverse f on the coarsest grid. */
int starfish_flux_solve_here(const struct starfish_place *place, const struct starfish_flux_shape *shape,
                             const void *table, const void *f, void *u);

#endif
