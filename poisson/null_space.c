/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Null spaces of directions and of their sums: one rule for "singular", one for the left null vector.
 *
 * A part is a run of rows that are coupled both ways, of a ring maybe all. A part that sums to zero in every row and
 * leaks to no other one has its constants as null vectors, and its left null vector is the stationary distribution of
 * a chain: products of upper over lower; of a ring, whose two ways around may differ, by elimination without a
 * subtraction (Grassmann, Taksar and Heyman, Oper. Res. 33 (1985), 1107-1116). O(n).
 *
 * Where all directions couple with one sign and no row sums to anything of that sign, lambda included, the sum of the
 * three is semidefinite up to a scaling, and singular only if all three are: signs decide, whatever the sizes. Else a
 * mode is singular if its eigenvalues and lambda cancel to within rounding of themselves. */
#include "poisson/null_space.h"

#include "base/row_sum.h"

#include <math.h>
#include <stdlib.h>

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

static size_t after(const struct starfish_direction *d, size_t k)
{
    return k + 1 < d->n ? k + 1 : 0;
}

enum entry { LOWER, DIAG, UPPER };

/* An entry of row k, or its size where it is complex: signs and weights of complex rows are not used for means. */
static double entry_of(const struct starfish_direction *d, enum entry entry, size_t k)
{
    const double *const real[] = {d->lower, d->diag, d->upper};
    return d->imaginary ? hypot(real[entry][k], d->imaginary[entry * d->n + k]) : real[entry][k];
}

static int is_null_row(const struct starfish_direction *d, size_t k)
{
    const double *const i = d->imaginary;
    if (!i)
        return d->sum[k] == 0;
    return starfish_complex_row_is_null((const double[]){d->lower[k], d->diag[k], d->upper[k]},
                                        (const double[]){i[k], i[d->n + k], i[2 * d->n + k]});
}

/* Do rows k and the next one belong together? A single ring row is its own neighbour. */
static int is_joined(const struct starfish_direction *d, size_t k)
{
    if (k + 1 == d->n && !d->periodic)
        return 0;
    return d->n == 1 || (entry_of(d, UPPER, k) != 0 && entry_of(d, LOWER, after(d, k)) != 0);
}

/* The first row of a part; n where all rows are one ring. */
static size_t first_of_a_part(const struct starfish_direction *d)
{
    for (size_t k = 0; k < d->n; k++)
        if (!is_joined(d, k))
            return after(d, k);
    return d->n;
}

/* Rows first .. last of a part, round the end of a ring. */
struct part {
    size_t first, last;
    int is_null;
};

static struct part part_from(const struct starfish_direction *d, size_t first)
{
    struct part part = {.first = first, .last = first, .is_null = is_null_row(d, first)};
    while (is_joined(d, part.last)) {
        part.last = after(d, part.last);
        part.is_null = part.is_null && is_null_row(d, part.last);
    }
    const int leaks_down = (first > 0 || d->periodic) && entry_of(d, LOWER, first) != 0;
    const int leaks_up = (part.last + 1 < d->n || d->periodic) && entry_of(d, UPPER, part.last) != 0;
    part.is_null = part.is_null && !leaks_down && !leaks_up;
    return part;
}

/* ---- Weights ----------------------------------------------------------------------------------------------------- */

/* weight[0] = 1, and of all rows of a ring. p and q: n each. */
static void weigh_ring(const struct starfish_direction *d, long double *weight, long double *p, long double *q)
{
    long double home = (long double)entry_of(d, UPPER, d->n - 1), from_home = (long double)entry_of(d, LOWER, 0);
    weight[0] = 1;
    for (size_t k = d->n - 1; k > 0; k--) { /* row k, coupled to k - 1 and to row 0 by now, is eliminated */
        const long double down = (long double)entry_of(d, LOWER, k), pivot = down + home;
        p[k] = (long double)entry_of(d, UPPER, k - 1) / pivot;
        q[k] = from_home / pivot;
        home *= p[k];
        from_home = q[k] * down;
    }
    for (size_t k = 1; k < d->n; k++)
        weight[k] = weight[k - 1] * p[k] + q[k];
}

/* Of every part, from where the part before has ended; zero where only parts that are null count. */
static void weigh_parts(const struct starfish_direction *d, size_t start, int only_null, long double *weight)
{
    long double last = 1;
    size_t first = start;
    do {
        const struct part part = part_from(d, first);
        const int counts = !only_null || part.is_null;
        for (size_t k = first;; k = after(d, k)) {
            weight[k] = counts ? last : 0;
            if (k == part.last)
                break;
            last *= (long double)entry_of(d, UPPER, k) / (long double)entry_of(d, LOWER, after(d, k));
        }
        first = after(d, part.last);
    } while (first != start);
}

