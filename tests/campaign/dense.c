/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dense systems: the inverse by Gauss and Jordan with row interchanges. At most some 200 unknowns, milliseconds. */
#include "dense.h"

#include <stdlib.h>
#include <string.h>

static campaign_wide size_of(campaign_wide x)
{
    return x < 0 ? -x : x;
}

int campaign_dense_create(struct campaign_dense *dense, size_t n)
{
    dense->n = n;
    dense->matrix = calloc(n * n, sizeof *dense->matrix);
    return dense->matrix != NULL;
}

void campaign_dense_destroy(struct campaign_dense *dense)
{
    free(dense->matrix);
    dense->matrix = NULL;
}

void campaign_dense_add(struct campaign_dense *dense, size_t row, size_t column, campaign_wide value)
{
    dense->matrix[row * dense->n + column] += value;
}

static void swap_rows(size_t n, campaign_wide *a, campaign_wide *b)
{
    for (size_t j = 0; j < n && a != b; j++) {
        const campaign_wide kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

/* left becomes the identity, and inverse, at first the identity, its inverse; 0 where a pivot is nothing beside what
 * its row was. */
static int invert(size_t n, campaign_wide *left, campaign_wide *inverse)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        campaign_wide largest = 0;
        for (size_t i = k + 1; i < n; i++)
            pivot = size_of(left[i * n + k]) > size_of(left[pivot * n + k]) ? i : pivot;
        for (size_t j = 0; j < n; j++)
            largest = size_of(left[pivot * n + j]) > largest ? size_of(left[pivot * n + j]) : largest;
        if (size_of(left[pivot * n + k]) <= largest * (campaign_wide)1e-28)
            return 0;
        swap_rows(n, left + k * n, left + pivot * n);
        swap_rows(n, inverse + k * n, inverse + pivot * n);
        const campaign_wide divisor = left[k * n + k];
        for (size_t j = 0; j < n; j++)
            left[k * n + j] /= divisor, inverse[k * n + j] /= divisor;
        for (size_t i = 0; i < n; i++) {
            const campaign_wide factor = left[i * n + k];
            for (size_t j = 0; j < n && i != k && factor != 0; j++)
                left[i * n + j] -= factor * left[k * n + j], inverse[i * n + j] -= factor * inverse[k * n + j];
        }
    }
    return 1;
}

/* What rounding errors of row i are units of. */
static campaign_wide rounding_of(const struct campaign_dense *d, size_t i, const campaign_wide *x, double f)
{
    campaign_wide sum = size_of((campaign_wide)f);
    for (size_t j = 0; j < d->n; j++)
        sum += size_of(d->matrix[i * d->n + j] * x[j]);
    return sum;
}

static double condition_of(const struct campaign_dense *d, const campaign_wide *inverse, const campaign_wide *x,
                           const double *rhs)
{
    campaign_wide most = 0, largest = 0;
    for (size_t i = 0; i < d->n; i++) {
        campaign_wide sum = 0;
        for (size_t j = 0; j < d->n; j++)
            sum += size_of(inverse[i * d->n + j]) * rounding_of(d, j, x, rhs[j]);
        most = sum > most ? sum : most;
        largest = size_of(x[i]) > largest ? size_of(x[i]) : largest;
    }
    return largest > 0 ? (double)(most / largest) : 1;
}

int campaign_dense_solve(const struct campaign_dense *d, const double *rhs, double *solution, double *condition)
{
    const size_t n = d->n, bytes = n * n * sizeof(campaign_wide);
    campaign_wide *left = malloc(bytes), *inverse = calloc(n * n, sizeof *inverse), *x = calloc(n, sizeof *x);
    int regular = left && inverse && x;
    for (size_t i = 0; i < n && regular; i++)
        inverse[i * n + i] = 1;
    if (regular) {
        memcpy(left, d->matrix, bytes);
        regular = invert(n, left, inverse);
    }
    for (size_t i = 0; i < n && regular; i++) {
        for (size_t j = 0; j < n; j++)
            x[i] += inverse[i * n + j] * (campaign_wide)rhs[j];
        solution[i] = (double)x[i];
    }
    if (regular)
        *condition = condition_of(d, inverse, x, rhs);
    free(left), free(inverse), free(x);
    return regular;
}
