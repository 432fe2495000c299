/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Q1 multigrid on a context: Chebyshev steps, and cycles as preconditioners of conjugate gradients. */
#include "tests/multigrid/solve_cases.h"
#include "tests/multigrid/solve_problems.h"
#include "tests/multigrid/variants.h"

#include "multigrid/kernels/q1_kind.h"
#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Chebyshev --------------------------------------------------------------------------------------------------- */

/* The product of 1 - w lambda over the first `count` of `steps` steps. */
static double polynomial(double part, double high, int steps, int count, double lambda)
{
    const struct starfish_smoothing smoothing = {.smoother = STARFISH_SMOOTHER_CHEBYSHEV, .damping = part};
    double product = 1;

    for (int i = 0; i < count; i++)
        product *= 1 - starfish_grid_damping(&smoothing, high, i, steps) * lambda;
    return product;
}

/* Of all polynomials that are 1 at 0 the one that is smallest on the interval, where it is at most 1 / T(x), T(x) =
 * cosh(m acosh x). */
static void chebyshev_steps_make_the_polynomial(void **state)
{
    (void)state;
    enum { POINTS = 4000 };
    const double part = 0.4, high = 1.7, expected_at = (1 + part) / (1 - part);
    for (int steps = 1; steps <= 12; steps++) {
        double largest = 0;
        for (int p = 0; p <= POINTS; p++) {
            const double lambda = high * (part + (1 - part) * p / POINTS);
            largest = fmax(largest, fabs(polynomial(part, high, steps, steps, lambda)));
        }
        assert_true(fabs(largest * cosh(steps * acosh(expected_at)) - 1) <= 1e-9);
    }
    /* no eigenvector grows on the way, however many steps: rounding errors do not */
    for (int pairs = 1; pairs <= 50; pairs++)
        for (int p = 0; p <= 100; p++)
            assert_true(fabs(polynomial(part, high, 100, 2 * pairs, high * p / 100)) <= 1 + 1e-12);
}

/* Nor does one grow by more than the interval is long, where that is long. */
static void chebyshev_steps_bear_long_intervals(void **state)
{
    static const int counts[] = {17, 40, 100, 473, 1000};
    enum { POINTS = 300 };

    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const double part = 4.0 / counts[c] / counts[c], high = 1.7;
        const struct starfish_smoothing smoothing = {.smoother = STARFISH_SMOOTHER_CHEBYSHEV, .damping = part};
        double product[POINTS + 1];
        for (int p = 0; p <= POINTS; p++)
            product[p] = 1;
        for (int i = 0; i < counts[c]; i++) {
            const double step = starfish_grid_damping(&smoothing, high, i, counts[c]);
            for (int p = 0; p <= POINTS; p++) {
                product[p] *= 1 - step * high * p / POINTS;
                assert_true(fabs(product[p]) <= 1 / part);
            }
        }
        for (int p = (int)ceil(POINTS * part); p <= POINTS; p++)
            assert_true(fabs(product[p]) <= 0.1);
    }
}

/* With as many steps as Jacobi a cycle reduces the residual at least as much, in every precision, tail or not. In
 * single precision cycles are counted only: they end before their factor settles. */
static void chebyshev_is_no_worse_than_jacobi(void **state)
{
    (void)state;
    static const struct {
        starfish_precision precision;
        int mixed;
    } precisions[] = {{STARFISH_F64, 0}, {STARFISH_F64, 1}, {STARFISH_F32, 0}};
    for (int p = 0; p < 3; p++)
        for (int steps = 1; steps <= 4; steps++)
            for (int tail = 0; tail < 2; tail++) {
                struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
                struct starfish_result jacobi = STARFISH_RESULT_DEFAULTS, chebyshev = STARFISH_RESULT_DEFAULTS;
                options.precision = precisions[p].precision;
                options.mixed = precisions[p].mixed;
                options.inner_cycles = 1;
                options.before = options.after = steps;
                options.tail = tail ? 100000 : 1;
                options.slabs = 3;
                options.tolerance = p == 2 ? 1e-3 : 1e-8; /* single precision ends at 1e-4 */
                options.smoother = STARFISH_SMOOTHER_JACOBI;
                test_q1_error_of("U1", 6, &options, &jacobi);
                options.smoother = STARFISH_SMOOTHER_CHEBYSHEV;
                test_q1_error_of("U1", 6, &options, &chebyshev);
                assert_int_equal(test_q1_chosen.smoother, STARFISH_SMOOTHER_CHEBYSHEV);
                if (!(chebyshev.residual <= options.tolerance && chebyshev.iterations <= jacobi.iterations &&
                      (p == 2 || chebyshev.factor <= jacobi.factor)))
                    fail_msg("%d steps: %d cycles by %.4f, Jacobi %d by %.4f", steps, chebyshev.iterations,
                             chebyshev.factor, jacobi.iterations, jacobi.factor);
            }
}

