/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inverses of small dense matrices, n^3 operations: Gauss-Jordan elimination with interchanges of rows, in long double,
 * for oracles. */
#include "dense_inverse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

long double dense_norm(const long double *a, size_t n)
{
    long double largest = 0;

    for (size_t i = 0; i < n; i++) {
        long double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += fabsl(a[i * n + j]);
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

static void swap_rows(long double *a, size_t n, size_t i, size_t j)
{
    for (size_t k = 0; k < n; k++) {
        long double kept = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = kept;
    }
}

long double *dense_inverse(long double *a, size_t n)
{
    long double *b = calloc(n * n + 1, sizeof *b);

    assert_non_null(b);
    for (size_t i = 0; i < n; i++)
        b[i * n + i] = 1;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            best = fabsl(a[i * n + k]) > fabsl(a[best * n + k]) ? i : best;
        swap_rows(a, n, k, best);
        swap_rows(b, n, k, best);
        for (size_t i = 0; i < n; i++) {
            long double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = 0; j < n && i != k; j++) {
                a[i * n + j] -= factor * a[k * n + j];
                b[i * n + j] -= factor * b[k * n + j];
            }
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            b[i * n + j] /= a[i * n + i];
    return b;
}
