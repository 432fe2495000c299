/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of functions for real and for complex numbers from one source. A file listed in starfish_number_sources is
 * compiled six times, three times for each precision (base/real.h), and inside it NUMBER_NAME(f) is f_f32,
 * f_complex_vectors_f32 or f_complex_lines_f32, or the same of f64; STARFISH_REAL_NUMBERS is defined where both vectors
 * and lines are real. */
#ifndef STARFISH_BASE_NUMBER_NAME_H
#define STARFISH_BASE_NUMBER_NAME_H

#include "base/real.h"

#if defined(STARFISH_COMPLEX_VECTORS)
#define NUMBER_NAME(name) REAL_NAME(name##_complex_vectors)
#elif defined(STARFISH_COMPLEX_LINES)
#define NUMBER_NAME(name) REAL_NAME(name##_complex_lines)
#else
#define NUMBER_NAME(name) REAL_NAME(name)
#define STARFISH_REAL_NUMBERS 1
#endif

#endif
