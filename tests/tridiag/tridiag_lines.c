/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tolerances. Elimination without pivoting of a diagonally dominant tridiagonal matrix A is backward stable (Higham,
 * Accuracy and Stability of Numerical Algorithms, 9.6), so the relative error in the maximum norm is at most a small
 * multiple of eps cond(A). The bound used here is STABILITY eps cond(A), with cond(A) <= |A| |M^-1|, where M is A's
 * comparison matrix, |M^-1| the largest element of M^-1 (1, ..., 1), solved for by the reference; for long lines,
 * where the dense reference is too slow, |M^-1| <= 1 / smallest dominance of a row (Varah 1975). A chain adds up the
 * errors of its steps, each carried through the later ones; gains are chosen so that no step amplifies. */
#include "tridiag_lines.h"
#include "base/real.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST_DENSE = 300 };

static double worst_error;

double test_worst_error(void)
{
    return worst_error;
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

double uniform(double low, double high)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

double rounded(starfish_precision precision, double value)
{
    return precision == STARFISH_F32 ? (double)(float)value : value;
}

double epsilon(starfish_precision precision)
{
    return precision == STARFISH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

double *new_array(size_t count)
{
    double *array = calloc(count, sizeof *array);

    assert_non_null(array);
    return array;
}

double *random_array(starfish_precision precision, size_t count, double low, double high)
{
    double *array = new_array(count);

    for (size_t i = 0; i < count; i++)
        array[i] = rounded(precision, uniform(low, high));
    return array;
}

void *upload_reals(const struct test_device *device, starfish_precision precision, const double *values, size_t count)
{
    float *narrow;
    void *uploaded;

    if (!values || precision == STARFISH_F64)
        return device->upload(values, count * starfish_real_size(precision));
    narrow = malloc(count * sizeof *narrow + 1);
    assert_non_null(narrow);
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float)values[i];
    uploaded = device->upload(narrow, count * sizeof *narrow);
    free(narrow);
    return uploaded;
}

void download_reals(const struct test_device *device, starfish_precision precision, double *values, const void *from,
                    size_t count)
{
    float *narrow = (float *)(void *)values;

    device->download(values, from, count * starfish_real_size(precision));
    for (size_t i = count; precision == STARFISH_F32 && i-- > 0;) {
        float value;
        memcpy(&value, narrow + i, sizeof value);
        values[i] = (double)value;
    }
}

/* ---- Operators --------------------------------------------------------------------------------------------------- */

static void set_row(struct coefficients *line, size_t k, double lower, double diag, double upper)
{
    line->lower[k] = lower;
    line->diag[k] = diag;
    line->upper[k] = upper;
}

static void poisson_row(struct coefficients *line, size_t k)
{
    set_row(line, k, 1, -2, 1);
}

static void stretched_row(struct coefficients *line, size_t k)
{
    double growth = pow(100, 1.0 / (double)line->n), below = pow(growth, (double)k), above = below * growth;
    double lower = 2 / (below * (below + above)), upper = 2 / (above * (below + above));

    set_row(line, k, lower, -(lower + upper), upper);
}

static void random_row(struct coefficients *line, size_t k)
{
    double lower = uniform(-1, 1), upper = uniform(-1, 1);

    set_row(line, k, lower, -(fabs(lower) + fabs(upper) + uniform(0.1, 1)), upper);
}

static void neumann_row(struct coefficients *line, size_t k)
{
    set_row(line, k, 1, line->periodic ? -2 : -(double)((k > 0) + (k + 1 < line->n)), 1);
}

struct coefficients new_coefficients(starfish_precision precision, enum test_operator operator, size_t n, int periodic)
{
    static void (*const row[TEST_OPERATORS])(struct coefficients *, size_t) = {poisson_row, stretched_row, random_row,
                                                                               neumann_row};
    struct coefficients line = {n, periodic, new_array(n), new_array(n), new_array(n)};

    for (size_t k = 0; k < n; k++) {
        row[operator](&line, k);
        set_row(&line, k, rounded(precision, line.lower[k]), rounded(precision, line.diag[k]),
                rounded(precision, line.upper[k]));
    }
    if (!periodic) /* the contract says these are ignored */
        line.lower[0] = line.upper[n - 1] = NAN;
    return line;
}

void free_coefficients(struct coefficients *line)
{
    free(line->lower);
    free(line->diag);
    free(line->upper);
}

struct starfish_tridiag_operator upload_operator(const struct test_device *device, starfish_precision precision,
                                                 const struct coefficients *line)
{
    struct starfish_tridiag_operator uploaded = {.n = line->n,
                                                 .periodic = line->periodic,
                                                 .lower = upload_reals(device, precision, line->lower, line->n),
                                                 .diag = upload_reals(device, precision, line->diag, line->n),
                                                 .upper = upload_reals(device, precision, line->upper, line->n)};
    return uploaded;
}

struct starfish_tridiag_ref_line reference_line(const struct coefficients *line, double shift, int pinned)
{
    struct starfish_tridiag_ref_line reference = {line->n,     line->periodic, line->lower, line->diag,
                                                  line->upper, shift,          pinned};
    return reference;
}

static int couples(const struct coefficients *line, size_t k, int above)
{
    return line->periodic || (above ? k > 0 : k + 1 < line->n);
}

double largest(const long double *x, size_t n)
{
    double result = 0;

    for (size_t k = 0; k < n; k++)
        result = fmax(result, (double)fabsl(x[k]));
    return result;
}

/* |M^-1| by solving with ones; `comparison` is M. */
static double inverse_norm(const struct coefficients *comparison, int pinned)
{
    struct starfish_tridiag_ref_line reference = reference_line(comparison, 0, pinned);
    long double *x = calloc(comparison->n, sizeof *x);
    double norm;

    assert_non_null(x);
    for (size_t k = 0; k < comparison->n; k++)
        x[k] = 1;
    assert_int_equal(starfish_tridiag_ref_solve(&reference, x), 0);
    norm = largest(x, comparison->n);
    free(x);
    return norm;
}

struct norms bound_norms(const struct coefficients *line, double shift, int pinned)
{
    size_t n = line->n;
    struct coefficients comparison = {n, line->periodic, new_array(n), new_array(n), new_array(n)};
    struct norms norms = {0, 0};
    double dominance = HUGE_VAL;

    for (size_t k = 0; k < n; k++) {
        double lower = couples(line, k, 1) ? fabs(line->lower[k]) : 0,
               upper = couples(line, k, 0) ? fabs(line->upper[k]) : 0;
        set_row(&comparison, k, -lower, fabs(line->diag[k] + shift), -upper);
        norms.matrix = fmax(norms.matrix, comparison.diag[k] + lower + upper);
        dominance = fmin(dominance, comparison.diag[k] - lower - upper);
    }
    assert_true(n <= LONGEST_DENSE || dominance > 0);
    norms.inverse = n <= LONGEST_DENSE ? inverse_norm(&comparison, pinned) : 1 / dominance;
    free_coefficients(&comparison);
    return norms;
}

/* ---- Comparison -------------------------------------------------------------------------------------------------- */

double relative_to_bound(const double *found, size_t stride, const long double *expected, size_t n, double bound)
{
    double error = 0;

    for (size_t k = 0; k < n; k++) {
        double difference = fabs((double)(found[k * stride] - expected[k]));
        error = difference <= error ? error : isnan(difference) ? HUGE_VAL : difference;
    }
    error = error > 0 ? error / bound : 0;
    worst_error = fmax(worst_error, error);
    return error;
}
