/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted sums of shifted solves against dense elimination, or against another device. */
#include "sums_cases.h"

#include "tests/common/reals.h"
#include "tridiag/kernels/tridiag_ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double worst_error;

double test_sums_worst_error(void)
{
    return worst_error;
}

/* Everything in double, rounded to the precision under test; tables with one line per group or root. */
struct problem {
    const struct test_sums_case *c;
    size_t parts; /* of an element of a vector: 1, or real and imaginary */
    size_t roots, vectors_in, vectors_out;
    double *lower, *diag, *upper;
    double *weight, *sum; /* of rows, which then are given by their sums; NULL: no weights */
    double *imaginary[3]; /* of lower, diag and upper; zeros where lines are real */
    double *shift_lane, *mu, *in_weight, *out_weight, *input;
    int *first_root, *input_row, *output_row;
    int pinned_root;
    double shift;
};

static double *random_rounded(starfish_precision precision, size_t count, double low, double high, unsigned *seed)
{
    double *values = calloc(count + 1, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        const double value = low + (high - low) * (test_real_random(seed) + 1) / 2;
        values[i] = precision == STARFISH_F32 ? (double)(float)value : value;
    }
    return values;
}

/* Imaginary parts that leave rows dominant, or of sum zero. */
static void make_imaginary(struct problem *p)
{
    unsigned seed = 77; /* all else is random in the same way for all kinds of numbers */
    const struct test_sums_case *c = p->c;
    const size_t n = c->n;
    /* Of pinned lines as small as the real parts' least, so that these decide how well they are conditioned. */
    const double most = c->numbers != STARFISH_TRIDIAG_COMPLEX_LINES ? 0 : c->pinned ? 0.1 : 1;
    for (int i = 0; i < 3; i++)
        p->imaginary[i] = random_rounded(c->precision, n, -most, most, &seed);
    for (size_t k = 0; k < n && c->pinned; k++)
        p->imaginary[0][k] = p->imaginary[2][(k + n - 1) % n];
    for (size_t k = 0; k < n; k++) {
        const double lower = k > 0 || c->periodic ? p->imaginary[0][k] : 0;
        const double upper = k + 1 < n || c->periodic ? p->imaginary[2][k] : 0;
        if (c->pinned)
            p->imaginary[1][k] = -(lower + upper);
        else
            p->diag[k] += fabs(lower) + fabs(upper);
    }
}

/* Rows that dominate by at least one half, all else random; when pinned, rows that sum to zero and no shift for lane 0
 * of the pinned root. */
static void make_line(struct problem *p, unsigned *seed)
{
    const struct test_sums_case *c = p->c;
    const size_t n = c->n;
    p->lower = random_rounded(c->precision, n, -1, c->pinned ? -0.1 : 1, seed);
    p->upper = random_rounded(c->precision, n, -1, c->pinned ? -0.1 : 1, seed);
    p->diag = malloc(n * sizeof *p->diag);
    for (size_t k = 0; k < n && c->pinned; k++) /* symmetric, so that right-hand sides of sum zero are consistent */
        p->lower[k] = p->upper[(k + n - 1) % n];
    for (size_t k = 0; k < n; k++) {
        const double lower = k > 0 || c->periodic ? fabs(p->lower[k]) : 0;
        const double upper = k + 1 < n || c->periodic ? fabs(p->upper[k]) : 0;
        p->diag[k] = lower + upper + (c->pinned ? 0 : 0.5);
    }
    make_imaginary(p);
}

/* Weights for the shifts of lanes. Diagonals are what the rounded sums of rows leave. */
static void make_weights(struct problem *p)
{
    const size_t n = p->c->n;
    unsigned seed = 5;
    p->weight = random_rounded(p->c->precision, n, 0.5, 4, &seed);
    p->sum = malloc(n * sizeof *p->sum);
    for (size_t k = 0; k < n; k++) {
        const double sum = p->lower[k] + p->diag[k] + p->upper[k];
        p->sum[k] = p->c->precision == STARFISH_F32 ? (double)(float)sum : sum;
        p->diag[k] = p->sum[k] - p->lower[k] - p->upper[k];
    }
}

