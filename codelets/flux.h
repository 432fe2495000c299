/* Tasks of 3D multigrid: the steps of flux_steps.h on parts of a grid, and all small grids as one (flux_tail.c). Arrays
 * are tiles of nx*ny columns and nz rows; a part is a row of tiles, a slab of planes, or for lines in z a column of
 * them, whole rows of all planes. What tasks on vectors of a grid do, codelets/q1.h has already: to them a grid is a
 * rectangle. */
#ifndef STARFISH_CODELETS_FLUX_H
#define STARFISH_CODELETS_FLUX_H

#include "codelets/flux_steps.h"
#include "codelets/q1.h"

/* A grid's shape and table. */
struct starfish_flux_grid_data {
    struct starfish_flux_shape shape;
    starpu_data_handle_t table;
};

/* v = w improved by one sweep, w = u + prolonged coarse. u NULL: zero; coarse NULL: w = u, and must be for lines. v has
 * other tiles than both. */
starfish_status starfish_submit_flux_smooth(struct starfish_progress *progress,
                                            const struct starfish_q1_setting *setting,
                                            const struct starfish_flux_grid_data *grid, size_t part,
                                            enum starfish_flux_sweep sweep, double damping,
                                            const struct starfish_tiles *u, const struct starfish_tiles *f,
                                            const struct starfish_tiles *coarse, const struct starfish_tiles *v);
/* Part of the coarse f = restricted f - A u. */
starfish_status starfish_submit_flux_restrict(struct starfish_progress *progress,
                                              const struct starfish_q1_setting *setting,
                                              const struct starfish_flux_grid_data *fine, size_t part,
                                              const struct starfish_tiles *u, const struct starfish_tiles *f,
                                              const struct starfish_tiles *coarse_f);
/* Part of the fine u += prolonged coarse u, or = where zero. */
starfish_status starfish_submit_flux_prolong(struct starfish_progress *progress,
                                             const struct starfish_q1_setting *setting,
                                             const struct starfish_flux_grid_data *fine, size_t part, int zero,
                                             const struct starfish_tiles *coarse_u, const struct starfish_tiles *u);
/* result = f - A u and, as STARFISH_SUMS doubles, the sum of its squares; either may be NULL. */
starfish_status starfish_submit_flux_residual(struct starfish_progress *progress,
                                              const struct starfish_q1_setting *setting,
                                              const struct starfish_flux_grid_data *grid, size_t part,
                                              const struct starfish_tiles *u, const struct starfish_tiles *f,
                                              const struct starfish_tiles *result, starpu_data_handle_t sums);

/* result = scale * v + offset, either times the volumes of unknowns; result may be v. */
struct starfish_flux_weighing {
    int weighs_values, weighs_offset;
    double scale, offset;
};
starfish_status starfish_submit_flux_weigh(struct starfish_progress *progress,
                                           const struct starfish_q1_setting *setting,
                                           const struct starfish_flux_grid_data *grid, size_t part,
                                           const struct starfish_flux_weighing *what, const struct starfish_tiles *v,
                                           const struct starfish_tiles *result);
/* sums: STARFISH_SUMS doubles that add up to the sum of v, times the volumes where what->weighs_values. */
starfish_status starfish_submit_flux_sum(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                         const struct starfish_flux_grid_data *grid, size_t part,
                                         const struct starfish_flux_weighing *what, const struct starfish_tiles *v,
                                         starpu_data_handle_t sums);

struct starfish_flux_plane;

/* The small grids at the end of a hierarchy, one cycle over which is one task. */
struct starfish_flux_tail {
    starfish_precision precision;
    int levels;
    struct starfish_flux_shape shape[STARFISH_Q1_MOST_LEVELS];
    uint32_t where; /* kinds of workers; 0: any */
    starfish_smoother smoother;
    double damping;
    int before, after;
    int symmetric; /* sweeps after the coarse grid's correction in reverse order, so that a cycle is symmetric */
    /* With PLANE: those across x, y and z of the first grid, then of the second, and so on; of the coarsest none. */
    const struct starfish_flux_plane *plane;
};
/* All planes across a direction as a hierarchy of grids that is decoupled in it and not coarsened; 0 levels where the
 * grid has one plane. The coarsest has one line per plane. Its tables lie in that of the grid. */
struct starfish_flux_plane {
    struct starfish_flux_tail cycle;
    size_t table[STARFISH_Q1_MOST_LEVELS]; /* where they begin, in reals */
};
size_t starfish_flux_tail_work(const struct starfish_flux_tail *tail, int gpu);
/* u improved by a cycle, or = where zero. tail must stay until the task is done; table: of its levels. */
starfish_status starfish_submit_flux_tail(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                          const struct starfish_flux_tail *tail, const starpu_data_handle_t *table,
                                          starfish_cycle_shape shape, int zero, const struct starfish_tiles *f,
                                          const struct starfish_tiles *u);

/* A smoother's sweeps on a grid, one after the other in each of its steps; `reverse`: those after the correction in a
 * symmetric cycle. */
int starfish_flux_sweeps(starfish_smoother smoother, const struct starfish_flux_shape *shape, int reverse,
                         enum starfish_flux_sweep sweep[3]);
/* Does a sweep after the coarse grid's correction add that on its way? */
int starfish_flux_adds(const struct starfish_flux_tail *all);
/* The damping of step 0 .. steps-1 on a grid, as starfish_q1_damping. */
double starfish_flux_damping(const struct starfish_flux_tail *all, const struct starfish_flux_shape *shape, int step,
                             int steps);

#endif
