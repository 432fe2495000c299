/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Multigrid solves that go on by themselves: they return before they are done, keep their order, can be cancelled, and
 * fail with a message where they are waited for. Jobs are held at their first look at a residual, so that nothing
 * depends on how fast they are. */
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/multigrid/gate.h"

#include <starfish/starfish.h>

#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static starfish_context *context;

enum { ELEMENTS = 64, COUNT = (ELEMENTS - 1) * (ELEMENTS - 1) };

static double rhs[COUNT];

static starfish_plan *make_plan(const struct starfish_multigrid_options *options)
{
    static double width[ELEMENTS];
    const struct starfish_q1_problem problem = {
        .elements = {ELEMENTS, ELEMENTS},
        .width = {width, width},
        .ends = {{STARFISH_DIRICHLET, STARFISH_DIRICHLET}, {STARFISH_DIRICHLET, STARFISH_DIRICHLET}}};
    starfish_plan *plan;

    for (size_t i = 0; i < ELEMENTS; i++)
        width[i] = 1. / ELEMENTS;
    for (size_t i = 0; i < COUNT; i++)
        rhs[i] = sin(0.37 * (double)i) + 0.2;
    ASSERT_OK(starfish_q1_plan_create(context, &problem, options, &plan));
    return plan;
}

static starfish_plan *make_usual_plan(void)
{
    const struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;

    return make_plan(&options);
}

static void assert_same(const double *a, const double *b)
{
    assert_memory_equal(a, b, COUNT * sizeof *a);
}

static void submission_does_not_wait(void **state)
{
    static double expected[COUNT], solution[COUNT];
    starfish_plan *plan = make_usual_plan();
    struct starfish_result alone = STARFISH_RESULT_DEFAULTS, info = STARFISH_RESULT_DEFAULTS;
    starfish_job *job;
    struct test_gate gate;
    size_t done, most;
    (void)state;

    ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, expected, &alone));
    test_gate_make(&gate);
    starfish_plan_tell(plan, test_gate_hold, &gate);
    ASSERT_OK(starfish_plan_submit(plan, NULL, rhs, solution, &job));
    sem_wait(&gate.reached); /* it is under way, and stays so until this thread lets it go on */
    assert_int_equal(gate.looks, 1);
    ASSERT_OK(starfish_job_state(job, &done, &most));
    assert_true(done == 0 && most == 100);
    sem_post(&gate.open);
    ASSERT_OK(starfish_job_finish(job, &info));
    assert_int_equal(gate.looks, 1 + info.iterations);
    assert_int_equal(info.iterations, alone.iterations);
    assert_memory_equal(info.history, alone.history, sizeof info.history);
    assert_same(solution, expected);
    starfish_plan_destroy(plan);
}

static void plans_say_what_they_are(void **state)
{
    starfish_plan *plan = make_usual_plan();
    struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
    struct starfish_multigrid_options chosen = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_memory memory;
    (void)state;

    ASSERT_OK(starfish_plan_about(plan, &about));
    assert_string_equal(about.kind, "multigrid");
    assert_string_equal(about.method, "multigrid");
    assert_string_equal(about.reason, "v cycles, 3 and 3 steps of chebyshev, matrix tensor");
    assert_true(about.unknowns == COUNT && about.levels > 1 && !about.singular && about.owners == 1);
    ASSERT_OK(starfish_multigrid_plan_options(plan, &chosen));
    assert_true(chosen.smoother == STARFISH_SMOOTHER_CHEBYSHEV && chosen.matrix == STARFISH_MATRIX_TENSOR);
    ASSERT_OK(starfish_plan_memory(plan, &memory));
    assert_true(memory.main_bytes > 0);
    chosen.size = 0;
    ASSERT_FAILS(starfish_multigrid_plan_options(plan, &chosen), STARFISH_ERROR_ARGUMENT, "options.size is 0");
    starfish_plan_destroy(plan);
}

/* Each solves for what the one before has found. */
/* Whatever `before` and `after` say, and `fixed` whatever the tolerance; a plan of what it has chosen is the same. */
static void smoothing_steps_count_before_and_after(void **state)
{
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    (void)state;

    options.smoother = STARFISH_SMOOTHER_JACOBI;
    options.before = 0;
    options.smoothing_steps = 4;
    options.fixed = 1;
    for (int again = 0; again < 2; again++) {
        starfish_plan *plan = make_plan(&options);
        ASSERT_OK(starfish_multigrid_plan_options(plan, &options));
        assert_true(options.before == 4 && options.after == 4 && options.smoothing_steps == 0);
        assert_true(options.fixed && options.tolerance == 0);
        starfish_plan_destroy(plan);
    }
}

