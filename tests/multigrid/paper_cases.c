/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Q1 multigrid on the meshes of Goeddeke and Strzodka: the paper's figures, cycles, precision. */
#include "tests/multigrid/solve_cases.h"
#include "tests/multigrid/solve_problems.h"

#include "tests/common/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- The paper's figures ----------------------------------------------------------------------------------------- */

static int largest_level(void)
{
    return getenv("STARFISH_TEST_SMALL") ? 7 : 9;
}

/* Table 1: errors in double precision, here with an algebraic error that cannot be seen. */
static void errors_are_those_of_table_1(void **state)
{
    (void)state;
    static const double table[] = {7.1663606e-2, 1.7802586e-2, 4.4429161e-3, 1.1102363e-3,
                                   2.7752805e-4, 6.9380191e-5, 1.7344895e-5, 4.3362264e-6};
    for (int mixed = 0; mixed < 2; mixed++)
        for (int level = 2; level <= largest_level(); level++) {
            struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
            struct starfish_result info = STARFISH_RESULT_DEFAULTS;
            options.tolerance = 2e-11; /* at level 9 rounding errors of f - A u itself are 3e-12 */
            options.mixed = mixed;
            test_q1_assert_error("U1", level, test_q1_error_of("U1", level, &options, &info), table[level - 2], 2e-5);
        }
}

/* Table 2 at levels 8 and 9, whose solver stopped at 1e-8, in double and in mixed precision. */
static void errors_are_those_of_table_2(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double error[2];
    } table[] = {{"U2", {1.6946217e-5, 4.2365330e-6}}, {"U3", {1.6603963e-5, 4.1508011e-6}},
                 {"A1", {2.2559231e-5, 5.6398002e-6}}, {"A2", {3.3671244e-5, 8.4177915e-6}},
                 {"A3", {4.9063089e-5, 1.2265724e-5}}, {"A4", {6.3654794e-5, 1.5913491e-5}},
                 {"A5", {6.6448219e-5, 1.6612151e-5}}};
    for (size_t c = 0; c < sizeof table / sizeof table[0]; c++)
        for (int level = 8; level <= largest_level(); level++)
            for (int mixed = 0; mixed < 2; mixed++) {
                struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
                struct starfish_result info = STARFISH_RESULT_DEFAULTS;
                options.tolerance = 1e-10;
                options.mixed = mixed;
                test_q1_assert_error(table[c].name, level, test_q1_error_of(table[c].name, level, &options, &info),
                                     table[c].error[level - 8], 1e-4);
            }
}

static double single_error(int level, int stored_diagonal)
{
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;

    options.precision = STARFISH_F32;
    options.smoother = STARFISH_SMOOTHER_ADI;
    options.max_iterations = 8;
    options.stored_diagonal = stored_diagonal;
    return test_q1_error_of("U1", level, &options, &info);
}

/* Single precision alone: with diagonals the error falls at first, and rises again from level 9 to 10, to ten times
 * that of double. With row sums it is that of double, and a tenth more at level 10. */
static void errors_rise_in_single_precision(void **state)
{
    (void)state;
    static const double twice[] = {1.1102363e-3, 2.7752805e-4, 6.9380191e-5, 1.7344895e-5, 4.3362264e-6, 1.0841185e-6};
    double error[11];
    if (largest_level() < 9)
        return;
    for (int level = 5; level <= 10; level++) {
        error[level] = single_error(level, 1);
        test_q1_assert_error("U1", level, single_error(level, 0), twice[level - 5], level < 9 ? 5e-3 : 0.1);
    }
    assert_true(error[6] < 0.3 * error[5] && error[7] < 0.3 * error[6]);
    assert_true(error[10] > error[9] && error[10] > 10 * 1.0841185e-6);
}

/* Cycles to 1e-8 by level, 2+2 sweeps, and the factor by which a cycle reduced the residual at level 8. */
static const struct {
    const char *name;
    int cycles; /* at level 8 */
    int most;   /* at any level */
    double factor;
} expected[] = {{"U1", 6, 6, 0.0347}, {"U2", 6, 6, 0.0374}, {"U3", 5, 6, 0.0143},  {"A1", 6, 6, 0.0366},
                {"A2", 6, 6, 0.0375}, {"A3", 6, 6, 0.0406}, {"A4", 11, 12, 0.170}, {"A5", 14, 15, 0.256}};

enum { A4 = 6 };

