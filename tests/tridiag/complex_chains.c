/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Complex chains against dense elimination of the matrix of twice the rows. Rows dominate by one half and steps do not
 * amplify, so that errors stay a few rounding errors per step. */
#include "complex_chains.h"

#include "tridiag_lines.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct shape {
    size_t lanes, vectors;
    int max_steps;
};

struct chain {
    starfish_precision precision;
    int complex_line, periodic, pinned_step;
    size_t n;
    struct shape shape;
    enum starfish_tridiag_method method;
    double *lower, *diag, *upper; /* pairs */
    double *shift_lane, *scale, *mu, *keep, *gain, *input, *output;
    int *input_row, *first_step, *steps;
};

static void make_line(struct chain *c)
{
    const double imaginary = c->complex_line ? 1 : 0;
    c->lower = random_array(c->precision, 2 * c->n, -1, 1);
    c->diag = random_array(c->precision, 2 * c->n, -imaginary, imaginary);
    c->upper = random_array(c->precision, 2 * c->n, -1, 1);
    for (size_t k = 0; k < c->n; k++) {
        c->lower[2 * k + 1] *= imaginary;
        c->upper[2 * k + 1] *= imaginary;
        const double others = hypot(c->lower[2 * k], c->lower[2 * k + 1]) + hypot(c->upper[2 * k], c->upper[2 * k + 1]);
        c->diag[2 * k] = rounded(c->precision, -others - 0.5);
    }
}

static void make_chain(struct chain *c)
{
    const size_t table = (size_t)c->shape.max_steps + 2, vectors = c->shape.vectors, lanes = c->shape.lanes;
    make_line(c);
    c->shift_lane = random_array(c->precision, lanes, -2, 0);
    c->scale = random_array(c->precision, vectors, -1, 1);
    c->mu = random_array(c->precision, table, -3, 0);
    c->keep = random_array(c->precision, table, -0.5, 0.5);
    c->gain = random_array(c->precision, table, 0.1, 0.25);
    c->input = random_array(c->precision, (vectors + 1) * c->n * lanes * 2, -1, 1);
    c->output = new_array(vectors * c->n * lanes * 2);
    c->input_row = calloc(vectors, sizeof(int));
    c->first_step = calloc(vectors, sizeof(int));
    c->steps = calloc(vectors, sizeof(int));
    for (size_t v = 0; v < vectors; v++) {
        c->input_row[v] = (int)(vectors - v); /* row 0 is not used */
        c->first_step[v] = (int)v % 2;
        c->steps[v] = v % 3 ? c->shape.max_steps : c->shape.max_steps - (int)v % (c->shape.max_steps + 1);
    }
}

static void free_chain(struct chain *c)
{
    free(c->lower), free(c->diag), free(c->upper), free(c->shift_lane), free(c->scale), free(c->mu), free(c->keep);
    free(c->gain), free(c->input), free(c->output), free(c->input_row), free(c->first_step), free(c->steps);
}

/* Pairs, or their real parts alone. */
static const void *upload_line(const struct test_device *device, const struct chain *c, const double *pairs)
{
    if (c->complex_line)
        return upload_reals(device, c->precision, pairs, 2 * c->n);
    double *real = new_array(c->n);
    for (size_t k = 0; k < c->n; k++)
        real[k] = pairs[2 * k];
    const void *there = upload_reals(device, c->precision, real, c->n);
    free(real);
    return there;
}

static void run(const struct test_device *device, struct chain *c)
{
    const size_t table = (size_t)c->shape.max_steps + 2, vectors = c->shape.vectors, ints = vectors * sizeof(int);
    const size_t reals = vectors * c->n * c->shape.lanes * 2, real = c->precision == STARFISH_F32 ? 4 : 8;
    struct starfish_tridiag_chain arguments = {
        .line = {.n = c->n,
                 .periodic = c->periodic,
                 .lower = upload_line(device, c, c->lower),
                 .diag = upload_line(device, c, c->diag),
                 .upper = upload_line(device, c, c->upper),
                 .numbers = c->complex_line ? STARFISH_TRIDIAG_COMPLEX_LINES : STARFISH_TRIDIAG_COMPLEX_VECTORS},
        .lanes = c->shape.lanes,
        .shift_lane = upload_reals(device, c->precision, c->shift_lane, c->shape.lanes),
        .shift = -0.0625,
        .vectors = vectors,
        .max_steps = c->shape.max_steps,
        .input_row = device->upload(c->input_row, ints),
        .first_step = device->upload(c->first_step, ints),
        .steps = device->upload(c->steps, ints),
        .scale = upload_reals(device, c->precision, c->scale, vectors),
        .mu = upload_reals(device, c->precision, c->mu, table),
        .keep = upload_reals(device, c->precision, c->keep, table),
        .gain = upload_reals(device, c->precision, c->gain, table),
        .pinned_step = c->pinned_step,
        .input = upload_reals(device, c->precision, c->input, reals + c->n * c->shape.lanes * 2),
        .output = upload_reals(device, c->precision, NULL, reals),
        .workspace = device->upload(
            NULL, device->chain_workspace(c->n, c->shape.lanes, vectors, c->periodic,
                                          starfish_tridiag_element_size(STARFISH_TRIDIAG_COMPLEX_LINES, real))),
        .method = c->method,
    };
    device->chain(c->precision, &arguments);
    download_reals(device, c->precision, c->output, arguments.output, reals);
    device->release();
}