static void jobs_keep_their_order(void **state)
{
    enum { JOBS = 4 };
    static double expected[JOBS + 1][COUNT], got[JOBS + 1][COUNT];
    starfish_plan *plan = make_usual_plan();
    starfish_job *job[JOBS];
    struct test_gate gate;
    (void)state;

    memcpy(expected[0], rhs, sizeof rhs);
    memcpy(got[0], rhs, sizeof rhs);
    for (size_t j = 0; j < JOBS; j++)
        ASSERT_OK(starfish_plan_solve(plan, NULL, expected[j], expected[j + 1], NULL));
    test_gate_make(&gate);
    starfish_plan_tell(plan, test_gate_hold, &gate);
    for (size_t j = 0; j < JOBS; j++)
        ASSERT_OK(starfish_plan_submit(plan, NULL, got[j], got[j + 1], &job[j]));
    sem_post(&gate.open);
    for (size_t j = JOBS; j > 0; j--)
        ASSERT_OK(starfish_job_finish(job[j - 1], NULL));
    for (size_t j = 0; j <= JOBS; j++)
        assert_same(got[j], expected[j]);
    starfish_plan_destroy(plan);
}

/* What a thread finds that waits. */
struct waiting {
    starfish_job *job;
    struct starfish_result info;
    starfish_status status;
    char message[256];
};

static void *wait_for(void *data)
{
    struct waiting *w = data;

    w->status = starfish_job_finish(w->job, &w->info);
    strncpy(w->message, starfish_error_message(), sizeof w->message - 1);
    return NULL;
}

static void wait_in_another_thread(struct waiting *w)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, wait_for, w), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void any_thread_may_wait(void **state)
{
    static double solution[COUNT];
    starfish_plan *plan = make_usual_plan();
    struct waiting w = {.info = STARFISH_RESULT_DEFAULTS};
    (void)state;

    ASSERT_OK(starfish_plan_submit(plan, NULL, rhs, solution, &w.job));
    wait_in_another_thread(&w);
    assert_int_equal(w.status, STARFISH_SUCCESS);
    assert_true(w.info.outcome == STARFISH_SOLVED && w.info.iterations > 0 && w.info.residual <= 1e-8);
    starfish_plan_destroy(plan);
}

static void failures_have_their_message_where_they_are_waited_for(void **state)
{
    static double bad[COUNT], solution[COUNT];
    starfish_plan *plan = make_usual_plan();
    struct waiting w = {.info = STARFISH_RESULT_DEFAULTS};
    (void)state;

    memcpy(bad, rhs, sizeof bad);
    bad[COUNT / 2] = (double)NAN;
    ASSERT_OK(starfish_plan_submit(plan, NULL, bad, solution, &w.job));
    wait_in_another_thread(&w);
    assert_int_equal(w.status, STARFISH_ERROR_NUMERICAL);
    assert_string_equal(w.message, "rhs is not finite, or too large to be squared");
    assert_int_equal(w.info.outcome, STARFISH_DIVERGED);
    starfish_plan_destroy(plan);
}

static void a_job_can_be_cancelled(void **state)
{
    static double solution[COUNT], untouched[COUNT];
    starfish_plan *plan = make_usual_plan();
    struct waiting running = {.info = STARFISH_RESULT_DEFAULTS}, queued = running;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    struct test_gate gate;
    (void)state;

    memcpy(untouched, rhs, sizeof rhs);
    test_gate_make(&gate);
    starfish_plan_tell(plan, test_gate_hold, &gate);
    ASSERT_OK(starfish_plan_submit(plan, NULL, rhs, solution, &running.job));
    ASSERT_OK(starfish_plan_submit(plan, NULL, rhs, untouched, &queued.job));
    sem_wait(&gate.reached);
    starfish_job_cancel(running.job);
    starfish_job_cancel(queued.job);
    sem_post(&gate.open);
    wait_in_another_thread(&running);
    wait_in_another_thread(&queued);
    assert_int_equal(running.status, STARFISH_ERROR_NUMERICAL);
    assert_string_equal(running.message, "cancelled after 0 cycles");
    assert_int_equal(running.info.outcome, STARFISH_CANCELLED);
    assert_int_equal(queued.status, STARFISH_ERROR_NUMERICAL);
    assert_string_equal(queued.message, "cancelled before its turn");
    assert_int_equal(queued.info.outcome, STARFISH_CANCELLED);
    assert_same(untouched, rhs);
    starfish_plan_tell(plan, NULL, NULL); /* the plan is as good as before */
    ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, solution, &info));
    assert_true(info.residual <= 1e-8);
    starfish_plan_destroy(plan);
}

