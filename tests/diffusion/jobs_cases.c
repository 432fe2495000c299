/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Jobs of plans for diffusion: how they end, what plans and jobs say of themselves. */
#include "tests/diffusion/diffusion_cases.h"

#include "scheduler/runtime/context.h"
#include "tests/common/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static starfish_context *context;
static const struct test_memory *memory;

/* Too few iterations are not called a solution; and jobs of one plan follow one another. */
static void jobs_end_as_they_must(void **state)
{
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_plan *plan;
    starfish_job *job[2];
    struct test_diffusion t;
    (void)state;

    test_two_phase(&t, 32, 1000);
    const size_t bytes = t.cells * sizeof(double);
    const void *rhs = memory->upload(t.f, bytes);
    void *solution[2] = {memory->upload(NULL, bytes), memory->upload(NULL, bytes)};
    options.max_iterations = 3;
    ASSERT_OK(starfish_diffusion_plan_create(context, &t.problem, &options, &plan));
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, rhs, solution[0], &info), STARFISH_ERROR_NUMERICAL, "not converged");
    assert_int_equal(info.outcome, STARFISH_NOT_CONVERGED);
    assert_int_equal(info.iterations, 3);
    starfish_plan_destroy(plan);
    options.max_iterations = 1000;
    ASSERT_OK(starfish_diffusion_plan_create(context, &t.problem, &options, &plan));
    for (int i = 0; i < 2; i++)
        ASSERT_OK(starfish_plan_submit(plan, NULL, rhs, solution[i], &job[i]));
    for (int i = 1; i >= 0; i--)
        ASSERT_OK(starfish_job_finish(job[i], &info));
    starfish_plan_destroy(plan);
    double *u[2] = {malloc(bytes), malloc(bytes)};
    for (int i = 0; i < 2; i++)
        memory->download(u[i], solution[i], bytes);
    /* Beside cores it is not the same in each who runs a task, and so rounding is not. */
    if (starfish_context_workers_of(context, STARFISH_CPU) == 0 ||
        starfish_context_workers_of(context, STARFISH_GPU) == 0)
        assert_memory_equal(u[0], u[1], bytes);
    for (int i = 0; i < 2; i++)
        assert_true(test_diffusion_residual(&t, u[i], info.pertrb) < 1.01e-10);
    for (int i = 0; i < 2; i++)
        free(u[i]);
    memory->release();
    test_diffusion_free(&t);
}

/* A solve of very many steps, cancelled. */
static void jobs_are_watched_and_cancelled(void **state)
{
    struct starfish_diffusion_options options = STARFISH_DIFFUSION_OPTIONS_DEFAULTS;
    struct starfish_result result = STARFISH_RESULT_DEFAULTS;
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    size_t done, most;
    starfish_plan *plan;
    starfish_job *job;
    struct test_diffusion t;
    (void)state;

    test_two_phase(&t, 32, 1000);
    const size_t bytes = t.cells * sizeof(double);
    const void *rhs = memory->upload(t.f, bytes);
    void *solution = memory->upload(NULL, bytes);
    options.deflation = STARFISH_DEFLATION_BLOCKS;
    options.fixed = 1;
    options.max_iterations = 100000000;
    ASSERT_OK(starfish_diffusion_plan_create(context, &t.problem, &options, &plan));
    ASSERT_OK(starfish_plan_about(plan, &about));
    assert_string_equal(about.kind, "diffusion2d");
    assert_string_equal(about.method, "cg");
    assert_string_equal(about.reason, "conjugate gradients preconditioned by ip, deflated by 64 blocks");
    assert_true(about.unknowns == t.cells && about.owners == 1 && about.levels == 0 && about.singular);
    ASSERT_OK(starfish_plan_submit(plan, NULL, rhs, solution, &job));
    do
        ASSERT_OK(starfish_job_state(job, &done, &most));
    while (done == 0);
    assert_int_equal(most, options.max_iterations);
    starfish_job_cancel(job);
    ASSERT_FAILS(starfish_job_finish(job, &result), STARFISH_ERROR_NUMERICAL, "cancelled after ");
    assert_true(result.outcome == STARFISH_CANCELLED && result.iterations > 0 && isnan(result.residual));
    starfish_plan_destroy(plan);
    memory->release();
    test_diffusion_free(&t);
}

int test_diffusion_jobs(starfish_context *given, const struct test_memory *given_memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs_end_as_they_must),
                                       cmocka_unit_test(jobs_are_watched_and_cancelled)};

    context = given;
    memory = given_memory;
    return cmocka_run_group_tests_name(given_memory->name, tests, NULL, NULL);
}