static void cycles_are_few_and_do_not_grow(void **state)
{
    (void)state;
    const int largest = largest_level();
    for (size_t c = 0; c < sizeof expected / sizeof expected[0]; c++)
        for (int level = 6; level <= largest; level++) {
            struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
            struct starfish_result info = STARFISH_RESULT_DEFAULTS;
            options.smoother = STARFISH_SMOOTHER_ADI;
            test_q1_error_of(expected[c].name, level, &options, &info);
            if (info.iterations > expected[c].most)
                fail_msg("%s, level %d: %d cycles", expected[c].name, level, info.iterations);
            if (level == 8 &&
                (abs(info.iterations - expected[c].cycles) > 1 || fabs(info.factor / expected[c].factor - 1) > 0.05))
                fail_msg("%s: %d cycles by %.4f", expected[c].name, info.iterations, info.factor);
        }
}

/* Zebra lines: U1 .. A5 as an independent prototype, and never more than 9 and 11 on A4 and A5, where all lines at once
 * take 11 and 14. */
static void zebra_lines_take_fewer_cycles(void **state)
{
    (void)state;
    static const int cycles[] = {6, 5, 6, 6, 6, 6, 8, 10};
    const int largest = largest_level() - 1;
    for (size_t c = 0; c < sizeof expected / sizeof expected[0]; c++)
        for (int level = 6; level <= largest; level++) {
            struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
            struct starfish_result info = STARFISH_RESULT_DEFAULTS;
            options.smoother = STARFISH_SMOOTHER_ZEBRA;
            test_q1_error_of(expected[c].name, level, &options, &info);
            if (info.iterations > cycles[c] + 1 || (level == 8 && info.iterations < cycles[c] - 1))
                fail_msg("%s, level %d: %d cycles by %.4f", expected[c].name, level, info.iterations, info.factor);
        }
}

/* Left to itself, the solver takes points for U1 and lines for all others, and as many cycles; on A4 and A5 they
 * precondition conjugate gradients, and cycles are no more than the paper's 9 and 11. */
static void smoothers_are_chosen(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof expected / sizeof expected[0]; c++) {
        struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        test_q1_error_of(expected[c].name, 6, &options, &info);
        assert_int_equal(test_q1_chosen.smoother, c == 0 ? STARFISH_SMOOTHER_CHEBYSHEV : STARFISH_SMOOTHER_ADI);
        assert_true(info.iterations <= expected[c].most);
        for (int level = 6; level <= 8; level++)
            for (int mixed = 0; mixed < 2 && c >= A4; mixed++) {
                options.mixed = mixed;
                test_q1_error_of(expected[c].name, level, &options, &info);
                if (info.iterations > (c == A4 ? 9 : 11))
                    fail_msg("%s, level %d%s: %d cycles", expected[c].name, level, mixed ? ", mixed" : "",
                             info.iterations);
            }
    }
    struct starfish_multigrid_options damped = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    damped.damping = 0.75;
    test_q1_error_of("U1", 6, &damped, &info);
    assert_int_equal(test_q1_chosen.smoother, STARFISH_SMOOTHER_JACOBI);
}

/* A correction of two cycles each in mixed precision costs one cycle more at most. */
static void mixed_precision_takes_no_more_cycles(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof expected / sizeof expected[0] && largest_level() >= 8; c++) {
        struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        options.mixed = 1;
        test_q1_error_of(expected[c].name, 8, &options, &info);
        if (info.iterations > expected[c].cycles + 2 || info.corrections != (info.iterations + 1) / 2)
            fail_msg("%s: %d cycles, %d corrections", expected[c].name, info.iterations, info.corrections);
    }
}

/* Nor on fine meshes, where with diagonals in the matrices of the cycles it took eight on U3. */
static void mixed_precision_serves_fine_meshes(void **state)
{
    (void)state;
    static const char *const names[] = {"U1", "U3"};
    for (size_t c = 0; c < 2 && largest_level() >= 9; c++) {
        struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
        struct starfish_result alone = STARFISH_RESULT_DEFAULTS, mixed = STARFISH_RESULT_DEFAULTS;
        options.smoother = STARFISH_SMOOTHER_ADI;
        test_q1_error_of(names[c], 10, &options, &alone);
        options.mixed = 1;
        test_q1_error_of(names[c], 10, &options, &mixed);
        if (mixed.iterations > alone.iterations + 1)
            fail_msg("%s: %d cycles instead of %d", names[c], mixed.iterations, alone.iterations);
    }
}

