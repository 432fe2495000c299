/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of a mesh with short boundaries between them: recursive bisection by coordinates (Berger, Bokhari, IEEE Trans.
 * Comput. C-36 (1987), 570-580). Cells of a coarse mesh are distributed together with all cells refined from them.
 * Parts of successive grids therefore coincide, and a part reads few unknowns of others, for any numbering. */
#ifndef STARFISH_FEM_PARTITION_H
#define STARFISH_FEM_PARTITION_H

#include "fem/space.h"

/* The part of each cell, 0 .. parts-1, the caller's to free; parts have equal numbers of cells, but for one. Errors:
 * MEMORY. */
starfish_status starfish_fem_partition(const struct starfish_refined *mesh, size_t parts, unsigned char **part);

/* Unknowns of each part follow one another, in the order that they had; those between parts belong to the first one.
 * `part` is of a mesh that was refined `refinements` times to that of the space. Part p has the unknowns first[p] ..
 * first[p+1] - 1. Errors: MEMORY. */
starfish_status starfish_fem_partition_order(const unsigned char *part, int refinements, size_t parts,
                                             struct starfish_fem_space *space, size_t *first);

/* The largest share that the neighbours of a part's unknowns in other parts are of its own. Errors: MEMORY. */
starfish_status starfish_fem_partition_rim(const struct starfish_fem_space *space, size_t parts, const size_t *first,
                                           double *rim);

#endif
