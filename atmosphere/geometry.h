/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The finite volumes of flat domains: from a box or a panel of the cubed sphere to the scalars of columns and the four
 * numbers of layers (multigrid/kernels/flat.h). Everything in f64. */
#ifndef STARFISH_ATMOSPHERE_GEOMETRY_H
#define STARFISH_ATMOSPHERE_GEOMETRY_H

#include "multigrid/flat.h"

#include <starfish/atmosphere.h>

/* Owned: all arrays of `matrix` and of volumes. */
struct starfish_flat_volumes {
    struct starfish_flat_problem matrix; /* without coarse_sweeps and preconditioner */
    double *memory;
};

/* Every member by itself and with the others. Errors: ARGUMENT (names the member). */
starfish_status starfish_atmosphere_check_problem(const struct starfish_atmosphere_problem *p);
/* Checks the problem. Errors: ARGUMENT (names the member), MEMORY. End with starfish_flat_volumes_destroy, also after a
 * failure. */
starfish_status starfish_flat_volumes_create(struct starfish_flat_volumes *volumes,
                                             const struct starfish_atmosphere_problem *problem);
void starfish_flat_volumes_destroy(struct starfish_flat_volumes *volumes);

#endif
