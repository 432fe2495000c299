/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small meshes for the tests of finite elements: with holes, several components, random distortion or curved edges, and
 * an exact solution. */
#ifndef STARFISH_TESTS_FEM_MESHES_H
#define STARFISH_TESTS_FEM_MESHES_H

#include <starfish/fem.h>

/* Groups of all meshes here: the outer boundary, and the hole's. */
enum { TEST_OUTSIDE = 1, TEST_HOLE = 2 };

struct test_mesh {
    struct starfish_fem_mesh mesh; /* of the arrays below */
    double *point;
    int *cell;
    struct starfish_fem_mark *mark;
};

/* The unit square (cube) with a centred hole of radius 0.2: 24 x 5 (6 faces of 2 x 2, 3 layers) straight cells. */
void test_ring(struct test_mesh *mesh);
void test_shell(struct test_mesh *mesh);
/* n^d cells of the unit square or cube, whose inner points are moved at random by up to `distortion` cells. */
void test_box(struct test_mesh *mesh, int d, int n, double distortion);
/* Takes out cells c with stays[c] = 0, and the points that were only theirs. For meshes without middles. */
void test_mesh_keep(struct test_mesh *mesh, const unsigned char *stays);
/* The same with about that share of the cells, at random, but leaves one: holes, several components, cells that touch
 * at a corner. */
void test_mesh_thin(struct test_mesh *mesh, double share, unsigned *seed);
/* Second-order cells, of a mesh in 2D: middles of all edges are given, off the straight line by up to `by` times the
 * edge's length, the same from both sides; middles of cells are left to be interpolated. */
void test_mesh_bend(struct test_mesh *mesh, double by);
void test_mesh_free(struct test_mesh *mesh);

/* u = sin(2.1 x + 0.3) cosh(1.3 y) (exp(0.5 z)), and f = -Laplace u; data: the number of dimensions. */
double test_exact(void *data, const double point[3]);
double test_source(void *data, const double point[3]);

#endif
