/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arithmetic that counts itself, for naive references of what kernels take: sums, differences, products and quotients
 * as functions. */
#ifndef STARFISH_TESTS_COMMON_COUNTED_H
#define STARFISH_TESTS_COMMON_COUNTED_H

static double done; /* operations since it was set to 0 */

static inline double plus(double a, double b)
{
    done++;
    return a + b;
}

static inline double minus(double a, double b)
{
    done++;
    return a - b;
}

static inline double times(double a, double b)
{
    done++;
    return a * b;
}

static inline double over(double a, double b)
{
    done++;
    return a / b;
}

#endif
