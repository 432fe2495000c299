/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Null spaces of directions, for every method: row sums, their signs, the parts of rows whose sums are zero, and the
 * left null vector. */
#ifndef STARFISH_POISSON_NULL_SPACE_H
#define STARFISH_POISSON_NULL_SPACE_H

#include "poisson/spectra.h"

/* From lower, diag, upper, periodic, imaginary and sum (base/row_sum.h): signs, null_parts, constant_null and weight.
 * STARFISH_ERROR_MEMORY. */
starfish_status starfish_find_null_space(struct starfish_direction *direction);

/* Do couplings and sums, lambda included, have one sign in all directions, so that the sum is semidefinite up to a
 * scaling? */
int starfish_is_semidefinite(const struct starfish_direction direction[3], double lambda);

/* Is (Lx + Ly + Lz + lambda) singular? Sets *singular where its null space are the constants. Fails with SINGULAR,
 * naming the mode, where there is another null vector. `eps`: unit of rounding of the precision to be solved in.
 * `spectra`: looked at where signs do not decide, or NULL; `one_layer`: all of x is one mode. */
struct starfish_null_space_problem {
    const struct starfish_direction *direction;
    double lambda, eps;
    const struct starfish_spectra *spectra;
    int one_layer;
};
starfish_status starfish_check_null_space(const struct starfish_null_space_problem *problem, int *singular);

#endif
