/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans and jobs of a kind that is made here, direct or iterative: the solution is the right-hand side times two. What
 * the solve path promises of every kind is looked at where the kind can see it: which functions are called, in which
 * order, with which failures, and what the caller gets. */
#include "solver/solver.h"

#include "tests/common/check.h"
#include "tests/common/group.h"

#include <math.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static starfish_context *context;

enum step { NOWHERE, IN_TAKE, IN_SOLVE, IN_FINISH };

/* What the kind does and sees. */
static struct {
    enum step fails;
    starfish_status with;
    sem_t looked, may_go_on; /* of an iteration, between its steps */
    int holds;
    char calls[96];
} seen;

struct doubling_plan {
    struct starfish_plan plan;
    int steps;
};

static void note(const char *call)
{
    strncat(seen.calls, call, sizeof seen.calls - strlen(seen.calls) - 1);
}

static starfish_status reach(enum step step, const char *call)
{
    note(call);
    return seen.fails == step ? starfish_fail(seen.with, "fails in %s", call) : STARFISH_SUCCESS;
}

static starfish_status take(struct starfish_job *job)
{
    job->most = ((struct doubling_plan *)job->plan)->steps;
    return reach(IN_TAKE, "take ");
}

static starfish_status double_it(struct starfish_job *job)
{
    STARFISH_TRY(reach(IN_SOLVE, "solve "));
    *(double *)job->request.solution = 2 * *(const double *)job->request.rhs;
    return STARFISH_SUCCESS;
}

static starfish_status iterate(struct starfish_job *job)
{
    for (int i = 0; i < job->most; i++) {
        if (atomic_load(&job->cancelled)) {
            job->result.outcome = STARFISH_CANCELLED;
            return starfish_fail(STARFISH_ERROR_NUMERICAL, "cancelled after %d iterations", i);
        }
        job->result.iterations = i + 1;
        starfish_job_look(job, &job->result);
        if (seen.holds) {
            sem_post(&seen.looked);
            sem_wait(&seen.may_go_on);
        }
    }
    return double_it(job);
}

static starfish_status finish(struct starfish_job *job, starfish_status status)
{
    job->result.residual = status == STARFISH_SUCCESS ? 0 : 1;
    return reach(IN_FINISH, "finish ");
}

static void drop(struct starfish_job *job)
{
    (void)job;
    note("drop ");
}

static void tell(struct starfish_job *job)
{
    (void)job;
    note("tell ");
}

static void release(struct starfish_plan *plan)
{
    (void)plan;
    note("release ");
}

static starfish_status memory_of(const struct starfish_plan *plan, struct starfish_memory *memory)
{
    (void)plan;
    *memory = (struct starfish_memory){.main_bytes = 16};
    return STARFISH_SUCCESS;
}

#define DOUBLING(way, function)                                                                                        \
    {                                                                                                                  \
        .name = #way, .plan_bytes = sizeof(struct doubling_plan), .job_bytes = sizeof(struct starfish_job),            \
        .release = release, .memory = memory_of, .take = take, .way = function, .finish = finish, .drop = drop,        \
        .tell = tell                                                                                                   \
    }
static const struct starfish_kind direct = DOUBLING(submit, double_it), iterative = DOUBLING(run, iterate);

/* Plans of this kind have the right-hand side, and their solutions are not wanted everywhere. */
static const struct starfish_kind with_rhs = {.name = "with rhs",
                                              .plan_bytes = sizeof(struct doubling_plan),
                                              .job_bytes = sizeof(struct starfish_job),
                                              .on_ranks = 1,
                                              .has_rhs = 1,
                                              .release = release,
                                              .take = take};

static starfish_plan *make_plan(const struct starfish_kind *kind)
{
    struct starfish_plan *plan;

    memset(seen.calls, 0, sizeof seen.calls);
    seen.fails = NOWHERE;
    seen.holds = 0;
    ASSERT_OK(starfish_plan_begin(context, kind, NULL, &plan));
    ((struct doubling_plan *)plan)->steps = 3;
    plan->about.unknowns = 1;
    ASSERT_OK(starfish_plan_end(plan, starfish_now(), STARFISH_SUCCESS, &plan));
    return plan;
}

