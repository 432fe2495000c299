/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What solves of finite elements have from the solve path: jobs that are watched and cancelled, memory, and what a plan
 * says of itself. */
#include "tests/fem/meshes.h"

#include "tests/common/check.h"
#include "tests/common/group.h"
#include <starfish/starfish.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static starfish_context *context;
static struct test_mesh box;
static const struct starfish_fem_dirichlet outside = {.group = TEST_OUTSIDE};

static starfish_plan *make_plan(const struct starfish_fem_options *options, size_t dirichlets)
{
    const struct starfish_fem_problem problem = {
        .mesh = &box.mesh, .refinements = 2, .rhs = 1, .dirichlets = dirichlets, .dirichlet = &outside};
    starfish_plan *plan;

    ASSERT_OK(starfish_fem_plan_create(context, &problem, options, &plan));
    return plan;
}

static double *make_solution(const starfish_plan *plan)
{
    double *u = calloc(starfish_fem_nodes(plan), sizeof *u);

    assert_non_null(u);
    return u;
}

static void test_a_plan_says_what_it_is(void **state)
{
    struct starfish_fem_options options = STARFISH_FEM_OPTIONS_DEFAULTS;
    struct starfish_fem_matrices matrices = STARFISH_FEM_MATRICES_DEFAULTS;
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    struct starfish_memory memory;

    (void)state;
    options.slabs = 2;
    for (size_t dirichlets = 0; dirichlets < 2; dirichlets++) {
        starfish_plan *plan = make_plan(&options, dirichlets);
        ASSERT_OK(starfish_plan_about(plan, &about));
        assert_string_equal(about.kind, "fem");
        assert_string_equal(about.method, "multigrid");
        assert_non_null(strstr(about.reason, "f cycles, smoothed by spai, unknowns in order two-level"));
        assert_true(about.levels == 3 && about.singular == (dirichlets == 0) && about.seconds > 0);
        assert_true(about.owners == 1); /* both parts are the cores' */
        assert_true(about.unknowns == (dirichlets ? 15 * 15 : 17 * 17));
        ASSERT_OK(starfish_fem_matrices(plan, &matrices));
        assert_true(matrices.nonzeros > 8 * about.unknowns / 2 && matrices.nonzeros <= 9 * about.unknowns);
        ASSERT_OK(starfish_plan_memory(plan, &memory));
        assert_true(memory.main_bytes > matrices.nonzeros * sizeof(double));
        starfish_plan_destroy(plan);
    }
}

static void test_arguments_are_named(void **state)
{
    starfish_plan *plan = make_plan(NULL, 1);
    double *u = make_solution(plan);

    (void)state;
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, u, u, NULL), STARFISH_ERROR_ARGUMENT, "rhs must be NULL");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, NULL, NULL, NULL), STARFISH_ERROR_ARGUMENT, "solution");
    ASSERT_FAILS(starfish_fem_matrices(plan, NULL), STARFISH_ERROR_ARGUMENT, "matrices");
    free(u);
    starfish_plan_destroy(plan);
}

/* So many cycles that the one that is looked at, or cancelled, is not the last. */
static starfish_plan *make_endless_plan(void)
{
    struct starfish_fem_options options = STARFISH_FEM_OPTIONS_DEFAULTS;

    options.fixed = 1;
    options.max_iterations = 1000000;
    return make_plan(&options, 1);
}

static void test_jobs_are_watched_and_cancelled(void **state)
{
    starfish_plan *plan = make_endless_plan();
    struct starfish_result result = STARFISH_RESULT_DEFAULTS;
    starfish_job *first, *second;
    double *u = make_solution(plan), *v = make_solution(plan);
    size_t done = 0, most = 0;

    (void)state;
    u[0] = v[0] = 7;
    ASSERT_OK(starfish_plan_submit(plan, NULL, NULL, u, &first));
    ASSERT_OK(starfish_plan_submit(plan, NULL, NULL, v, &second));
    while (done == 0)
        ASSERT_OK(starfish_job_state(first, &done, &most));
    assert_true(done < most && most == 1000000);
    starfish_job_cancel(second);
    starfish_job_cancel(first);
    ASSERT_FAILS(starfish_job_finish(second, &result), STARFISH_ERROR_NUMERICAL, "cancelled before its turn");
    assert_true(result.outcome == STARFISH_CANCELLED && result.iterations == 0 && v[0] == 7);
    ASSERT_FAILS(starfish_job_finish(first, &result), STARFISH_ERROR_NUMERICAL, "cancelled after");
    assert_true(result.outcome == STARFISH_CANCELLED && result.iterations > 0 && u[0] == 0);
    free(v);
    free(u);
    starfish_plan_destroy(plan);
}

static int begin(void **state)
{
    (void)state;
    test_box(&box, 2, 4, 0);
    return starfish_context_create(&context, NULL) != STARFISH_SUCCESS;
}

static int end(void **state)
{
    (void)state;
    starfish_context_destroy(context);
    test_mesh_free(&box);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plan_says_what_it_is),
        cmocka_unit_test(test_arguments_are_named),
        cmocka_unit_test(test_jobs_are_watched_and_cancelled),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
