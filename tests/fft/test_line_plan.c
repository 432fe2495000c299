/* The tables by which the CUDA version transforms a line, carried out here one butterfly after the other, against the
 * Fourier sum. */
#include "cases.h"
#include "fft/line_plan.h"

#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { LONGEST_RADIX = 8 };
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
    assert_int_equal(starfish_line_plan_create(&plan, n, STARFISH_F64), STARFISH_SUCCESS);
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
    static const int lengths[] = {1,  2,  3,  4,  5,   6,   7,   8,   9,   10,  16,
                                  30, 49, 60, 96, 125, 210, 243, 384, 512, 640, 1000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        check(lengths[i]);
}

static void what_does_not_fit_is_told(void **state)
{
    (void)state;
    const struct {
        size_t length;
        bool fits;
    } cases[] = {{2, true}, {512, true}, {4096, true}, {6144, false}, {11, false}, {22, false}, {8192, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct starfish_transform_shape shape = {STARFISH_FFT_REAL, cases[i].length, 0, 0};
        assert_int_equal(starfish_line_fits(&shape), cases[i].fits);
    }
    const struct starfish_transform_shape none = {STARFISH_FFT_NONE, 0, 0, 0};
    assert_false(starfish_line_fits(&none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_give_the_fourier_transform),
                                       cmocka_unit_test(what_does_not_fit_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
