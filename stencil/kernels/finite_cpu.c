/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where an array is not finite, on the CPU (finite.h): blocks of values are summed as products with zero, which is one
 * loop without branches, and only a block whose sum is not zero is looked at value by value. */
#include "stencil/kernels/finite.h"

#include "base/real.h"

#include <math.h>

enum { BLOCK = 4096 };

static int is_finite(const real *values, size_t count)
{
    real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += 0 * values[i];
    return sum == 0;
}

void REAL_NAME(starfish_finite_cpu)(const struct starfish_finite *a)
{
    const real *values = a->values;
    *a->first = STARFISH_ALL_FINITE;
    for (size_t begin = 0; begin < a->count; begin += BLOCK) {
        const size_t count = a->count - begin < BLOCK ? a->count - begin : BLOCK;
        if (is_finite(values + begin, count))
            continue;
        *a->first = begin;
        while (isfinite(values[*a->first]))
            ++*a->first;
        return;
    }
}
