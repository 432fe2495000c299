/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Naive references of flat.h's kernels, for the tests: its definitions written out in f64, cell by cell, on whole
 * grids. Arrays, and those of matrices and transfers, are doubles in the memory of the host. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_REF_H
#define STARFISH_MULTIGRID_KERNELS_FLAT_REF_H

#include "multigrid/kernels/flat.h"

/* result = f - A u. result is neither. */
void starfish_flat_ref_residual(const struct starfish_flat_matrix *matrix, const double *u, const double *f,
                                double *result);
/* |A| |u| in each cell, the terms as flat_sizes.h says. */
void starfish_flat_ref_sizes(const struct starfish_flat_matrix *matrix, const double *u, double *result);
/* v += damping * M^-1 (f - A v) in the columns of a colour; elimination in each column with a full matrix. `residual`
 * holds an array of the grid. Returns 0, or -1 when memory ran out. */
int starfish_flat_ref_smooth(const struct starfish_flat_matrix *matrix, enum starfish_flat_columns columns,
                             double damping, const double *f, double *v, double *residual);
/* coarse = R fine, and fine += P coarse, of arrays with so many layers. */
void starfish_flat_ref_restrict(const struct starfish_flat_transfer transfer[2], size_t layers, const double *fine,
                                double *coarse);
void starfish_flat_ref_prolong(const struct starfish_flat_transfer transfer[2], size_t layers, const double *coarse,
                               double *fine);

#endif
