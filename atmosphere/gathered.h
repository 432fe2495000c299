/* Flat domains on several ranks: the first one has a plan of the whole problem in a context of its own, and solves for
 * all (scheduler/gathered.h). Planes are layers. */
#ifndef STARFISH_ATMOSPHERE_GATHERED_H
#define STARFISH_ATMOSPHERE_GATHERED_H

#include "atmosphere/plan.h"
#include "scheduler/gathered.h"

struct starfish_atmosphere_gathered {
    struct starfish_gathered *base;
    struct starfish_atmosphere_plan *whole; /* on the first rank; NULL on the others */
    size_t plane;                           /* cells of a layer */
};

/* plan->gathered, from plan->options. Collective. Errors: those of starfish_atmosphere_plan_create, on all ranks. */
starfish_status starfish_atmosphere_gather(struct starfish_atmosphere_plan *plan,
                                           const struct starfish_atmosphere_problem *problem);
/* NULL is allowed. */
void starfish_atmosphere_gathered_destroy(struct starfish_atmosphere_gathered *gathered);
/* starfish_atmosphere_solve and starfish_atmosphere_check. Collective. */
starfish_status starfish_atmosphere_solve_gathered(struct starfish_atmosphere_plan *plan, const void *rhs,
                                                   void *solution, struct starfish_atmosphere_info *info);
starfish_status starfish_atmosphere_check_gathered(const struct starfish_atmosphere_plan *plan, const void *rhs,
                                                   const void *solution, struct starfish_atmosphere_check *check);

#endif
