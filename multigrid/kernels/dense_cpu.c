/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coarsest grid's inverse times a right-hand side, on the CPU: n * n products, for a few unknowns. */
#include "multigrid/kernels/band.h"

#include "base/real.h"

void REAL_NAME(starfish_band_dense_cpu)(const struct starfish_band_dense *a)
{
    const real *inverse = a->inverse, *f = a->f;
    real *u = a->u;

    for (size_t i = 0; i < a->n; i++) {
        real sum = 0;
        for (size_t j = 0; j < a->n; j++)
            sum += inverse[i * a->n + j] * f[j];
        u[i] = sum;
    }
}
