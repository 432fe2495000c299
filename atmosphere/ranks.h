/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat domains on several ranks: each rank has the planes of the user's arrays given by starfish_mpi_planes, and a run
 * of rows of columns of all grids, cut into parts for its GPUs or cores. A solve redistributes planes to rows and back;
 * in between only columns beside a cut are exchanged. With too few rows the first rank solves for all
 * (solver/gather.h). */
#ifndef STARFISH_ATMOSPHERE_RANKS_H
#define STARFISH_ATMOSPHERE_RANKS_H

#include "atmosphere/plan.h"
#include "scheduler/runtime/distribute.h"

/* Runs of rows for all ranks; none where the rows, or the planes of the ranks, cannot be parts. Collective. Errors:
 * MEMORY, RUNTIME. */
starfish_status starfish_atmosphere_deal(const struct starfish_atmosphere_plan *plan,
                                         const struct starfish_atmosphere_problem *problem,
                                         struct starfish_distributed *dealt);

#endif
