/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A problem of sparse matrices for tests: the five-point Laplacian on side^2 unknowns, bilinear prolongations and
 * P^T A P on coarser grids, made from dense matrices, as sizes are small; in one part or in three. */
#ifndef STARFISH_TESTS_MULTIGRID_FEM_PROBLEM_H
#define STARFISH_TESTS_MULTIGRID_FEM_PROBLEM_H

#include "multigrid/fem.h"
#include "tests/common/reals.h"

enum { TEST_FEM_LEVELS = 3, TEST_FEM_CUT = 2, TEST_FEM_PARTS = 3 }; /* the first TEST_FEM_CUT levels are cut */

struct test_fem {
    size_t parts;
    double *dense; /* the finest operator, n * n */
    size_t n, first[TEST_FEM_CUT][TEST_FEM_PARTS + 1];
    struct starfish_fem_grid grid[TEST_FEM_LEVELS];
};

void test_fem_make(struct test_fem *fem, size_t side, size_t parts);
void test_fem_free(struct test_fem *fem);

#endif
