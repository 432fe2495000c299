/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dense matrices of tests, row after row: the inverse and the norm that condition numbers are made of. */
#ifndef STARFISH_TESTS_DENSE_INVERSE_H
#define STARFISH_TESTS_DENSE_INVERSE_H

#include <stddef.h>

/* The largest sum of a row's sizes. */
long double dense_norm(const long double *a, size_t n);
/* The inverse of `a`, which is destroyed; Gauss-Jordan with partial pivoting. The caller frees it. */
long double *dense_inverse(long double *a, size_t n);

#endif