static void point_smoothing_serves_isotropic_meshes(void **state)
{
    (void)state;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    options.smoother = STARFISH_SMOOTHER_JACOBI;
    options.before = options.after = 4;
    test_q1_error_of("U1", largest_level() - 1, &options, &info);
    assert_in_range(info.iterations, 5, 7);
    options.smoother = STARFISH_SMOOTHER_GAUSS_SEIDEL;
    test_q1_error_of("U1", largest_level() - 1, &options, &info);
    assert_in_range(info.iterations, 3, 5);
}

/* As many cycles or two more, to the same error; where F16 cannot hold the couplings it says so. */
static void entries_in_16_bits_cost_little(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        starfish_smoother smoother;
        int gradients, f16;
    } cases[] = {{"U1", STARFISH_SMOOTHER_JACOBI, 0, 1},    {"U1", STARFISH_SMOOTHER_ADI, 1, 1},
                 {"U3", STARFISH_SMOOTHER_ADI, 0, 1},       {"U3", STARFISH_SMOOTHER_LINE_X, 0, 1},
                 {"U1", STARFISH_SMOOTHER_CHEBYSHEV, 0, 1}, {"A2", STARFISH_SMOOTHER_ADI, 0, 1},
                 {"A5", STARFISH_SMOOTHER_ADI, 0, 0},       {"A5", STARFISH_SMOOTHER_ADI, 1, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int f16 = 0; f16 <= cases[c].f16; f16++) {
            struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
            struct starfish_result inner = STARFISH_RESULT_DEFAULTS, stored = STARFISH_RESULT_DEFAULTS;
            options.mixed = 1;
            options.smoother = cases[c].smoother;
            options.krylov = cases[c].gradients ? STARFISH_KRYLOV_CG : STARFISH_KRYLOV_NONE;
            options.tail = f16 ? 1 : 0;
            const double error = test_q1_error_of(cases[c].name, 7, &options, &inner);
            options.storage = f16 ? STARFISH_STORAGE_F16 : STARFISH_STORAGE_BF16;
            test_q1_assert_error(cases[c].name, 7, test_q1_error_of(cases[c].name, 7, &options, &stored), error, 1e-4);
            if (!(stored.residual <= 1e-8 && stored.iterations <= inner.iterations + 2))
                fail_msg("%s: %d cycles instead of %d", cases[c].name, stored.iterations, inner.iterations);
        }
}

/* Elements 16 times as high as wide: lines in x, the strong direction, do as well as all; lines in y do not. */
static void lines_must_follow_the_strong_direction(void **state)
{
    (void)state;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_result x = STARFISH_RESULT_DEFAULTS, y = STARFISH_RESULT_DEFAULTS;
    struct test_q1_mesh mesh;
    options.smoother = STARFISH_SMOOTHER_LINE_X;
    options.max_iterations = 20;
    test_q1_error_of("U3", 6, &options, &x);
    assert_true(x.iterations <= 8);
    options.smoother = STARFISH_SMOOTHER_LINE_Y;
    test_q1_named(&mesh, "U3", 6);
    double *solution = calloc(mesh.count, sizeof *solution);
    ASSERT_FAILS(test_q1_solve(&mesh, &options, solution, &y), STARFISH_ERROR_NUMERICAL, "max_iterations = 20");
    assert_true(y.iterations == 20 && y.factor > 0.5);
    free(solution);
    test_q1_free(&mesh);
}

int test_multigrid_paper(starfish_context *given, const struct test_memory *given_memory, int small)
{
    const struct CMUnitTest large[] = {
        cmocka_unit_test(errors_are_those_of_table_1),
        cmocka_unit_test(errors_are_those_of_table_2),
        cmocka_unit_test(errors_rise_in_single_precision),
        cmocka_unit_test(cycles_are_few_and_do_not_grow),
        cmocka_unit_test(mixed_precision_takes_no_more_cycles),
        cmocka_unit_test(mixed_precision_serves_fine_meshes),
        cmocka_unit_test(point_smoothing_serves_isotropic_meshes),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zebra_lines_take_fewer_cycles),
        cmocka_unit_test(lines_must_follow_the_strong_direction),
        cmocka_unit_test(smoothers_are_chosen),
        cmocka_unit_test(entries_in_16_bits_cost_little),
    };

    test_q1_context = given;
    test_q1_memory = given_memory;
    const int failed = cmocka_run_group_tests_name("the paper's meshes", tests, NULL, NULL);
    return failed + (small ? 0 : cmocka_run_group_tests_name("the paper's figures", large, NULL, NULL));
}
