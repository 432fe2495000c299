/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BiCGStab on a core. Bound by two products with the matrix and two with the preconditioner per iteration. */
#include "sparse/kernels/bicgstab.h"

#include "base/real.h"

#include <math.h>

struct bicgstab_data {
    struct starfish_sparse matrix, preconditioner;
    const real *inverse, *f;
    real *u, *work;
    double tolerance;
    int iterations, zero;
    size_t pitch;
};

static void multiply(const struct starfish_sparse *matrix, const real *x, real *result)
{
    struct starfish_spmv product = {.matrix = *matrix, .last = matrix->rows, .factor = 1, .x = x};

    product.result = result;
    REAL_NAME(starfish_spmv_cpu)(&product);
}

static void precondition(const struct bicgstab_data *a, const real *x, real *result)
{
    if (!a->inverse)
        multiply(&a->preconditioner, x, result);
    for (size_t i = 0; a->inverse && i < a->matrix.rows; i++)
        result[i] = a->inverse[i] * x[i];
}

#define BICGSTAB_FUNCTION static
#define WALK(i) for (size_t i = 0; i < a->matrix.rows; i++)
#define MULTIPLY(result, x) multiply(&a->matrix, x, result)
#define PRECONDITION(result, x) precondition(a, x, result)
#define SUM(value) (value)
#define WAIT() (void)0
#include "sparse/kernels/bicgstab_walk.h"

void REAL_NAME(starfish_bicgstab_cpu)(const struct starfish_bicgstab *arguments)
{
    const struct bicgstab_data data = {.matrix = arguments->matrix,
                                       .preconditioner = arguments->preconditioner,
                                       .inverse = arguments->inverse,
                                       .f = arguments->f,
                                       .u = arguments->u,
                                       .work = arguments->work,
                                       .tolerance = arguments->tolerance,
                                       .iterations = arguments->iterations,
                                       .zero = arguments->zero,
                                       .pitch = arguments->pitch};

    bicgstab_run(&data);
}
