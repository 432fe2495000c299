/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operations of starfish_q1_kind (q1_kind.h) at a place: struct starfish_grid_kind says what they do. */
#ifndef STARFISH_MULTIGRID_KERNELS_Q1_STEPS_H
#define STARFISH_MULTIGRID_KERNELS_Q1_STEPS_H

#include "multigrid/kernels/q1_shape.h"

/* On whole lines of `at`. */
int starfish_q1_smooth_here(const struct starfish_place *place, const struct starfish_grid_step *step);
/* These on whole rows. */
int starfish_q1_restrict_here(const struct starfish_place *place, const struct starfish_grid_step *step);
int starfish_q1_prolong_here(const struct starfish_place *place, const struct starfish_grid_step *step);
int starfish_q1_residual_here(const struct starfish_place *place, const struct starfish_grid_step *step);
/* result = inverse f on the coarsest grid. */
int starfish_q1_invert_here(const struct starfish_place *place, const struct starfish_grid_step *step);

/* starfish_grid_fusing.cycle_from and .cycle, with CUDA alone. */
int starfish_q1_cycle_from(const struct starfish_grid_cycle *cycle);
int starfish_q1_cycle_here(const struct starfish_place *place, const struct starfish_grid_cycle *cycle);

/* Bytes of work space of all of them. */
size_t starfish_q1_work(starfish_precision precision, const struct starfish_q1_shape *shape, int gpu);

#endif
