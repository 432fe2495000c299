/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Least squares with coefficients that are not negative, by coordinate descent: each coefficient in turn takes its best
 * value beside the others, or 0. Terms are scaled, since they differ by many orders of magnitude. */
#include "scheduler/lab/growth.h"

#include <math.h>

void starfish_growth_add(struct starfish_growth_fit *fit, const double term[STARFISH_GROWTH_TERMS], double time)
{
    for (size_t i = 0; i < STARFISH_GROWTH_TERMS; i++) {
        for (size_t k = 0; k < STARFISH_GROWTH_TERMS; k++)
            fit->product[i][k] += term[i] / time * (term[k] / time);
        fit->sum[i] += term[i] / time;
    }
    fit->count++;
}

void starfish_growth_solve(struct starfish_growth_fit *fit)
{
    enum { SWEEPS = 2000 };
    double scale[STARFISH_GROWTH_TERMS], x[STARFISH_GROWTH_TERMS] = {0};
    for (size_t i = 0; i < STARFISH_GROWTH_TERMS; i++)
        scale[i] = fit->product[i][i] > 0 ? 1 / sqrt(fit->product[i][i]) : 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t i = 0; i < STARFISH_GROWTH_TERMS; i++) {
            double gradient = fit->sum[i] * scale[i];
            for (size_t k = 0; k < STARFISH_GROWTH_TERMS; k++)
                gradient -= fit->product[i][k] * scale[i] * scale[k] * x[k];
            x[i] = fmax(0, x[i] + gradient);
        }
    for (size_t i = 0; i < STARFISH_GROWTH_TERMS; i++)
        fit->coefficient[i] = x[i] * scale[i];
}

double starfish_growth_time(const struct starfish_growth_fit *fit, const double term[STARFISH_GROWTH_TERMS])
{
    double time = 0;
    for (size_t i = 0; i < STARFISH_GROWTH_TERMS; i++)
        time += fit->coefficient[i] * term[i];
    return time;
}
