/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables by which the CUDA version transforms a line, carried out here one butterfly after the other, against the
 * Fourier sum. */
#include "cases.h"
#include "fft/kernels/line_plan.h"

#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { LONGEST_RADIX = STARFISH_LINE_WIDEST };
static const double two_pi = 6.283185307179586476925;

static double complex root(size_t numerator, size_t denominator)
{
    double angle = two_pi * (double)(numerator % denominator) / (double)denominator;
    return CMPLX(cos(angle), -sin(angle));
}

static void fourier_sum(size_t n, const double complex *in, size_t step, double complex *out)
{
    for (size_t k = 0; k < n; k++) {
        out[k] = 0;
        for (size_t j = 0; j < n; j++)
            out[k] += in[j * step] * root(j * k, n);
    }
}

/* exp(-2 pi i s j / ...) from the powers 1, 2 and 4 in the table. */
static double complex factor(const struct starfish_line_plan *plan, const struct starfish_line_pass *pass, int s, int j)
{
    const double *table = (const double *)plan->twiddle + 2 * pass->first_twiddle;
    double complex product = 1;
    for (int power = 0; pass->span > 1 && s >> power; power++)
        if (s >> power & 1)
            product *= CMPLX(table[2 * (power * pass->span + j)], table[2 * (power * pass->span + j) + 1]);
    return product;
}

static void run_pass(const struct starfish_line_plan *plan, const struct starfish_line_pass *pass,
                     double complex *places)
{
    for (int b = 0; b < pass->butterflies; b++) {
        const int *start = plan->start + 2 * (pass->first_start + (size_t)b);
        double complex out[LONGEST_RADIX];
        fourier_sum((size_t)pass->radix, places + start[0], (size_t)pass->step, out);
        for (int s = 0; s < pass->radix; s++)
            places[start[0] + s * pass->step] = out[s] * factor(plan, pass, s, start[1]);
    }
}

/* Where element i of the line lies before the first pass, as the loader of the first pass has it. */
static void put_line(const struct starfish_line_plan *plan, const double complex *line, double complex *places)
{
    const struct starfish_line_pass *first = &plan->pass[0];
    for (int b = 0; b < first->butterflies; b++) {
        const int *start = plan->start + 2 * (first->first_start + (size_t)b);
        for (int s = 0; s < first->radix; s++)
            places[start[0] + s * first->step] = line[start[1] + s * first->span];
    }
}

static void check(int n)
{
    struct starfish_line_plan plan;
    assert_int_equal(starfish_line_plan_create(&plan, n, 0, STARFISH_F64), STARFISH_SUCCESS);
    double complex *line = malloc((size_t)(2 * n + plan.places) * sizeof *line), *expected = line + n,
                   *places = expected + n;
    for (int i = 0; i < plan.places; i++)
        places[i] = (double)NAN;
    for (int i = 0; i < n; i++)
        line[i] = CMPLX(transform_sample((size_t)i), transform_sample((size_t)n + (size_t)i));
    fourier_sum((size_t)n, line, 1, expected);

    put_line(&plan, line, places);
    for (int i = 0; i < plan.passes; i++)
        run_pass(&plan, &plan.pass[i], places);

    for (int f = 0; f < n; f++)
        if (!(cabs(places[plan.position[f]] - expected[f]) < 1e-12 * n))
            fail_msg("length %d, frequency %d", n, f);
    free(line);
    starfish_line_plan_destroy(&plan);
}

static void tables_give_the_fourier_transform(void **state)
{
    (void)state;
    static const int lengths[] = {1,  2,  3,   4,   5,   6,   7,   8,   9,   10,  16,  20,   30,  49,
                                  60, 96, 100, 125, 210, 243, 384, 500, 512, 640, 768, 1000, 1024};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        check(lengths[i]);
}

/* ---- Pairs of butterflies ---------------------------------------------------------------------------------------- */
/* Two real lanes a, b as one line a + ib. */
struct lanes {
    size_t n;
    const double *first, *second;
};

static double complex times_i(double complex x)
{
    return CMPLX(-cimag(x), creal(x));
}

static double complex lane_number(const struct lanes *lanes, int k)
{
    return CMPLX(lanes->first[k], lanes->second[k]);
}

