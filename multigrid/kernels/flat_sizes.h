/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How large the terms of a flat domain's equations are: the contract of flat_sizes_*. Rounding errors of a residual are
 * units of that. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_SIZES_H
#define STARFISH_MULTIGRID_KERNELS_FLAT_SIZES_H

#include "multigrid/kernels/flat.h"

/* `sums`, STARFISH_SUMS doubles that add up to the sum of the squares of |A| |u| over the rows y0 .. y1-1: each term of
 * a row of A u as flat.h writes it, a coupling times a difference as two terms, by its absolute value. In double. One
 * word per unknown; a solve does it once at most. */
struct starfish_flat_sizes {
    struct starfish_flat_matrix matrix;
    size_t y0, y1;
    const void *u;
    double *sums;
    size_t sum_count; /* on cores: how many sums there are, 0: STARFISH_SUMS */
};
void starfish_flat_sizes_cpu_f32(const struct starfish_flat_sizes *arguments);
void starfish_flat_sizes_cpu_f64(const struct starfish_flat_sizes *arguments);
int starfish_flat_sizes_cuda_f32(const struct starfish_flat_sizes *arguments, struct CUstream_st *stream);
int starfish_flat_sizes_cuda_f64(const struct starfish_flat_sizes *arguments, struct CUstream_st *stream);

#endif
