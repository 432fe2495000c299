/* Plans on several ranks whose method does not run on parts of a field: the first rank has a plan of the whole problem
 * in a context of its own, and solves for all (scheduler/gathered.h). */
#ifndef STARFISH_POISSON_GATHERED_H
#define STARFISH_POISSON_GATHERED_H

#include "poisson/job.h"
#include "scheduler/gathered.h"

struct starfish_poisson_gathered {
    struct starfish_gathered *base;
    struct starfish_poisson_plan *whole; /* on the first rank; NULL on the others */
};

/* plan->gathered, for a plan whose method is to solve on one rank. Sets what the plan says of its method. Collective.
 * Errors: those of starfish_poisson_plan_create, on all ranks. */
starfish_status starfish_poisson_gather(struct starfish_poisson_plan *plan,
                                        const struct starfish_poisson_source *source);
/* NULL is allowed. */
void starfish_poisson_gathered_destroy(struct starfish_poisson_gathered *gathered);

/* A solve to its end, and what came of it, which the job has. Collective. Errors: none of the solve itself, which
 * waiting returns. */
starfish_status starfish_poisson_submit_gathered(struct starfish_poisson_plan *plan,
                                                 const struct starfish_boundary *boundary, const void *rhs,
                                                 void *solution, struct starfish_poisson_job **job);
starfish_status starfish_job_wait_gathered(struct starfish_poisson_job *job, struct starfish_info *info,
                                           struct starfish_accuracy *accuracy);

#endif
