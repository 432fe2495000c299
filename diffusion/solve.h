/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One solve of a plan for diffusion: the job's arrays as vectors, and the iteration (iterate.c) between their
 * copies. */
#ifndef STARFISH_DIFFUSION_SOLVE_H
#define STARFISH_DIFFUSION_SOLVE_H

#include "diffusion/plan.h"
#include "solver/accept.h"

/* Of A u = -rhs + extra. */
enum { STARFISH_DIFFUSION_RHS, STARFISH_DIFFUSION_SOLUTION, STARFISH_DIFFUSION_EXTRA, STARFISH_DIFFUSION_ARRAYS };

struct starfish_diffusion_job {
    struct starfish_job job; /* the first member */
    struct starfish_diffusion_array {
        void *memory; /* NULL: there is none; extra's is ours */
        int node;
        struct starfish_vector vector;
    } array[STARFISH_DIFFUSION_ARRAYS];
    double largest_extra; /* of all ranks, before it was rounded */
    struct starfish_algebra algebra;
};

extern const struct starfish_acceptance starfish_diffusion_acceptance;

/* plan->u becomes the solution, the best one that was found where the status is NUMERICAL; fills the result. */
starfish_status starfish_diffusion_iterate(struct starfish_diffusion_job *job);

#endif
