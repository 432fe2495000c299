/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans and jobs of flat domains: what is refused, turns, and what a plan and its jobs say of themselves. */
#include "tests/atmosphere/use.h"

#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static starfish_context *context;

static size_t count_of(const struct starfish_atmosphere_problem *p)
{
    return p->n[0] * p->n[1] * p->n[2];
}

static void bad_input_is_named(void **state)
{
    struct starfish_atmosphere_problem good = {.n = {4, 4, 4}, .length = {1, 1}, .height = 1, .omega = 1, .lambda = 1};
    const double falling[] = {0, 0.5, 0.4, 0.9, 1}, negative[] = {1, 1, -1, 1}, xi[] = {1, 1, (double)NAN, 1};
    struct starfish_atmosphere_problem p = good;
    struct starfish_atmosphere_options o = STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS;
    starfish_plan *plan;

    (void)state;
#define REFUSES(member, value, status, words)                                                                          \
    p = good;                                                                                                          \
    p.member = value;                                                                                                  \
    ASSERT_FAILS(starfish_atmosphere_plan_create(context, &p, &o, &plan), status, words)
    REFUSES(n[1], 0, STARFISH_ERROR_ARGUMENT, "problem.n[1]");
    for (starfish_flat_geometry g = STARFISH_FLAT_BOX; g <= STARFISH_SPHERE; g++) { /* before memory is asked for */
        good.geometry = g;
        REFUSES(n[0], SIZE_MAX / 4 + 2, STARFISH_ERROR_ARGUMENT, "problem.n[0] is 4611686018427387905, must be 1 to");
        REFUSES(n[0], 65535 * 32 + 1, STARFISH_ERROR_ARGUMENT, "problem.n[0] is 2097121, must be 1 to 2097120");
        REFUSES(n[1], 65536, STARFISH_ERROR_ARGUMENT, "problem.n[1] is 65536, must be 1 to 65535");
        REFUSES(n[2], (size_t)1 << 31, STARFISH_ERROR_ARGUMENT, "problem.n[2] is 2147483648");
        REFUSES(n[2], (size_t)1 << 29, STARFISH_ERROR_ARGUMENT, "problem.n[0] * n[2]");
    }
    good.geometry = STARFISH_FLAT_BOX;
    REFUSES(length[1], -1, STARFISH_ERROR_ARGUMENT, "problem.length[1]");
    REFUSES(height, 0, STARFISH_ERROR_ARGUMENT, "problem.height");
    REFUSES(omega, (double)NAN, STARFISH_ERROR_ARGUMENT, "problem.omega");
    REFUSES(omega, 1e200, STARFISH_ERROR_ARGUMENT, "problem.omega is 1e+200");
    REFUSES(length[0], 1e200, STARFISH_ERROR_ARGUMENT, "problem.length and height");
    REFUSES(height, 1e-200, STARFISH_ERROR_ARGUMENT, "problem.length and height");
    REFUSES(lambda, -1, STARFISH_ERROR_ARGUMENT, "problem.lambda");
    REFUSES(faces, falling, STARFISH_ERROR_ARGUMENT, "problem.faces[2]");
    REFUSES(beta_up, negative, STARFISH_ERROR_ARGUMENT, "problem.beta_up[2]");
    o.method = STARFISH_ATMOSPHERE_CG;
    REFUSES(xi_up, xi, STARFISH_ERROR_ARGUMENT, "problem.xi_up[2]");
    o.levels = -1;
    REFUSES(lambda, 1, STARFISH_ERROR_ARGUMENT, "options.levels");
#undef REFUSES
    ASSERT_FAILS(starfish_atmosphere_plan_create(NULL, &good, NULL, &plan), STARFISH_ERROR_ARGUMENT, "context");
}

/* Workers of one kind sum in one order, whoever runs a task. A GPU's order is not a core's, and where both are there it
 * is the scheduler who says which of them runs a task, in each job anew: then solutions of one problem are the same but
 * for rounding. */
static void assert_same(const double *u, const double *v, size_t count)
{
    const int both_kinds = starfish_context_workers_of(context, STARFISH_CPU) > 0 &&
                           starfish_context_workers_of(context, STARFISH_GPU) > 0;
    double largest = 0;

    if (!both_kinds)
        assert_memory_equal(u, v, count * sizeof *u);
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(u[i]));
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(u[i] - v[i]) <= 64 * test_real_epsilon(STARFISH_F64) * largest);
}