static void make_tables(struct problem *p, unsigned *seed)
{
    const struct test_sums_case *c = p->c;
    const size_t inputs = (size_t)c->inputs, outputs = (size_t)c->outputs;
    p->first_root = calloc(c->groups + 1, sizeof *p->first_root);
    p->input_row = malloc(c->groups * inputs * sizeof *p->input_row);
    p->output_row = malloc(c->groups * outputs * sizeof *p->output_row);
    p->vectors_in = c->groups * inputs + 1;
    for (size_t g = 0; g < c->groups; g++) {
        const size_t count = g == 0 ? c->most_roots : 1 + g * 5 % c->most_roots;
        p->first_root[g + 1] = p->first_root[g] + (int)count;
        for (size_t i = 0; i < inputs; i++) /* the same vector twice, and some missing */
            p->input_row[g * inputs + i] = !c->pinned && (g + i) % 4 == 3 ? -1 : (int)((g * 3 + i) % p->vectors_in);
        for (size_t o = 0; o < outputs; o++)
            p->output_row[g * outputs + o] = (g + o) % 3 == 2 ? -1 : (int)p->vectors_out++;
    }
    p->roots = (size_t)p->first_root[c->groups];
    p->pinned_root = c->pinned ? (int)(p->roots - 1) / 2 : -1;
    p->mu = random_rounded(c->precision, p->roots, 0.25, 3, seed);
    if (c->pinned)
        p->mu[p->pinned_root] = 0;
    p->in_weight = random_rounded(c->precision, p->roots * inputs, -1, 1, seed);
    p->out_weight = random_rounded(c->precision, p->roots * outputs, -1, 1, seed);
}

static struct problem make_problem(const struct test_sums_case *c, int weighted)
{
    unsigned seed = (unsigned)(c->n * 31 + c->lanes * 7 + c->groups);
    struct problem p = {.c = c, .parts = c->numbers == STARFISH_TRIDIAG_REAL ? 1 : 2, .shift = c->pinned ? 0 : 0.125};
    const size_t element = c->lanes * p.parts;
    make_line(&p, &seed);
    if (weighted)
        make_weights(&p);
    make_tables(&p, &seed);
    p.shift_lane =
        random_rounded(c->precision, c->lanes, c->pinned ? 0.125 : 0, 2, &seed); /* of lane 0 alone singular */
    p.input = random_rounded(c->precision, p.vectors_in * c->n * element, -1, 1, &seed);
    if (c->pinned) { /* consistent: lane 0 alternates, and sums to zero */
        p.shift_lane[0] = 0;
        for (size_t v = 0; v < p.vectors_in; v++)
            for (size_t i = 0; i < c->n * p.parts; i++) {
                const size_t k = i / p.parts;
                p.input[(v * c->n + k) * element + i % p.parts] =
                    (i % p.parts ? -2 : 1) * (c->n % 2 && k + 1 == c->n ? 0
                                              : k % 2                   ? -0.5
                                                                        : 0.5);
            }
    }
    return p;
}

static void free_problem(struct problem *p)
{
    free(p->lower), free(p->diag), free(p->upper), free(p->shift_lane), free(p->mu), free(p->weight), free(p->sum);
    free(p->imaginary[0]), free(p->imaginary[1]), free(p->imaginary[2]);
    free(p->in_weight), free(p->out_weight), free(p->input);
    free(p->first_root), free(p->input_row), free(p->output_row);
}

static size_t element_of(const struct problem *p, int row, size_t k, size_t lane, size_t part)
{
    return (((size_t)row * p->c->n + k) * p->c->lanes + lane) * p->parts + part;
}

/* z: real parts, then imaginary parts where there are any. */
static void solve_reference(const struct problem *p, size_t root, size_t lane, long double *z)
{
    const struct test_sums_case *c = p->c;
    double *diag = malloc(c->n * sizeof *diag);
    for (size_t k = 0; k < c->n; k++)
        diag[k] = p->diag[k] + (p->weight ? (p->weight[k] - 1) * p->shift_lane[lane] : 0);
    const struct starfish_tridiag_ref_complex_line line = {{.n = c->n,
                                                            .periodic = c->periodic,
                                                            .lower = p->lower,
                                                            .diag = diag,
                                                            .upper = p->upper,
                                                            .shift = p->mu[root] + p->shift_lane[lane] + p->shift,
                                                            .pinned = lane == 0 && (int)root == p->pinned_root},
                                                           p->imaginary[0],
                                                           p->imaginary[1],
                                                           p->imaginary[2]};
    if (c->numbers == STARFISH_TRIDIAG_COMPLEX_LINES)
        assert_int_equal(starfish_tridiag_ref_complex_solve(&line, z, z + c->n), 0);
    for (size_t part = 0; part < p->parts && c->numbers != STARFISH_TRIDIAG_COMPLEX_LINES; part++)
        assert_int_equal(starfish_tridiag_ref_solve(&line.real, z + part * c->n), 0);
    free(diag);
}

