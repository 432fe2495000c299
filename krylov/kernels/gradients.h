/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of deflated conjugate gradients on cells that have all cells at one place: what krylov/cells_cg.c submits as a
 * task for each operation, here as one kernel after the other, which on a GPU can be captured as a graph. Operations
 * that touch a vector in the same way are one kernel, and who finishes last advances the scalars: with incomplete
 * Poisson and deflation a step is 8 launches and moves 28 words per unknown in two dimensions (IP 10, sums over domains
 * 1.5, prolongation 3.5, direction and product 7, solution and residual 6), 31 in three. Once the iteration is done the
 * remaining steps return at once.
 *
 * On cores several may do the steps together, each its planes, and wait for each other between operations. There the
 * solution follows a step later, with the direction and the product in one traversal. */
#ifndef STARFISH_KRYLOV_KERNELS_GRADIENTS_H
#define STARFISH_KRYLOV_KERNELS_GRADIENTS_H

#include "base/barrier.h"
#include "base/place.h"
#include "krylov/kernels/blocks.h"
#include "krylov/kernels/coarse.h"

/* z = M^-1 r by something else, and STARFISH_SUMS doubles that add up to r z, of which each core writes the one of its
 * number; called by every core that does the steps, which do that together, too. Returns a cudaError_t, 0 on a core. */
struct starfish_gradients_other {
    int (*apply)(const void *self, const struct starfish_place *place, const void *r, void *z, double *rz);
    const void *self;
};

/* Pointers are to the memory of the place. x is double where `wide`, else of the precision of the place. */
struct starfish_gradients {
    enum starfish_cell_preconditioner by;
    struct starfish_gradients_other other; /* of ANOTHER, which is not deflated */
    size_t core, cores;                    /* this core of how many; 0 of 0: one */
    struct starfish_barrier *barrier;      /* of several */
    struct starfish_blocks blocks;         /* of blocks and lines; blocks.cells: matrix, planes, table, of all steps */
    int deflated, wide;
    struct starfish_chunk_sums chunks;   /* deflated: tables and sums */
    struct starfish_coarse_solve coarse; /* of a dense inverse on a GPU */
    const int *domain;
    void *r, *z, *p[2], *q, *x; /* p: directions of even and odd steps, on cores the same vector or two */
    double *state, *norm, *product, *rz;
    int first, count; /* steps number first .. first + count - 1; only whether that is odd counts */
};
/* What all steps take, also those after the last that is needed; `beside`: what a step takes of sums over domains and
 * the coarse matrix, or of ANOTHER preconditioner. */
struct starfish_cost starfish_gradients_cost(starfish_precision precision, const struct starfish_gradients *gradients,
                                             struct starfish_cost beside);
/* Returns a cudaError_t, 0 on a core. */
int starfish_gradients_run(const struct starfish_place *place, const struct starfish_gradients *gradients);

#endif
