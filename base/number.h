/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One source for real and complex numbers, in C: inside a file listed in starfish_number_sources (base/number_name.h),
 * scalar is what vectors are made of, coefficient what tridiagonal lines are made of: both real; complex and real
 * (STARFISH_COMPLEX_VECTORS); or both complex (STARFISH_COMPLEX_LINES). Complex numbers are pairs (real part, imaginary
 * part). CUDA files have tridiag/kernels/number.cuh instead. */
#ifndef STARFISH_BASE_NUMBER_H
#define STARFISH_BASE_NUMBER_H

#include "base/number_name.h"

#if defined(STARFISH_REAL_F32)
typedef float _Complex real_pair;
#else
typedef double _Complex real_pair;
#endif

#if defined(STARFISH_COMPLEX_VECTORS)
typedef real_pair scalar;
typedef real coefficient;
#elif defined(STARFISH_COMPLEX_LINES)
typedef real_pair scalar;
typedef real_pair coefficient;
#else
typedef real scalar;
typedef real coefficient;
#endif

/* Products by the textbook: C's own look for infinities, and then loops do not vectorise. */
static inline coefficient coefficient_product(coefficient a, coefficient b)
{
#ifdef STARFISH_COMPLEX_LINES
    const real re = __real__ a * __real__ b - __imag__ a * __imag__ b;
    return __builtin_complex(re, __real__ a * __imag__ b + __imag__ a * __real__ b);
#else
    return a * b;
#endif
}

static inline scalar scalar_product(coefficient a, scalar x)
{
#ifdef STARFISH_COMPLEX_LINES
    return coefficient_product(a, x);
#else
    return a * x;
#endif
}

/* 1 / x, with one division. The square of a complex magnitude must be a normal number. */
static inline coefficient coefficient_reciprocal(coefficient x)
{
#ifdef STARFISH_COMPLEX_LINES
    const real re = __real__ x, im = __imag__ x, by = 1 / (re * re + im * im);
    return __builtin_complex(re * by, -im * by);
#else
    return 1 / x;
#endif
}

static inline scalar scalar_divided(scalar x, coefficient by)
{
#ifdef STARFISH_COMPLEX_LINES
    return coefficient_product(x, coefficient_reciprocal(by));
#else
    return x / by;
#endif
}

#endif
