/* Steps of a smoother on a core: its products one after the other. Bound by memory, or by a cache that holds A and M.
 */
#include "sparse/kernels/smooth.h"

#include "base/real.h"

static struct starfish_spmv product_with(const struct starfish_sparse *matrix, double factor, const void *x,
                                         const void *base, void *result)
{
    return (struct starfish_spmv){
        .matrix = *matrix, .last = matrix->rows, .factor = factor, .x = x, .base = base, .result = result};
}

void REAL_NAME(starfish_sparse_smooth_cpu)(const struct starfish_sparse_smooth *a)
{
    const real *inverse = a->inverse;
    real *u = a->u;
    const real *r = a->r;

    for (int step = 0; step < a->steps; step++) {
        const int zero = a->zero && step == 0;
        const struct starfish_spmv residual = product_with(&a->matrix, -1, zero ? NULL : a->u, a->f, a->r);
        const struct starfish_spmv add = product_with(&a->preconditioner, a->damping, a->r, zero ? NULL : a->u, a->u);
        REAL_NAME(starfish_spmv_cpu)(&residual);
        if (!inverse)
            REAL_NAME(starfish_spmv_cpu)(&add);
        for (size_t i = 0; inverse && i < a->matrix.rows; i++)
            u[i] = (zero ? 0 : u[i]) + (real)a->damping * inverse[i] * r[i];
    }
}
