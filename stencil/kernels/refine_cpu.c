/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of iterative refinement on the CPU (refine.h): bound by memory, a read of the correction, a read and a write of
 * the solution. */
#include "stencil/kernels/refine.h"

#include "base/real.h"

#include <string.h>

void REAL_NAME(starfish_refine_add_cpu)(const struct starfish_refine_add *a)
{
    real *const u = a->u, *const correction = a->correction;
    double maximum = 0, bad = 0;
#pragma omp simd reduction(max : maximum) reduction(+ : bad)
    for (size_t i = 0; i < a->count; i++) {
        const real was = u[i], added = correction[i];
        const double size = (double)REAL_FABS(added);
        u[i] = was + added;
        correction[i] = was;
        maximum = size > maximum ? size : maximum;
        bad += 0 * size;
    }
    *a->maximum = bad == 0 ? maximum : (double)INFINITY;
}

void REAL_NAME(starfish_refine_restore_cpu)(const struct starfish_refine_restore *a)
{
    if (*a->kept == 0)
        memcpy(a->u, a->before, a->count * sizeof(real));
}
