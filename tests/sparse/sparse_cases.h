/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of sparse matrices on a device, against naive ones: products in all formats, BiCGStab, and rows of
 * approximate inverses. */
#ifndef STARFISH_TESTS_SPARSE_CASES_H
#define STARFISH_TESTS_SPARSE_CASES_H

#include "sparse/kernels/bicgstab.h"
#include "sparse/kernels/local_inverse.h"
#include "sparse/kernels/spmv.h"
#include "tests/common/memory.h"

struct test_sparse_device {
    const struct test_memory *memory;
    void (*spmv[2])(const struct starfish_spmv *); /* by starfish_precision */
    void (*bicgstab[2])(const struct starfish_bicgstab *);
    void (*local_inverse)(const struct starfish_local_inverse *);
    size_t rows_at_once; /* of local_inverse, for which there must be work space */
};

/* Returns how many tests failed. */
int test_sparse_kernels(const struct test_sparse_device *device);

#endif