/* Add one root's solution in one lane to the sums[outputs][parts * n] of its group; `size` to what bounds their
 * errors. */
static void add_root(const struct problem *p, size_t group, size_t root, size_t lane, long double *sums,
                     long double *size)
{
    const struct test_sums_case *c = p->c;
    const size_t n = c->n * p->parts;
    long double *z = calloc(n, sizeof *z), largest = 0;
    for (size_t i = 0; i < (size_t)c->inputs; i++) {
        const int row = p->input_row[group * (size_t)c->inputs + i];
        for (size_t k = 0; k < n && row >= 0; k++)
            z[k] += (long double)p->in_weight[root * (size_t)c->inputs + i] *
                    (long double)p->input[element_of(p, row, k % c->n, lane, k / c->n)];
    }
    solve_reference(p, root, lane, z);
    for (size_t k = 0; k < n; k++)
        largest = fmaxl(largest, fabsl(z[k]));
    for (size_t o = 0; o < (size_t)c->outputs; o++)
        for (size_t k = 0; k < n; k++)
            sums[o * n + k] += (long double)p->out_weight[root * (size_t)c->outputs + o] * z[k];
    *size += largest + 1;
    free(z);
}

static void compare_lane(const struct problem *p, const void *output, size_t group, size_t lane)
{
    const struct test_sums_case *c = p->c;
    const size_t n = c->n * p->parts;
    long double *sums = calloc((size_t)c->outputs * n, sizeof *sums), size = 0;
    for (size_t root = (size_t)p->first_root[group]; root < (size_t)p->first_root[group + 1]; root++)
        add_root(p, group, root, lane, sums, &size);
    /* Pinned lines are as ill-conditioned as second differences. */
    const double condition = c->pinned ? 10 * (double)c->n : 40;
    /* A complex product errs by sqrt(5) times as much as a real one, a reciprocal by a little more. */
    const double rounding = (c->numbers == STARFISH_TRIDIAG_COMPLEX_LINES ? 3 : 1) * test_real_epsilon(c->precision);
    const double bound = condition * rounding * (double)size;
    for (size_t o = 0; o < (size_t)c->outputs; o++) {
        const int row = p->output_row[group * (size_t)c->outputs + o];
        for (size_t k = 0; k < n && row >= 0; k++) {
            const double got = test_real_get(output, c->precision, element_of(p, row, k % c->n, lane, k / c->n));
            const double error = fabs(got - (double)sums[o * n + k]);
            worst_error = fmax(worst_error, error / bound);
            if (!(error <= bound))
                fail_msg(
                    "precision %d numbers %d periodic %d pinned %d n %zu lanes %zu groups %zu roots %zu, %d to %d: "
                    "group %zu output %zu element (%zu, %zu) is %g, not %g",
                    (int)c->precision, (int)c->numbers, c->periodic, c->pinned, c->n, c->lanes, c->groups,
                    c->most_roots, c->inputs, c->outputs, group, o, k, lane, got, (double)sums[o * n + k]);
        }
    }
    free(sums);
}

/* CUDA wants pairs aligned to pairs, where pieces begin at an odd multiple of 8 bytes. */
static void *upload_pairs(const struct test_memory *memory, starfish_precision precision, const void *contents,
                          size_t bytes)
{
    const size_t skip = precision == STARFISH_F64 ? 8 : 0;
    char *behind = malloc(bytes + skip + 1);
    if (contents)
        memcpy(behind + skip, contents, bytes);
    char *there = memory->upload(contents ? behind : NULL, bytes + skip);
    free(behind);
    assert_int_equal((uintptr_t)(there + skip) % (2 * starfish_real_size(precision)), 0);
    return there + skip;
}

static void *upload_reals(const struct test_memory *memory, starfish_precision precision, const double *values,
                          size_t count)
{
    const size_t bytes = count * starfish_real_size(precision);
    void *rounded = malloc(bytes + 1);
    for (size_t i = 0; i < count; i++)
        test_real_put(rounded, precision, i, values[i]);
    void *there = memory->upload(rounded, bytes);
    free(rounded);
    return there;
}

/* Elements of vectors; NaN where `values` is NULL. */
static void *upload_elements(const struct test_memory *memory, const struct problem *p, const double *values,
                             size_t count)
{
    const starfish_precision precision = p->c->precision;
    const size_t reals = count * p->parts, bytes = reals * starfish_real_size(precision);
    if (p->parts == 1)
        return values ? upload_reals(memory, precision, values, reals) : memory->upload(NULL, bytes);
    void *rounded = malloc(bytes + 1);
    for (size_t i = 0; i < reals && values; i++)
        test_real_put(rounded, precision, i, values[i]);
    void *there = upload_pairs(memory, precision, values ? rounded : NULL, bytes);
    free(rounded);
    return there;
}

