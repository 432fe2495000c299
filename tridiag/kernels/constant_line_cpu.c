/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The constant mode along z on the CPU: what touches the field, in both precisions. */
#include "tridiag/kernels/constant_line.h"

#include "base/real.h"

void REAL_NAME(starfish_constant_take_cpu)(const struct starfish_constant_take *a)
{
    for (size_t p = 0; p < a->problems || p == 0; p++)
        for (size_t k = 0; k < a->planes; k++)
            a->line[p * a->planes + k] = (double)((const real *)a->lane)[p * a->distance + k * a->stride];
}

void REAL_NAME(starfish_constant_put_cpu)(const struct starfish_constant_put *a)
{
    for (size_t p = 0; p < a->problems || p == 0; p++)
        for (size_t k = 0; k < a->planes; k++)
            ((real *)a->lane)[p * a->distance + k * a->stride] = (real)a->line[p * a->planes + k];
}
