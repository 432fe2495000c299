/* A third kind of grids for tests: sparse matrices with given prolongations, whole or in parts with index-set halos
 * (csr_kind.c), and a problem for it (csr_problem.c): the five-point Laplacian on side^2 unknowns, bilinear
 * prolongations and P^T A P on coarser grids. Everything is made from dense matrices, as sizes are small. */
#ifndef STARFISH_TESTS_MULTIGRID_CSR_KIND_H
#define STARFISH_TESTS_MULTIGRID_CSR_KIND_H

#include "multigrid/plan.h"
#include "tests/common/reals.h"

enum { TEST_CSR_LEVELS = 3, TEST_CSR_CUT = 2, TEST_CSR_PARTS = 3 }; /* the first TEST_CSR_CUT levels are cut */

/* Matrices of a grid, or of a part of one: the operator, the restriction times it, the restriction, and the
 * prolongation. */
enum matrix { A, RA, R, P, MATRICES };

struct test_csr_grid {
    void *shape;
    int *table;
    size_t words;
};

/* One level: dense matrices (NULL where there is no coarser level), the inverse of the coarsest, and where its parts
 * begin. */
struct test_csr_level {
    size_t n, first[TEST_CSR_PARTS + 1];
    double *matrix[MATRICES], *dense;
};

struct test_csr_cut {
    size_t rows[TEST_CSR_PARTS], halos;
    struct starfish_index_halo halo[TEST_CSR_PARTS * TEST_CSR_PARTS + 1];
    struct test_csr_grid grid[TEST_CSR_PARTS];
};

struct test_csr {
    size_t parts;
    struct test_csr_level level[TEST_CSR_LEVELS + 1];
    struct test_csr_grid whole[TEST_CSR_LEVELS];
    struct test_csr_cut cut[TEST_CSR_CUT];
};

extern const struct starfish_grid_kind test_csr_kind;
extern const size_t test_csr_shape_size;

/* Dense matrices of a problem with side * side unknowns; then tables of the whole grids and of their parts in a
 * precision. */
void test_csr_make(struct test_csr *csr, size_t side, size_t parts);
void test_csr_cut(struct test_csr *csr, starfish_precision precision);
void test_csr_free(struct test_csr *csr);

#endif
