/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Policies: the rule of starfish-width by examples worked out by hand, and a solve under every policy that there is. */
#include "scheduler/lab/policies/policies.h"
#include "scheduler/lab/policies/rule.h"

#include "tests/common/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <starfish/starfish.h>

/* ---- The rule ---------------------------------------------------------------------------------------------------- */

enum { NARROW = 100, WIDE = 1000, LIMIT = 500, NOW = 1000 };

static const struct offers {
    const char *why;
    size_t width, best, count;
    struct starfish_offer offer[3]; /* accelerator, free, arrival, copies, length, load */
} cases[] = {
    {"the only place", WIDE, 0, 1, {{0, 9000, NOW, 0, 50, 7}}},
    {"ends first", 0, 1, 2, {{0, NOW, NOW, 0, 90, 0}, {1, NOW, NOW, 0, 10, 0}}},
    {"ends first though it must wait", 0, 1, 2, {{0, NOW, NOW, 0, 900, 0}, {1, NOW + 100, NOW, 0, 10, 3}}},
    /* On the GPU it would end at 1000 + 60 + 10, on the cores at 1000 + 90. */
    {"staying beats moving when the copy costs the link more than it gains",
     0,
     0,
     2,
     {{0, NOW, NOW, 0, 90, 0}, {1, NOW, NOW + 60, 60, 10, 0}}},
    {"moving pays", 0, 1, 2, {{0, NOW, NOW, 0, 140, 0}, {1, NOW, NOW + 60, 60, 10, 0}}},
    {"a link that owes other copies makes moving late",
     0,
     0,
     2,
     {{0, NOW, NOW, 0, 140, 0}, {1, NOW, NOW + 90, 60, 10, 0}}},
    {"copies beside waiting cost no time, but the link",
     0,
     0,
     2,
     {{0, NOW + 100, NOW, 0, 50, 0}, {1, NOW + 80, NOW + 60, 60, 50, 0}}},
    /* Narrow: 1000 + 30 on the cores; on the GPU 1005 + 20, and 20 for those held up. */
    {"a narrow step leaves a busy GPU to wide ones",
     NARROW,
     0,
     2,
     {{0, NOW, NOW, 0, 30, 0}, {1, NOW + 5, NOW, 0, 20, 1}}},
    {"a wide step takes it", WIDE, 1, 2, {{0, NOW, NOW, 0, 30, 0}, {1, NOW + 5, NOW, 0, 20, 1}}},
    {"of an idle GPU a narrow step holds up nobody", NARROW, 1, 2, {{0, NOW, NOW, 0, 30, 0}, {1, NOW, NOW, 0, 20, 0}}},
    {"a wide step waits for the GPU rather than holding up busy cores",
     WIDE,
     1,
     2,
     {{0, NOW + 10, NOW, 0, 40, 1}, {1, NOW + 60, NOW, 0, 20, 9}}},
    {"not measured: first where the width suggests",
     WIDE,
     1,
     2,
     {{0, NOW, NOW, 0, (double)NAN, 0}, {1, NOW + 500, NOW, 0, (double)NAN, 9}}},
    {"not measured, narrow", NARROW, 0, 2, {{0, NOW + 500, NOW, 0, (double)NAN, 9}, {1, NOW, NOW, 0, (double)NAN, 0}}},
    {"measured on the GPU, so the cores are next",
     WIDE,
     0,
     2,
     {{0, NOW, NOW, 0, (double)NAN, 0}, {1, NOW, NOW, 0, 1, 0}}},
    {"of two GPUs not measured, the one with less to do",
     WIDE,
     2,
     3,
     {{0, NOW, NOW, 0, (double)NAN, 0}, {1, NOW, NOW, 0, (double)NAN, 2}, {1, NOW, NOW, 0, (double)NAN, 1}}},
    {"without a model: by width", WIDE, 1, 2, {{0, NOW, NOW, 0, 0, 0}, {1, NOW, NOW, 0, 0, 8}}},
    {"without model and width: by load", 0, 0, 2, {{0, NOW, NOW, 0, 0, 1}, {1, NOW, NOW, 0, 0, 2}}},
};

static void the_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t best = starfish_offer_choose(cases[i].offer, cases[i].count, cases[i].width, LIMIT, NOW);
        if (best != cases[i].best)
            fail_msg("%s: place %zu instead of %zu", cases[i].why, best, cases[i].best);
    }
}

