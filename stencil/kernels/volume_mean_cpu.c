/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solutions of singular problems whose rows are scaled, on the CPU (volume_mean.h). Bound by memory. */
#include "stencil/kernels/volume_mean.h"

#include "base/clones.h"
#include "base/real.h"

STARFISH_CLONES
void REAL_NAME(starfish_volume_mean_cpu)(const struct starfish_volume_mean *a)
{
    for (size_t k = 0; k < a->n[2]; k++)
        for (size_t j = 0; j < a->n[1]; j++) {
            real *const u = (real *)a->u + a->n[0] * (j + a->n[1] * k);
            const real added = (real)(a->numbers[STARFISH_MEAN_P] * a->row[j] - a->numbers[STARFISH_MEAN_MEAN]);
#pragma omp simd
            for (size_t i = 0; i < a->n[0]; i++)
                u[i] += added;
        }
}
