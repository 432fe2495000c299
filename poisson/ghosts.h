/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer of ghosts around solutions (option `ghosts`): rules from the axes, checks of layouts, and the task behind
 * the solve. */
#ifndef STARFISH_POISSON_GHOSTS_H
#define STARFISH_POISSON_GHOSTS_H

#include "poisson/job.h"

/* What the ghosts of an axis are (docs/library.md, arrays with halos). */
void starfish_poisson_ghost_rules(const struct starfish_axis *axis, struct starfish_ghost_rule rule[2]);
/* Whether the solution's layout has room for them. Errors: ARGUMENT (names the member). */
starfish_status starfish_poisson_check_ghosts(const struct starfish_poisson_plan *plan);
/* Behind the solve, of arrays of the user's. */
starfish_status starfish_job_submit_ghosts(struct starfish_poisson_job *job);

#endif
