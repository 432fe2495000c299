/* Products with matrices in compressed rows on the CPU, row by row. Bound by memory. */
#include "sparse/kernels/csr.h"

#include "base/real.h"
#include "krylov/kernels/vectors.h"

#include <string.h>

static real product_of_row(const struct starfish_csr *a, size_t row, const real *x)
{
    const real *value = a->value;
    real sum = 0;

    for (int e = a->start[row]; e < a->start[row + 1]; e++)
        sum += value[e] * x[a->column[e]];
    return sum;
}

void REAL_NAME(starfish_csr_apply_cpu)(const struct starfish_csr_apply *a)
{
    const real *x = a->x, *base = a->base, *inverse = a->inverse;
    const real factor = (real)a->factor, damping = (real)a->damping;
    real *result = a->result;
    double sum = 0;

    for (size_t i = a->first; i < a->last; i++) {
        const real r = (base ? base[i] : 0) + (x ? factor * product_of_row(&a->matrix, i, x) : 0);
        sum += (double)r * (double)r;
        if (result)
            result[i] = inverse ? (x ? x[i] : 0) + damping * inverse[i] * r : r;
    }
    if (a->sums) {
        memset(a->sums, 0, STARFISH_SUMS * sizeof *a->sums);
        a->sums[0] = sum;
    }
}
