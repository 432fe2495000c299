/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Estimates of what the two methods cost that compete where y has no fast transform: a change of basis in y (slab), and
 * partial fractions (blktri). */
#ifndef STARFISH_POISSON_ESTIMATE_H
#define STARFISH_POISSON_ESTIMATE_H

#include "poisson/plan.h"

/* Seconds of one core for preparing and for solving with all right-hand sides; where their number is not known, of one
 * solve alone. Steps of refinement included. */
struct starfish_estimate {
    double basis, fractions;
};
struct starfish_estimate starfish_poisson_estimate(const struct starfish_poisson_plan *plan);
/* The comparison in words, to text[size]. */
void starfish_poisson_describe_estimate(const struct starfish_poisson_plan *plan, char *text, size_t size);

/* Partial fractions: how many parts a block of rows is cut into, as asked for or chosen. */
int starfish_poisson_radix(const struct starfish_poisson_plan *plan);

#endif