/* y for both lanes at once, by a slot whose elements of the line's transform are c and d. */
static void apply_slot(const struct starfish_line_pairs *pairs, int slot, double complex c, double complex d,
                       double complex *y)
{
    const int *entry = pairs->entry + 2 * slot;
    const double *weight = (const double *)pairs->weight + 2 * slot;
    const double complex sum = c + d, turned = times_i(d - c);
    if (entry[0] >= 0)
        y[entry[0]] = weight[0] * sum + weight[1] * turned;
    if (entry[1] >= 0)
        y[entry[1] / 2] = (entry[1] & 1 ? -1 : 1) * (weight[1] * sum - weight[0] * turned);
}

/* The inverse: c and d of the outputs. */
static void undo_slot(const struct starfish_line_pairs *pairs, int slot, const struct lanes *lanes, double complex *c,
                      double complex *d)
{
    const int *entry = pairs->entry + 2 * slot;
    const double *weight = (const double *)pairs->weight + 2 * slot;
    const double complex first = entry[0] >= 0 ? lane_number(lanes, entry[0]) : 0;
    const double complex second = entry[1] >= 0 ? (entry[1] & 1 ? -1 : 1) * lane_number(lanes, entry[1] / 2) : 0;
    const double complex sum = weight[0] * first + weight[1] * second;
    const double complex turned = weight[1] * first - weight[0] * second;
    *c = sum + times_i(turned);
    *d = sum - times_i(turned);
}

/* Frequencies of a slot's elements by line_plan.h's rule; both the same for the real elements of slot 0 of pair 0. */
static int slot_frequency(const struct starfish_line_pairs *pairs, int p, int i)
{
    const int own = p > 0 ? p : i < (pairs->radix + 1) / 2 ? 0 : pairs->stride / 2;
    return own + pairs->stride * i;
}

/* Whether that slot stands for elements at all. */
static bool slot_counts(const struct starfish_line_pairs *pairs, int p, int i)
{
    return p > 0 || i < (pairs->radix + 1) / 2 || pairs->stride % 2 == 0;
}

static void analyse(const struct starfish_line_pairs *pairs, int length, const double complex *spectrum,
                    double complex *y)
{
    for (int p = 0; p < pairs->count; p++)
        for (int i = 0; i < pairs->radix; i++) {
            const int f = slot_frequency(pairs, p, i);
            const double complex half = length % 2 == 0 ? pairs->ratio * times_i(spectrum[length / 2]) : 0;
            if (!slot_counts(pairs, p, i))
                continue;
            if (f == 0)
                apply_slot(pairs, i * pairs->count + p, spectrum[0] + half, spectrum[0] - half, y);
            else
                apply_slot(pairs, i * pairs->count + p, spectrum[f], spectrum[length - f], y);
        }
}

static void synthesise(const struct starfish_line_pairs *pairs, int length, const struct lanes *lanes,
                       double complex *spectrum)
{
    for (int p = 0; p < pairs->count; p++)
        for (int i = 0; i < pairs->radix; i++) {
            const int f = slot_frequency(pairs, p, i);
            double complex c, d;
            if (!slot_counts(pairs, p, i))
                continue;
            undo_slot(pairs, i * pairs->count + p, lanes, &c, &d);
            spectrum[f] = f == 0 ? (c + d) / 2 : c;
            if (f > 0)
                spectrum[length - f] = d;
            else if (length % 2 == 0)
                spectrum[length / 2] = pairs->ratio * times_i(d - c) / 2;
        }
}

/* The places of a pair are those of the butterflies that its frequencies belong to. */
static void check_places(const struct starfish_line_pairs *pairs, const struct starfish_line_plan *plan, bool synthesis)
{
    const struct starfish_line_pass *last = &plan->pass[plan->passes - 1];
    for (int p = 0; p < pairs->count; p++)
        for (int which = 0; which < 2; which++) {
            const int f = which == 0 ? p : p > 0 ? pairs->stride - p : pairs->stride / 2;
            const int *start = plan->start + 2 * (synthesis ? plan->pass[0].first_start : last->first_start);
            const bool none = which == 1 && p == 0 && pairs->stride % 2 == 1;
            assert_int_equal(start[2 * f + 1], f);
            assert_int_equal(pairs->place[2 * p + which], none ? -1 : start[2 * f]);
        }
}

