/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices of the block direction that its analysis is tested on: second differences, and random ones that can be
 * symmetrised. */
#ifndef STARFISH_TESTS_BLKTRI_MATRICES_H
#define STARFISH_TESTS_BLKTRI_MATRICES_H

#include "tests/common/reals.h"

#include <math.h>
#include <stdlib.h>

struct matrix {
    size_t n;
    int periodic;
    double *lower, *diag, *upper;
};

static inline struct matrix matrix_create(size_t n, int periodic)
{
    return (struct matrix){n, periodic, malloc(n * sizeof(double)), malloc(n * sizeof(double)),
                           malloc(n * sizeof(double))};
}

static inline void matrix_destroy(struct matrix *m)
{
    free(m->lower);
    free(m->diag);
    free(m->upper);
}

/* -1, 2, -1. */
static inline struct matrix second_difference(size_t n, int periodic)
{
    struct matrix m = matrix_create(n, periodic);
    for (size_t j = 0; j < n; j++) {
        m.lower[j] = m.upper[j] = -1;
        m.diag[j] = 2;
    }
    return m;
}

/* Positive definite, unsymmetric but symmetrisable: coupling[j] joins rows j and j+1, scaled differently on both
 * sides. */
static inline struct matrix random_matrix(size_t n, int periodic, unsigned seed)
{
    struct matrix m = matrix_create(n, periodic);
    double *coupling = malloc(n * sizeof *coupling), *scale = malloc(n * sizeof *scale);
    for (size_t j = 0; j < n; j++) {
        coupling[j] = test_real_random(&seed);
        scale[j] = exp(test_real_random(&seed));
    }
    for (size_t j = 0; j < n; j++) {
        const size_t before = (j + n - 1) % n, after = (j + 1) % n;
        m.lower[j] = coupling[before] * scale[j] / scale[before];
        m.upper[j] = coupling[j] * scale[j] / scale[after];
        m.diag[j] = fabs(coupling[before]) + fabs(coupling[j]) + 0.01 + test_real_random(&seed) / 200;
    }
    free(coupling);
    free(scale);
    return m;
}

static inline struct matrix negated(struct matrix m)
{
    for (size_t j = 0; j < m.n; j++) {
        m.lower[j] = -m.lower[j];
        m.diag[j] = -m.diag[j];
        m.upper[j] = -m.upper[j];
    }
    return m;
}

#endif
