/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coarsest grid of Q1 multigrid: by its inverse, or by conjugate gradients preconditioned by the diagonal or by
 * four line steps, which make it symmetric: x, y, y, x. On the GPU all iterations are launched and the host learns
 * nothing of them; on the CPU they end with the last that is needed. */
#ifndef STARFISH_MULTIGRID_KERNELS_Q1_COARSE_H
#define STARFISH_MULTIGRID_KERNELS_Q1_COARSE_H

#include "multigrid/kernels/q1_shape.h"

/* starfish_grid_kind.solve and starfish_grid_costs.solve_work of Q1 elements. By the inverse, `zero` does not count. */
int starfish_q1_solve_here(const struct starfish_place *place, const struct starfish_smoothing *smoothing,
                           const struct starfish_grid_step *step);
size_t starfish_q1_solve_work(const struct starfish_smoothing *smoothing, const void *shape,
                              starfish_precision precision, int gpu);

#endif