static const struct starfish_kind *const kinds[] = {&direct, &iterative};
#define EACH_KIND(k)                                                                                                   \
    size_t k = 0;                                                                                                      \
    k < sizeof kinds / sizeof kinds[0];                                                                                \
    k++

static void solves_and_tells(void **state)
{
    (void)state;
    for (EACH_KIND(k)) {
        starfish_plan *plan = make_plan(kinds[k]);
        struct starfish_result result = STARFISH_RESULT_DEFAULTS;
        struct starfish_about about = STARFISH_ABOUT_DEFAULTS;
        struct starfish_memory memory;
        const double f = 21;
        double u = 0, v = 0;
        starfish_job *job;
        ASSERT_OK(starfish_plan_solve(plan, NULL, &f, &u, &result));
        assert_true(u == 42 && result.residual == 0 && result.iterations == (kinds[k]->run ? 3 : 0));
        assert_true(result.outcome == STARFISH_SOLVED && result.seconds >= 0 && isnan(result.tolerance));
        assert_string_equal(seen.calls, "take solve finish drop tell ");
        ASSERT_OK(starfish_plan_submit(plan, NULL, &f, &v, &job));
        ASSERT_OK(starfish_job_finish(job, NULL));
        assert_true(v == 42);
        ASSERT_OK(starfish_plan_about(plan, &about));
        assert_string_equal(about.kind, kinds[k]->name);
        assert_true(about.unknowns == 1 && about.owners == 1 && about.seconds >= 0);
        ASSERT_OK(starfish_plan_memory(plan, &memory));
        assert_true(memory.main_bytes == 16);
        starfish_plan_destroy(plan);
        assert_non_null(strstr(seen.calls, "release "));
    }
}

/* Each failure is told once, by the call that meets it, and what is held is dropped. */
static void failures_are_told(void **state)
{
    static const struct {
        enum step step;
        const char *calls;
    } steps[] = {{IN_TAKE, "take drop "},
                 {IN_SOLVE, "take solve finish drop tell "},
                 {IN_FINISH, "take solve finish drop tell "}};

    (void)state;
    for (EACH_KIND(k))
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            starfish_plan *plan = make_plan(kinds[k]);
            struct starfish_result result = STARFISH_RESULT_DEFAULTS;
            starfish_job *job = NULL;
            double u = 1;
            const int at_once = steps[i].step == IN_TAKE || (steps[i].step == IN_SOLVE && kinds[k]->submit);
            seen.fails = steps[i].step;
            seen.with = STARFISH_ERROR_NUMERICAL;
            const starfish_status status = starfish_plan_submit(plan, NULL, &u, &u, &job);
            assert_true((job == NULL) == at_once && (status != STARFISH_SUCCESS) == at_once);
            if (job) {
                ASSERT_FAILS(starfish_job_finish(job, &result), STARFISH_ERROR_NUMERICAL, "fails in ");
                assert_true(result.iterations == (kinds[k]->run ? 3 : 0));
            } else {
                assert_non_null(strstr(starfish_error_message(), "fails in "));
            }
            assert_string_equal(seen.calls,
                                steps[i].step == IN_SOLVE && kinds[k]->submit ? "take solve drop " : steps[i].calls);
            starfish_plan_destroy(plan);
        }
}

/* A kind with both ways; and jobs that have ended when they are there. */
static void plans_choose_the_way(void **state)
{
    struct starfish_kind both = direct;
    double u = 1;
    const struct starfish_request request = {.rhs = &u, .solution = &u};

    (void)state;
    both.run = iterate;
    for (int iterates = 0; iterates < 2; iterates++) {
        starfish_plan *plan = make_plan(&both);
        struct starfish_result result = STARFISH_RESULT_DEFAULTS;
        starfish_job *job;
        assert_true(plan->run);
        plan->run = iterates ? iterate : NULL;
        ASSERT_OK(starfish_job_create(plan, &request, 1, &job));
        assert_string_equal(seen.calls, "take solve finish drop ");
        ASSERT_OK(starfish_job_finish(job, &result));
        assert_string_equal(seen.calls, "take solve finish drop tell ");
        assert_true(result.iterations == (iterates ? 3 : 0));
        starfish_plan_destroy(plan);
    }
    assert_true(u == 4);
}

