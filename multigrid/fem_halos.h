/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Halos of the parts of finite element grids: the unknowns that a part reads from each other part. A rank finds those
 * of its own parts from its matrix rows; a space needs the halos of all parts. */
#ifndef STARFISH_MULTIGRID_FEM_HALOS_H
#define STARFISH_MULTIGRID_FEM_HALOS_H

#include "scheduler/runtime/space.h"

/* Of a grid. Indices are ours. */
struct starfish_fem_halos {
    size_t count;
    struct starfish_index_halo *halo;
};

/* Appends a halo, whose indices end with the others, also after a failure. Error: MEMORY. */
starfish_status starfish_fem_halos_add(struct starfish_fem_halos *halos, const struct starfish_index_halo *halo);

/* Every rank tells all others of the halos of its parts; halos[0 .. levels-1] then have those of all parts, in the same
 * order on all ranks. Collective. Errors: MEMORY, RUNTIME. */
starfish_status starfish_fem_halos_share(const struct starfish_context *context, struct starfish_fem_halos *halos,
                                         int levels);
/* NULL is allowed. `halos` itself is the caller's. */
void starfish_fem_halos_free(struct starfish_fem_halos *halos, int levels);

#endif
