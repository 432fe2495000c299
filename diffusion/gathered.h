/* Diffusion on several ranks whose planes cannot be parts (ranks.h): the first one has a plan of the whole problem in a
 * context of its own, and solves for all (scheduler/gathered.h). */
#ifndef STARFISH_DIFFUSION_GATHERED_H
#define STARFISH_DIFFUSION_GATHERED_H

#include "diffusion/plan.h"
#include "scheduler/gathered.h"

struct starfish_diffusion_gathered {
    struct starfish_gathered *base;
    struct starfish_diffusion_plan *whole; /* on the first rank; NULL on the others */
    size_t n[3];
    int slowest;
};

/* plan->gathered, from plan->options, plan->box and the problem of this rank's cells. Collective. Errors: those of
 * starfish_diffusion_plan_create, on all ranks. */
starfish_status starfish_diffusion_gather(struct starfish_diffusion_plan *plan,
                                          const struct starfish_diffusion_problem *own);
/* NULL is allowed. */
void starfish_diffusion_gathered_destroy(struct starfish_diffusion_gathered *gathered);
/* starfish_diffusion_solve. Collective. */
starfish_status starfish_diffusion_solve_gathered(struct starfish_diffusion_plan *plan,
                                                  const struct starfish_boundary *boundary, const void *rhs,
                                                  void *solution, struct starfish_diffusion_info *info);

#endif
