/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Meshes in Gmsh's ASCII formats 2.2 and 4.1: quadrilaterals of 4 or 9 nodes (2D, in a plane of constant z) or
 * hexahedra of 8 or 27 (3D), and physical groups of points, lines, faces and cells. All other sections are skipped.
 * Source: Gmsh reference manual, section "File formats". */
#ifndef STARFISH_APPS_FILES_GMSH_H
#define STARFISH_APPS_FILES_GMSH_H

#include "base/status.h"

#include <starfish/fem.h>

enum { STARFISH_GMSH_NAME = 128 };

struct starfish_gmsh_group {
    int dimension, number;         /* numbers are unique in a dimension */
    char name[STARFISH_GMSH_NAME]; /* "" where it has none */
};

/* The arrays of `mesh` are of the file's; a mark's group is an index of `group`. */
struct starfish_gmsh {
    struct starfish_fem_mesh mesh;
    size_t groups;
    struct starfish_gmsh_group *group;
};

/* Errors: FILE, naming the file and the line, or the element or node by its number: syntax, a file that ends too early,
 * elements of other types or that lie on no cell; MEMORY. Nodes that are in no cell, as centres of arcs are, are left
 * out, and so are elements that have such nodes. The caller frees *gmsh, which is empty on failure. */
starfish_status starfish_gmsh_read(const char *path, struct starfish_gmsh *gmsh);
void starfish_gmsh_free(struct starfish_gmsh *gmsh);
/* The groups of that name: those below the dimension of cells, which a boundary is, or where there are none those of
 * cells; or, where no group has the name, the group of that number, of the largest dimension below that of cells that
 * has one. Fills group[gmsh->groups] with their indices and returns how many they are. */
size_t starfish_gmsh_find(const struct starfish_gmsh *gmsh, const char *name, int *group);

#endif
