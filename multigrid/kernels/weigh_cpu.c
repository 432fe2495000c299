/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Volumes of unknowns on the CPU, row by row (weigh.h): weighted values, and their sums in f64. Bound by memory. */
#include "multigrid/kernels/weigh.h"

#include "base/clones.h"
#include "base/real.h"

#include <string.h>

struct row {
    const real *weight; /* of x */
    real across;        /* the product of the other two */
    size_t start;
};

STARFISH_ALWAYS_INLINE struct row row_of(const struct starfish_volumes *at, size_t j, size_t k)
{
    const real *y = at->weight[1], *z = at->weight[2];

    return (struct row){at->weight[0], y[j] * z[k], at->n[0] * (j + at->n[1] * k)};
}

STARFISH_CLONES
void REAL_NAME(starfish_weigh_cpu)(const struct starfish_weigh *a)
{
    const size_t nx = a->at.n[0];

    for (size_t k = a->at.z0; k < a->at.z1; k++)
        for (size_t j = 0; j < a->at.n[1]; j++) {
            const struct row row = row_of(&a->at, j, k);
            const real *v = (const real *)a->v + row.start;
            real *result = (real *)a->result + row.start;
            /* scale * W where that is wanted, else scale; and so for the offset */
            const real values = a->weighs_values ? 0 : (real)a->scale, offset = a->weighs_offset ? 0 : (real)a->offset;
            const real of_values = a->weighs_values ? (real)a->scale * row.across : 0;
            const real of_offset = a->weighs_offset ? (real)a->offset * row.across : 0;
#pragma omp simd
            for (size_t i = 0; i < nx; i++)
                result[i] = (values + of_values * row.weight[i]) * v[i] + (offset + of_offset * row.weight[i]);
        }
}

STARFISH_CLONES
static double sum_of(const struct starfish_volume_sum *a)
{
    double all = 0;

    for (size_t k = a->at.z0; k < a->at.z1; k++)
        for (size_t j = 0; j < a->at.n[1]; j++) {
            const struct row row = row_of(&a->at, j, k);
            const real *v = (const real *)a->v + row.start;
            const double plain = a->weighs_values ? 0 : 1, of_volume = a->weighs_values ? (double)row.across : 0;
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (size_t i = 0; i < a->at.n[0]; i++)
                sum += (plain + of_volume * (double)row.weight[i]) * (double)v[i];
            all += sum;
        }
    return all;
}

void REAL_NAME(starfish_volume_sum_cpu)(const struct starfish_volume_sum *a)
{
    memset(a->sums, 0, STARFISH_SUMS * sizeof *a->sums);
    a->sums[0] = sum_of(a);
}
