/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Restriction and prolongation between two grids of a tensor product, one direction's coarse grid a part of its fine
 * one: the contract of transfer_*.
 *
 * In a direction, coarse unknown I is the fine unknown F = stride * I + origin, and its basis function has the value
 * left[I] at F - 1, right[I] at F + 1 (bilinear finite elements: distances decide), 1 at F. F may lie one past the end:
 * then left[I] = 1 makes the last fine unknown the coarse one. stride 1: the direction is not coarsened, left and right
 * are not read. The prolongation P is the tensor product of both directions, the restriction its transpose.
 *
 * Arrays are of the whole grid but for `residual`, whose first row is first_row; x fastest. Bound by memory. */
#ifndef STARFISH_MULTIGRID_TRANSFER_H
#define STARFISH_MULTIGRID_TRANSFER_H

#include "multigrid/kernels/band.h"

struct starfish_transfer_axis {
    size_t fine, coarse; /* unknowns */
    size_t stride, origin;
    const void *left, *right; /* `coarse` reals each */
};

/* coarse = P^T residual on rectangle `at` of the coarse grid. 1.25 words per fine unknown. */
struct starfish_restrict {
    struct starfish_transfer_axis axis[2];
    struct starfish_rectangle at;
    const void *residual;
    size_t first_row;
    void *coarse;
};
void starfish_restrict_cpu_f32(const struct starfish_restrict *arguments);
void starfish_restrict_cpu_f64(const struct starfish_restrict *arguments);
int starfish_restrict_cuda_f32(const struct starfish_restrict *arguments, struct CUstream_st *stream);
int starfish_restrict_cuda_f64(const struct starfish_restrict *arguments, struct CUstream_st *stream);

/* u += P coarse on rectangle `at` of the fine grid; u = P coarse where `zero`, whatever u holds. 2.25 words per fine
 * unknown, 1.25 where zero. */
struct starfish_prolong {
    struct starfish_transfer_axis axis[2];
    struct starfish_rectangle at;
    int zero;
    const void *coarse;
    void *u;
};
void starfish_prolong_cpu_f32(const struct starfish_prolong *arguments);
void starfish_prolong_cpu_f64(const struct starfish_prolong *arguments);
int starfish_prolong_cuda_f32(const struct starfish_prolong *arguments, struct CUstream_st *stream);
int starfish_prolong_cuda_f64(const struct starfish_prolong *arguments, struct CUstream_st *stream);

/* The fine unknowns first .. last-1 that coarse ones first .. last-1 are restricted from, and the coarse ones that fine
 * ones are prolonged from. */
void starfish_transfer_fine(const struct starfish_transfer_axis *axis, size_t first, size_t last, size_t fine[2]);
void starfish_transfer_coarse(const struct starfish_transfer_axis *axis, size_t first, size_t last, size_t coarse[2]);

#endif
