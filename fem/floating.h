/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components of a mesh without given nodes. On each of them the problem is singular: u is determined up to a constant,
 * and f must have mean 0. */
#ifndef STARFISH_FEM_FLOATING_H
#define STARFISH_FEM_FLOATING_H

#include "fem/space.h"

struct starfish_fem_floating {
    size_t count; /* such components; 0: the problem is not singular */
    int *of_cell; /* of the coarsest mesh: the component of a cell, -1: of none of these; NULL where count is 0 */
    int *of;      /* likewise of an unknown of the finest space, once they are labelled */
};

/* Cells that share a node are of one component. Errors: MEMORY. */
starfish_status starfish_fem_floating_find(const struct starfish_fem_space *coarsest,
                                           struct starfish_fem_floating *floating);
/* The unknowns, in their final order; nothing where count is 0. Errors: MEMORY. */
starfish_status starfish_fem_floating_label(struct starfish_fem_floating *floating,
                                            const struct starfish_fem_space *finest);
void starfish_fem_floating_destroy(struct starfish_fem_floating *floating);

#endif
