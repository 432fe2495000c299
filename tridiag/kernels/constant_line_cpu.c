/* The constant mode along z on the CPU: what touches the field, in both precisions. */
#include "tridiag/kernels/constant_line.h"

#include "base/real.h"

void REAL_NAME(starfish_constant_moments_cpu)(const struct starfish_constant_moments *a)
{
    const real *lane = a->lane;
    double mean = 0, pinned_mean = 0;
    for (size_t k = 0; k < a->planes; k++) {
        mean += a->weight[k] * (double)lane[k * a->stride];
        pinned_mean += a->influence[k] * (double)lane[k * a->stride];
    }
    a->moments[0] = mean;
    a->moments[1] = pinned_mean;
}

void REAL_NAME(starfish_constant_correct_cpu)(const struct starfish_constant_correct *a)
{
    real *lane = a->lane;
    for (size_t k = 0; k < a->planes; k++)
        lane[k * a->stride] = (real)((double)lane[k * a->stride] + a->total[0] * a->response[k] - a->total[1]);
}
