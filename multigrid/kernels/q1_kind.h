/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bilinear (Q1) elements on a tensor product grid as a grid kind: nx x ny unknowns in x and y, a nine-band matrix or
 * the tensor products it is made of (band.h, tensor.h), smoothed by lines, points or four colours.
 *
 * The coarsest grid is solved by its inverse or by preconditioned conjugate gradients (q1_coarse.h). The weights of the
 * transfers between two grids are in the coarser one's table. Sweeps by lines in y work on runs of columns. */
#ifndef STARFISH_MULTIGRID_KERNELS_Q1_KIND_H
#define STARFISH_MULTIGRID_KERNELS_Q1_KIND_H

#include "multigrid/kernels/q1_shape.h"

extern const struct starfish_grid_kind starfish_q1_kind;

#endif
