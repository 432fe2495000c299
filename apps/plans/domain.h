/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The domains of Geveler et al. as coarse meshes: a channel with a circular hole near its beginning, and a box with a
 * spherical one; lengths are those of the benchmark of flow around a cylinder, 2.2 x 0.41 with a hole of radius 0.05.
 *
 * The paper draws its meshes and states unknowns and non-zeros alone: 0.5 M unknowns in 2D with 7 (Q1) and 6 (Q2)
 * levels are about 122 quadrilaterals, ours are 120. In 3D 0.1 M unknowns with 4 and 3 levels are about 195 hexahedra,
 * while its 1.3 M and 2.8 M non-zeros would be about 90: ours are 189, by the unknowns. */
#ifndef STARFISH_APPS_PLANS_DOMAIN_H
#define STARFISH_APPS_PLANS_DOMAIN_H

#include "base/status.h"

#include <starfish/fem.h>

enum { FEM_OUTSIDE = 1, FEM_HOLE = 2 }; /* groups, by these names in files */
enum { FEM_MOST_CUTS = 4 };

struct fem_domain {
    struct starfish_fem_mesh mesh; /* of the arrays below */
    struct starfish_fem_curve curve;
    double *point;
    int *cell;
    struct starfish_fem_mark *mark;
};

/* d: 2 or 3. Each edge of the mesh above is cut into `times`. The caller frees *domain, which is empty on failure.
 * Errors: ARGUMENT (times is not 1 .. FEM_MOST_CUTS), MEMORY. */
starfish_status fem_domain_create(int d, size_t times, struct fem_domain *domain);
void fem_domain_free(struct fem_domain *domain);
/* In Gmsh's format 2.2, whole or not at all. Errors: FILE. */
starfish_status fem_domain_write(const struct fem_domain *domain, const char *path);
/* -Laplace u = 1, u = 0 outside and 1 on the hole, refined so many times; negative: not. Points to *domain. */
struct starfish_fem_problem fem_domain_problem(const struct fem_domain *domain, starfish_fem_element element,
                                               int refinements);

#endif
