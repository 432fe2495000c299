/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss of accuracy of methods beyond the rounding of their data; `auto` chooses by it. */
#ifndef STARFISH_POISSON_ACCURACY_H
#define STARFISH_POISSON_ACCURACY_H

#include "poisson/plan.h"

/* |lower| + |diag| + |upper| of row k; and the largest of a direction. */
double starfish_row_size(const struct starfish_direction *direction, size_t k);
double starfish_largest_row(const struct starfish_direction *direction);
/* Largest ratio of row size to smallest eigenvalue that counts as ordinary for a grid with n rows in its longest
 * direction. Up to it, rounding errors are those of any method. */
double starfish_ordinary_rows(double n);

/* Says in text[size] why block cyclic reduction loses digits on the plan's problem that other methods may keep; 0 where
 * it does not. */
int starfish_blktri_loses_digits(const struct starfish_poisson_plan *plan, char *text, size_t size);
/* Fails with UNSUPPORTED where it would lose all of them. */
starfish_status starfish_blktri_check_digits(const struct starfish_poisson_plan *plan);

#endif
