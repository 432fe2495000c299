/* Vectors of a grid on the CPU, and the inverse of a coarsest one. Bound by memory. */
#include "multigrid/kernels/band.h"

#include "base/clones.h"
#include "base/real.h"

#include <string.h>

STARFISH_CLONES
static void update(const struct starfish_band_update *a)
{
    const size_t width = a->at.x1 - a->at.x0;
    const real damping = (real)a->damping;

    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        const size_t start = a->at.x0 + j * a->nx;
        const real *c = a->correction ? (const real *)a->correction + (j - a->at.y0) * a->pitch : NULL;
        const real *u = a->u ? (const real *)a->u + start : NULL;
        real *v = (real *)a->v + start;
        if (u && !c) {
            memmove(v, u, width * sizeof(real));
        } else if (u && c) {
#pragma omp simd
            for (size_t i = 0; i < width; i++)
                v[i] = u[i] + damping * c[i];
        } else if (c) {
#pragma omp simd
            for (size_t i = 0; i < width; i++)
                v[i] = damping * c[i];
        }
    }
}

void REAL_NAME(starfish_band_update_cpu)(const struct starfish_band_update *a)
{
    update(a);
}

STARFISH_CLONES
static double product_sum(const struct starfish_band_product *a)
{
    const size_t width = a->at.x1 - a->at.x0;
    double sum = 0;

    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        const real *u = (const real *)a->u + a->at.x0 + j * a->nx, *v = (const real *)a->v + a->at.x0 + j * a->nx;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < width; i++)
            sum += (double)u[i] * (double)v[i];
    }
    return sum;
}

void REAL_NAME(starfish_band_product_cpu)(const struct starfish_band_product *a)
{
    memset(a->sums, 0, STARFISH_BAND_SUMS * sizeof *a->sums);
    a->sums[0] = product_sum(a);
}

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
