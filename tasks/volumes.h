/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integrals over control volumes, means and sums on all parts of a 3D grid's vectors (codelets/volumes.h). */
#ifndef STARFISH_TASKS_VOLUMES_H
#define STARFISH_TASKS_VOLUMES_H

#include "codelets/volumes.h"
#include "tasks/hierarchy.h"

/* result = scale * v + offset, either times the volumes of unknowns; result may be v. `op`: of a grid of the flux form.
 */
starfish_status starfish_operator_weigh(const struct starfish_grid_operator *op, struct starfish_progress *progress,
                                        const struct starfish_weighing *what, const struct starfish_vector *v,
                                        const struct starfish_vector *result);
/* The sum of v, times the volumes where `weighs`. */
starfish_status starfish_operator_volume_sum(const struct starfish_grid_operator *op,
                                             struct starfish_progress *progress, int weighs,
                                             const struct starfish_vector *v, const struct starfish_sums *sums);

#endif
