/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 3D multigrid on a context: how fast it converges, on stretched boxes and with smoothers by planes too. */
#include "tests/multigrid/flux_boxes.h"
#include "tests/multigrid/flux_solve_cases.h"

#include "base/real.h"
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

/* ---- How fast ---------------------------------------------------------------------------------------------------- */

/* Factors of V cycles on the cube with Dirichlet ends, as they were when the solver was written, and a little more. */
static void factors_are_as_stored(void **state)
{
    (void)state;
    static const struct {
        starfish_smoother smoother;
        int steps, gradients;
        double most;
    } cases[] = {{STARFISH_SMOOTHER_GAUSS_SEIDEL, 1, 0, 0.09}, {STARFISH_SMOOTHER_GAUSS_SEIDEL, 2, 0, 0.045},
                 {STARFISH_SMOOTHER_GAUSS_SEIDEL, 1, 1, 0.16}, {STARFISH_SMOOTHER_JACOBI, 1, 0, 0.47},
                 {STARFISH_SMOOTHER_CHEBYSHEV, 2, 0, 0.2},     {STARFISH_SMOOTHER_CHEBYSHEV, 2, 1, 0.09},
                 {STARFISH_SMOOTHER_LINE_X, 1, 0, 0.47},       {STARFISH_SMOOTHER_ADI, 1, 0, 0.12}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t n = 31; n <= 63; n = 2 * n + 1) {
            struct starfish_multigrid_options options = test_box_options(cases[c].smoother, cases[c].steps, 1e-9);
            struct starfish_result info = STARFISH_RESULT_DEFAULTS;
            struct test_box box;
            test_box_make_cube(&box, n, DD);
            options.krylov = cases[c].gradients ? STARFISH_KRYLOV_CG : STARFISH_KRYLOV_NONE;
            assert_true(test_box_recover(&box, &options, &info) < 1e-5);
            if (!(info.factor < cases[c].most))
                fail_msg("smoother %d, %d steps, cg %d, %zu^3: factor %.3f", (int)cases[c].smoother, cases[c].steps,
                         cases[c].gradients, n, info.factor);
            test_box_free(&box);
        }
}

/* Cells a thousand times as long as wide in one direction or in two; and widths that differ by 1000 along a
 * direction. */
static void anisotropy_does_no_harm(void **state)
{
    (void)state;
    static const struct {
        double scale[3], stretch[3];
        starfish_smoother smoother, chosen;
        int most;
    } cases[] = {{{1, 1, 0.001}, {1, 1, 1}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_GAUSS_SEIDEL, 13},
                 {{1, 1, 1000}, {1, 1, 1}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_GAUSS_SEIDEL, 13},
                 {{1, 30, 1000}, {1, 1, 1}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_GAUSS_SEIDEL, 13},
                 {{1, 1, 0.01}, {1, 1, 1}, STARFISH_SMOOTHER_LINE_Z, STARFISH_SMOOTHER_LINE_Z, 16},
                 {{1, 1, 1}, {1, 1, 1000}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_LINE_Z, 16},
                 {{1, 1, 1}, {1, 1000, 1}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_LINE_Y, 16},
                 {{1, 1, 1}, {1000, 1, 1}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_LINE_X, 16},
                 {{1, 1, 1}, {10, 10, 10}, STARFISH_SMOOTHER_AUTO, STARFISH_SMOOTHER_ADI, 21}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct starfish_multigrid_options options = test_box_options(cases[c].smoother, 2, 1e-9);
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        struct test_box box;
        test_box_make(&box, STARFISH_CELL, (const size_t[]){31, 32, 33}, (const enum test_ends[]){DD, DN, DD},
                      cases[c].stretch);
        test_box_scale(&box, cases[c].scale);
        test_box_recover(&box, &options, &info);
        assert_int_equal(test_box_chosen.smoother, cases[c].chosen);
        if (!(info.iterations <= cases[c].most))
            fail_msg("case %zu: %d cycles", c, info.iterations);
        test_box_free(&box);
    }
}

/* ---- Planes ------------------------------------------------------------------------------------------------------ */

/* Planes that are lines and hardly coupled to each other: a sweep solves them exactly, which one cycle of damping 1
 * shows. */
