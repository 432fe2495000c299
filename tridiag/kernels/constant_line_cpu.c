/* The constant mode along z on the CPU: what touches the field, in both precisions. */
#include "tridiag/kernels/constant_line.h"

#include "base/real.h"

static void moments_of(const struct starfish_constant_moments *a, const real *lane, double *moments)
{
    double mean = 0, pinned_mean = 0;
    for (size_t k = 0; k < a->planes; k++) {
        mean += a->weight[k] * (double)lane[k * a->stride];
        pinned_mean += a->influence[k] * (double)lane[k * a->stride];
    }
    moments[0] = mean;
    moments[1] = pinned_mean;
}

void REAL_NAME(starfish_constant_moments_cpu)(const struct starfish_constant_moments *a)
{
    for (size_t p = 0; p < a->problems || p == 0; p++)
        moments_of(a, (const real *)a->lane + p * a->distance, a->moments + STARFISH_CONSTANT_MOMENTS * p);
}

static void correct(const struct starfish_constant_correct *a, real *lane, const double *total)
{
    for (size_t k = 0; k < a->planes; k++)
        lane[k * a->stride] = (real)((double)lane[k * a->stride] + total[0] * a->response[k] - total[1]);
}

void REAL_NAME(starfish_constant_correct_cpu)(const struct starfish_constant_correct *a)
{
    for (size_t p = 0; p < a->problems || p == 0; p++)
        correct(a, (real *)a->lane + p * a->distance, a->total + STARFISH_CONSTANT_MOMENTS * p);
}
