/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Complex Fourier transforms of lines side by side whose length has large prime factors, as convolutions.
 *
 * Of a prime length p whose p - 1 has small factors alone, by Rader: the modes other than 0, in the order of the powers
 * of a generator g of the numbers modulo p, are a cyclic convolution of length p - 1 of the elements other than 0, in
 * the order of the inverse powers, with the roots of unity. Of any other length m by Bluestein: jk = (j^2 + k^2 -
 * (k - j)^2) / 2 makes the transform a convolution with a chirp, of any length of at least 2m - 1. Both take two
 * transforms of the convolution's length, which has small factors alone. Sources: Rader, Proc. IEEE 56 (1968);
 * Bluestein, IEEE Trans. AU 18 (1970).
 *
 * Each pass reads and writes whole elements, so that the permutations cost no more than copies. The inverse transform
 * is the forward one of the conjugates. */
#include "fft/kernels/lane_fft.h"

#include "base/clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = STARFISH_LANE_BYTES / (int)sizeof(real), ELEMENT = 2 * LANES };

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

static const long double two_pi = 6.283185307179586476925286766559005768L;

/* A number exp(-2 pi i numerator / denominator). */
static void set_root(long double *number, size_t numerator, size_t denominator)
{
    const long double angle = two_pi * (long double)(numerator % denominator) / (long double)denominator;
    number[0] = cosl(angle);
    number[1] = -sinl(angle);
}

static int is_prime(size_t m)
{
    for (size_t d = 2; d * d <= m; d++)
        if (m % d == 0)
            return 0;
    return m > 1;
}

static size_t power(size_t base, size_t exponent, size_t modulus)
{
    size_t result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1)
            result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

/* The least number whose powers are all of 1 .. p-1: none of its powers (p-1)/q is 1. */
static size_t generator_of(size_t p)
{
    for (size_t g = 2;; g++) {
        int generates = 1;
        for (size_t left = p - 1, q = 2; left > 1 && generates; q++)
            if (left % q == 0) {
                generates = power(g, (p - 1) / q, p) != 1;
                while (left % q == 0)
                    left /= q;
            }
        if (generates)
            return g;
    }
}

/* The least length of at least `least` whose prime factors are 2, 3 and 5. */
static size_t length_from(size_t least)
{
    for (size_t length = least;; length++) {
        size_t left = length;
        for (size_t p = 2; p <= 5; p++)
            while (left % p == 0)
                left /= p;
        if (left == 1)
            return length;
    }
}

/* Modes of a convolution's kernel, rounded once: a transform by its definition would take the length squared, so one
 * lane of an element is transformed by the very plan that serves the lines. */
static int set_kernel(struct starfish_lane_convolution *c, const long double *kernel)
{
    const size_t length = c->fft.length;
    real *z = aligned_alloc(STARFISH_LANE_BYTES, length * ELEMENT * sizeof *z);
    real *modes = c->kernel = malloc(2 * length * sizeof *modes);
    if (z && modes) {
        memset(z, 0, length * ELEMENT * sizeof *z);
        for (size_t j = 0; j < length; j++) {
            z[j * ELEMENT] = (real)kernel[2 * j];
            z[j * ELEMENT + LANES] = (real)kernel[2 * j + 1];
        }
        REAL_NAME(starfish_lane_fft)(&c->fft, z, NULL, NULL);
        for (size_t f = 0; f < length; f++) {
            const real *mode = z + (size_t)c->fft.position[f] * ELEMENT;
            modes[2 * f] = mode[0] / (real)length;
            modes[2 * f + 1] = mode[LANES] / (real)length;
        }
    }
    free(z);
    return z && modes;
}

/* `kernel` comes with zeros. */
static int prepare_rader(struct starfish_lane_convolution *c, long double *kernel)
{
    const size_t p = c->length, g = generator_of(p), inverse = power(g, p - 2, p);
    c->from = malloc((p - 1) * sizeof *c->from);
    c->to = malloc((p - 1) * sizeof *c->to);
    if (!c->from || !c->to)
        return 0;
    for (size_t q = 0, up = 1, down = 1; q + 1 < p; q++) {
        c->from[q] = up;
        c->to[q] = down;
        set_root(kernel + 2 * q, down, p);
        up = up * g % p;
        down = down * inverse % p;
    }
    return 1;
}

static int prepare_bluestein(struct starfish_lane_convolution *c, long double *kernel)
{
    const size_t m = c->length, length = c->fft.length;
    real *chirp = c->chirp = malloc(2 * m * sizeof *chirp);
    if (!chirp)
        return 0;
    for (size_t k = 0; k < m; k++) {
        long double root[2];
        set_root(root, k * k % (2 * m), 2 * m);
        chirp[2 * k] = (real)root[0];
        chirp[2 * k + 1] = (real)root[1];
        const size_t places[2] = {k, (length - k) % length};
        for (int i = 0; i < 2; i++) {
            kernel[2 * places[i]] = root[0];
            kernel[2 * places[i] + 1] = -root[1];
        }
    }
    return 1;
}

