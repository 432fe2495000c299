/* Tolerances. Elimination without pivoting of a diagonally dominant tridiagonal matrix A is backward stable (Higham,
 * Accuracy and Stability of Numerical Algorithms, 9.6), so the relative error in the maximum norm is at most a small
 * multiple of eps cond(A). The bound used here is STABILITY eps cond(A), with cond(A) <= |A| |M^-1|, where M is A's
 * comparison matrix, |M^-1| the largest element of M^-1 (1, ..., 1), solved for by the reference; for long lines,
 * where the dense reference is too slow, |M^-1| <= 1 / smallest dominance of a row (Varah 1975). A chain adds up the
 * errors of its steps, each carried through the later ones; gains are chosen so that no step amplifies. */
#include "tridiag_cases.h"
#include "base/real.h"
#include "tridiag/tridiag_ref.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STABILITY 4.0
enum { SAMPLES = 5, LONGEST_DENSE = 300 };

static double worst_error;

double test_worst_error(void)
{
    return worst_error;
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

static double uniform(double low, double high)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

static double rounded(starfish_precision precision, double value)
{
    return precision == STARFISH_F32 ? (double)(float)value : value;
}

static double epsilon(starfish_precision precision)
{
    return precision == STARFISH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

static double *new_array(size_t count)
{
    double *array = calloc(count, sizeof *array);

    assert_non_null(array);
    return array;
}

static double *random_array(starfish_precision precision, size_t count, double low, double high)
{
    double *array = new_array(count);

    for (size_t i = 0; i < count; i++)
        array[i] = rounded(precision, uniform(low, high));
    return array;
}

/* Doubles to the device, as reals. */
static void *upload_reals(const struct test_device *device, starfish_precision precision, const double *values,
                          size_t count)
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

static void download_reals(const struct test_device *device, starfish_precision precision, double *values,
                           const void *from, size_t count)
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

struct coefficients {
    size_t n;
    int periodic;
    double *lower, *diag, *upper;
};

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

static struct coefficients new_coefficients(starfish_precision precision, enum test_operator operator, size_t n,
                                            int periodic)
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

static void free_coefficients(struct coefficients *line)
{
    free(line->lower);
    free(line->diag);
    free(line->upper);
}

static struct starfish_tridiag_operator upload_operator(const struct test_device *device, starfish_precision precision,
                                                        const struct coefficients *line)
{
    struct starfish_tridiag_operator uploaded = {.n = line->n,
                                                 .periodic = line->periodic,
                                                 .lower = upload_reals(device, precision, line->lower, line->n),
                                                 .diag = upload_reals(device, precision, line->diag, line->n),
                                                 .upper = upload_reals(device, precision, line->upper, line->n)};
    return uploaded;
}

static struct starfish_tridiag_ref_line reference_line(const struct coefficients *line, double shift, int pinned)
{
    struct starfish_tridiag_ref_line reference = {line->n,     line->periodic, line->lower, line->diag,
                                                  line->upper, shift,          pinned};
    return reference;
}

static int couples(const struct coefficients *line, size_t k, int above)
{
    return line->periodic || (above ? k > 0 : k + 1 < line->n);
}

static double largest(const long double *x, size_t n)
{
    double result = 0;

    for (size_t k = 0; k < n; k++)
        result = fmax(result, (double)fabsl(x[k]));
    return result;
}

/* Bounds of the maximum norms of A = T + shift I and of its inverse. */
struct norms {
    double matrix, inverse;
};

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

static struct norms bound_norms(const struct coefficients *line, double shift, int pinned)
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

/* Element k of the line is at found[k * stride]. Returns the error in units of the bound; infinite for NaN. */
static double relative_to_bound(const double *found, size_t stride, const long double *expected, size_t n, double bound)
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

static size_t sampled(size_t sample, size_t count, size_t special)
{
    if (sample == 0)
        return special;
    if (sample == 1)
        return count - 1;
    return (size_t)uniform(0, (double)count);
}

/* ---- Thomas over tiles ------------------------------------------------------------------------------------------- */

struct thomas_data {
    size_t lanes, pinned;
    struct coefficients line;
    double *shift_inner, *shift_outer, shift; /* shift_outer NULL when not shifted */
    double *rhs, *solution;                   /* n x lanes */
};

static struct thomas_data new_thomas(const struct test_thomas *thomas)
{
    double least = thomas->shifted ? -2 : 0, most = thomas->shifted ? -0.01 : 0;
    size_t lanes = thomas->inner * thomas->outer;
    struct thomas_data data = {
        .lanes = lanes,
        .pinned = thomas->pinned ? lanes / 2 : 0,
        .line = new_coefficients(thomas->precision, thomas->operator, thomas->n, thomas->periodic),
        .shift_inner = random_array(thomas->precision, thomas->inner, least, most),
        .shift_outer = thomas->shifted ? random_array(thomas->precision, thomas->outer, least, most) : NULL,
        .shift = thomas->shifted && !thomas->pinned ? -0.125 : 0,
        .rhs = random_array(thomas->precision, thomas->n * lanes, -1, 1),
        .solution = new_array(thomas->n * lanes),
    };

    if (thomas->pinned && data.shift_outer) {
        data.shift_inner[data.pinned % thomas->inner] = 0;
        data.shift_outer[data.pinned / thomas->inner] = 0;
    }
    return data;
}

static void free_thomas(struct thomas_data *data)
{
    free_coefficients(&data->line);
    free(data->shift_inner);
    free(data->shift_outer);
    free(data->rhs);
    free(data->solution);
}

/* Cut at unequal places; with more than two tiles, the last but one is empty. */
static size_t tile_start(const struct test_thomas *thomas, int tile)
{
    size_t tiles = thomas->tiles > 1 ? (size_t)thomas->tiles : 1, t = (size_t)tile;

    if (t < tiles && tiles > 2 && t + 1 == tiles)
        t--;
    return t * t * thomas->n / (tiles * tiles);
}

static void run_thomas(const struct test_device *device, const struct test_thomas *thomas, struct thomas_data *data)
{
    starfish_precision precision = thomas->precision;
    struct starfish_thomas_tiles arguments = {
        .line = upload_operator(device, precision, &data->line),
        .inner = thomas->inner,
        .outer = thomas->outer,
        .shift_inner = upload_reals(device, precision, data->shift_inner, thomas->inner),
        .shift_outer = data->shift_outer ? upload_reals(device, precision, data->shift_outer, thomas->outer) : NULL,
        .shift = data->shift,
        .pinned_lane = thomas->pinned ? (ptrdiff_t)data->pinned : -1,
        .tiles = thomas->tiles,
        .workspace = device->upload(
            NULL, device->thomas_workspace(thomas->n, data->lanes, thomas->periodic, starfish_real_size(precision))),
    };

    for (int t = 0; t <= thomas->tiles; t++)
        arguments.first[t] = tile_start(thomas, t);
    for (int t = 0; t < thomas->tiles; t++)
        arguments.tile[t] = upload_reals(device, precision, data->rhs + arguments.first[t] * data->lanes,
                                         (arguments.first[t + 1] - arguments.first[t]) * data->lanes);
    device->thomas(precision, &arguments);
    for (int t = 0; t < thomas->tiles; t++)
        download_reals(device, precision, data->solution + arguments.first[t] * data->lanes, arguments.tile[t],
                       (arguments.first[t + 1] - arguments.first[t]) * data->lanes);
    device->release();
}

static double lane_shift(const struct test_thomas *thomas, const struct thomas_data *data, size_t lane)
{
    double outer = data->shift_outer ? data->shift_outer[lane / thomas->inner] : 0;

    return data->shift_inner[lane % thomas->inner] + outer + data->shift;
}

static int is_pinned(const struct test_thomas *thomas, const struct thomas_data *data, size_t lane)
{
    return thomas->pinned && lane == data->pinned;
}

/* What error a lane may have whose largest element is `size`. */
static double thomas_bound(const struct test_thomas *thomas, const struct thomas_data *data, size_t lane, double size)
{
    struct norms norms = bound_norms(&data->line, lane_shift(thomas, data, lane), is_pinned(thomas, data, lane));

    return STABILITY * epsilon(thomas->precision) * norms.matrix * norms.inverse * size;
}

/* The lane's error in units of its bound. */
static double thomas_error(const struct test_thomas *thomas, const struct thomas_data *data, size_t lane)
{
    struct starfish_tridiag_ref_line reference =
        reference_line(&data->line, lane_shift(thomas, data, lane), is_pinned(thomas, data, lane));
    long double *expected = calloc(thomas->n, sizeof *expected);
    double error;

    assert_non_null(expected);
    for (size_t k = 0; k < thomas->n; k++)
        expected[k] = data->rhs[k * data->lanes + lane];
    assert_int_equal(starfish_tridiag_ref_solve(&reference, expected), 0);
    error = relative_to_bound(data->solution + lane, data->lanes, expected, thomas->n,
                              thomas_bound(thomas, data, lane, largest(expected, thomas->n)));
    free(expected);
    return error;
}

void test_thomas_case(const struct test_device *device, const struct test_thomas *thomas)
{
    struct thomas_data data = new_thomas(thomas);

    run_thomas(device, thomas, &data);
    for (size_t sample = 0; sample < SAMPLES; sample++) {
        size_t lane = sampled(sample, data.lanes, data.pinned);
        double error = thomas_error(thomas, &data, lane);
        if (!(error <= 1))
            fail_msg(
                "%s thomas f%d operator %d n %zu periodic %d lanes %zux%zu tiles %d shifted %d pinned %d: lane %zu "
                "is off by %g times the bound",
                device->name, thomas->precision == STARFISH_F32 ? 32 : 64, (int)thomas->operator, thomas->n,
                thomas->periodic, thomas->inner, thomas->outer, thomas->tiles, thomas->shifted, thomas->pinned, lane,
                error);
    }
    free_thomas(&data);
}

/* Both devices' errors add up. */
void test_thomas_against_cpu(const struct test_device *device, const struct test_thomas *thomas)
{
    struct thomas_data data = new_thomas(thomas);
    long double *expected = calloc(thomas->n * data.lanes, sizeof *expected);

    assert_non_null(expected);
    run_thomas(&test_cpu, thomas, &data);
    for (size_t lane = 0; lane < data.lanes; lane++)
        for (size_t k = 0; k < thomas->n; k++)
            expected[lane * thomas->n + k] = data.solution[k * data.lanes + lane];
    run_thomas(device, thomas, &data);
    for (size_t lane = 0; lane < data.lanes; lane++) {
        const long double *x = expected + lane * thomas->n;
        double bound = 2 * thomas_bound(thomas, &data, lane, largest(x, thomas->n));
        double error = relative_to_bound(data.solution + lane, data.lanes, x, thomas->n, bound);
        if (!(error <= 1))
            fail_msg("%s thomas f%d n %zu periodic %d: lane %zu is off the CPU by %g times the bound", device->name,
                     thomas->precision == STARFISH_F32 ? 32 : 64, thomas->n, thomas->periodic, lane, error);
    }
    free(expected);
    free_thomas(&data);
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
static const size_t inner_lanes[] = {1, 2, 3, 8, 17, 64, 100};
static const size_t outer_lanes[] = {1, 3};
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

static void thomas_tiles_of(const struct test_device *device, struct test_thomas thomas)
{
    int tiles[] = {1, 2, 5, (int)thomas.n};

    for (size_t i = 0; i < COUNT(tiles); i++) {
        thomas.tiles = tiles[i];
        if (thomas.tiles <= STARFISH_TRIDIAG_MAX_TILES)
            test_thomas_case(device, &thomas);
    }
}

/* The dense reference takes n^3 operations. */
size_t test_longest(void)
{
    return getenv("STARFISH_TEST_SMALL") ? 33 : 257;
}

void test_thomas_table(const struct test_device *device, size_t longest)
{
    for (size_t index = 0; index < 2 * COUNT(kinds) * COUNT(sizes) * COUNT(inner_lanes) * COUNT(outer_lanes); index++) {
        size_t rest = index / 2;
        struct kind kind = kinds[rest % COUNT(kinds)];
        struct test_thomas thomas = {.precision = (starfish_precision)(index % 2),
                                     .operator= kind.operator,
                                     .periodic = kind.periodic,
                                     .shifted = kind.shifted,
                                     .pinned = kind.pinned};
        rest /= COUNT(kinds);
        thomas.inner = inner_lanes[rest % COUNT(inner_lanes)];
        rest /= COUNT(inner_lanes);
        thomas.outer = outer_lanes[rest % COUNT(outer_lanes)];
        thomas.n = sizes[rest / COUNT(outer_lanes)];
        if (thomas.n <= longest)
            thomas_tiles_of(device, thomas);
    }
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
