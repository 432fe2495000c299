/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms as products of matrices (transform_products.h) against the definition: what the CUDA version computes,
 * checked without a GPU. And which lengths have products. */
#include "cases.h"
#include "fft/kernels/transform_products.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MOST = 133 };

static bool is_paired(const struct starfish_transform_products *p, size_t i)
{
    return i >= p->skip && i - p->skip < p->odd;
}

/* Entry of E (half 0) or O for mode m of the half and its element i. */
static double entry(const struct starfish_transform_products *p, int direction, int half, size_t m, size_t i)
{
    const size_t start = half == 0 ? 0 : p->even * p->even;
    return p->matrix[direction][start + m * (half == 0 ? p->even : p->odd) + i];
}

static void forward(const struct starfish_transform_products *p, const double *x, double *modes)
{
    for (size_t k = 0; k < p->n; k++)
        modes[k] = 0;
    for (size_t i = 0; i < p->even; i++) {
        const double sum = x[i] + (is_paired(p, i) ? x[p->reflect - i] : 0);
        for (size_t m = 0; m < p->even; m++)
            modes[p->step * m] += entry(p, STARFISH_FORWARD, 0, m, i) * sum;
        for (size_t m = 0; m < p->odd && is_paired(p, i); m++)
            modes[p->first_odd + p->step * m] +=
                entry(p, STARFISH_FORWARD, 1, m, i - p->skip) * (x[i] - x[p->reflect - i]);
    }
}

static void backward(const struct starfish_transform_products *p, const double *modes, double *x)
{
    for (size_t i = 0; i < p->even; i++) {
        double sum = 0, difference = 0;
        for (size_t m = 0; m < p->even; m++)
            sum += entry(p, STARFISH_BACKWARD, 0, m, i) * modes[p->step * m];
        for (size_t m = 0; m < p->odd && is_paired(p, i); m++)
            difference += entry(p, STARFISH_BACKWARD, 1, m, i - p->skip) * modes[p->first_odd + p->step * m];
        x[i] = sum + difference;
        if (is_paired(p, i))
            x[p->reflect - i] = sum - difference;
    }
}

static void check(enum starfish_transform_kind kind, size_t n)
{
    struct starfish_transform_products p;
    double in[MOST] = {0}, out[MOST], expected[MOST];
    assert_int_equal(starfish_transform_products_create(&p, kind, n), STARFISH_SUCCESS);
    assert_int_equal(p.even + p.odd, n);
    fill_samples(in, n, STARFISH_F64);
    for (int direction = 0; direction < 2; direction++) {
        poison(out, n, STARFISH_F64);
        (direction == STARFISH_FORWARD ? forward : backward)(&p, in, out);
        expected_line(kind, (enum starfish_transform_direction)direction, n, 0, 1, 1, expected);
        const double error = relative_error(out, expected, n);
        if (error > transform_tolerance(n, STARFISH_F64))
            fail_msg("%s direction %d n %zu: error %g", starfish_transform_name(kind), direction, n, error);
    }
    starfish_transform_products_destroy(&p);
}

static void products_follow_the_definition(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 31, 32, 128, 131, MOST};
    for (int kind = 0; kind < STARFISH_TRANSFORM_KINDS; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            if (valid_size((enum starfish_transform_kind)kind, sizes[i]))
                check((enum starfish_transform_kind)kind, sizes[i]);
}

static void equal_ends_halve_the_matrices(void **state)
{
    (void)state;
    const struct {
        size_t n, even;
        enum starfish_transform_kind kind;
    } cases[] = {{9, 5, STARFISH_TRANSFORM_PERIODIC},
                 {8, 5, STARFISH_TRANSFORM_PERIODIC},
                 {9, 5, STARFISH_TRANSFORM_NN_CELL},
                 {8, 4, STARFISH_TRANSFORM_DD_NODE},
                 {8, 8, STARFISH_TRANSFORM_DN_NODE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(starfish_transform_products_shape(cases[i].kind, cases[i].n).even, cases[i].even);
}

static void lengths_with_large_factors_have_products(void **state)
{
    (void)state;
    const struct {
        size_t n;
        enum starfish_transform_kind kind;
        int has;
    } cases[] = {{512, STARFISH_TRANSFORM_PERIODIC, 0}, {509, STARFISH_TRANSFORM_PERIODIC, 1},
                 {513, STARFISH_TRANSFORM_NN_NODE, 0},  {500, STARFISH_TRANSFORM_NN_NODE, 1},
                 {500, STARFISH_TRANSFORM_DD_NODE, 1},  {500, STARFISH_TRANSFORM_DN_CELL, 0},
                 {127, STARFISH_TRANSFORM_PERIODIC, 0}, {2503, STARFISH_TRANSFORM_PERIODIC, 0},
                 {509, STARFISH_TRANSFORM_IDENTITY, 0}, {509, STARFISH_TRANSFORM_DN_CELL, 1},
                 {521, STARFISH_TRANSFORM_DN_CELL, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(starfish_transform_has_products(cases[i].kind, cases[i].n, STARFISH_F64), cases[i].has);
    assert_false(starfish_transform_has_products(STARFISH_TRANSFORM_PERIODIC, 509, STARFISH_F32));
}

static void groups_fit_their_work_space(void **state)
{
    (void)state;
    const enum starfish_transform_kind kind = STARFISH_TRANSFORM_PERIODIC;
    for (size_t lines = 1; lines < (size_t)1 << 20; lines = 3 * lines + 1) {
        const size_t group = starfish_transform_products_group(509, lines);
        assert_in_range(group, lines < 1000 ? lines : 1000, lines);
        assert_in_range(starfish_transform_cuda_workspace(kind, 509, lines, STARFISH_F64), group * 509 * sizeof(double),
                        (size_t)512 << 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_follow_the_definition),
        cmocka_unit_test(equal_ends_halve_the_matrices),
        cmocka_unit_test(lengths_with_large_factors_have_products),
        cmocka_unit_test(groups_fit_their_work_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
