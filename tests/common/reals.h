/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays of either precision in tests that compute in double: elements, random values, and differences that NaN makes
 * infinite. */
#ifndef STARFISH_TESTS_REALS_H
#define STARFISH_TESTS_REALS_H

#include "base/precision.h"
#include "base/real.h"

#include <math.h>
#include <stdlib.h>

static inline double test_real_get(const void *array, starfish_precision precision, size_t index)
{
    return starfish_element(array, precision, index);
}

static inline void test_real_put(void *array, starfish_precision precision, size_t index, double value)
{
    starfish_element_set(array, precision, index, value);
}

static inline double test_real_epsilon(starfish_precision precision)
{
    return starfish_epsilon(precision);
}

/* Pseudo-random in (-1, 1), by Knuth's linear congruential generator. */
static inline double test_real_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return ((double)(*seed >> 8) + 0.5) / (double)(1 << 23) - 1;
}

/* `count` random reals of the precision; the caller frees. */
static inline void *test_reals(starfish_precision precision, size_t count, unsigned *seed)
{
    void *array = malloc((count > 0 ? count : 1) * sizeof(double));
    for (size_t i = 0; array && i < count; i++)
        test_real_put(array, precision, i, test_real_random(seed));
    return array;
}

/* The array as doubles; the caller frees. */
static inline double *test_doubles(starfish_precision precision, const void *array, size_t count)
{
    double *copy = malloc((count > 0 ? count : 1) * sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        copy[i] = test_real_get(array, precision, i);
    return copy;
}

/* The larger of the largest error so far and another one. Infinite from the first error on that is no number, which
 * fmax alone would pass over. */
static inline double test_worst(double worst, double error)
{
    return isnan(error) ? HUGE_VAL : fmax(worst, error);
}

/* max |a - b|; infinite where an element of either is no number. */
static inline double test_difference(starfish_precision precision, const void *a, const void *b, size_t count)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = test_worst(worst, fabs(test_real_get(a, precision, i) - test_real_get(b, precision, i)));
    return worst;
}

/* max |a| over the elements that are numbers: what errors are measured by. */
static inline double test_largest(starfish_precision precision, const void *a, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(test_real_get(a, precision, i)));
    return largest;
}

#endif
