/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A V cycle from zero over the coarse grids of Q1 multigrid as one kernel of one block on a GPU: tensor products,
 * smoothing by points, the coarsest grid by its inverse. Bound by latency: an operation is a step of the block between
 * two barriers in place of a kernel, nine of which, one level, take 18 to 20 us in a CUDA graph on an H200. All
 * solutions and right-hand sides are in shared memory. The CPU path is the walk of tail.c over the kernels of grids. */
#ifndef STARFISH_MULTIGRID_KERNELS_Q1_CYCLE_H
#define STARFISH_MULTIGRID_KERNELS_Q1_CYCLE_H

#include "multigrid/kernels/transfer.h"

/* Unknowns of all grids, three arrays of which fit the shared memory that every block may have; steps on a grid. */
enum {
    STARFISH_Q1_CYCLE_UNKNOWNS = 48 * 1024 / 8 / 3,
    STARFISH_Q1_CYCLE_LEVELS = 8,
    STARFISH_Q1_CYCLE_STEPS = 8,
    STARFISH_Q1_CYCLE_COARSEST = 64
};

/* Level 0 is the finest. */
struct starfish_q1_cycle {
    int levels, before, after; /* before: at least 1 */
    struct {
        struct starfish_band_matrix matrix;
        struct starfish_transfer_axis axis[2]; /* from the next finer grid; of level 0 not read */
        double damping[2][STARFISH_Q1_CYCLE_STEPS];
    } level[STARFISH_Q1_CYCLE_LEVELS];
    const void *inverse; /* of the coarsest grid's matrix */
    const void *f;
    void *u;
};
int starfish_q1_cycle_cuda_f32(const struct starfish_q1_cycle *arguments, struct CUstream_st *stream);
int starfish_q1_cycle_cuda_f64(const struct starfish_q1_cycle *arguments, struct CUstream_st *stream);

#endif
