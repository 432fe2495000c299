/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coarsest grid by conjugate gradients: solves with few grids take as many cycles as those down to one unknown. On
 * all workers there are. */
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/multigrid/solve_problems.h"

#include <starfish/starfish.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ELEMENTS = 128, MOST = (ELEMENTS + 1) * (ELEMENTS + 1) };

/* Elements of one width, or of growing ones. */
static void make_mesh(struct test_q1_mesh *mesh, double growth, int neumann)
{
    test_q1_growing(mesh, ELEMENTS, 100, neumann ? 15 : 0, growth);
    mesh->problem.reaction = neumann ? 1e-3 : 0;
}

/* With two and three grids as with all of them. */
static void compare(const struct test_q1_mesh *mesh, struct starfish_multigrid_options options)
{
    static double expected[MOST], solution[MOST];
    struct starfish_result all = STARFISH_RESULT_DEFAULTS, few = STARFISH_RESULT_DEFAULTS;

    ASSERT_OK(test_q1_solve(mesh, &options, expected, &all));
    for (int levels = 2; levels <= 3; levels++)
        for (int solver = STARFISH_COARSE_CG_JACOBI; solver <= STARFISH_COARSE_CG_ADI; solver++) {
            options.levels = levels;
            options.coarse = (starfish_coarse_solver)solver;
            ASSERT_OK(test_q1_solve(mesh, &options, solution, &few));
            assert_int_equal(test_q1_about.levels, levels);
            if (few.iterations > all.iterations + 1)
                fail_msg("%d grids, solver %d: %d cycles instead of %d", levels, solver, few.iterations,
                         all.iterations);
            assert_true(test_q1_difference(solution, expected, mesh->count) <=
                        (options.precision == STARFISH_F32 ? 3e-2 : 1e-5));
        }
}

static const struct starfish_multigrid_options defaults = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;

static void cycles_of_all_shapes_and_forms(void **state)
{
    static const starfish_cycle_shape shapes[] = {STARFISH_CYCLE_V, STARFISH_CYCLE_W, STARFISH_CYCLE_FMG};

    (void)state;
    for (int way = 0; way < 6; way++) {
        struct starfish_multigrid_options options = defaults;
        struct test_q1_mesh mesh;
        make_mesh(&mesh, way % 2 ? 1 : 1.03, way >= 3);
        options.cycle = shapes[way % 3];
        options.matrix = way % 2 ? STARFISH_MATRIX_STORED : STARFISH_MATRIX_TENSOR;
        options.coarse_iterations = 300;
        compare(&mesh, options);
        test_q1_free(&mesh);
    }
}

static void every_precision(void **state)
{
    (void)state;
    for (int way = 0; way < 6; way++) {
        struct starfish_multigrid_options options = defaults;
        struct test_q1_mesh mesh;
        make_mesh(&mesh, 1.01, way % 2);
        options.precision = way / 2 == 0 ? STARFISH_F32 : STARFISH_F64;
        options.mixed = options.precision == STARFISH_F64;
        options.tolerance = way / 2 == 0 ? 1e-4 : 1e-8;
        options.matrix = way % 2 ? STARFISH_MATRIX_STORED : STARFISH_MATRIX_TENSOR;
        options.tail = way / 2 == 2 ? 1 : 0; /* every grid its own tasks */
        options.coarse_iterations = 300;
        compare(&mesh, options);
        test_q1_free(&mesh);
    }
}

/* A preconditioner that is not quite linear. */
static void inside_conjugate_gradients(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct starfish_multigrid_options options = defaults;
        struct test_q1_mesh mesh;
        make_mesh(&mesh, 1.05, 0);
        options.krylov = STARFISH_KRYLOV_CG;
        options.mixed = way;
        options.coarse_iterations = 300;
        compare(&mesh, options);
        test_q1_free(&mesh);
    }
}

