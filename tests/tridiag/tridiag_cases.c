/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains of solves against the reference, with the tolerances of tridiag_lines.c; a table of them. */
#include "tridiag_cases.h"
#include "base/real.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SAMPLES = 5 };

static size_t sampled(size_t sample, size_t count, size_t special)
{
    if (sample == 0)
        return special;
    if (sample == 1)
        return count - 1;
    return (size_t)uniform(0, (double)count);
}

/* ---- Chains ------------------------------------------------------------------------------------------------------ */

struct chain_data {
    struct coefficients line;
    int pinned_step, table_steps, *input_row, *first_step, *steps;
    double shift, *shift_lane, *scale, *mu, *keep, *gain; /* scale NULL for a single vector */
    double *input, *output;                               /* vectors + 1, and vectors, times n x lanes */
};

/* Half the vectors run max_steps, so that some can run side by side; the others fewer, down to none. */
static void set_steps(const struct test_chain *chain, struct chain_data *data)
{
    for (size_t v = 0; v < chain->vectors; v++) {
        int fewer = v < (chain->vectors + 1) / 2 ? 0 : (int)v % (chain->max_steps + 1);
        data->steps[v] = chain->max_steps - fewer;
        data->first_step[v] = (int)v % (data->table_steps - chain->max_steps + 1);
        data->input_row[v] = (int)(chain->vectors - v); /* row 0 is not used */
    }
}

static struct chain_data new_chain(const struct test_chain *chain)
{
    starfish_precision precision = chain->precision;
    size_t elements = chain->n * chain->lanes, table = (size_t)chain->max_steps + 3;
    struct chain_data data = {
        .line = new_coefficients(precision, chain->operator, chain->n, chain->periodic),
        .pinned_step = chain->pinned ? chain->max_steps / 2 : -1,
        .table_steps = (int)table,
        .input_row = calloc(chain->vectors, sizeof(int)),
        .first_step = calloc(chain->vectors, sizeof(int)),
        .steps = calloc(chain->vectors, sizeof(int)),
        .shift = chain->pinned ? 0 : -0.0625,
        .shift_lane = chain->lanes > 1 ? random_array(precision, chain->lanes, -2, -0.01) : NULL,
        .scale = chain->vectors > 1 ? random_array(precision, chain->vectors, -1, 1) : NULL,
        .mu = random_array(precision, table, -3, -0.05),
        .keep = chain->keeps ? random_array(precision, table, -0.5, 0.5) : new_array(table),
        .gain = new_array(table),
        .input = random_array(precision, (chain->vectors + 1) * elements, -1, 1),
        .output = new_array(chain->vectors * elements),
    };

    assert_true(data.input_row && data.first_step && data.steps);
    set_steps(chain, &data);
    if (chain->pinned) {
        data.mu[data.pinned_step] = 0;
        if (data.shift_lane)
            data.shift_lane[0] = 0;
    }
    for (int q = 0; q < data.table_steps; q++) { /* no amplification for any shift <= 0 */
        double inverse = bound_norms(&data.line, data.mu[q] + data.shift, q == data.pinned_step).inverse;
        data.gain[q] = rounded(precision, (1 - fabs(data.keep[q])) / (inverse > 0 ? inverse : 1));
    }
    return data;
}

static void free_chain(struct chain_data *data)
{
    free_coefficients(&data->line);
    free(data->input_row);
    free(data->first_step);
    free(data->steps);
    free(data->shift_lane);
    free(data->scale);
    free(data->mu);
    free(data->keep);
    free(data->gain);
    free(data->input);
    free(data->output);
}