static void links_keep_accounts(void **state)
{
    (void)state;
    struct starfish_link link = {0, 0};
    assert_true(starfish_link_end(&link, 10, 100) == 110);
    const double first = starfish_link_promise(&link, 10, 100); /* until 110 */
    const double second = starfish_link_promise(&link, 20, 105);
    const double third = starfish_link_promise(&link, 5, 200); /* after a pause */
    assert_true(link.free == 205 && starfish_link_end(&link, 1, 0) == 206);
    starfish_link_finish(&link, second, 201); /* the third's may just have begun */
    assert_true(link.free == 205);
    const double fourth = starfish_link_promise(&link, 40, 201);
    starfish_link_finish(&link, third, 202); /* three sooner than promised */
    assert_true(link.free == 242);
    starfish_link_finish(&link, first, 203); /* says nothing new */
    assert_true(link.free == 242);
    starfish_link_finish(&link, fourth, 220);
    assert_true(link.free == 220);
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

enum { N = 20 };

static void solve(const char *policy, starfish_method method, double *solution)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    struct starfish_poisson_options how = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem problem = {.lambda = -1};
    struct starfish_runtime runtime;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_context *context;
    starfish_plan *plan;
    static double rhs[N * N * N];
    for (int e = 0; e < N * N * N; e++)
        rhs[e] = (e * 37) % 101 - 50;
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){
            .kind = STARFISH_UNIFORM, .n = N, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_NEUMANN}};
    options.gpu_workers = 0;
    options.policy = policy;
    how.method = method;
    how.slabs = 5;
    how.check_residual = 1;
    ASSERT_OK(starfish_context_create(&context, &options));
    ASSERT_OK(starfish_context_runtime(context, &runtime));
    assert_string_equal(runtime.policy, policy);
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &how, &plan));
    for (int time = 0; time < 3; time++)
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, solution, &info));
    assert_true(info.residual_max < 1e-12);
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
}

/* The graph says in which order the arithmetic is done, so whoever runs it gets the same bits. */
static void every_policy_solves(void **state)
{
    (void)state;
    static const char *const policies[] = {"starfish-width", "eager", "prio",  "random",    "ws", "dm",
                                           "dmda",           "dmdas", "dmdar", "heteroprio"};
    static const starfish_method methods[] = {STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI};
    static double expected[N * N * N], solution[N * N * N];
    for (size_t m = 0; m < 2; m++) {
        solve("lws", methods[m], expected);
        for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
            memset(solution, 0, sizeof solution);
            solve(policies[p], methods[m], solution);
            assert_memory_equal(solution, expected, sizeof solution);
        }
    }
}

static void the_environment_may_name_ours(void **state)
{
    (void)state;
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    struct starfish_runtime runtime;
    starfish_context *context;
    options.gpu_workers = 0;
    setenv("STARPU_SCHED", "starfish-width", 1);
    ASSERT_OK(starfish_context_create(&context, &options));
    ASSERT_OK(starfish_context_runtime(context, &runtime));
    assert_string_equal(runtime.policy, "starfish-width");
    starfish_context_destroy(context);
    options.policy = "eager"; /* the option goes before the variable */
    ASSERT_OK(starfish_context_create(&context, &options));
    ASSERT_OK(starfish_context_runtime(context, &runtime));
    assert_string_equal(runtime.policy, "eager");
    starfish_context_destroy(context);
    unsetenv("STARPU_SCHED");
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    ASSERT_OK(starfish_policy_check("here", "starfish-width"));
    ASSERT_OK(starfish_policy_check("here", "dmdas"));
    ASSERT_FAILS(starfish_policy_check("here", "fastest"), STARFISH_ERROR_ARGUMENT, "here: there is no policy named");
    assert_non_null(strstr(starfish_error_message(), "starfish-width, "));
    assert_non_null(strstr(starfish_error_message(), "graph_test")); /* the last of StarPU's: none is cut off */
    setenv("STARPU_SCHED_LIB", "/no/such/library.so", 1);
    ASSERT_FAILS(starfish_policy_check("here", "fastest"), STARFISH_ERROR_ARGUMENT, "/no/such/library.so");
    unsetenv("STARPU_SCHED_LIB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule),
        cmocka_unit_test(links_keep_accounts),
        cmocka_unit_test(every_policy_solves),
        cmocka_unit_test(the_environment_may_name_ours),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
