/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The constant mode on the CPU. Sums in double for both precisions. */
#include "blktri/kernels/constant_mode.h"

#include "base/real.h"

static double weighted_sum(const struct starfish_constant_mode *a)
{
    const real *wy = a->weight_y, *wz = a->weight_z;
    double sum = 0;
    for (int t = 0; t < a->tiles; t++)
        for (size_t k = a->first[t]; k < a->first[t + 1]; k++) {
            const real *plane = (const real *)a->tile[t] + (k - a->first[t]) * a->ny * a->lanes;
            double row = 0;
            for (size_t j = 0; j < a->ny; j++)
                row += (double)wy[j] * (double)plane[j * a->lanes];
            sum += (double)wz[k] * row;
        }
    return sum;
}

void REAL_NAME(starfish_constant_mode_cpu)(const struct starfish_constant_mode *a)
{
    const double mean = weighted_sum(a);
    for (int t = 0; t < a->tiles; t++) {
        real *tile = a->tile[t];
        for (size_t row = 0; row < (a->first[t + 1] - a->first[t]) * a->ny; row++)
            tile[row * a->lanes] -= (real)mean;
    }
    if (a->removed)
        *a->removed = mean * a->scale;
}