/* ---- Conjugate gradients ----------------------------------------------------------------------------------------- */

/* Where cycles alone are slow; the error is as small. Mixed precision with one cycle in f32 for each step. */
static void conjugate_gradients_take_fewer_cycles(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int fewer;
    } cases[] = {{"A4", 3}, {"A5", 4}, {"U1", 1}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int variant = 0; variant < 4; variant++) {
            struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
            struct starfish_result alone = STARFISH_RESULT_DEFAULTS, info = STARFISH_RESULT_DEFAULTS;
            options.smoother = STARFISH_SMOOTHER_ADI;
            options.mixed = variant % 2;
            options.inner_cycles = 1;
            options.tail = variant / 2 ? 1 : 0;
            const double error = test_q1_error_of(cases[c].name, 7, &options, &alone);
            options.krylov = STARFISH_KRYLOV_CG;
            test_q1_assert_error(cases[c].name, 7, test_q1_error_of(cases[c].name, 7, &options, &info), error, 1e-4);
            assert_int_equal(info.count, info.iterations + 1);
            assert_int_equal(info.corrections, variant % 2 ? info.iterations : 0);
            if (!(info.residual <= 1e-8 && info.iterations <= alone.iterations - cases[c].fewer))
                fail_msg("%s: %d cycles instead of %d", cases[c].name, info.iterations, alone.iterations);
        }
}

/* Every symmetric cycle, cut in every way, against elimination. */
static void conjugate_gradients_solve(void **state)
{
    (void)state;
    static const starfish_smoother smoothers[] = {STARFISH_SMOOTHER_AUTO,   STARFISH_SMOOTHER_ADI,
                                                  STARFISH_SMOOTHER_LINE_X, STARFISH_SMOOTHER_LINE_Y,
                                                  STARFISH_SMOOTHER_JACOBI, STARFISH_SMOOTHER_CHEBYSHEV};
    struct test_q1_mesh mesh;
    test_q1_random(&mesh, 34, 43, 6, 1.5, 0);
    for (int w = 0; w < 2; w++)
        for (size_t s = 0; s < sizeof smoothers / sizeof smoothers[0]; s++)
            for (size_t v = 0; v < TEST_VARIANTS; v++) {
                struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
                options.krylov = STARFISH_KRYLOV_CG;
                options.cycle = w ? STARFISH_CYCLE_W : STARFISH_CYCLE_V;
                options.smoother = smoothers[s];
                test_variant_set(&options, v);
                options.before = options.after = options.before > 0 ? options.before : options.after; /* symmetric */
                options.tolerance = 1e-9;
                test_q1_against_elimination(&mesh, &options, 1e-6);
            }
    test_q1_free(&mesh);
}

/* BiCGStab with cycles that no conjugate gradients would take: other shapes, steps on one side, Gauss-Seidel. */
static void bicgstab_solves(void **state)
{
    static const struct {
        starfish_cycle_shape shape;
        starfish_smoother smoother;
        int before, after;
        int mixed;
        size_t blocks;
    } variants[] = {{STARFISH_CYCLE_V, STARFISH_SMOOTHER_AUTO, 2, 0, 0, 3},
                    {STARFISH_CYCLE_F, STARFISH_SMOOTHER_ADI, 1, 1, 1, 1},
                    {STARFISH_CYCLE_W, STARFISH_SMOOTHER_JACOBI, 0, 1, 0, 0},
                    {STARFISH_CYCLE_V, STARFISH_SMOOTHER_GAUSS_SEIDEL, 1, 2, 1, 2}};
    struct test_q1_mesh mesh;
    (void)state;

    test_q1_random(&mesh, 34, 43, 6, 1.5, 0);
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
        options.krylov = STARFISH_KRYLOV_BICGSTAB;
        options.cycle = variants[v].shape;
        options.smoother = variants[v].smoother;
        options.before = variants[v].before;
        options.after = variants[v].after;
        options.mixed = variants[v].mixed;
        options.slabs = variants[v].blocks;
        options.tolerance = 1e-9;
        test_q1_against_elimination(&mesh, &options, 1e-6);
    }
    test_q1_free(&mesh);
}

int test_multigrid_accelerations(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chebyshev_steps_make_the_polynomial), cmocka_unit_test(chebyshev_steps_bear_long_intervals),
        cmocka_unit_test(chebyshev_is_no_worse_than_jacobi),   cmocka_unit_test(conjugate_gradients_take_fewer_cycles),
        cmocka_unit_test(conjugate_gradients_solve),           cmocka_unit_test(bicgstab_solves),
    };

    return cmocka_run_group_tests_name("accelerations", tests, NULL, NULL);
}