/* One of lower, diag and upper, in pairs where lines are complex. */
static void *upload_line(const struct test_memory *memory, const struct problem *p, const double *values, int which)
{
    const size_t n = p->c->n;
    if (p->c->numbers != STARFISH_TRIDIAG_COMPLEX_LINES)
        return upload_reals(memory, p->c->precision, values, n);
    double *pairs = calloc(2 * n, sizeof *pairs);
    for (size_t k = 0; k < n; k++) {
        pairs[2 * k] = values[k];
        pairs[2 * k + 1] = p->imaginary[which][k];
    }
    void *there = upload_elements(memory, p, pairs, n);
    free(pairs);
    return there;
}

static void run(const struct test_sums_device *device, const struct problem *p, void *result)
{
    const struct test_sums_case *c = p->c;
    const struct test_memory *m = device->memory;
    const size_t real = starfish_real_size(c->precision), inputs = (size_t)c->inputs, outputs = (size_t)c->outputs;
    const size_t bytes = p->vectors_out * c->n * c->lanes * p->parts * real;
    struct starfish_shifted_sums a = {
        .line = {.n = c->n,
                 .periodic = c->periodic,
                 .lower = upload_line(m, p, p->lower, 0),
                 .diag = upload_line(m, p, p->sum ? p->sum : p->diag, 1),
                 .upper = upload_line(m, p, p->upper, 2),
                 .weight = p->weight ? upload_reals(m, c->precision, p->weight, c->n) : NULL,
                 .numbers = c->numbers},
        .lanes = c->lanes,
        .shift_lane = upload_reals(m, c->precision, p->shift_lane, c->lanes),
        .shift = p->shift,
        .groups = c->groups,
        .most_roots = c->most_roots,
        .inputs = c->inputs,
        .outputs = c->outputs,
        .first_root = m->upload(p->first_root, (c->groups + 1) * sizeof(int)),
        .input_row = m->upload(p->input_row, c->groups * inputs * sizeof(int)),
        .output_row = m->upload(p->output_row, c->groups * outputs * sizeof(int)),
        .mu = upload_reals(m, c->precision, p->mu, p->roots),
        .input_weight = upload_reals(m, c->precision, p->in_weight, p->roots * inputs),
        .output_weight = upload_reals(m, c->precision, p->out_weight, p->roots * outputs),
        .pinned_root = p->pinned_root,
        .input = upload_elements(m, p, p->input, p->vectors_in * c->n * c->lanes),
        .output = upload_elements(m, p, NULL, p->vectors_out * c->n * c->lanes),
    };
    const size_t workspace = device->workspace(&a, starfish_tridiag_element_size(c->numbers, real));
    a.workspace = p->parts == 1 ? m->upload(NULL, workspace) : upload_pairs(m, c->precision, NULL, workspace);
    device->sums(c->precision, &a);
    m->download(result, a.output, bytes);
    m->release();
}

/* Rows can have weights. */
static int may_weigh(const struct test_sums_case *c)
{
    return c->numbers == STARFISH_TRIDIAG_REAL && !c->periodic;
}

static void check(const struct test_sums_device *device, const struct test_sums_case *c, int weighted)
{
    struct problem p = make_problem(c, weighted);
    void *output = malloc(p.vectors_out * c->n * c->lanes * p.parts * sizeof(double) + 1);
    run(device, &p, output);
    const size_t step = c->lanes > 9 ? c->lanes / 5 : 1; /* dense elimination is slow */
    for (size_t g = 0; g < c->groups; g++)
        for (size_t lane = 0; lane < c->lanes; lane += step)
            compare_lane(&p, output, g, lane);
    free(output);
    free_problem(&p);
}

void test_sums_check(const struct test_sums_device *device, const struct test_sums_case *c)
{
    for (int weighted = 0; weighted <= may_weigh(c); weighted++)
        check(device, c, weighted);
}

/* Every solution is at most 13: right-hand sides are at most 3, and rows dominate by at least 1/4, unless pinned. */
static double difference_bound(const struct problem *p, const double *reference, size_t group, size_t lane)
{
    const struct test_sums_case *c = p->c;
    const int singular =
        lane == 0 && p->pinned_root >= p->first_root[group] && p->pinned_root < p->first_root[group + 1];
    double size = 13.0 * (p->first_root[group + 1] - p->first_root[group]);
    for (size_t o = 0; o < (size_t)c->outputs; o++) {
        const int row = p->output_row[group * (size_t)c->outputs + o];
        for (size_t k = 0; k < c->n * p->parts && row >= 0; k++)
            size = fmax(size, fabs(reference[element_of(p, row, k % c->n, lane, k / c->n)]));
    }
    /* Where the matrix is singular, a rounding error moves the solution by up to n; those of n rows are of random
     * sign. */
    const double condition = singular ? 10 * (double)c->n * sqrt((double)c->n) : 40;
    return condition * test_real_epsilon(c->precision) * size;
}