/* Solves that run out of iterations say so; jobs of one plan follow one another. */
static void jobs_of_a_plan_take_turns(void **state)
{
    const struct starfish_atmosphere_problem p = {
        .n = {20, 20, 8}, .length = {1, 1}, .height = 0.1, .omega = 0.3, .lambda = 1};
    struct starfish_atmosphere_options o = STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_job *job[3];
    starfish_plan *plan;
    unsigned seed = 3;
    double *f = test_reals(STARFISH_F64, count_of(&p), &seed), *u[3];

    (void)state;
    ASSERT_OK(starfish_atmosphere_plan_create(context, &p, &o, &plan));
    for (int i = 0; i < 3; i++) {
        u[i] = malloc(count_of(&p) * sizeof *u[i]);
        ASSERT_OK(starfish_plan_submit(plan, NULL, f, u[i], &job[i]));
    }
    for (int i = 2; i >= 0; i--)
        ASSERT_OK(starfish_job_finish(job[i], &info));
    assert_same(u[0], u[1], count_of(&p));
    assert_same(u[0], u[2], count_of(&p));
    assert_true(info.count == info.iterations + 1 && info.residual <= 1e-10 &&
                info.residual == info.history[info.iterations]);
    starfish_plan_destroy(plan);
    o.max_iterations = 2;
    ASSERT_OK(starfish_atmosphere_plan_create(context, &p, &o, &plan));
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, f, u[0], &info), STARFISH_ERROR_NUMERICAL, "2 cycles");
    assert_int_equal(info.outcome, STARFISH_NOT_CONVERGED);
    starfish_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        free(u[i]);
    free(f);
}

/* A cancelled job ends before its turn or after a cycle. */
static void jobs_are_watched_and_cancelled(void **state)
{
    const struct starfish_atmosphere_problem p = {
        .n = {128, 128, 32}, .length = {1, 1}, .height = 0.1, .omega = 0.3, .lambda = 1};
    struct starfish_atmosphere_options o = STARFISH_ATMOSPHERE_OPTIONS_DEFAULTS;
    struct starfish_result result = STARFISH_RESULT_DEFAULTS;
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    struct starfish_memory bytes;
    starfish_plan *plan;
    starfish_job *job;
    size_t done, most;
    unsigned seed = 3;
    double *f = test_reals(STARFISH_F64, count_of(&p), &seed), *u = malloc(count_of(&p) * sizeof *u);

    (void)state;
    ASSERT_OK(starfish_atmosphere_plan_create(context, &p, &o, &plan));
    ASSERT_OK(starfish_plan_about(plan, &about));
    assert_string_equal(about.kind, "atmosphere3d");
    assert_string_equal(about.method, "multigrid");
    assert_string_equal(about.reason, "V(1,1) cycles, coarser across, lines upwards");
    assert_true(about.unknowns == count_of(&p) && about.owners == 1 && about.levels == 5 && !about.singular);
    ASSERT_OK(starfish_plan_memory(plan, &bytes));
    assert_true(bytes.main_bytes + bytes.gpu_work > 0);
    ASSERT_OK(starfish_plan_submit(plan, NULL, f, u, &job));
    starfish_job_cancel(job);
    ASSERT_OK(starfish_job_state(job, &done, &most));
    assert_true(done <= most && most == (size_t)o.max_iterations);
    ASSERT_FAILS(starfish_job_finish(job, &result), STARFISH_ERROR_NUMERICAL, "cancelled");
    assert_int_equal(result.outcome, STARFISH_CANCELLED);
    assert_true(result.iterations <= 5);
    starfish_plan_destroy(plan);
    free(f);
    free(u);
}

int test_atmosphere_use(starfish_context *on)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bad_input_is_named),
                                       cmocka_unit_test(jobs_of_a_plan_take_turns),
                                       cmocka_unit_test(jobs_are_watched_and_cancelled)};

    context = on;
    return cmocka_run_group_tests_name("atmosphere: use", tests, NULL, NULL);
}
