/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contents of a Gmsh file, before conversion to a mesh: elements and nodes as they stand in the file, filled by
 * gmsh_read.c. */
#ifndef STARFISH_APPS_FILES_GMSH_MESH_H
#define STARFISH_APPS_FILES_GMSH_MESH_H

#include "apps/files/gmsh.h"

/* An element as it is in the file; its nodes, by their numbers, are the next ones of `node`. */
struct starfish_gmsh_element {
    long number;
    int type, group; /* an index of the groups, -1: none */
    size_t node;
};

struct starfish_gmsh_raw {
    size_t nodes, elements, element_nodes, element_room, node_room;
    long *number; /* of nodes */
    double *point;
    struct starfish_gmsh_element *element; /* one that is in several groups is there several times */
    long *node;
    size_t groups;
    struct starfish_gmsh_group *group;
};

/* A type of elements: dimension, nodes, corners (which come first), and the lattice places of the nodes. NULL: a type
 * that is not read. */
struct starfish_gmsh_type {
    int type, dimension, nodes, corners;
    const unsigned char *place;
};
const struct starfish_gmsh_type *starfish_gmsh_type(int type);

/* The sections of a file (gmsh_read.c), and the mesh that they make (gmsh_mesh.c). */
starfish_status starfish_gmsh_make(const char *path, struct starfish_gmsh_raw *raw, struct starfish_gmsh *gmsh);

#endif