static void compare_outputs(const struct problem *p, const double *got, const double *reference, size_t group,
                            size_t lane)
{
    const struct test_sums_case *c = p->c;
    const double bound = difference_bound(p, reference, group, lane);
    for (size_t o = 0; o < (size_t)c->outputs; o++) {
        const int row = p->output_row[group * (size_t)c->outputs + o];
        for (size_t k = 0; k < c->n * p->parts && row >= 0; k++) {
            const size_t at = element_of(p, row, k % c->n, lane, k / c->n);
            const double error = fabs(got[at] - reference[at]);
            worst_error = fmax(worst_error, error / bound);
            if (!(error <= bound))
                fail_msg(
                    "precision %d numbers %d periodic %d pinned %d n %zu lanes %zu groups %zu roots %zu, %d to %d: "
                    "group %zu output %zu element (%zu, %zu) is %g, not %g",
                    (int)c->precision, (int)c->numbers, c->periodic, c->pinned, c->n, c->lanes, c->groups,
                    c->most_roots, c->inputs, c->outputs, group, o, k, lane, got[at], reference[at]);
        }
    }
}

static double *outputs_of(const struct test_sums_device *device, const struct problem *p)
{
    const size_t count = p->vectors_out * p->c->n * p->c->lanes * p->parts;
    void *output = malloc(count * starfish_real_size(p->c->precision) + 1);
    double *values = malloc(count * sizeof *values + 1);
    run(device, p, output);
    for (size_t i = 0; i < count; i++)
        values[i] = test_real_get(output, p->c->precision, i);
    free(output);
    return values;
}

static void compare(const struct test_sums_device *device, const struct test_sums_device *reference,
                    const struct test_sums_case *c, int weighted)
{
    struct problem p = make_problem(c, weighted);
    double *got = outputs_of(device, &p), *expected = outputs_of(reference, &p);
    for (size_t g = 0; g < c->groups; g++)
        for (size_t lane = 0; lane < c->lanes; lane++)
            compare_outputs(&p, got, expected, g, lane);
    free(got), free(expected);
    free_problem(&p);
}

void test_sums_compare(const struct test_sums_device *device, const struct test_sums_device *reference,
                       const struct test_sums_case *c)
{
    for (int weighted = 0; weighted <= may_weigh(c); weighted++)
        compare(device, reference, c, weighted);
}

void test_sums_table(const struct test_sums_device *device)
{
    static const struct {
        size_t n, lanes, groups, most_roots;
    } sizes[] = {{1, 1, 1, 1},   {2, 1, 3, 2},    {3, 2, 2, 5},  {17, 1, 1, 16}, {17, 1, 4, 33},
                 {9, 7, 3, 20},  {5, 8, 2, 3},    {16, 9, 5, 4}, {13, 40, 3, 7}, {31, 3, 7, 1},
                 {33, 1, 9, 19}, {7, 130, 1, 17}, {1, 12, 2, 3}, {2, 11, 1, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int kind = 0; kind < 8 * STARFISH_TRIDIAG_NUMBERS; kind++)
            for (int shape = 0; shape < STARFISH_SHIFTED_SUMS_INPUTS * STARFISH_SHIFTED_SUMS_OUTPUTS; shape++) {
                const struct test_sums_case c = {.precision = (starfish_precision)(kind & 1),
                                                 .numbers = (enum starfish_tridiag_numbers)(kind >> 3),
                                                 .periodic = kind >> 1 & 1,
                                                 .pinned = kind >> 2 & 1,
                                                 .n = sizes[i].n,
                                                 .lanes = sizes[i].lanes,
                                                 .groups = sizes[i].groups,
                                                 .most_roots = sizes[i].most_roots,
                                                 .inputs = 1 + shape % STARFISH_SHIFTED_SUMS_INPUTS,
                                                 .outputs = 1 + shape / STARFISH_SHIFTED_SUMS_INPUTS};
                if (c.pinned && c.n % 2) /* zero alone is consistent with one unknown: even n say more */
                    continue;
                test_sums_check(device, &c);
            }
}
