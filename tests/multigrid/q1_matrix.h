/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Q1 matrices of random bands and of tensor products of random elements, on a device and, in f64 with the same values,
 * for the naive references (band_ref.h) that kernels are compared with. */
#ifndef STARFISH_TESTS_MULTIGRID_Q1_MATRIX_H
#define STARFISH_TESTS_MULTIGRID_Q1_MATRIX_H

#include "multigrid/kernels/band_ref.h"
#include "tests/common/memory.h"

#include <starfish/types.h>

struct test_matrix {
    starfish_precision precision;
    size_t n[2];
    int tensor;
    void *table, *axis[2][2]; /* [direction][width, inverse] */
    void *u, *f;              /* random */
    struct starfish_band_ref ref;
    double *ref_u, *ref_f, *values[4]; /* values: what ref points to */
    struct starfish_band_matrix there; /* in the memory of the device */
};

void test_matrix_make(struct test_matrix *g, const struct test_memory *memory, starfish_precision precision, size_t nx,
                      size_t ny, int tensor);
void test_matrix_free(struct test_matrix *g, const struct test_memory *memory); /* and all of the memory's pieces */

#endif
