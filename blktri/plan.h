/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A solver of block tridiagonal problems by block cyclic reduction, FISHPACK's BLKTRI: one problem in (y, z) per mode
 * of x. Modes come from a transform in x; a problem in two dimensions has one.
 *
 * Two forms. Partial fractions (Sweet, SIAM J. Sci. Stat. Comput. 9 (1988), 761-765; Gallopoulos and Saad, Parallel
 * Comput. 10 (1989), 143-159): every level is one wide batch of tridiagonal systems. Product form (Swarztrauber, SIAM
 * J. Numer. Anal. 11 (1974), 1136-1150): chains of dependent systems. Both are bound by the solves of tridiagonal
 * systems on each of the log2(nz) levels (docs/algorithms.md). */
#ifndef STARFISH_BLKTRI_PLAN_H
#define STARFISH_BLKTRI_PLAN_H

#include "tasks/spectral.h"
#include <starfish/poisson.h>
#include <starfish/tridiag.h>

enum starfish_blktri_form { STARFISH_BLKTRI_FRACTIONS, STARFISH_BLKTRI_PRODUCT };

/* (Lx + Ly + Lz + lambda) u = f. */
struct starfish_blktri_problem {
    const struct starfish_direction *direction; /* x, y, z: x has a transform, and the reduced one of y and z, which is
                                                   z unless that has weights of x, is symmetric up to a scaling */
    double lambda;
    int singular; /* constants are in the null space, and the mean is removed */
    starfish_precision precision;
    enum starfish_tridiag_numbers numbers;
};

struct starfish_blktri_options {
    enum starfish_blktri_form form;
    int radix;                       /* partial fractions: parts that a block of rows is cut into, 2 or 4 */
    starfish_algorithm algorithm;    /* product form: how GPUs solve tridiagonal systems */
    int split;                       /* levels next to the root that are the cores' where there are GPUs too; -1: any */
    struct starfish_runs cut, modes; /* slabs, and blocks of modes of x */
    uint32_t where;                  /* kinds of workers that will solve; 0: any */
    int subtrees; /* slabs begin where subtrees of rows do, which are reduced as these arrive (tasks/spectral.h); not of
                     singular problems, whose mean is known when all are there */
    int share;    /* GPUs and cores divide the work by their rates (share.h), and the modes, slabs and split by that */
};

struct starfish_blktri_plan {
    struct starfish_spectral spectral; /* without a context: there is no plan */
    uint32_t where;                    /* kinds of workers that solve; 0: any */
};

/* The direction of cyclic reduction. */
static inline const struct starfish_direction *starfish_blktri_reduced(const struct starfish_direction *direction)
{
    return &direction[3 - starfish_spectral_line_axis(direction)];
}

/* Whether partial fractions suit z: their weights keep digits only where it is not too far from symmetric. */
int starfish_blktri_fractions_suit(const struct starfish_direction *z);
/* Steps of refinement that bring back what a z which does not suit costs the product form, in f64; 0 where it does. */
int starfish_blktri_refinements(const struct starfish_direction *z);

/* Slabs and blocks of modes for so many workers of each kind; `slabs` and `blocks` of 0 are chosen. The caller frees
 * both. */
starfish_status starfish_blktri_choose_cut(const size_t workers[STARFISH_WORKER_KINDS], const size_t n[3], int complex,
                                           size_t slabs, size_t blocks, struct starfish_runs *cut,
                                           struct starfish_runs *modes);

/* Bytes of work space that such a plan will take on a GPU, before it is made. Errors: MEMORY. */
starfish_status starfish_blktri_device_bytes(struct starfish_context *context,
                                             const struct starfish_blktri_problem *problem,
                                             const struct starfish_blktri_options *options, size_t *bytes);

/* An empty plan may be destroyed, and a plan is empty after a failure. Errors: UNSUPPORTED (lines that do not fit a
 * GPU), MEMORY, NOT_SYMMETRIZABLE. */
starfish_status starfish_blktri_plan_create(struct starfish_blktri_plan *plan, struct starfish_context *context,
                                            const struct starfish_blktri_problem *problem,
                                            const struct starfish_blktri_options *options);
void starfish_blktri_plan_destroy(struct starfish_blktri_plan *plan);

/* What the levels of a finished solve did: info->levels and info->level. */
void starfish_blktri_fill_levels(const struct starfish_blktri_plan *plan, const struct starfish_progress *progress,
                                 struct starfish_poisson_phases *phases);

#endif
