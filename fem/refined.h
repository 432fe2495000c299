/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mesh of the hierarchy: quadrilaterals or hexahedra whose geometry is biquadratic (triquadratic).
 *
 * A cell has a lattice of 3^d nodes, x fastest: corners, and the middles of its edges, faces and of itself. Nodes are
 * numbered by what they are the middle of: vertices, edges, faces, cells. The vertices of a refined mesh are the nodes
 * of the coarser one, in their order; the children of cell c are cells 2^d c, 2^d c + 1, ..., x fastest. */
#ifndef STARFISH_FEM_REFINED_H
#define STARFISH_FEM_REFINED_H

#include "base/status.h"

#include <starfish/fem.h>

enum { STARFISH_FEM_LATTICE = 27, STARFISH_FEM_CORNERS = 8 };

struct starfish_refined {
    int d;
    size_t lattice, cells; /* 3^d */
    size_t vertices, nodes;
    size_t first[5]; /* node in the middle of a vertex, edge, face, cell; first[d + 1]: nodes */
    int *cell;       /* lattice nodes per cell */
    double *point;   /* 3 per node */
    size_t marks;
    struct starfish_fem_mark *mark;
    int level; /* 0: as given */
};

/* The mesh as given, checked: every cell in its right sense, every point used, faces in two cells at most. Errors:
 * ARGUMENT (names cells by mesh->number), MEMORY. */
starfish_status starfish_refined_begin(const struct starfish_fem_problem *problem, struct starfish_refined *mesh);
/* Every cell of a coarser mesh cut into 2^d. Errors: MEMORY, UNSUPPORTED (more than 2^31 nodes). */
starfish_status starfish_refined_next(const struct starfish_fem_problem *problem, const struct starfish_refined *coarse,
                                      struct starfish_refined *mesh);
void starfish_refined_destroy(struct starfish_refined *mesh);

/* Numbers of edges, faces and cells from the corners, of the mesh that is given (nodes.c); nodes and their places of a
 * mesh that is refined, whose d, lattice and cells are there (children.c); and groups that are curved moved to where
 * they belong, with what is inside following (curve.c). */
starfish_status starfish_refined_number(struct starfish_refined *mesh);
starfish_status starfish_refined_children(const struct starfish_refined *coarse, struct starfish_refined *mesh);
starfish_status starfish_refined_project(const struct starfish_fem_problem *problem, struct starfish_refined *mesh);
/* How many vertices, edges, faces or cells (`dimension`) of a refined mesh lie inside of a part of the coarser one that
 * has the dimension `of`: 2 edges in an edge, 4 edges in a face, ... */
size_t starfish_refined_inside(int d, int dimension, int of);
/* Transfinite interpolation of 3 values per node: lattice node l of a cell from all that lies on what it is the middle
 * of. */
void starfish_refined_blend(const struct starfish_refined *mesh, const int *cell, int l, double *values);

/* Position of lattice node l in each direction: 0, 1, 2; and how many of them are 1. */
static inline void starfish_lattice_place(int l, int place[3])
{
    place[0] = l % 3;
    place[1] = l / 3 % 3;
    place[2] = l / 9;
}
static inline int starfish_lattice_dimension(int l)
{
    return (l % 3 == 1) + (l / 3 % 3 == 1) + (l / 9 == 1);
}
/* Lattice nodes of the place of a mark, or of a node itself: those with its 0s and 2s, whatever its 1s. */
static inline int starfish_lattice_on(int l, int d, const unsigned char place[3])
{
    int here[3];

    starfish_lattice_place(l, here);
    for (int i = 0; i < 3; i++)
        if (i < d && place[i] != 1 && place[i] != here[i])
            return 0;
    return 1;
}
/* The number of a cell of the coarsest mesh, for messages, that a cell comes from. */
size_t starfish_refined_origin(const struct starfish_fem_problem *problem, const struct starfish_refined *mesh,
                               size_t cell);

#endif
