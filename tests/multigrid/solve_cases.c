/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Q1 multigrid on a context: problems of every kind against elimination, options, cuts into tasks. */
#include "tests/multigrid/solve_cases.h"
#include "tests/multigrid/solve_problems.h"
#include "tests/multigrid/variants.h"

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

/* Sizes that are no powers of two, every set of ends, variable coefficients. */
static void every_problem_is_solved(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{2, 2}, {3, 2}, {5, 40}, {37, 3}, {33, 50}, {64, 21}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int neumann = 0; neumann < 16; neumann++) {
            struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
            struct test_q1_mesh mesh;
            test_q1_random(&mesh, sizes[s][0], sizes[s][1], neumann, 10, neumann % 2);
            options.tolerance = 1e-10;
            options.mixed = neumann % 3 == 2;
            options.tail = neumann % 2 ? 50 : 0;
            test_q1_against_elimination(&mesh, &options, 1e-6);
            test_q1_free(&mesh);
        }
}

static int in_three_dimensions(int smoother)
{
    return smoother == STARFISH_SMOOTHER_LINE_Z || smoother == STARFISH_SMOOTHER_PLANE;
}

/* All ways of walking, cutting and smoothing lead to the same solution. */
static void every_option_solves(void **state)
{
    (void)state;
    struct test_q1_mesh mesh;
    test_q1_random(&mesh, 34, 43, 6, 1.5, 0);
    size_t combination = 0;
    for (int shape = STARFISH_CYCLE_V; shape <= STARFISH_CYCLE_FMG; shape++)
        for (int smoother = STARFISH_SMOOTHER_AUTO; smoother < STARFISH_SMOOTHERS; smoother++)
            for (size_t variant = 0; variant < TEST_VARIANTS; variant++) {
                struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
                options.cycle = (starfish_cycle_shape)shape;
                options.smoother = (starfish_smoother)smoother;
                test_variant_set(&options, variant);
                if (in_three_dimensions(smoother) || combination++ % test_q1_every != 0)
                    continue;
                options.stored_diagonal = variant % 3 == 0 && smoother != STARFISH_SMOOTHER_ZEBRA;
                if (options.mixed && !options.stored_diagonal && smoother != STARFISH_SMOOTHER_GAUSS_SEIDEL &&
                    smoother != STARFISH_SMOOTHER_ZEBRA)
                    options.storage = variant == 1 ? STARFISH_STORAGE_F16 : STARFISH_STORAGE_BF16;
                options.tolerance = 1e-9;
                options.max_iterations = 200;
                test_q1_against_elimination(&mesh, &options, 1e-6);
            }
    test_q1_free(&mesh);
}

/* Tasks of parts of a grid do what one task of all of it does: bit by bit, but for lines, which are solved in
 * groups. */
static void cuts_change_nothing(void **state)
{
    (void)state;
    static const size_t blocks[] = {2, 7, 16};
    struct test_q1_mesh mesh;
    test_q1_random(&mesh, 90, 75, 9, 2, 1);
    double *whole = calloc(mesh.count, sizeof *whole), *cut = calloc(mesh.count, sizeof *cut);
    for (int smoother = STARFISH_SMOOTHER_ADI; smoother < STARFISH_SMOOTHERS; smoother++)
        for (int mixed = 0; mixed < 2 && !in_three_dimensions(smoother); mixed++)
            for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
                struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
                options.smoother = (starfish_smoother)smoother;
                options.mixed = mixed;
                options.tolerance = 0;
                options.max_iterations = 4;
                options.tail = 100;
                options.slabs = 1;
                ASSERT_OK(test_q1_solve(&mesh, &options, whole, NULL));
                options.slabs = blocks[b];
                ASSERT_OK(test_q1_solve(&mesh, &options, cut, NULL));
                const double rounding = mixed ? 1e-5 : 1e-12;
                if (smoother > STARFISH_SMOOTHER_LINE_Y && smoother != STARFISH_SMOOTHER_ZEBRA)
                    test_q1_assert_same(cut, whole, mesh.count, rounding);
                else
                    assert_true(test_q1_difference(cut, whole, mesh.count) <= rounding);
            }
    free(whole);
    free(cut);
    test_q1_free(&mesh);
}

/* One task for small grids does what tasks of each do, also where dampings differ from step to step and grid to
 * grid. */
static void tails_change_nothing(void **state)
{
    (void)state;
    static const size_t tails[] = {1, 300, 100000};
    struct test_q1_mesh mesh;
    test_q1_random(&mesh, 61, 47, 6, 2, 1);
    double *first = calloc(mesh.count, sizeof *first), *other = calloc(mesh.count, sizeof *other);
    for (int smoother = STARFISH_SMOOTHER_JACOBI; smoother <= STARFISH_SMOOTHER_CHEBYSHEV; smoother++)
        for (int mixed = 0; mixed < 2; mixed++)
            for (size_t t = 0; t < sizeof tails / sizeof tails[0]; t++) {
                struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
                options.smoother = (starfish_smoother)smoother;
                options.mixed = mixed;
                options.before = 3;
                options.tolerance = 0;
                options.max_iterations = 3;
                options.tail = tails[t];
                ASSERT_OK(test_q1_solve(&mesh, &options, t == 0 ? first : other, NULL));
                if (t > 0)
                    test_q1_assert_same(other, first, mesh.count, mixed ? 1e-5 : 1e-12);
            }
    free(first);
    free(other);
    test_q1_free(&mesh);
}

int test_multigrid_solves(starfish_context *given, const struct test_memory *given_memory, size_t every)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_is_solved),
        cmocka_unit_test(every_option_solves),
        cmocka_unit_test(cuts_change_nothing),
        cmocka_unit_test(tails_change_nothing),
    };

    test_q1_context = given;
    test_q1_memory = given_memory;
    test_q1_every = every;
    return cmocka_run_group_tests_name("solves", tests, NULL, NULL) + test_multigrid_accelerations() +
           test_multigrid_iterations() + test_multigrid_uses();
}