/* Every second of an array of pairs. */
static void parts_of(const double *pairs, size_t n, double *real, double *imaginary)
{
    for (size_t k = 0; k < n; k++) {
        real[k] = pairs[2 * k];
        imaginary[k] = pairs[2 * k + 1];
    }
}

static void reference_step(const struct chain *c, int q, size_t lane, long double *x)
{
    const size_t n = c->n;
    double *part = new_array(6 * n);
    long double *w = malloc(2 * n * sizeof *w);
    parts_of(c->lower, n, part, part + n);
    parts_of(c->diag, n, part + 2 * n, part + 3 * n);
    parts_of(c->upper, n, part + 4 * n, part + 5 * n);
    const struct starfish_tridiag_ref_complex_line line = {{n, c->periodic, part, part + 2 * n, part + 4 * n,
                                                            c->mu[q] + c->shift_lane[lane] - 0.0625,
                                                            lane == 0 && q == c->pinned_step},
                                                           part + n,
                                                           part + 3 * n,
                                                           part + 5 * n};
    for (size_t k = 0; k < 2 * n; k++)
        w[k] = x[k];
    assert_int_equal(starfish_tridiag_ref_complex_solve(&line, w, w + n), 0);
    for (size_t k = 0; k < 2 * n; k++)
        x[k] = c->keep[q] * x[k] + c->gain[q] * w[k];
    free(part);
    free(w);
}

static double pair_error(const struct chain *c, size_t vector, size_t lane)
{
    const size_t n = c->n, lanes = c->shape.lanes;
    const double *in = c->input + ((size_t)c->input_row[vector] * n * lanes + lane) * 2;
    const double *out = c->output + (vector * n * lanes + lane) * 2;
    const double bound = 40 * epsilon(c->precision) * (c->steps[vector] + 1);
    long double *x = malloc(2 * n * sizeof *x);
    for (size_t k = 0; k < 2 * n; k++)
        x[k] = (long double)c->scale[vector] * in[k % n * lanes * 2 + k / n];
    for (int q = c->first_step[vector]; q < c->first_step[vector] + c->steps[vector]; q++)
        reference_step(c, q, lane, x);
    const double error =
        fmax(relative_to_bound(out, 2 * lanes, x, n, bound), relative_to_bound(out + 1, 2 * lanes, x + n, n, bound));
    free(x);
    return error;
}

static void check(const struct test_device *device, struct chain *c)
{
    make_chain(c);
    run(device, c);
    const size_t step = c->n > 20 ? 7 : 1; /* dense elimination is slow */
    for (size_t line = 0; line < c->shape.vectors * c->shape.lanes; line += step) {
        const double error = pair_error(c, line / c->shape.lanes, line % c->shape.lanes);
        if (!(error <= 1))
            fail_msg(
                "%s complex chain f%d complex line %d n %zu periodic %d pinned %d lanes %zu vectors %zu method %d: "
                "line %zu is off by %g times the bound",
                device->name, c->precision == STARFISH_F32 ? 32 : 64, c->complex_line, c->n, c->periodic,
                c->pinned_step, c->shape.lanes, c->shape.vectors, (int)c->method, line, error);
    }
    free_chain(c);
}

void test_complex_chain_table(const struct test_device *device, size_t longest, enum starfish_tridiag_method method)
{
    static const struct shape shapes[] = {{1, 1, 3}, {1, 20, 2}, {2, 3, 2}, {3, 1, 0}, {17, 2, 2}};
    static const size_t sizes[] = {1, 2, 3, 5, 8, 17, 33, 65};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++)
            for (int kind = 0; kind < 16; kind++) {
                struct chain c = {.precision = (starfish_precision)(kind & 1),
                                  .complex_line = kind >> 1 & 1,
                                  .periodic = kind >> 2 & 1,
                                  .pinned_step = kind >> 3 ? 1 : -1,
                                  .n = sizes[s],
                                  .shape = shapes[shape],
                                  .method = method};
                if (c.n <= longest)
                    check(device, &c);
            }
}
