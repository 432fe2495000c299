/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of FFTW's manual, section 4.8, as they stand there.
 *
 * Cosine and sine transforms: out[k] = sum_j w_j in[j] trig(pi (2j + a)(2k + b) / (4 d)), where w_j = 1 where 2j + a is
 * a multiple of 2d (an end of the extension, counted once) and 2 elsewhere. Arguments are reduced in integers. */
#include "fft/kernels/transform_ref.h"

#include <math.h>
#include <stdbool.h>

struct sum {
    bool sine;
    size_t a, b;
    int extra; /* d = n + extra */
};

static const struct sum redft00 = {false, 0, 0, -1}, redft10 = {false, 1, 0, 0}, redft01 = {false, 0, 1, 0},
                        redft11 = {false, 1, 1, 0}, rodft00 = {true, 2, 2, 1}, rodft10 = {true, 1, 2, 0},
                        rodft01 = {true, 2, 1, 0}, rodft11 = {true, 1, 1, 0};

static const struct sum *const sums[STARFISH_TRANSFORM_KINDS][2] = {
    [STARFISH_TRANSFORM_DD_NODE] = {&rodft00, &rodft00}, [STARFISH_TRANSFORM_NN_NODE] = {&redft00, &redft00},
    [STARFISH_TRANSFORM_DN_NODE] = {&rodft01, &rodft10}, [STARFISH_TRANSFORM_ND_NODE] = {&redft01, &redft10},
    [STARFISH_TRANSFORM_DD_CELL] = {&rodft10, &rodft01}, [STARFISH_TRANSFORM_NN_CELL] = {&redft10, &redft01},
    [STARFISH_TRANSFORM_DN_CELL] = {&rodft11, &rodft11}, [STARFISH_TRANSFORM_ND_CELL] = {&redft11, &redft11},
};

static long double angle(size_t numerator, size_t denominator)
{
    return 3.141592653589793238462643383279502884L * (long double)(numerator % (2 * denominator)) /
           (long double)denominator;
}

static void trigonometric(const struct sum *sum, size_t n, const long double *in, long double *out)
{
    size_t d = n + (size_t)sum->extra;
    for (size_t k = 0; k < n; k++) {
        out[k] = 0;
        for (size_t j = 0; j < n; j++) {
            size_t odd_j = 2 * j + sum->a;
            long double theta = angle(odd_j * (2 * k + sum->b), 4 * d);
            out[k] += (odd_j % (2 * d) == 0 ? 1 : 2) * in[j] * (sum->sine ? sinl(theta) : cosl(theta));
        }
    }
}

static void real_to_halfcomplex(size_t n, const long double *in, long double *out)
{
    for (size_t m = 0; m < n; m++) {
        bool imaginary = 2 * m > n;
        size_t k = imaginary ? n - m : m;
        out[m] = 0;
        for (size_t j = 0; j < n; j++)
            out[m] += in[j] * (imaginary ? -sinl(angle(2 * j * k, n)) : cosl(angle(2 * j * k, n)));
    }
}

static void halfcomplex_to_real(size_t n, const long double *in, long double *out)
{
    for (size_t j = 0; j < n; j++) {
        out[j] = 0;
        for (size_t m = 0; m < n; m++) {
            bool imaginary = 2 * m > n;
            size_t k = imaginary ? n - m : m;
            long double weight = m == 0 || 2 * m == n ? 1 : 2;
            out[j] += weight * in[m] * (imaginary ? -sinl(angle(2 * j * k, n)) : cosl(angle(2 * j * k, n)));
        }
    }
}

void starfish_transform_ref(enum starfish_transform_kind kind, enum starfish_transform_direction direction, size_t n,
                            const long double *in, long double *out)
{
    if (kind == STARFISH_TRANSFORM_IDENTITY)
        for (size_t k = 0; k < n; k++)
            out[k] = in[k];
    else if (kind != STARFISH_TRANSFORM_PERIODIC)
        trigonometric(sums[kind][direction], n, in, out);
    else if (direction == STARFISH_FORWARD)
        real_to_halfcomplex(n, in, out);
    else
        halfcomplex_to_real(n, in, out);
}
