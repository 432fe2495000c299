/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Additional steps of plans on several ranks: planes are distributed, and values that must be equal on all ranks are
 * agreed on. On a single rank these functions do nothing but return a status. */
#ifndef STARFISH_POISSON_RANKS_H
#define STARFISH_POISSON_RANKS_H

#include "poisson/plan.h"
#include "scheduler/runtime/ranks.h"

/* plan->here. Errors: ARGUMENT (options.planes), UNSUPPORTED (what several ranks cannot do). */
starfish_status starfish_poisson_deal_planes(struct starfish_poisson_plan *plan);
/* Those of any rank, while the plan is being made. */
struct starfish_run_of_planes starfish_poisson_planes_of(const struct starfish_poisson_plan *plan, int rank);
/* The status of all ranks once the method has been chosen, and plan->here.any_gpu: one collective where no rank has
 * failed. */
starfish_status starfish_poisson_agree_on_method(struct starfish_poisson_plan *plan, starfish_status status);
/* The slowest place that any rank's arrays lie in, for which all cut their planes. Collective. */
starfish_status starfish_poisson_agree_on_residence(const struct starfish_poisson_plan *plan, starfish_status status,
                                                    enum starfish_residence *residence);

#endif