/* A plan's jobs wait for one another, those of others do not. */
static void plans_do_not_wait_for_each_other(void **state)
{
    static double solution[2][COUNT];
    starfish_plan *held = make_usual_plan(), *other = make_usual_plan();
    starfish_job *job;
    struct test_gate gate;
    (void)state;

    test_gate_make(&gate);
    starfish_plan_tell(held, test_gate_hold, &gate);
    ASSERT_OK(starfish_plan_submit(held, NULL, rhs, solution[0], &job));
    sem_wait(&gate.reached);
    ASSERT_OK(starfish_plan_solve(other, NULL, rhs, solution[1], NULL));
    sem_post(&gate.open);
    ASSERT_OK(starfish_job_finish(job, NULL));
    assert_same(solution[0], solution[1]);
    starfish_plan_destroy(held);
    starfish_plan_destroy(other);
}

/* Steps that take long are looked at one by one, short ones are submitted ahead: the result is the same. */
static void looks_change_nothing(void **state)
{
    static double often[COUNT], seldom[COUNT];
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_result one = STARFISH_RESULT_DEFAULTS, many = STARFISH_RESULT_DEFAULTS;
    (void)state;

    options.krylov = STARFISH_KRYLOV_CG;
    options.before = options.after = 1;
    options.smoother = STARFISH_SMOOTHER_JACOBI;
    options.tolerance = 1e-10;
    for (int mixed = 0; mixed < 2; mixed++) {
        options.mixed = mixed;
        starfish_plan *plan = make_plan(&options);
        starfish_plan_tell(plan, test_gate_slow_down, NULL);
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, often, &one));
        starfish_plan_tell(plan, NULL, NULL);
        for (int repeat = 0; repeat < 3; repeat++) {
            ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, seldom, &many));
            assert_int_equal(one.iterations, many.iterations);
            assert_int_equal(one.count, many.count);
            assert_memory_equal(one.history, many.history, sizeof one.history);
            assert_same(often, seldom);
        }
        starfish_plan_destroy(plan);
    }
}

static void bad_arguments_make_no_job(void **state)
{
    static double solution[COUNT];
    starfish_plan *plan = make_usual_plan();
    starfish_job *job;
    (void)state;

    assert_int_equal(starfish_plan_submit(NULL, NULL, rhs, solution, &job), STARFISH_ERROR_ARGUMENT);
    assert_int_equal(starfish_plan_submit(plan, NULL, NULL, solution, &job), STARFISH_ERROR_ARGUMENT);
    assert_int_equal(starfish_plan_submit(plan, NULL, rhs, NULL, &job), STARFISH_ERROR_ARGUMENT);
    assert_int_equal(starfish_plan_submit(plan, NULL, rhs, rhs, &job), STARFISH_ERROR_ARGUMENT);
    assert_null(job);
    assert_int_equal(starfish_plan_submit(plan, NULL, rhs, solution, NULL), STARFISH_ERROR_ARGUMENT);
    assert_int_equal(starfish_job_finish(NULL, NULL), STARFISH_ERROR_ARGUMENT);
    starfish_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(submission_does_not_wait),
                                       cmocka_unit_test(plans_say_what_they_are),
                                       cmocka_unit_test(smoothing_steps_count_before_and_after),
                                       cmocka_unit_test(jobs_keep_their_order),
                                       cmocka_unit_test(any_thread_may_wait),
                                       cmocka_unit_test(failures_have_their_message_where_they_are_waited_for),
                                       cmocka_unit_test(a_job_can_be_cancelled),
                                       cmocka_unit_test(plans_do_not_wait_for_each_other),
                                       cmocka_unit_test(looks_change_nothing),
                                       cmocka_unit_test(bad_arguments_make_no_job)};

    return TEST_GROUP("jobs", tests, &context, 0, -1, 0);
}
