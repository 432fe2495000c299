/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several steps of the smoother of a small grid as one product. k steps of u + damping M (f - A u) are E u + G f, with
 *
 *     E = (I - damping M A)^k,   G = ((I - damping M A)^0 + ... + (I - damping M A)^(k-1)) damping M.
 *
 * The product reads more than 2 k products with A and M, but is one launch instead of 2 k, and on a GPU a launch takes
 * as long as some 10 MB in its cache. Of k = 1, 2, 4, .. that divide the steps of a smoothing the fastest one by that
 * reckoning is taken, or none. */
#ifndef STARFISH_MULTIGRID_FEM_STEPS_H
#define STARFISH_MULTIGRID_FEM_STEPS_H

#include "multigrid/fem.h"

struct starfish_fem_steps {
    int count; /* k; 0: there are no matrices */
    struct starfish_csr e, g;
};

/* Of a grid with so many steps before the coarse grid's correction and as many after it. The caller destroys
 * *s, also after a failure. Errors: MEMORY, UNSUPPORTED. */
starfish_status starfish_fem_steps_create(const struct starfish_fem_grid *grid, int steps, starfish_precision precision,
                                          struct starfish_fem_steps *s);
void starfish_fem_steps_destroy(struct starfish_fem_steps *steps);

#endif
