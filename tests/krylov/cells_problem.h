/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small matrix of cells, stored as kernels have it and densely, with dense preconditioners and a dense deflation. */
#ifndef STARFISH_TESTS_KRYLOV_CELLS_PROBLEM_H
#define STARFISH_TESTS_KRYLOV_CELLS_PROBLEM_H

#include "krylov/kernels/cells.h"

/* Cells of a plane, and planes; a block is a row in x. */
enum { TEST_CELLS_X = 3, TEST_CELLS_Y = 2, TEST_CELLS_Z = 6, TEST_CELLS = 36, TEST_DOMAINS = 4 };

struct test_cells {
    double stored[4 * TEST_CELLS];           /* krylov/kernels/cells.h */
    double matrix[TEST_CELLS * TEST_CELLS];  /* A by rows */
    double inverse[TEST_CELLS * TEST_CELLS]; /* M^-1 by rows */
    double coarse[TEST_CELLS * TEST_CELLS];  /* Q = Z E^-1 Z', E = Z' A Z */
    int domain[TEST_CELLS];
};

/* With random coefficients, positive definite; ANOTHER preconditioner is 2 over the diagonal. */
void test_cells_make(struct test_cells *t, enum starfish_cell_preconditioner by);

#endif
