/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference elements: Lagrange polynomials in products of [0,2], where lattice nodes are at 0, 1 and 2, and Gauss
 * points. */
#ifndef STARFISH_FEM_ELEMENT_H
#define STARFISH_FEM_ELEMENT_H

#include "fem/refined.h"

enum { STARFISH_FEM_GAUSS = 4 }; /* per direction, at most */

/* Local functions of an element: how many, and which lattice node each has. */
struct starfish_fem_basis {
    starfish_fem_element element;
    int d, count, node[STARFISH_FEM_LATTICE];
};
void starfish_fem_basis_of(starfish_fem_element element, int d, struct starfish_fem_basis *basis);
/* Values of all functions at t, and where it is not NULL their derivatives, 3 per function. */
void starfish_fem_evaluate(const struct starfish_fem_basis *basis, const double t[3], double *value, double *slope);

/* Functions of an element at a rule's points, and of the geometry. */
struct starfish_fem_rule {
    struct starfish_fem_basis basis, geometry;
    int points;
    struct starfish_fem_at {
        double weight;
        double value[STARFISH_FEM_LATTICE], slope[3 * STARFISH_FEM_LATTICE];
        double map[STARFISH_FEM_LATTICE], map_slope[3 * STARFISH_FEM_LATTICE];
    } at[STARFISH_FEM_GAUSS * STARFISH_FEM_GAUSS * STARFISH_FEM_GAUSS];
};
/* `gauss` points per direction, 1 .. STARFISH_FEM_GAUSS. The caller frees *created. */
starfish_status starfish_fem_rule_create(starfish_fem_element element, int d, int gauss,
                                         struct starfish_fem_rule **created);

/* The map of a cell at a point of a rule: where it is, its determinant, and the inverse transposed of its derivative.
 */
struct starfish_fem_map {
    double point[3], determinant, inverse[3][3];
};
void starfish_fem_map_at(const struct starfish_refined *mesh, size_t cell, const double *map, const double *map_slope,
                         struct starfish_fem_map *result);

#endif