static void planes_of_one_line_are_solved(void **state)
{
    (void)state;
    for (int along = 0; along < 3; along++)
        for (int across = 0; across < 3; across++) {
            if (along == across)
                continue;
            for (int ends = 0; ends < ENDS; ends++) {
                struct starfish_multigrid_options options = test_box_options(STARFISH_SMOOTHER_PLANE, 1, 0);
                size_t n[3] = {1, 1, 1};
                double scale[3] = {1, 1, 1}, width[3] = {1, 1, 1};
                enum test_ends all[3] = {NN, NN, NN};
                struct test_box box;
                n[along] = 41;
                n[across] = 7;
                scale[across] = 1e7;
                width[along] = 5;
                all[along] = (enum test_ends)ends;
                test_box_make(&box, STARFISH_CELL, n, all, width);
                test_box_scale(&box, scale);
                box.problem.reaction = 3;
                options.damping = 1;
                options.max_iterations = 1;
                const double error = test_box_recover(&box, &options, NULL);
                if (!(error < 1e-9))
                    fail_msg("along %d, across %d, ends %d: error %g", along, across, ends, error);
                test_box_free(&box);
            }
        }
}

/* Factors as they were when it was written, and a little more. Planes hardly coupled are as good as alone: what is left
 * is the factor of the cycle in them, twice. */
static void plane_factors_are_as_stored(void **state)
{
    (void)state;
    static const struct {
        size_t n[3];
        double scale[3], stretch[3];
        int steps, gradients;
        double damping, most;
    } cases[] = {{{32, 32, 32}, {1, 1, 1}, {1, 1, 1}, 1, 0, 0, 0.035},
                 {{32, 32, 32}, {1, 1, 1}, {1, 1000, 1000}, 1, 0, 0, 0.004},
                 {{31, 32, 33}, {1, 1, 1}, {1000, 1, 1000}, 1, 0, 0, 0.005},
                 {{33, 31, 32}, {1, 1, 1}, {1000, 1000, 1}, 1, 0, 0, 0.004},
                 {{32, 32, 32}, {1, 1, 1}, {1000, 1000, 1000}, 1, 0, 0, 0.006},
                 {{32, 32, 32}, {1, 1, 1}, {1, 1000, 1000}, 1, 1, 0, 0.005},
                 {{32, 32, 32}, {1, 1, 0.001}, {1, 1, 1}, 1, 0, 0, 0.0002},
                 {{32, 32, 32}, {1, 30, 1000}, {1, 1, 1}, 1, 0, 0, 0.0002},
                 {{8, 32, 32}, {1e5, 1, 1}, {1, 1, 1}, 1, 0, 1, 0.003},
                 {{32, 8, 32}, {1, 1e5, 1}, {1, 1, 1}, 1, 0, 1, 0.003},
                 {{32, 32, 8}, {1, 1, 1e5}, {1, 1, 1}, 1, 0, 1, 0.003}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct starfish_multigrid_options options = test_box_options(STARFISH_SMOOTHER_PLANE, cases[c].steps, 1e-9);
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        struct test_box box;
        test_box_make(&box, STARFISH_CELL, cases[c].n, (const enum test_ends[]){DD, DN, DD}, cases[c].stretch);
        test_box_scale(&box, cases[c].scale);
        options.krylov = cases[c].gradients ? STARFISH_KRYLOV_CG : STARFISH_KRYLOV_NONE;
        options.damping = cases[c].damping;
        test_box_recover(&box, &options, &info);
        assert_int_equal(test_box_chosen.smoother, STARFISH_SMOOTHER_PLANE);
        if (!(info.factor < cases[c].most))
            fail_msg("case %zu: factor %.4f", c, info.factor);
        test_box_free(&box);
    }
}

/* The number of cycles does not grow with the grid. */
static void cycles_do_not_grow(void **state)
{
    (void)state;
    int before = 0;
    for (size_t n = 15; n <= 95; n = 2 * n + 1) {
        const struct starfish_multigrid_options options = test_box_options(STARFISH_SMOOTHER_AUTO, 1, 1e-8);
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        struct test_box box;
        test_box_make_cube(&box, n, DD);
        test_box_recover(&box, &options, &info);
        assert_true(before == 0 || info.iterations <= before + 1);
        before = info.iterations;
        test_box_free(&box);
    }
    assert_true(before <= 9);
}

int test_flux_factors(int small)
{
    const struct CMUnitTest large[] = {
        cmocka_unit_test(anisotropy_does_no_harm),
        cmocka_unit_test(factors_are_as_stored),
        cmocka_unit_test(cycles_do_not_grow),
        cmocka_unit_test(plane_factors_are_as_stored),
    };
    const struct CMUnitTest tests[] = {cmocka_unit_test(planes_of_one_line_are_solved)};

    const int failed = cmocka_run_group_tests_name("3D factors", tests, NULL, NULL);
    return failed + (small ? 0 : cmocka_run_group_tests_name("large 3D factors", large, NULL, NULL));
}