/* One direction of a kind by its tables around Fourier sums. */
static void transform_by_pairs(const struct starfish_transform_tables *tables,
                               enum starfish_transform_direction direction, double gain, const struct lanes *lanes,
                               double complex *y)
{
    const int length = (int)tables->shape.length;
    const bool synthesis = starfish_line_is_synthesis(tables, direction);
    const enum starfish_transform_direction other = (enum starfish_transform_direction)(1 - direction);
    const struct starfish_transform_combination *before = &tables->before[synthesis ? other : direction];
    const double *weight = before->p;
    struct starfish_line_plan plan;
    struct starfish_line_after after;
    struct starfish_line_pairs pairs;
    assert_int_equal(starfish_line_plan_create(&plan, length, 0, STARFISH_F64), STARFISH_SUCCESS);
    assert_int_equal(starfish_line_after_create(&after, tables, synthesis ? other : direction, STARFISH_F64),
                     STARFISH_SUCCESS);
    assert_int_equal(starfish_line_pairs_create(&pairs, &plan, &after, synthesis, gain, STARFISH_F64),
                     STARFISH_SUCCESS);
    check_places(&pairs, &plan, synthesis);
    double complex *line = malloc(2 * (size_t)length * sizeof *line), *spectrum = line + length;
    if (synthesis) {
        synthesise(&pairs, length, lanes, spectrum);
        for (int f = 0; f < length; f++)
            spectrum[f] = conj(spectrum[f]);
        fourier_sum((size_t)length, spectrum, 1, line);
        for (int j = 0; j < length; j++)
            y[before->first[j]] = weight[j] * conj(line[j]);
    } else {
        for (int j = 0; j < length; j++)
            line[j] = weight[j] * lane_number(lanes, before->first[j]);
        fourier_sum((size_t)length, line, 1, spectrum);
        analyse(&pairs, length, spectrum, y);
    }
    free(line);
    free(after.entry);
    free(after.weight);
    free(pairs.place);
    free(pairs.entry);
    free(pairs.weight);
    starfish_line_plan_destroy(&plan);
}

/* ---- Mirrored lines ---------------------------------------------------------------------------------------------- */
/* The first pass: pairs of butterflies from inputs of one of them, blocks up to radix / 2. */
static void run_mirrored_pass(const struct starfish_line_plan *plan, const double complex *line, double complex *places)
{
    const struct starfish_line_pass *pass = &plan->pass[0];
    const int *start = plan->start + 2 * pass->first_start;
    for (int j = 0; j < pass->butterflies; j++) {
        const int other = pass->span - j;
        double complex out[LONGEST_RADIX];
        fourier_sum((size_t)pass->radix, line + j, (size_t)pass->span, out);
        for (int s = 0; s < plan->kept; s++) {
            const double complex turn = factor(plan, pass, s, j);
            places[start[2 * j] + s * pass->step] = out[s] * turn;
            if (j > 0 && other != j)
                places[start[2 * other] + s * pass->step] =
                    plan->mirror * out[(pass->radix - s) % pass->radix] * conj(turn);
        }
    }
}

/* Both lanes of DCT-I or DST-I at once. */
static void transform_mirrored(const struct starfish_transform_tables *tables, const struct lanes *lanes,
                               double complex *y)
{
    const int length = (int)tables->shape.length;
    const struct starfish_transform_combination *before = &tables->before[0];
    struct starfish_line_plan plan;
    assert_int_equal(starfish_line_plan_create(&plan, length, tables->shape.mirror, STARFISH_F64), STARFISH_SUCCESS);
    double complex *line = malloc((size_t)(length + plan.places) * sizeof *line), *places = line + length;
    int *output = malloc((size_t)length * sizeof *output);
    for (int j = 0; j < length; j++)
        line[j] = ((const double *)before->p)[j] * lane_number(lanes, before->first[j]);
    for (int i = 0; i < plan.places; i++)
        places[i] = (double)NAN;
    run_mirrored_pass(&plan, line, places);
    for (int i = 1; i < plan.passes; i++)
        run_pass(&plan, &plan.pass[i], places);
    starfish_line_outputs(&plan, output);
    for (int f = 0; f < length; f++)
        if (output[f] >= 0) {
            const double complex value = places[plan.position[f]];
            y[output[f] / 2] =
                (output[f] & 1 ? -1 : 1) * (plan.mirror < 0 ? CMPLX(cimag(value), -creal(value)) : value);
        }
    free(line);
    free(output);
    starfish_line_plan_destroy(&plan);
}

