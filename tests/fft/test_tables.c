/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of transform_tables.h, with an FFT between them, against the definition: what the CUDA version computes,
 * checked without a GPU. And the oracle itself against FFTW's r2r, so that the kinds mean what transform.h says. */
#include "cases.h"
#include "fft/kernels/transform_tables.h"

#include <fftw3.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const size_t large[] = {64, 97, 100, 128, 255, 256};

static void combine(const struct starfish_transform_combination *table, const double *in, double *out)
{
    const double *p = table->p, *q = table->q;
    for (size_t i = 0; i < table->length; i++)
        out[i] = p[i] * in[table->first[i]] + q[i] * in[table->second[i]];
}

static void fourier(const struct starfish_transform_shape *shape, double *line, double *spectrum)
{
    int length = (int)shape->length;
    fftw_plan plan =
        shape->fft == STARFISH_FFT_REAL
            ? fftw_plan_dft_r2c_1d(length, line, (fftw_complex *)spectrum, FFTW_ESTIMATE)
            : fftw_plan_dft_1d(length, (fftw_complex *)line, (fftw_complex *)spectrum, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
}

static void check_indices(const struct starfish_transform_combination *table, size_t length, size_t inputs)
{
    assert_int_equal(table->length, length);
    for (size_t i = 0; i < length; i++) {
        assert_in_range(table->first[i], 0, inputs - 1);
        assert_in_range(table->second[i], 0, inputs - 1);
    }
}

static void check_tables(enum starfish_transform_kind kind, enum starfish_transform_direction direction, size_t n)
{
    struct starfish_transform_tables tables;
    assert_int_equal(starfish_transform_tables_create(&tables, kind, n, STARFISH_F64, STARFISH_TRANSFORM_DOUBLED),
                     STARFISH_SUCCESS);
    double *in = calloc(2 * n, sizeof *in), *out = in + n, expected[256] = {0};
    fill_samples(in, n, STARFISH_F64);
    expected_line(kind, direction, n, 0, 1, 1, expected);
    if (tables.shape.fft == STARFISH_FFT_NONE) {
        for (size_t i = 0; i < n; i++)
            out[i] = tables.gain[direction] * in[i];
    } else {
        double *line = fftw_alloc_real(2 * tables.shape.line), *spectrum = line + tables.shape.line;
        check_indices(&tables.before[direction], tables.shape.inputs, n);
        check_indices(&tables.after[direction], n, tables.shape.line);
        combine(&tables.before[direction], in, line);
        fourier(&tables.shape, line, spectrum);
        combine(&tables.after[direction], spectrum, out);
        fftw_free(line);
    }
    double error = relative_error(out, expected, n);
    if (error > transform_tolerance(n, STARFISH_F64))
        fail_msg("%s direction %d n %zu: error %g", starfish_transform_name(kind), (int)direction, n, error);
    free(in);
    starfish_transform_tables_destroy(&tables);
}

static void tables_follow_the_definition(void **state)
{
    (void)state;
    for (int kind = 0; kind < STARFISH_TRANSFORM_KINDS; kind++)
        for (size_t i = 1; i <= 40 + sizeof large / sizeof large[0]; i++) {
            size_t n = i <= 40 ? i : large[i - 41];
            for (int direction = 0; direction < 2; direction++)
                if (valid_size((enum starfish_transform_kind)kind, n))
                    check_tables((enum starfish_transform_kind)kind, (enum starfish_transform_direction)direction, n);
        }
}

static const fftw_r2r_kind fftw_kinds[STARFISH_TRANSFORM_IDENTITY][2] = {
    [STARFISH_TRANSFORM_PERIODIC] = {FFTW_R2HC, FFTW_HC2R},
    [STARFISH_TRANSFORM_DD_NODE] = {FFTW_RODFT00, FFTW_RODFT00},
    [STARFISH_TRANSFORM_NN_NODE] = {FFTW_REDFT00, FFTW_REDFT00},
    [STARFISH_TRANSFORM_DN_NODE] = {FFTW_RODFT01, FFTW_RODFT10},
    [STARFISH_TRANSFORM_ND_NODE] = {FFTW_REDFT01, FFTW_REDFT10},
    [STARFISH_TRANSFORM_DD_CELL] = {FFTW_RODFT10, FFTW_RODFT01},
    [STARFISH_TRANSFORM_NN_CELL] = {FFTW_REDFT10, FFTW_REDFT01},
    [STARFISH_TRANSFORM_DN_CELL] = {FFTW_RODFT11, FFTW_RODFT11},
    [STARFISH_TRANSFORM_ND_CELL] = {FFTW_REDFT11, FFTW_REDFT11},
};

static void definition_is_that_of_fftw(void **state)
{
    (void)state;
    for (int kind = 0; kind < STARFISH_TRANSFORM_IDENTITY; kind++)
        for (int direction = 0; direction < 2; direction++)
            for (int n = 2; n <= 17; n++) {
                double in[17] = {0}, out[17] = {0}, expected[17] = {0};
                fftw_plan plan = fftw_plan_r2r_1d(n, in, out, fftw_kinds[kind][direction], FFTW_ESTIMATE);
                fill_samples(in, (size_t)n, STARFISH_F64);
                fftw_execute(plan);
                fftw_destroy_plan(plan);
                expected_line((enum starfish_transform_kind)kind, (enum starfish_transform_direction)direction,
                              (size_t)n, 0, 1, 1, expected);
                assert_true(relative_error(out, expected, (size_t)n) <= transform_tolerance((size_t)n, STARFISH_F64));
            }
}

static void periodic_forward_needs_no_combination_before(void **state)
{
    (void)state;
    struct starfish_transform_tables tables;
    assert_int_equal(starfish_transform_tables_create(&tables, STARFISH_TRANSFORM_PERIODIC, 30, STARFISH_F32,
                                                      STARFISH_TRANSFORM_DOUBLED),
                     STARFISH_SUCCESS);
    assert_int_equal(tables.before[STARFISH_FORWARD].terms, 0);
    assert_int_equal(tables.after[STARFISH_FORWARD].terms, 1);
    starfish_transform_tables_destroy(&tables);
}

static void invalid_arguments_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        int kind, precision;
    } cases[] = {
        {1, STARFISH_TRANSFORM_NN_NODE, STARFISH_F64},
        {0, STARFISH_TRANSFORM_PERIODIC, STARFISH_F64},
        {(size_t)1 << 40, STARFISH_TRANSFORM_PERIODIC, STARFISH_F64},
        {8, STARFISH_TRANSFORM_KINDS, STARFISH_F64},
        {8, STARFISH_TRANSFORM_PERIODIC, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct starfish_transform_tables tables;
        assert_int_equal(starfish_transform_tables_create(&tables, (enum starfish_transform_kind)cases[i].kind,
                                                          cases[i].n, (starfish_precision)cases[i].precision,
                                                          STARFISH_TRANSFORM_RUNNING),
                         STARFISH_ERROR_ARGUMENT);
        starfish_transform_tables_destroy(&tables);
    }
}

