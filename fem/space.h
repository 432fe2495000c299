/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A finite element space on a mesh of the hierarchy: which nodes are unknowns, in which order, and its matrices. */
#ifndef STARFISH_FEM_SPACE_H
#define STARFISH_FEM_SPACE_H

#include "fem/element.h"
#include "sparse/matrix.h"

struct starfish_fem_space {
    const struct starfish_refined *mesh;
    struct starfish_fem_basis basis;
    size_t nodes, unknowns; /* nodes: vertices for Q1, all for Q2 */
    int *unknown;           /* by node; -1: given */
    double *given;          /* by node, 0 for unknowns */
};

/* Nodes of Dirichlet groups are given, the others are unknowns in the order of their nodes. Errors: ARGUMENT (a group
 * that no mark has), MEMORY. */
starfish_status starfish_fem_space_create(const struct starfish_fem_problem *problem,
                                          const struct starfish_refined *mesh, struct starfish_fem_space *space);
void starfish_fem_space_destroy(struct starfish_fem_space *space);
/* Another order of the unknowns (number.c). Errors: MEMORY. */
starfish_status starfish_fem_space_number(struct starfish_fem_space *space, starfish_fem_numbering numbering,
                                          size_t seed);

/* The pattern of A: unknowns that are in one cell. Values are of no use. Rows i with rows[i] = 0 have no entries; NULL:
 * all rows have theirs. */
starfish_status starfish_fem_pattern(const struct starfish_fem_space *space, const unsigned char *rows,
                                     struct starfish_csr *a);
/* Rows i with rows[i] != 0, or where that is NULL all rows, of: stiffness between unknowns, a new matrix; and where
 * they are not NULL, of arrays that were zero: load, the integral of f times the basis functions less the stiffness
 * with given nodes times their values; and volume, the integrals of the basis functions. Errors: ARGUMENT (names a cell
 * whose map is inverted, of those that have wanted rows), MEMORY, UNSUPPORTED. */
struct starfish_fem_sums {
    struct starfish_csr *a;
    double *load, *volume;
};
starfish_status starfish_fem_assemble(const struct starfish_fem_problem *problem,
                                      const struct starfish_fem_space *space, const unsigned char *rows,
                                      const struct starfish_fem_sums *sums);
/* Values at the nodes of `fine`, the refinement of the coarse space, of the coarse space's basis functions. */
starfish_status starfish_fem_prolongation(const struct starfish_fem_space *coarse,
                                          const struct starfish_fem_space *fine, struct starfish_csr *p);

#endif
