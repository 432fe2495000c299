/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The small matrix E of deflation, solved by two products with sparse matrices: E^-1 = W' W, W the inverse of the
 * Cholesky factor in an order of nested dissection (George, SIAM J. Numer. Anal. 10 (1973), 345-363; inverses of
 * factors for parallel solves: Alvarado, Pothen, Schreiber, 1993). A domain's row of W has entries for the domains of
 * its subtree alone, which are consecutive: for 64 x 64 blocks some 200 a row, where the inverse of E has 4096. */
#ifndef STARFISH_KRYLOV_DISSECTION_H
#define STARFISH_KRYLOV_DISSECTION_H

#include <starfish/status.h>
#include <stddef.h>

/* A symmetric matrix as a graph: E_dd = diagonal[d]; E_de = -coupling[i], e = other[i], for i = begin[d] ..
 * begin[d + 1] - 1. */
struct starfish_domain_graph {
    size_t domains;
    size_t *begin; /* domains + 1 */
    int *other;
    double *coupling, *diagonal;
};

/* Positions count domains in the order of elimination; those from `unknowns` on are left out. */
struct starfish_dissection {
    size_t domains, unknowns, entries;
    int *order, *place; /* the domain at each position, and back */
    int *first;         /* the first position of its subtree, where its row of W begins */
    int *up;            /* the next position above it, whose subtree it is in; -1: none */
};
/* Errors: MEMORY, after which it is to be destroyed too. */
starfish_status starfish_dissection_create(const struct starfish_domain_graph *graph, size_t unknowns,
                                           struct starfish_dissection *dissection);
void starfish_dissection_destroy(struct starfish_dissection *dissection);

/* No dissection but an order that leaves a narrow band (Cuthill, McKee 1969), and how far that reaches below the
 * diagonal. Only order and place are there. */
starfish_status starfish_dissection_create_band(const struct starfish_domain_graph *graph, size_t unknowns,
                                                struct starfish_dissection *dissection);
size_t starfish_dissection_band(const struct starfish_domain_graph *graph,
                                const struct starfish_dissection *dissection);

/* Ints of the tables that kernels read (krylov/kernels/coarse.h), and fill them. */
size_t starfish_dissection_indices(const struct starfish_dissection *dissection);
void starfish_dissection_index(const struct starfish_dissection *dissection, int *index);
/* W by rows, then by columns: 2 * entries doubles, of the matrix with a diagonal 1 + raised times as large. Returns 0,
 * or 1 where a pivot is not positive, -1 where memory ran out. */
int starfish_dissection_invert(const struct starfish_dissection *dissection, const struct starfish_domain_graph *graph,
                               double raised, double *matrix);

#endif
