/* Tasks of 3D multigrid: the operations of starfish_flux_kind on parts of a grid. Arrays are tiles of nx*ny columns
 * and nz rows; a part is a row of tiles, a slab of planes, or for lines in z a column of them, whole rows of all
 * planes. What tasks on vectors of a grid do, codelets/q1.h has already: to them a grid is a rectangle. */
#ifndef STARFISH_CODELETS_FLUX_H
#define STARFISH_CODELETS_FLUX_H

#include "codelets/q1.h"
#include "multigrid/kernels/flux_kind.h"

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

#endif
