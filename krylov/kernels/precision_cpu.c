/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conversion of vectors between f32 and f64 on the CPU, scaled (vectors.h). Bound by memory: 12 bytes per unknown, 20
 * where it adds. */
#include "krylov/kernels/vectors.h"

#include "base/clones.h"

STARFISH_CLONES
static void narrow(const struct starfish_vector_narrow *a)
{
    const double scale = a->scale * (a->scalar ? *a->scalar : 1);

    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        const double *restrict high = a->high + j * a->nx;
        float *restrict low = a->low + j * a->nx;
#pragma omp simd
        for (size_t i = a->at.x0; i < a->at.x1; i++)
            low[i] = (float)(scale * high[i]);
    }
}

void starfish_vector_narrow_cpu(const struct starfish_vector_narrow *a)
{
    narrow(a);
}

STARFISH_CLONES
static void widen(const struct starfish_vector_widen *a)
{
    const double scale = a->scale * (a->scalar ? *a->scalar : 1);

    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        double *restrict high = a->high + j * a->nx;
        const float *restrict low = a->low + j * a->nx;
        if (a->zero) {
#pragma omp simd
            for (size_t i = a->at.x0; i < a->at.x1; i++)
                high[i] = scale * (double)low[i];
        } else {
#pragma omp simd
            for (size_t i = a->at.x0; i < a->at.x1; i++)
                high[i] += scale * (double)low[i];
        }
    }
}

void starfish_vector_widen_cpu(const struct starfish_vector_widen *a)
{
    widen(a);
}
