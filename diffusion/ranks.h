/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Diffusion on several ranks. Each rank holds a run of planes of the last direction (coefficients, regions, right-hand
 * side and solution) and works on their cells. Coefficients, matrix, and the tables of deflation and of multigrid's
 * fine grids cover its own planes and some adjacent ones (scheduler/runtime/halo_window.h). The adjacent ones are
 * received from other ranks during plan creation. If planes cannot be parts (few planes on a rank, lines along the last
 * direction, blocks of block-ic that cross the ranks' boundaries), the first rank solves for all (solver/gather.h). */
#ifndef STARFISH_DIFFUSION_RANKS_H
#define STARFISH_DIFFUSION_RANKS_H

#include "diffusion/plan.h"

/* Checks that there are planes to distribute. Errors: ARGUMENT. */
starfish_status starfish_diffusion_check_planes(const struct starfish_diffusion_problem *problem);

/* The problem gets coefficients and regions also on a rank that has no planes, where others have them. Collective. */
starfish_status starfish_diffusion_complete_problem(const struct starfish_diffusion_plan *plan,
                                                    struct starfish_diffusion_problem *problem);

/* The planes of a rank: runs of y in two dimensions, of z in three. */
struct starfish_run_of_planes starfish_diffusion_planes(const struct starfish_diffusion_plan *plan,
                                                        const struct starfish_diffusion_problem *problem);

/* plan->dealt and the window of plan->box, of a plan whose box is described and whose options are there: no parts where
 * the planes cannot be parts. Collective. */
starfish_status starfish_diffusion_deal(struct starfish_diffusion_plan *plan);

#endif
