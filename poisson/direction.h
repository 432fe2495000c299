/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts the user's description of an axis to the matrix, transform and boundary weights of one direction. */
#ifndef STARFISH_POISSON_DIRECTION_H
#define STARFISH_POISSON_DIRECTION_H

#include "poisson/coordinates.h"
#include "tasks/spectral.h"

/* Checks the axis (errors name `name` and the member) and fills *direction, whose arrays the caller owns. lambda: what
 * rows that the metric scales are to have on the diagonal, times their scale. */
starfish_status starfish_direction_create(struct starfish_direction *direction, const char *name,
                                          const struct starfish_axis *axis, enum starfish_metric metric, double lambda);
/* Of such a direction: its eigenvalues become spectral ones. Errors: UNSUPPORTED. */
enum { STARFISH_MOST_SPECTRAL = 4096 };
starfish_status starfish_direction_make_spectral(struct starfish_direction *direction, const char *name,
                                                 const struct starfish_axis *axis);
void starfish_direction_destroy(struct starfish_direction *direction);
/* A deep copy. Errors: MEMORY. */
starfish_status starfish_direction_copy(struct starfish_direction *copy, const struct starfish_direction *direction);

#endif
