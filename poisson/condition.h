/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Effect of rounding errors on a problem, and the steps of refinement that it needs. */
#ifndef STARFISH_POISSON_CONDITION_H
#define STARFISH_POISSON_CONDITION_H

#include "poisson/plan.h"
#include "poisson/spectra.h"

/* Once the plan has directions and a method: are their eigenvalues worth the time that they take? */
int starfish_poisson_wants_eigenvalues(const struct starfish_poisson_plan *plan);
void starfish_poisson_find_condition(const struct starfish_poisson_plan *plan, const struct starfish_spectra *spectra,
                                     struct starfish_condition *condition);
/* Steps that a plan with a direct method makes unless its options say how many, once the method is made: the largest
 * number that any of the rules asks for, of which the table of docs/reliability.md has one per row. */
int starfish_poisson_wanted_refinements(const struct starfish_poisson_plan *plan);
/* Those of them that the method's tables need, whatever the problem: what other methods may save. */
int starfish_poisson_refinements_of_tables(const struct starfish_poisson_plan *plan);
/* Is there a coefficient that the plan's precision has no value for: above its range, or not zero and below it?
 * ARGUMENT; names axis, member and value. */
starfish_status starfish_poisson_check_range(const struct starfish_poisson_plan *plan);
/* Is the square of the largest coefficient, or its reciprocal, one that the plan's precision has no value for? For
 * methods that multiply coefficients. ARGUMENT; names axis, member, value and the plan's method. */
starfish_status starfish_poisson_check_squares(const struct starfish_poisson_plan *plan);

#endif
