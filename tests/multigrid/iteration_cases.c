/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Q1 multigrid on a context: what an iteration tells, and how it ends. */
#include "tests/multigrid/solve_cases.h"
#include "tests/multigrid/solve_problems.h"

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

static void history_tells_every_residual(void **state)
{
    (void)state;
    struct test_q1_mesh mesh;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    double norm = 0;
    test_q1_named(&mesh, "A2", 6);
    double *solution = calloc(mesh.count, sizeof *solution);
    ASSERT_OK(test_q1_solve(&mesh, &options, solution, &info));
    for (size_t i = 0; i < mesh.count; i++)
        norm += mesh.load[i] * mesh.load[i];
    assert_true(fabs(info.rhs_norm / sqrt(norm) - 1) < 1e-13);
    assert_int_equal(info.count, info.iterations + 1);
    assert_true(info.history[0] == 1 && info.history[info.count - 1] == info.residual && info.residual <= 1e-8);
    assert_true(info.history[info.count - 2] > 1e-8);
    assert_true(fabs(pow(info.factor, info.iterations) / info.residual - 1) < 1e-10);
    assert_int_equal(test_q1_about.levels, 6);
    assert_true(info.seconds > 0 && info.worker[0].tasks + info.worker[1].tasks > 0);

    /* from there on nothing is to be done, and a looser end is found sooner */
    starfish_plan *plan;
    options.initial_guess = 1;
    ASSERT_OK(starfish_q1_plan_create(test_q1_context, &mesh.problem, &options, &plan));
    ASSERT_OK(test_q1_solve_with(plan, &mesh, STARFISH_F64, 1, solution, &info));
    assert_int_equal(info.iterations, 0);
    assert_true(isnan(info.factor) && info.count == 1);
    starfish_plan_destroy(plan);
    options.initial_guess = 0;
    options.tolerance = 0;
    options.absolute = 1e-3 * sqrt(norm);
    ASSERT_OK(test_q1_solve(&mesh, &options, solution, &info));
    assert_true(info.iterations < 4 && info.residual <= 1e-3);
    free(solution);
    test_q1_free(&mesh);
}

/* Without a tolerance cycles are counted, and no residual is computed. */
static void cycles_can_be_counted(void **state)
{
    (void)state;
    struct test_q1_mesh mesh;
    test_q1_named(&mesh, "U1", 6);
    double *solution = calloc(mesh.count, sizeof *solution), *other = calloc(mesh.count, sizeof *solution);
    for (int variant = 0; variant < 4; variant++) {
        const int mixed = variant % 2;
        struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
        struct starfish_result info = STARFISH_RESULT_DEFAULTS, counted = STARFISH_RESULT_DEFAULTS;
        options.mixed = mixed;
        options.krylov = variant / 2 ? STARFISH_KRYLOV_CG : STARFISH_KRYLOV_NONE;
        ASSERT_OK(test_q1_solve(&mesh, &options, solution, &info));
        options.tolerance = 0;
        options.max_iterations = info.iterations;
        ASSERT_OK(test_q1_solve(&mesh, &options, other, &counted));
        assert_int_equal(counted.iterations, info.iterations);
        assert_int_equal(counted.count, 0);
        assert_true(isnan(counted.residual) && isnan(counted.factor));
        test_q1_assert_same(solution, other, mesh.count, mixed ? 1e-5 : 1e-12);
    }
    free(solution);
    free(other);
    test_q1_free(&mesh);
}

static void zero_gives_zero(void **state)
{
    (void)state;
    struct test_q1_mesh mesh;
    test_q1_problem(&mesh, 40, 30, 1);
    for (int d = 0; d < 2; d++)
        for (size_t e = 0; e < mesh.problem.elements[d]; e++)
            mesh.width[d][e] = 0.1;
    memset(mesh.load, 0, mesh.count * sizeof *mesh.load);
    double *solution = calloc(mesh.count, sizeof *solution);
    for (int variant = 0; variant < 4; variant++) {
        struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        options.mixed = variant % 2;
        options.krylov = variant / 2 ? STARFISH_KRYLOV_CG : STARFISH_KRYLOV_NONE;
        for (size_t i = 0; i < mesh.count; i++)
            solution[i] = 1;
        ASSERT_OK(test_q1_solve(&mesh, &options, solution, &info));
        for (size_t i = 0; i < mesh.count; i++)
            assert_true(solution[i] == 0);
    }
    free(solution);
    test_q1_free(&mesh);
}

static void what_cannot_be_solved_is_told(void **state)
{
    (void)state;
    struct test_q1_mesh mesh;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    test_q1_named(&mesh, "U1", 5);
    double *solution = calloc(mesh.count, sizeof *solution);
    /* rounding errors have the last word long before 1e-30 */
    options.tolerance = 1e-30;
    ASSERT_FAILS(test_q1_solve(&mesh, &options, solution, &info), STARFISH_ERROR_NUMERICAL, "stopped falling");
    assert_true(info.residual < 1e-12 && info.iterations < 60);
    /* a damping far too large diverges */
    options.tolerance = 1e-8;
    options.damping = 10;
    assert_int_equal(test_q1_solve(&mesh, &options, solution, &info), STARFISH_ERROR_NUMERICAL);
    assert_true(info.iterations <= 12);
    options.damping = 0;
    mesh.load[17] = (double)NAN;
    ASSERT_FAILS(test_q1_solve(&mesh, &options, solution, &info), STARFISH_ERROR_NUMERICAL, "rhs is not finite");
    assert_int_equal(info.iterations, 0);
    free(solution);
    test_q1_free(&mesh);
}

int test_multigrid_iterations(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(history_tells_every_residual),
        cmocka_unit_test(cycles_can_be_counted),
        cmocka_unit_test(zero_gives_zero),
        cmocka_unit_test(what_cannot_be_solved_is_told),
    };

    return cmocka_run_group_tests_name("iterations", tests, NULL, NULL);
}