static void bad_arguments_are_named(void **state)
{
    starfish_plan *plan = make_plan(&direct);
    struct starfish_result result = {.size = 0};
    struct starfish_about about = {.size = (size_t)1 << 40};
    const struct starfish_boundary *boundary = (const void *)&result;
    double u = 1;
    size_t done;
    starfish_job *job;

    (void)state;
    ASSERT_FAILS(starfish_plan_solve(NULL, NULL, &u, &u, NULL), STARFISH_ERROR_ARGUMENT, "plan");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, NULL, &u, NULL), STARFISH_ERROR_ARGUMENT, "rhs");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, &u, NULL, NULL), STARFISH_ERROR_ARGUMENT, "solution");
    ASSERT_FAILS(starfish_plan_solve(plan, boundary, &u, &u, NULL), STARFISH_ERROR_ARGUMENT, "boundary must be NULL");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, &u, &u, &result), STARFISH_ERROR_ARGUMENT, "result.size is 0");
    ASSERT_FAILS(starfish_plan_submit(plan, NULL, &u, &u, NULL), STARFISH_ERROR_ARGUMENT, "job");
    ASSERT_FAILS(starfish_job_finish(NULL, NULL), STARFISH_ERROR_ARGUMENT, "job");
    ASSERT_FAILS(starfish_job_state(NULL, &done, &done), STARFISH_ERROR_ARGUMENT, "job");
    ASSERT_FAILS(starfish_plan_about(plan, NULL), STARFISH_ERROR_ARGUMENT, "about");
    ASSERT_FAILS(starfish_plan_about(plan, &about), STARFISH_ERROR_ARGUMENT, "about.size is 1099511627776");
    ASSERT_FAILS(starfish_plan_memory(plan, NULL), STARFISH_ERROR_ARGUMENT, "memory");
    ASSERT_FAILS(starfish_plan_check(plan, &iterative), STARFISH_ERROR_ARGUMENT, "plan is one of submit, not of run");
    assert_string_equal(seen.calls, ""); /* the kind has heard of none of it */
    ASSERT_OK(starfish_plan_submit(plan, NULL, &u, &u, &job));
    ASSERT_FAILS(starfish_job_state(job, NULL, &done), STARFISH_ERROR_ARGUMENT, "done");
    ASSERT_OK(starfish_job_finish(job, NULL));
    starfish_plan_destroy(plan);
    starfish_plan_destroy(NULL);
    starfish_job_cancel(NULL);
}

static void plans_may_have_the_right_hand_side(void **state)
{
    starfish_plan *plan = make_plan(&with_rhs);
    double u = 1;

    (void)state;
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, &u, &u, NULL), STARFISH_ERROR_ARGUMENT, "rhs must be NULL");
    assert_string_equal(seen.calls, "");
    seen.fails = IN_TAKE;
    seen.with = STARFISH_ERROR_ARGUMENT;
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, NULL, NULL, NULL), STARFISH_ERROR_ARGUMENT, "fails in take");
    starfish_plan_destroy(plan);
}

/* A program that was compiled with fewer members, and one with more. */
static void results_have_the_callers_size(void **state)
{
    struct {
        struct starfish_result known;
        double later[2];
    } large = {.known = {.size = sizeof large}, .later = {7, 7}};
    struct starfish_result small = {.size = offsetof(struct starfish_result, accelerated), .accelerated = 77};
    starfish_plan *plan = make_plan(&iterative);
    double u = 1;

    (void)state;
    ASSERT_OK(starfish_plan_solve(plan, NULL, &u, &u, &small));
    assert_true(small.iterations == 3 && small.accelerated == 77);
    ASSERT_OK(starfish_plan_solve(plan, NULL, &u, &u, &large.known));
    assert_true(large.known.size == sizeof large && large.known.iterations == 3);
    assert_true(large.later[0] == 0 && large.later[1] == 0);
    starfish_plan_destroy(plan);
}

