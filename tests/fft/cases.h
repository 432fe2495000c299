/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the transforms share: inputs, the oracle's lines, and the bound on the error. */
#ifndef STARFISH_TESTS_FFT_CASES_H
#define STARFISH_TESTS_FFT_CASES_H

#include "base/precision.h"
#include "base/real.h"
#include "fft/kernels/transform_ref.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* An FFT of length M has a relative error (in the 2-norm) of about eps log2 M, for mixed radices and Bluestein with a
 * constant of a few (Higham, Accuracy and Stability, ch. 24); one element in the maximum norm may exceed that by some
 * factor, hence 50. M <= 4n is covered by log2(n + 1) + 2. */
static inline double transform_tolerance(size_t n, starfish_precision precision)
{
    double epsilon = precision == STARFISH_F32 ? 0x1p-23 : 0x1p-52;
    return 50 * epsilon * (log2((double)n + 1) + 2);
}

/* Deterministic, in [-1, 1), exact in f32. */
static inline double transform_sample(size_t i)
{
    uint64_t x = (i + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9u;
    return (double)(x >> 40) * 0x1p-23 - 1;
}

static inline double real_at(const void *array, size_t i, starfish_precision precision)
{
    return starfish_element(array, precision, i);
}

static inline void set_real(void *array, size_t i, double value, starfish_precision precision)
{
    starfish_element_set(array, precision, i, value);
}

static inline void fill_samples(void *array, size_t count, starfish_precision precision)
{
    for (size_t i = 0; i < count; i++)
        set_real(array, i, transform_sample(i), precision);
}

/* NaN everywhere: whatever an operation fails to write shows. */
static inline void poison(void *array, size_t count, starfish_precision precision)
{
    for (size_t i = 0; i < count; i++)
        set_real(array, i, (double)NAN, precision);
}

static inline bool valid_size(enum starfish_transform_kind kind, size_t n)
{
    return n >= (kind == STARFISH_TRANSFORM_NN_NODE ? 2 : 1);
}

/* Largest |got - expected| over the largest |expected|; NaN counts as infinite. */
static inline double relative_error(const double *got, const double *expected, size_t count)
{
    double error = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs(got[i] - expected[i]);
        if (!(difference <= 1e300))
            return INFINITY;
        error = difference > error ? difference : error;
        size = fabs(expected[i]) > size ? fabs(expected[i]) : size;
    }
    return size > 0 ? error / size : error;
}

/* expected[k] for the line whose element j is transform_sample(offset + j * stride); NaN when memory ran out. */
static inline void expected_line(enum starfish_transform_kind kind, enum starfish_transform_direction direction,
                                 size_t n, size_t offset, size_t stride, double scale, double *expected)
{
    long double *in = calloc(2 * n, sizeof *in), *out = in + n;
    for (size_t j = 0; in && j < n; j++)
        in[j] = (long double)transform_sample(offset + j * stride);
    if (in)
        starfish_transform_ref(kind, direction, n, in, out);
    for (size_t k = 0; k < n; k++)
        expected[k] = in ? (double)(out[k] * (long double)scale) : (double)NAN;
    free(in);
}

#endif
