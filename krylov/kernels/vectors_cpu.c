/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Algebra of vectors on the CPU (vectors.h): updates v = u + factor c, and inner products in f64. Bound by memory. */
#include "krylov/kernels/vectors.h"

#include "base/clones.h"
#include "base/real.h"

#include <string.h>

STARFISH_CLONES
static void add_row(size_t width, const real *u, real factor, const real *c, real *v)
{
    if (u) {
#pragma omp simd
        for (size_t i = 0; i < width; i++)
            v[i] = u[i] + factor * c[i];
    } else {
#pragma omp simd
        for (size_t i = 0; i < width; i++)
            v[i] = factor * c[i];
    }
}

/* v = u, or zeros. */
static void copy_row(size_t width, const real *u, real *v)
{
    if (!u)
        memset(v, 0, width * sizeof(real));
    else if (u != v)
        memmove(v, u, width * sizeof(real));
}

static void update(const struct starfish_vector_update *a)
{
    const size_t width = a->at.x1 - a->at.x0;
    const double factor = a->factor * (a->scalar ? *a->scalar : 1);
    const int adds = a->correction && factor != 0;

    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        const size_t start = a->at.x0 + j * a->nx;
        const real *u = a->u ? (const real *)a->u + start : NULL;
        real *v = (real *)a->v + start;
        if (adds)
            add_row(width, u, (real)factor, (const real *)a->correction + (j - a->at.y0) * a->pitch, v);
        else
            copy_row(width, u, v);
    }
}

void REAL_NAME(starfish_vector_update_cpu)(const struct starfish_vector_update *a)
{
    update(a);
}

STARFISH_CLONES
static double product_sum(const struct starfish_vector_product *a)
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

void REAL_NAME(starfish_vector_product_cpu)(const struct starfish_vector_product *a)
{
    const size_t slots = a->slots > 0 ? a->slots : 1;

    if (a->slot == 0)
        memset(a->sums + slots, 0, (STARFISH_SUMS - slots) * sizeof *a->sums);
    a->sums[a->slot] = product_sum(a);
}