static void iterations_are_watched_and_cancelled(void **state)
{
    starfish_plan *plan = make_plan(&iterative);
    struct starfish_result result = STARFISH_RESULT_DEFAULTS;
    starfish_job *first, *second;
    double u = 1, v = 1;
    size_t done, most;

    (void)state;
    seen.holds = 1;
    ASSERT_OK(starfish_plan_submit(plan, NULL, &u, &u, &first));
    sem_wait(&seen.looked);
    ASSERT_OK(starfish_plan_submit(plan, NULL, &v, &v, &second));
    ASSERT_OK(starfish_job_state(first, &done, &most));
    assert_true(done == 1 && most == 3);
    starfish_job_cancel(first);
    starfish_job_cancel(second);
    sem_post(&seen.may_go_on);
    ASSERT_FAILS(starfish_job_finish(second, &result), STARFISH_ERROR_NUMERICAL, "cancelled before its turn");
    assert_true(result.outcome == STARFISH_CANCELLED && result.iterations == 0 && v == 1);
    ASSERT_FAILS(starfish_job_finish(first, &result), STARFISH_ERROR_NUMERICAL, "cancelled after 1 iterations");
    assert_true(result.outcome == STARFISH_CANCELLED && result.iterations == 1 && u == 1);
    starfish_plan_destroy(plan);
}

/* Fewer iterations than are allowed: who waits for the last one does not wait for ever. */
static void state_says_the_end(void **state)
{
    starfish_plan *plan = make_plan(&iterative);
    starfish_job *job;
    double u = 1;
    size_t done = 0, most = 1;

    (void)state;
    seen.holds = 1;
    ASSERT_OK(starfish_plan_submit(plan, NULL, &u, &u, &job));
    sem_wait(&seen.looked);
    starfish_job_cancel(job);
    sem_post(&seen.may_go_on);
    for (double end = starfish_now() + 60; done < most && starfish_now() < end;)
        ASSERT_OK(starfish_job_state(job, &done, &most));
    assert_true(done == 1 && most == 1);
    ASSERT_FAILS(starfish_job_finish(job, NULL), STARFISH_ERROR_NUMERICAL, "cancelled after 1 iterations");
    starfish_plan_destroy(plan);
}

/* Of the plan's solves that are submitted from now on. */
static void count_looks(void *data, const struct starfish_result *result)
{
    int *looks = data;

    assert_int_equal(result->iterations, ++*looks);
    assert_int_equal(result->size, sizeof *result);
}

static void watchers_are_told_of_every_look(void **state)
{
    starfish_plan *plan = make_plan(&iterative);
    double u = 1;
    int looks = 0;

    (void)state;
    starfish_plan_tell(plan, count_looks, &looks);
    ASSERT_OK(starfish_plan_solve(plan, NULL, &u, &u, NULL));
    assert_int_equal(looks, 3);
    starfish_plan_tell(plan, NULL, NULL);
    ASSERT_OK(starfish_plan_solve(plan, NULL, &u, &u, NULL));
    assert_int_equal(looks, 3);
    starfish_plan_tell(NULL, count_looks, &looks);
    starfish_plan_destroy(plan);
}

static int begin(void **state)
{
    (void)state;
    sem_init(&seen.looked, 0, 0);
    sem_init(&seen.may_go_on, 0, 0);
    return starfish_context_create(&context, NULL) != STARFISH_SUCCESS;
}

static int end(void **state)
{
    (void)state;
    starfish_context_destroy(context);
    sem_destroy(&seen.looked);
    sem_destroy(&seen.may_go_on);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_and_tells),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(plans_choose_the_way),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(plans_may_have_the_right_hand_side),
        cmocka_unit_test(results_have_the_callers_size),
        cmocka_unit_test(iterations_are_watched_and_cancelled),
        cmocka_unit_test(state_says_the_end),
        cmocka_unit_test(watchers_are_told_of_every_look),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
