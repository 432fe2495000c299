/* Matrices of Q1 multigrid as functions of their entries, of random bands and of tensor products of random elements:
 * what kernels are compared with. */
#ifndef STARFISH_TESTS_MULTIGRID_MATRIX_ORACLE_H
#define STARFISH_TESTS_MULTIGRID_MATRIX_ORACLE_H

#include "multigrid/kernels/band.h"
#include "tests/common/memory.h"

#include <starfish/types.h>

struct test_matrix {
    starfish_precision precision;
    size_t n[2];
    int tensor;
    void *table, *axis[2][2];          /* [direction][width, inverse] */
    void *u, *f;                       /* random */
    struct starfish_band_matrix there; /* in the memory of the device */
};

void test_matrix_make(struct test_matrix *g, const struct test_memory *memory, starfish_precision precision, size_t nx,
                      size_t ny, int tensor);
void test_matrix_free(struct test_matrix *g, const struct test_memory *memory); /* and all of the memory's pieces */

/* The entry of unknowns (i,j) and (i + dx, j + dy), 0 where the second is none. */
double test_matrix_entry(const struct test_matrix *g, long i, long j, int dx, int dy);
/* f - A u at (i,j), u being zero if not with_u. */
double test_matrix_residual(const struct test_matrix *g, int with_u, long i, long j);

#endif