/* One grid: each cycle goes on from the last and reduces the residual by the tolerance, as long as iterations last. */
static void options_mean_what_they_say(void **state)
{
    static double solution[MOST];
    struct starfish_multigrid_options options;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    struct test_q1_mesh mesh;

    (void)state;
    make_mesh(&mesh, 1.02, 0);
    for (int solver = STARFISH_COARSE_CG_JACOBI; solver <= STARFISH_COARSE_CG_ADI; solver++) {
        options = defaults;
        options.levels = 1;
        options.coarse = (starfish_coarse_solver)solver;
        options.coarse_iterations = 2000;
        options.coarse_tolerance = 1e-3;
        options.tolerance = 5e-9;
        ASSERT_OK(test_q1_solve(&mesh, &options, solution, &info));
        assert_int_equal(info.iterations, 3);
        assert_true(info.history[1] <= 1.01e-3 && info.history[1] > 1e-5);
        assert_true(info.history[2] <= 1.01e-3 * info.history[1]);
        options.coarse_iterations = 1;
        options.max_iterations = 1;
        assert_int_equal(test_q1_solve(&mesh, &options, solution, &info), STARFISH_ERROR_NUMERICAL);
        assert_true(info.history[1] > 1e-3);
    }
    test_q1_free(&mesh);
}

/* Create must fail with a message that says `part`. */
static void expect_refusal(const struct starfish_q1_problem *problem, struct starfish_multigrid_options options,
                           const char *part)
{
    starfish_plan *plan;

    ASSERT_FAILS(starfish_q1_plan_create(test_q1_context, problem, &options, &plan), STARFISH_ERROR_ARGUMENT, part);
    assert_null(plan);
}

static void bad_arguments_are_named(void **state)
{
    struct starfish_multigrid_options options = defaults;
    struct test_q1_mesh mesh;

    (void)state;
    make_mesh(&mesh, 1, 0);
    options.coarse = STARFISH_COARSE_SOLVERS;
    expect_refusal(&mesh.problem, options, "options.coarse is 3");
    options.coarse = STARFISH_COARSE_DIRECT;
    options.levels = 2;
    expect_refusal(&mesh.problem, options, "options.levels");
    options.coarse = STARFISH_COARSE_CG_ADI;
    options.coarse_tolerance = 1;
    expect_refusal(&mesh.problem, options, "options.coarse_tolerance");
    options.coarse_tolerance = -0.5;
    expect_refusal(&mesh.problem, options, "options.coarse_tolerance");
    options.coarse_tolerance = (double)NAN;
    expect_refusal(&mesh.problem, options, "options.coarse_tolerance");
    options.coarse_tolerance = 0;
    options.coarse_iterations = -1;
    expect_refusal(&mesh.problem, options, "options.coarse_iterations");
    options.coarse_iterations = 10001;
    expect_refusal(&mesh.problem, options, "options.coarse_iterations");
    test_q1_free(&mesh);
}

/* 1025 x 1025 unknowns in one grid. */
static void coarsest_grids_have_a_limit(void **state)
{
    static double width[1026];
    struct starfish_multigrid_options options = defaults;
    struct starfish_q1_problem problem = {
        .elements = {1026, 1026},
        .width = {width, width},
        .ends = {{STARFISH_DIRICHLET, STARFISH_DIRICHLET}, {STARFISH_DIRICHLET, STARFISH_DIRICHLET}}};

    (void)state;
    for (size_t i = 0; i < 1026; i++)
        width[i] = 1;
    options.levels = 1;
    options.coarse = STARFISH_COARSE_CG_JACOBI;
    expect_refusal(&problem, options, "more than 1048576");
}

static void not_in_three_dimensions(void **state)
{
    static const double width[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const struct starfish_stencil_problem problem = {
        .n = {8, 8, 8}, .grid = STARFISH_CELL, .width = {width, width, width}};
    struct starfish_multigrid_options options = defaults;
    starfish_plan *plan;

    (void)state;
    options.coarse = STARFISH_COARSE_CG_JACOBI;
    ASSERT_FAILS(starfish_stencil_plan_create(test_q1_context, &problem, &options, &plan), STARFISH_ERROR_UNSUPPORTED,
                 "options.coarse");
    assert_null(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_of_all_shapes_and_forms), cmocka_unit_test(every_precision),
        cmocka_unit_test(inside_conjugate_gradients),     cmocka_unit_test(options_mean_what_they_say),
        cmocka_unit_test(bad_arguments_are_named),        cmocka_unit_test(coarsest_grids_have_a_limit),
        cmocka_unit_test(not_in_three_dimensions)};

    test_q1_memory = &test_host_memory;
    return TEST_GROUP("coarsest grids", tests, &test_q1_context, -1, -1, 0);
}
