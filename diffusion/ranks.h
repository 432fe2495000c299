/* Diffusion on several ranks. Each of them holds a run of the last direction's planes: of coefficients and regions, of
 * the right-hand side and of the solution, and works on the cells of these planes. The coefficients of all ranks are
 * collected on each of them while a plan is made, and the tables of the matrix and of multigrid's grids are every
 * rank's own, for all cells. Where planes cannot be parts (few planes on a rank, lines along them, blocks of block-ic
 * that are cut by the ranks' ends), the first rank solves for all (gathered.h). */
#ifndef STARFISH_DIFFUSION_RANKS_H
#define STARFISH_DIFFUSION_RANKS_H

#include "diffusion/plan.h"

/* A problem of all ranks' cells, whose arrays are ours. */
struct starfish_diffusion_whole {
    struct starfish_diffusion_problem problem;
    double *coefficient;
    long long *regions;
};
/* On all ranks, from what each of them has: the same problem with arrays of its own planes. Collective. Errors:
 * ARGUMENT (what must be the same differs), MEMORY, RUNTIME. Free it after errors too. */
starfish_status starfish_diffusion_collect(const struct starfish_diffusion_plan *plan,
                                           const struct starfish_diffusion_problem *problem,
                                           struct starfish_diffusion_whole *whole);
void starfish_diffusion_whole_free(struct starfish_diffusion_whole *whole);

/* The planes of a rank: runs of y in two dimensions, of z in three. */
struct starfish_run_of_planes starfish_diffusion_planes(const struct starfish_diffusion_plan *plan,
                                                        const struct starfish_diffusion_problem *problem);

/* plan->dealt, of a plan whose box and options are there: no parts where the planes cannot be parts. Collective. */
starfish_status starfish_diffusion_deal(struct starfish_diffusion_plan *plan);

#endif
