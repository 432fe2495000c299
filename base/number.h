/* One source for real and complex numbers: a file listed in starfish_number_sources is compiled six times, three times
 * for each precision (base/real.h), and inside it scalar           is what vectors are made of, coefficient what
 * tridiagonal lines are made of: both real; complex and real (STARFISH_COMPLEX_VECTORS); or both complex
 * (STARFISH_COMPLEX_LINES), NUMBER_NAME(f)   is f_f32, f_complex_vectors_f32 or f_complex_lines_f32, or the same of
 * f64, STARFISH_REAL_NUMBERS is defined where both are real. Complex numbers are pairs (real part, imaginary part). */
#ifndef STARFISH_BASE_NUMBER_H
#define STARFISH_BASE_NUMBER_H

#include "base/real.h"

#if defined(STARFISH_REAL_F32)
typedef float _Complex real_pair;
#else
typedef double _Complex real_pair;
#endif

#if defined(STARFISH_COMPLEX_VECTORS)
typedef real_pair scalar;
typedef real coefficient;
#define NUMBER_NAME(name) REAL_NAME(name##_complex_vectors)
#elif defined(STARFISH_COMPLEX_LINES)
typedef real_pair scalar;
typedef real_pair coefficient;
#define NUMBER_NAME(name) REAL_NAME(name##_complex_lines)
#else
typedef real scalar;
typedef real coefficient;
#define NUMBER_NAME(name) REAL_NAME(name)
#define STARFISH_REAL_NUMBERS 1
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