static void groups_stay_small_and_cover_the_batch(void **state)
{
    (void)state;
    static const size_t lines[] = {0, 1, 7, 4096, 32641, 32768, 262144, 262139};
    enum { PRIME = 1031 }; /* goes through cuFFT, as lines of 512 do not */
    struct starfish_transform_shape shape = starfish_transform_shape(STARFISH_TRANSFORM_PERIODIC, PRIME);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        size_t group = starfish_transform_group(&shape, lines[i], STARFISH_F64);
        assert_in_range(group, 1, ((size_t)128 << 20) / (shape.line * sizeof(double)));
        assert_int_equal(starfish_transform_cuda_workspace(STARFISH_TRANSFORM_PERIODIC, PRIME, lines[i], STARFISH_F64),
                         group * shape.line * sizeof(double));
        assert_int_equal(starfish_transform_cuda_workspace(STARFISH_TRANSFORM_PERIODIC, 512, lines[i], STARFISH_F64),
                         0);
    }
    assert_int_equal(starfish_transform_group(&shape, 32768, STARFISH_F64), 8192);
    assert_int_equal(starfish_transform_cuda_workspace(STARFISH_TRANSFORM_IDENTITY, 512, 100, STARFISH_F64), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definition_is_that_of_fftw),
        cmocka_unit_test(tables_follow_the_definition),
        cmocka_unit_test(periodic_forward_needs_no_combination_before),
        cmocka_unit_test(invalid_arguments_are_refused),
        cmocka_unit_test(groups_stay_small_and_cover_the_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
