/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stored bands and tensor products are the same matrix: solves with either take the same cycles to the same solution.
 * On all workers there are. */
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/multigrid/solve_problems.h"

#include <starfish/starfish.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 49 * 49 };

static void make_mesh(struct test_q1_mesh *mesh, int neumann, double reaction)
{
    test_q1_growing(mesh, 48, 33, neumann, 1.01);
    mesh->problem.reaction = reaction;
}

static void solve(const struct test_q1_mesh *mesh, struct starfish_multigrid_options *options,
                  starfish_matrix_form form, double *solution, struct starfish_result *info)
{
    options->matrix = form;
    ASSERT_OK(test_q1_solve(mesh, options, solution, info));
}

static void compare(const struct test_q1_mesh *mesh, struct starfish_multigrid_options *options)
{
    static double stored[MOST], tensor[MOST];
    struct starfish_result a = STARFISH_RESULT_DEFAULTS, b = STARFISH_RESULT_DEFAULTS;

    solve(mesh, options, STARFISH_MATRIX_STORED, stored, &a);
    assert_int_equal(test_q1_chosen.matrix, STARFISH_MATRIX_STORED);
    solve(mesh, options, STARFISH_MATRIX_TENSOR, tensor, &b);
    assert_int_equal(test_q1_chosen.matrix, STARFISH_MATRIX_TENSOR);
    assert_int_equal(a.iterations, b.iterations);
    assert_true(fabs(a.factor - b.factor) <= 0.02 * a.factor);
    /* both are good to the tolerance times the condition of the matrix, a thousand or so */
    assert_true(test_q1_difference(tensor, stored, mesh->count) <= (options->precision == STARFISH_F32 ? 1e-2 : 1e-6));
}

static void same_cycles(void **state)
{
    static const starfish_smoother smoothers[] = {STARFISH_SMOOTHER_ADI, STARFISH_SMOOTHER_LINE_X,
                                                  STARFISH_SMOOTHER_LINE_Y, STARFISH_SMOOTHER_JACOBI,
                                                  STARFISH_SMOOTHER_CHEBYSHEV};

    (void)state;
    for (size_t s = 0; s < sizeof smoothers / sizeof smoothers[0]; s++)
        for (int ends = 0; ends < 15; ends += 7) {
            struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
            struct test_q1_mesh mesh;
            make_mesh(&mesh, ends, s % 2 ? 0.01 : 0);
            options.smoother = smoothers[s];
            options.max_iterations = 1000;
            options.tolerance = 1e-9;
            compare(&mesh, &options);
            test_q1_free(&mesh);
        }
}

static void every_precision(void **state)
{
    (void)state;
    for (int way = 0; way < 8; way++) {
        struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
        struct test_q1_mesh mesh;
        make_mesh(&mesh, 2, 0.5);
        options.precision = way % 4 == 0 ? STARFISH_F32 : STARFISH_F64;
        options.mixed = way % 4 == 1;
        options.krylov = way % 4 == 3 ? STARFISH_KRYLOV_CG : STARFISH_KRYLOV_NONE;
        options.tolerance = way % 4 == 0 ? 1e-4 : 1e-9;
        options.smoother = STARFISH_SMOOTHER_ADI;
        options.tail = way / 4 ? 1 : 0; /* every grid its own tasks, or as it is chosen */
        compare(&mesh, &options);
        test_q1_free(&mesh);
    }
}

static void expect_refusal(const struct starfish_q1_problem *problem, const struct starfish_multigrid_options *options,
                           const char *reason)
{
    starfish_plan *plan;

    ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, problem, options, &plan), STARFISH_ERROR_ARGUMENT,
                 "options.matrix");
    assert_non_null(strstr(starfish_error_message(), reason));
}

/* AUTO takes bands where products will not do, and TENSOR says why not. */
static void refusals(void **state)
{
    static double coefficients[48 * 33];
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    static double solution[MOST];
    struct test_q1_mesh mesh;

    (void)state;
    make_mesh(&mesh, 0, 0);
    solve(&mesh, &options, STARFISH_MATRIX_AUTO, solution, &info);
    assert_int_equal(test_q1_chosen.matrix, STARFISH_MATRIX_TENSOR);
    options.matrix = STARFISH_MATRIX_FORMS;
    expect_refusal(&mesh.problem, &options, "is 3");
    options.matrix = STARFISH_MATRIX_TENSOR;
    options.stored_diagonal = 1;
    expect_refusal(&mesh.problem, &options, "stored_diagonal");
    options.stored_diagonal = 0;
    options.smoother = STARFISH_SMOOTHER_GAUSS_SEIDEL;
    expect_refusal(&mesh.problem, &options, "Gauss-Seidel");
    solve(&mesh, &options, STARFISH_MATRIX_AUTO, solution, &info);
    assert_int_equal(test_q1_chosen.matrix, STARFISH_MATRIX_STORED);
    for (size_t i = 0; i < 48 * 33; i++)
        coefficients[i] = 1 + (double)(i % 3);
    mesh.problem.coefficient[1] = coefficients;
    options.smoother = STARFISH_SMOOTHER_ADI;
    options.matrix = STARFISH_MATRIX_TENSOR;
    expect_refusal(&mesh.problem, &options, "coefficients");
    solve(&mesh, &options, STARFISH_MATRIX_AUTO, solution, &info);
    assert_int_equal(test_q1_chosen.matrix, STARFISH_MATRIX_STORED);
    test_q1_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_cycles), cmocka_unit_test(every_precision),
                                       cmocka_unit_test(refusals)};

    test_q1_memory = &test_host_memory;
    return TEST_GROUP("forms of the matrix", tests, &test_q1_context, -1, -1, 0);
}
