/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays whose precision is known only at run time: access to elements, and rounding. For code that reads a few
 * elements or is not performance-critical; kernels are compiled per precision instead (base/real.h). */
#ifndef STARFISH_BASE_PRECISION_H
#define STARFISH_BASE_PRECISION_H

#include <float.h>
#include <starfish/types.h>
#include <stddef.h>

static inline double starfish_element(const void *array, starfish_precision precision, size_t index)
{
    return precision == STARFISH_F32 ? (double)((const float *)array)[index] : ((const double *)array)[index];
}

/* Rounds to f32 where the array is of that precision. */
static inline void starfish_element_set(void *array, starfish_precision precision, size_t index, double value)
{
    if (precision == STARFISH_F32)
        ((float *)array)[index] = (float)value;
    else
        ((double *)array)[index] = value;
}

/* From 1 to the next larger number. */
static inline double starfish_epsilon(starfish_precision precision)
{
    return precision == STARFISH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

/* Numbers smaller than this lose digits, and larger ones than that are infinite. */
static inline double starfish_least_normal(starfish_precision precision)
{
    return precision == STARFISH_F32 ? (double)FLT_MIN : DBL_MIN;
}

static inline double starfish_largest_number(starfish_precision precision)
{
    return precision == STARFISH_F32 ? (double)FLT_MAX : DBL_MAX;
}

#endif