static starfish_status find_weights(struct starfish_direction *d, size_t start)
{
    long double *weight = malloc(3 * d->n * sizeof *weight), largest = 0, sum = 0;
    STARFISH_FAIL_IF(!weight, STARFISH_ERROR_MEMORY, "out of memory for weights of %zu rows", d->n);
    if (start == d->n)
        weigh_ring(d, weight, weight + d->n, weight + 2 * d->n);
    else
        weigh_parts(d, start, d->constant_null, weight);
    for (size_t k = 0; k < d->n; k++)
        largest = fmaxl(largest, weight[k]);
    for (size_t k = 0; k < d->n; k++)
        sum += weight[k] / largest;
    for (size_t k = 0; k < d->n; k++)
        d->weight[k] = (double)(weight[k] / largest / sum);
    free(weight);
    return STARFISH_SUCCESS;
}

/* ---- A direction ------------------------------------------------------------------------------------------------- */

static unsigned signs_of(const struct starfish_direction *d)
{
    unsigned signs = STARFISH_SIGN_LAPLACIAN | STARFISH_SIGN_OPPOSITE;
    for (size_t k = 0; k < d->n; k++) {
        if (d->n > 1 && (d->lower[k] < 0 || d->upper[k] < 0))
            signs &= ~(unsigned)STARFISH_SIGN_LAPLACIAN;
        if (d->n > 1 && (d->lower[k] > 0 || d->upper[k] > 0))
            signs &= ~(unsigned)STARFISH_SIGN_OPPOSITE;
        if (d->sum[k] != 0)
            signs &= d->sum[k] < 0 ? STARFISH_SIGN_LAPLACIAN : STARFISH_SIGN_OPPOSITE;
    }
    return d->imaginary ? 0 : signs;
}

starfish_status starfish_find_null_space(struct starfish_direction *d)
{
    const size_t start = first_of_a_part(d);
    d->signs = signs_of(d);
    d->constant_null = 1;
    d->null_parts = 0;
    for (size_t k = 0; k < d->n; k++)
        d->constant_null = d->constant_null && is_null_row(d, k);
    if (start == d->n) {
        d->null_parts = d->constant_null ? 1 : 0;
        return find_weights(d, start);
    }
    size_t first = start;
    do {
        const struct part part = part_from(d, first);
        d->null_parts += part.is_null;
        first = after(d, part.last);
    } while (first != start);
    return find_weights(d, start);
}

/* ---- Sums of directions ------------------------------------------------------------------------------------------ */

/* Complex eigenvalues are not known: a singular mode shows as a solution that is not finite. Sums are formed of
 * numbers times SCALE, so that a large lambda does not make them infinite. */
#define SCALE 0.125
static starfish_status search(const struct starfish_null_space_problem *p, int singular)
{
    const struct starfish_spectra *s = p->spectra;
    const double *x = s->value[0], *y = s->value[1], *z = s->value[2];
    for (size_t i = 0; s->known && i < s->n[0]; i++)
        for (size_t j = 0; j < s->n[1]; j++) {
            const double xi = SCALE * x[i], yj = SCALE * y[j], target = -(xi + yj + SCALE * p->lambda);
            const double terms = fabs(xi) + fabs(yj) + fabs(SCALE * p->lambda);
            const double tolerance = 16 * p->eps * (terms + fabs(target)) + SCALE * s->error;
            const size_t k = starfish_first_not_below(z, s->n[2], (target - tolerance) / SCALE);
            const int constant = singular && i == s->n[0] - 1 && j == s->n[1] - 1 && k == s->n[2] - 1;
            STARFISH_FAIL_IF(k < s->n[2] && z[k] <= (target + tolerance) / SCALE && !constant, STARFISH_ERROR_SINGULAR,
                             "lambda = %.17g makes mode (%zu, %zu, %zu) singular: eigenvalues %g + %g + %g of x, "
                             "y, z, counted from the largest, cancel it",
                             p->lambda, s->n[0] - 1 - i, s->n[1] - 1 - j, s->n[2] - 1 - k, x[i], y[j], z[k]);
        }
    return STARFISH_SUCCESS;
}

int starfish_is_semidefinite(const struct starfish_direction d[3], double lambda)
{
    const unsigned of_lambda = lambda == 0  ? STARFISH_SIGN_LAPLACIAN | STARFISH_SIGN_OPPOSITE
                               : lambda < 0 ? STARFISH_SIGN_LAPLACIAN
                                            : STARFISH_SIGN_OPPOSITE;
    return (d[0].signs & d[1].signs & d[2].signs & of_lambda) != 0;
}

starfish_status starfish_check_null_space(const struct starfish_null_space_problem *p, int *singular)
{
    const struct starfish_direction *d = p->direction;
    const int all_null = d[0].constant_null && d[1].constant_null && d[2].constant_null;
    size_t null_parts = p->one_layer ? 1 : d[0].null_parts;
    null_parts *= d[1].null_parts * d[2].null_parts;
    *singular = p->lambda == 0 && all_null;
    STARFISH_FAIL_IF(p->lambda == 0 && null_parts > (size_t)(all_null ? 1 : 0), STARFISH_ERROR_SINGULAR,
                     "rows that sum to zero and that nothing couples to others make the problem singular in %zu ways",
                     null_parts);
    if (starfish_is_semidefinite(d, p->lambda) || !p->spectra)
        return STARFISH_SUCCESS;
    return search(p, *singular);
}
