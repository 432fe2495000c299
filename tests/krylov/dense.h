/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A dense matrix as an operator, for iterations over vectors whose parts are in one memory. */
#ifndef STARFISH_TESTS_KRYLOV_DENSE_H
#define STARFISH_TESTS_KRYLOV_DENSE_H

#include "krylov/operator.h"

enum { TEST_DENSE_MOST = 40 };

/* n unknowns, TEST_DENSE_MOST at most; the matrix by rows. */
struct test_dense {
    size_t n;
    const double *matrix;
};

/* Reads and writes all elements of a vector in f64, or in f32; waits for its tasks. */
void test_dense_get(const struct starfish_vector *v, double *values);
void test_dense_put(const struct starfish_vector *v, const double *values);
/* sum as sums of parts. */
void test_dense_sum(const struct starfish_sums *sums, double sum);
/* result = factor * matrix u. */
void test_dense_multiply(const struct test_dense *a, double factor, const double *u, double *result);
/* The operator's function; self: struct test_dense. */
starfish_status test_dense_residual(const void *self, const struct starfish_vector *u, const struct starfish_vector *f,
                                    const struct starfish_vector *result, const struct starfish_sums *sums);

#endif