static void run_chain(const struct test_device *device, const struct test_chain *chain, struct chain_data *data)
{
    starfish_precision precision = chain->precision;
    size_t elements = chain->n * chain->lanes, table = (size_t)data->table_steps,
           indices = chain->vectors * sizeof(int);
    struct starfish_tridiag_chain arguments = {
        .line = upload_operator(device, precision, &data->line),
        .lanes = chain->lanes,
        .shift_lane = data->shift_lane ? upload_reals(device, precision, data->shift_lane, chain->lanes) : NULL,
        .shift = data->shift,
        .vectors = chain->vectors,
        .max_steps = chain->max_steps,
        .input_row = device->upload(data->input_row, indices),
        .first_step = device->upload(data->first_step, indices),
        .steps = device->upload(data->steps, indices),
        .scale = data->scale ? upload_reals(device, precision, data->scale, chain->vectors) : NULL,
        .mu = upload_reals(device, precision, data->mu, table),
        .keep = upload_reals(device, precision, data->keep, table),
        .gain = upload_reals(device, precision, data->gain, table),
        .pinned_step = data->pinned_step,
        .input = upload_reals(device, precision, data->input, (chain->vectors + 1) * elements),
        .output = upload_reals(device, precision, NULL, chain->vectors * elements),
        .workspace = device->upload(NULL, device->chain_workspace(chain->n, chain->lanes, chain->vectors,
                                                                  chain->periodic, starfish_real_size(precision))),
        .method = chain->method,
    };

    device->chain(precision, &arguments);
    download_reals(device, precision, data->output, arguments.output, chain->vectors * elements);
    device->release();
}

/* What error x may have after step q, when it had `bound` before and `size` is its largest element. */
static double next_bound(const struct test_chain *chain, const struct chain_data *data, int q, struct norms norms,
                         double bound, double size)
{
    double solved = data->gain[q] * norms.inverse, kept = fabs(data->keep[q]);

    return (kept + solved) * bound +
           STABILITY * epsilon(chain->precision) * size * (kept + solved * norms.matrix * norms.inverse);
}

/* Steps of one line by the reference, and what error they may have. */
static double reference_chain(const struct test_chain *chain, const struct chain_data *data, size_t vector, size_t lane,
                              long double *x)
{
    double shift = data->shift + (data->shift_lane ? data->shift_lane[lane] : 0);
    double bound = epsilon(chain->precision) * largest(x, chain->n); /* of scaling the input */

    for (int q = data->first_step[vector]; q < data->first_step[vector] + data->steps[vector]; q++) {
        int pinned = lane == 0 && q == data->pinned_step;
        struct starfish_tridiag_ref_line reference = reference_line(&data->line, shift, 0);
        struct norms norms = bound_norms(&data->line, shift + data->mu[q], pinned);
        bound = next_bound(chain, data, q, norms, bound, largest(x, chain->n));
        assert_int_equal(
            starfish_tridiag_ref_chain(&reference, 1, data->mu + q, data->keep + q, data->gain + q, pinned ? 0 : -1, x),
            0);
    }
    return bound;
}

static double chain_error(const struct test_chain *chain, const struct chain_data *data, size_t vector, size_t lane)
{
    size_t elements = chain->n * chain->lanes;
    const double *input = data->input + (size_t)data->input_row[vector] * elements + lane;
    long double *expected = calloc(chain->n, sizeof *expected);
    double bound, error;

    assert_non_null(expected);
    for (size_t k = 0; k < chain->n; k++)
        expected[k] = (data->scale ? data->scale[vector] : 1) * (long double)input[k * chain->lanes];
    bound = reference_chain(chain, data, vector, lane, expected);
    error = relative_to_bound(data->output + vector * elements + lane, chain->lanes, expected, chain->n, bound);
    free(expected);
    return error;
}

void test_chain_case(const struct test_device *device, const struct test_chain *chain)
{
    struct chain_data data = new_chain(chain);

    run_chain(device, chain, &data);
    for (size_t sample = 0; sample < SAMPLES; sample++) {
        size_t vector = sampled(sample, chain->vectors, 0), lane = sampled(sample, chain->lanes, 0);
        double error = chain_error(chain, &data, vector, lane);
        if (!(error <= 1))
            fail_msg(
                "%s chain f%d operator %d n %zu periodic %d lanes %zu vectors %zu steps %d keeps %d pinned %d method "
                "%d: vector %zu lane %zu is off by %g times the bound",
                device->name, chain->precision == STARFISH_F32 ? 32 : 64, (int)chain->operator, chain->n,
                chain->periodic, chain->lanes, chain->vectors, chain->max_steps, chain->keeps, chain->pinned,
                (int)chain->method, vector, lane, error);
    }
    free_chain(&data);
}

