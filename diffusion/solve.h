/* One solve of a plan for diffusion. */
#ifndef STARFISH_DIFFUSION_SOLVE_H
#define STARFISH_DIFFUSION_SOLVE_H

#include "diffusion/plan.h"
#include "solver/accept.h"

#include <stdatomic.h>

struct starfish_diffusion_solve {
    struct starfish_diffusion_plan *plan;
    struct starfish_progress *progress;
    struct starfish_algebra algebra;
    const struct starfish_vector *rhs, *extra; /* of A u = -rhs + extra; extra may be NULL */
    double largest_extra;                      /* before it was rounded */
    struct starfish_diffusion_info *info;
    atomic_int *iterations; /* so far, for whoever looks on */
};

extern const struct starfish_acceptance starfish_diffusion_acceptance;

/* plan->u becomes the solution, the best one that was found where the status is NUMERICAL; fills info. */
starfish_status starfish_diffusion_iterate(struct starfish_diffusion_solve *solve);

#endif