static void check_lanes(enum starfish_transform_kind kind, size_t n, enum starfish_transform_direction direction,
                        bool mirrored)
{
    struct starfish_transform_tables tables;
    assert_int_equal(starfish_transform_tables_create(&tables, kind, n, STARFISH_F64, STARFISH_TRANSFORM_DOUBLED),
                     STARFISH_SUCCESS);
    double *in = malloc(6 * n * sizeof *in), *expected = in + 2 * n, *got = expected + 2 * n;
    double complex *y = malloc(n * sizeof *y);
    fill_samples(in, 2 * n, STARFISH_F64);
    for (size_t lane = 0; lane < 2; lane++)
        expected_line(kind, direction, n, lane * n, 1, 1, expected + lane * n);
    for (size_t k = 0; k < n; k++)
        y[k] = (double)NAN;

    const double gain = starfish_transform_scale(kind, n) / (double)tables.shape.length;
    if (mirrored)
        transform_mirrored(&tables, &(struct lanes){n, in, in + n}, y);
    else
        transform_by_pairs(&tables, direction, gain, &(struct lanes){n, in, in + n}, y);

    for (size_t k = 0; k < n; k++) {
        got[k] = creal(y[k]);
        got[n + k] = cimag(y[k]);
    }
    if (!(relative_error(got, expected, 2 * n) < transform_tolerance(n, STARFISH_F64)))
        fail_msg("%s, n = %zu, direction %d: %g", starfish_transform_name(kind), n, (int)direction,
                 relative_error(got, expected, 2 * n));
    free(in);
    free(y);
    starfish_transform_tables_destroy(&tables);
}

static void pairs_give_all_transforms_of_real_lines(void **state)
{
    (void)state;
    static const size_t sizes[] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 12, 13, 14, 15,
                                   16, 20, 21, 24, 27, 31, 35, 40, 63, 64, 70, 250};
    for (enum starfish_transform_kind kind = 0; kind < STARFISH_TRANSFORM_KINDS; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const struct starfish_transform_shape shape = starfish_transform_shape(kind, sizes[i]);
            for (int d = 0; d < 2 && shape.fft == STARFISH_FFT_REAL && starfish_line_fits(&shape); d++)
                check_lanes(kind, sizes[i], (enum starfish_transform_direction)d, false);
        }
}

static void mirrored_lines_give_the_transforms_between_nodes(void **state)
{
    (void)state;
    static const enum starfish_transform_kind kinds[] = {STARFISH_TRANSFORM_DD_NODE, STARFISH_TRANSFORM_NN_NODE};
    static const size_t sizes[] = {2,  3,  4,  5,  6,  8,  9,  10, 11, 13,  15,  17, 19,
                                   20, 24, 26, 31, 33, 41, 47, 63, 65, 124, 125, 126};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const struct starfish_transform_shape shape = starfish_transform_shape(kinds[k], sizes[i]);
            if (starfish_line_fits(&shape))
                check_lanes(kinds[k], sizes[i], STARFISH_FORWARD, true);
        }
}

static void what_does_not_fit_is_told(void **state)
{
    (void)state;
    const struct {
        size_t length;
        int mirror;
        bool fits;
    } cases[] = {{2, 0, true},   {512, 0, true}, {4096, 0, true},  {6144, 0, false}, {11, 0, false},
                 {22, 0, false}, {22, 1, false}, {8192, 0, false}, {8192, -1, true}, {16384, -1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct starfish_transform_shape shape = {STARFISH_FFT_REAL, cases[i].length, 0, 0, cases[i].mirror};
        assert_int_equal(starfish_line_fits(&shape), cases[i].fits);
    }
    const struct starfish_transform_shape none = {STARFISH_FFT_NONE, 0, 0, 0, 0};
    assert_false(starfish_line_fits(&none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_give_the_fourier_transform),
                                       cmocka_unit_test(pairs_give_all_transforms_of_real_lines),
                                       cmocka_unit_test(mirrored_lines_give_the_transforms_between_nodes),
                                       cmocka_unit_test(what_does_not_fit_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