/* As reference_chain's bound, without knowing how x shrinks on the way. */
static double chain_bound(const struct test_chain *chain, const struct chain_data *data, size_t vector, size_t lane)
{
    double shift = data->shift + (data->shift_lane ? data->shift_lane[lane] : 0), bound = epsilon(chain->precision);

    for (int q = data->first_step[vector]; q < data->first_step[vector] + data->steps[vector]; q++)
        bound = next_bound(chain, data, q, bound_norms(&data->line, shift + data->mu[q], 0), bound, 1);
    return bound;
}

void test_chain_against_cpu(const struct test_device *device, const struct test_chain *chain)
{
    struct chain_data data = new_chain(chain);
    size_t n = chain->n, lanes = chain->lanes, lines = chain->vectors * lanes;
    long double *expected = calloc(lines * n, sizeof *expected);

    assert_non_null(expected);
    run_chain(&test_cpu, chain, &data);
    for (size_t i = 0; i < lines * n; i++)
        expected[(i / (n * lanes) * lanes + i % lanes) * n + i / lanes % n] = data.output[i];
    run_chain(device, chain, &data);
    for (size_t line = 0; line < lines; line++) {
        double bound = 2 * chain_bound(chain, &data, line / lanes, line % lanes);
        double error = relative_to_bound(data.output + line / lanes * n * lanes + line % lanes, lanes,
                                         expected + line * n, n, bound);
        if (!(error <= 1))
            fail_msg(
                "%s chain f%d n %zu periodic %d lanes %zu vectors %zu steps %d: line %zu is off the CPU by %g times "
                "the bound",
                device->name, chain->precision == STARFISH_F32 ? 32 : 64, n, chain->periodic, lanes, chain->vectors,
                chain->max_steps, line, error);
    }
    free(expected);
    free_chain(&data);
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 16, 33, 100, 257};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Which operators may go unshifted or pinned: a periodic difference operator is singular without a shift, and only
 * singular ones are pinned. */
static const struct kind {
    enum test_operator operator;
    int periodic, shifted, pinned;
} kinds[] = {
    {TEST_POISSON, 0, 0, 0},   {TEST_POISSON, 0, 1, 0},   {TEST_POISSON, 1, 1, 0}, {TEST_STRETCHED, 0, 0, 0},
    {TEST_STRETCHED, 0, 1, 0}, {TEST_STRETCHED, 1, 1, 0}, {TEST_RANDOM, 0, 0, 0},  {TEST_RANDOM, 0, 1, 0},
    {TEST_RANDOM, 1, 0, 0},    {TEST_RANDOM, 1, 1, 0},    {TEST_NEUMANN, 0, 1, 1}, {TEST_NEUMANN, 1, 1, 1},
};

/* The dense reference takes n^3 operations. */
size_t test_longest(void)
{
    return getenv("STARFISH_TEST_SMALL") ? 33 : 257;
}

void test_chain_table(const struct test_device *device, size_t longest, enum starfish_tridiag_method method)
{
    static const struct {
        size_t lanes, vectors;
        int max_steps;
    } batches[] = {{1, 1, 3}, {1, 2, 1}, {1, 41, 2}, {2, 3, 2}, {3, 1, 0}, {17, 4, 3}, {100, 2, 1}};

    for (size_t index = 0; index < 4 * COUNT(kinds) * COUNT(sizes) * COUNT(batches); index++) {
        size_t rest = index / 4;
        struct kind kind = kinds[rest % COUNT(kinds)];
        struct test_chain chain = {.precision = (starfish_precision)(index % 2),
                                   .operator= kind.operator,
                                   .periodic = kind.periodic,
                                   .keeps = (int)(index / 2 % 2),
                                   .pinned = kind.pinned,
                                   .method = method};
        rest /= COUNT(kinds);
        chain.lanes = batches[rest % COUNT(batches)].lanes;
        chain.vectors = batches[rest % COUNT(batches)].vectors;
        chain.max_steps = batches[rest % COUNT(batches)].max_steps;
        chain.n = sizes[rest / COUNT(batches)];
        if (chain.n <= longest)
            test_chain_case(device, &chain);
    }
}