static int prepare(struct starfish_lane_convolution *c)
{
    const int rader = is_prime(c->length) && starfish_lane_fft_left(c->length - 1) == 1;
    const size_t length = rader ? c->length - 1 : length_from(2 * c->length - 1);
    long double *kernel = calloc(2 * length, sizeof *kernel);
    const int done = kernel && REAL_NAME(starfish_lane_fft_create)(&c->fft, length) &&
                     (rader ? prepare_rader(c, kernel) : prepare_bluestein(c, kernel)) && set_kernel(c, kernel);
    free(kernel);
    return done;
}

struct starfish_lane_convolution *REAL_NAME(starfish_lane_convolution_create)(size_t length)
{
    struct starfish_lane_convolution *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->length = length;
    if (prepare(c))
        return c;
    starfish_lane_convolution_destroy(c);
    return NULL;
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

/* to = from by the number re + i im. */
STARFISH_ALWAYS_INLINE void multiply(real *restrict to, const real *restrict from, real re, real im)
{
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
        to[l] = from[l] * re - from[l + LANES] * im;
        to[l + LANES] = from[l] * im + from[l + LANES] * re;
    }
}

/* to = conjugate of from by the number. */
STARFISH_ALWAYS_INLINE void multiply_conjugate(real *restrict to, const real *restrict from, real re, real im)
{
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
        to[l] = from[l] * re - from[l + LANES] * im;
        to[l + LANES] = -(from[l] * im + from[l + LANES] * re);
    }
}

/* `modes` by the kernel, conjugated. */
STARFISH_CLONES
static void multiply_modes(const struct starfish_lane_convolution *c, const real *modes, real *products)
{
    const real *kernel = c->kernel;
    for (size_t f = 0; f < c->fft.length; f++)
        multiply_conjugate(products + f * ELEMENT, modes + (size_t)c->fft.position[f] * ELEMENT, kernel[2 * f],
                           kernel[2 * f + 1]);
}

/* The convolution of `elements`, conjugated, in the order of positions, in `products`. */
static void convolve(const struct starfish_lane_convolution *c, real *elements, real *products)
{
    REAL_NAME(starfish_lane_fft)(&c->fft, elements, NULL, NULL);
    multiply_modes(c, elements, products);
    REAL_NAME(starfish_lane_fft)(&c->fft, products, NULL, NULL);
}

/* ---- Rader ------------------------------------------------------------------------------------------------------- */

static void gather(const struct starfish_lane_convolution *c, const real *z, real *elements)
{
    for (size_t q = 0; q < c->fft.length; q++)
        memcpy(elements + q * ELEMENT, z + c->from[q] * ELEMENT, ELEMENT * sizeof(real));
}

/* Element 0 is part of every mode. */
STARFISH_CLONES
static void scatter(const struct starfish_lane_convolution *c, const real *elements, const real *products, real *z)
{
    real first[ELEMENT];
    memcpy(first, z, sizeof first);
    for (size_t q = 0; q < c->fft.length; q++) {
        const real *restrict product = products + (size_t)c->fft.position[q] * ELEMENT;
        real *restrict mode = z + c->to[q] * ELEMENT;
#pragma omp simd
        for (size_t l = 0; l < LANES; l++) {
            mode[l] = first[l] + product[l];
            mode[l + LANES] = first[l + LANES] - product[l + LANES];
        }
    }
    const real *sum = elements + (size_t)c->fft.position[0] * ELEMENT;
    for (size_t l = 0; l < ELEMENT; l++)
        z[l] = first[l] + sum[l];
}

/* ---- Bluestein --------------------------------------------------------------------------------------------------- */

STARFISH_CLONES
static void chirp_into(const struct starfish_lane_convolution *c, const real *z, real *elements)
{
    const real *chirp = c->chirp;
    for (size_t j = 0; j < c->length; j++)
        multiply(elements + j * ELEMENT, z + j * ELEMENT, chirp[2 * j], chirp[2 * j + 1]);
    memset(elements + c->length * ELEMENT, 0, (c->fft.length - c->length) * ELEMENT * sizeof(real));
}

/* Of conjugates: conj(p) w = conj(p conj(w)). */
STARFISH_CLONES
static void chirp_out_of(const struct starfish_lane_convolution *c, const real *products, real *z)
{
    const real *chirp = c->chirp;
    for (size_t k = 0; k < c->length; k++)
        multiply_conjugate(z + k * ELEMENT, products + (size_t)c->fft.position[k] * ELEMENT, chirp[2 * k],
                           -chirp[2 * k + 1]);
}

void REAL_NAME(starfish_lane_convolution)(const struct starfish_lane_convolution *c, void *z, void *room)
{
    real *elements = room, *products = elements + c->fft.length * ELEMENT;
    if (c->chirp)
        chirp_into(c, z, elements);
    else
        gather(c, z, elements);
    convolve(c, elements, products);
    if (c->chirp)
        chirp_out_of(c, products, z);
    else
        scatter(c, elements, products, z);
}
