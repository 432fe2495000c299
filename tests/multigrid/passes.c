/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passes of one engine, which differ in method, tolerances, steps and guess: each comes to what it comes to on an
 * engine of its own, whatever ran before. */
#include "tests/common/check.h"
#include "tests/common/group.h"

#include "atmosphere/geometry.h"
#include "multigrid/plan.h"
#include "multigrid/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static starfish_context *context;

enum { ELEMENTS = 64, COUNT = (ELEMENTS - 1) * (ELEMENTS - 1) };

static double rhs[COUNT], guess[COUNT];

static struct starfish_multigrid_engine *make_engine(int mixed, int variant, int steps)
{
    static double width[ELEMENTS];
    const struct starfish_q1_problem problem = {
        .elements = {ELEMENTS, ELEMENTS},
        .width = {width, width},
        .ends = {{STARFISH_DIRICHLET, STARFISH_DIRICHLET}, {STARFISH_DIRICHLET, STARFISH_DIRICHLET}}};
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_multigrid_engine *engine;

    for (size_t i = 0; i < ELEMENTS; i++)
        width[i] = 1. / ELEMENTS;
    for (size_t i = 0; i < COUNT; i++) {
        rhs[i] = sin(0.37 * (double)i) + 0.2;
        guess[i] = cos(0.11 * (double)i);
    }
    options.mixed = mixed;
    options.smoother = STARFISH_SMOOTHER_JACOBI;
    options.before = options.after = steps;
    options.krylov = (starfish_krylov)variant;
    ASSERT_OK(starfish_multigrid_engine_create(context, &starfish_q1_hooks, &problem, &options, NULL, &engine, NULL));
    return engine;
}

/* To be freed. */
static struct starfish_multigrid_solve *make_solve(struct starfish_multigrid_engine *engine)
{
    struct solving {
        struct starfish_multigrid_solve solve;
        struct starfish_result result;
    } *solving = calloc(1, sizeof *solving);

    solving->solve.engine = engine;
    solving->solve.result = &solving->result;
    return &solving->solve;
}

static void drive(struct starfish_multigrid_solve *solve)
{
    struct starfish_progress progress;

    starfish_progress_init(&progress, context);
    solve->progress = &progress;
    (void)starfish_multigrid_solve_run(solve);
    starfish_progress_destroy(&progress);
    solve->progress = NULL;
}

/* A solve of rhs that begins with the guess, where it takes one. */
static struct starfish_multigrid_solve *run(struct starfish_multigrid_engine *engine, const struct starfish_pass *pass,
                                            double *u)
{
    struct starfish_multigrid_solve *solve = make_solve(engine);

    memcpy(u, guess, sizeof guess);
    solve->pass = *pass;
    ASSERT_OK(starfish_multigrid_solve_arrays(solve, rhs, u));
    drive(solve);
    return solve;
}

/* What a pass says of itself. */
static void check_told(const struct starfish_multigrid_solve *solve)
{
    const struct starfish_result *info = solve->result;
    const struct starfish_pass *pass = &solve->pass;
    const int watched = pass->tolerance > 0 || pass->absolute > 0;

    assert_int_equal(pass->steps, info->iterations);
    if (!watched) {
        assert_int_equal(solve->failure.status, STARFISH_SUCCESS);
        assert_int_equal(pass->steps, pass->most);
        assert_true(isnan(pass->norm) && isnan(pass->best) && isnan(info->residual));
        return;
    }
    const int reached = pass->norm <= fmax(pass->tolerance * info->rhs_norm, pass->absolute);
    assert_true(fabs(pass->norm / info->rhs_norm / info->residual - 1) < 1e-12);
    assert_true(pass->best <= pass->norm && pass->best > 0);
    assert_int_equal(solve->failure.status, reached ? STARFISH_SUCCESS : STARFISH_ERROR_NUMERICAL);
    assert_true(reached || pass->steps == pass->most);
}

static void passes_of_an_engine_do_not_see_each_other(void **state)
{
    static const struct starfish_pass passes[] = {
        {.variant = STARFISH_KRYLOV_NONE, .most = 50, .tolerance = 1e-4},
        {.variant = STARFISH_KRYLOV_CG, .most = 50, .tolerance = 1e-10},
        {.variant = STARFISH_KRYLOV_BICGSTAB, .most = 50, .tolerance = 1e-7},
        {.variant = STARFISH_KRYLOV_CG, .most = 50, .from_guess = 1, .absolute = 1e-3},
        {.variant = STARFISH_KRYLOV_BICGSTAB, .most = 4, .from_guess = 1, .tolerance = 1e-14},
        {.variant = STARFISH_KRYLOV_NONE, .most = 3},
        {.variant = STARFISH_KRYLOV_CG, .most = 2},
        {.variant = STARFISH_KRYLOV_NONE, .most = 2, .from_guess = 1, .tolerance = 1e-12},
        {.variant = STARFISH_KRYLOV_NONE, .most = 50, .tolerance = 1e-9},
    };
    static double alone[COUNT], after[COUNT];
    (void)state;

    for (int variant = STARFISH_KRYLOV_CG; variant <= STARFISH_KRYLOV_BICGSTAB; variant++)
        for (int mixed = 0; mixed < 2; mixed++) {
            struct starfish_multigrid_engine *engine = make_engine(mixed, variant, 1);
            for (size_t p = 0; p < sizeof passes / sizeof passes[0]; p++) {
                if (passes[p].variant != STARFISH_KRYLOV_NONE && passes[p].variant != variant)
                    continue;
                struct starfish_multigrid_engine *own = make_engine(mixed, variant, 1);
                struct starfish_multigrid_solve *expected = run(own, &passes[p], alone);
                struct starfish_multigrid_solve *got = run(engine, &passes[p], after);
                check_told(got);
                assert_int_equal(got->pass.steps, expected->pass.steps);
                assert_memory_equal(got->result->history, expected->result->history, sizeof got->result->history);
                assert_memory_equal(after, alone, sizeof after);
                free(expected);
                free(got);
                starfish_multigrid_engine_destroy(own);
            }
            starfish_multigrid_engine_destroy(engine);
        }
}

/* As its options do, where nothing else is asked for. */
static void a_plan_runs_the_pass_of_its_options(void **state)
{
    static double by_plan[COUNT], by_pass[COUNT];
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_plan *plan;
    (void)state;

    for (int variant = STARFISH_KRYLOV_NONE; variant <= STARFISH_KRYLOV_BICGSTAB; variant++) {
        struct starfish_multigrid_engine *engine = make_engine(0, variant, 2);
        const struct starfish_pass pass = starfish_multigrid_pass(&engine->options);
        struct starfish_multigrid_solve *solve = run(engine, &pass, by_pass);
        assert_int_equal(pass.variant, variant);
        ASSERT_OK(starfish_multigrid_plan_of(engine, starfish_now(), &plan));
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, by_plan, &info));
        assert_int_equal(info.iterations, solve->pass.steps);
        assert_memory_equal(by_plan, by_pass, sizeof by_plan);
        free(solve);
        starfish_plan_destroy(plan);
    }
}

static void check_refused(struct starfish_multigrid_engine *engine, const struct starfish_pass *pass)
{
    static double u[COUNT];
    struct starfish_multigrid_solve *solve = run(engine, pass, u);

    assert_int_equal(solve->failure.status, STARFISH_ERROR_ARGUMENT);
    assert_non_null(strstr(solve->failure.message, "not made for"));
    assert_memory_equal(u, guess, sizeof u);
    free(solve);
}

/* Nothing is written then. */
static void an_engine_refuses_what_it_has_no_vectors_for(void **state)
{
    static const int other[] = {
        [STARFISH_KRYLOV_CG] = STARFISH_KRYLOV_BICGSTAB, [STARFISH_KRYLOV_BICGSTAB] = STARFISH_KRYLOV_CG};
    (void)state;

    for (int variant = STARFISH_KRYLOV_CG; variant <= STARFISH_KRYLOV_BICGSTAB; variant++) {
        struct starfish_multigrid_engine *engine = make_engine(0, variant, 1);
        const struct starfish_pass pass = {.variant = other[variant], .most = 5, .tolerance = 1e-3};
        check_refused(engine, &pass);
        starfish_multigrid_engine_destroy(engine);
    }
}

/* Cycles of flat domains in mixed precision have a second solution where others have a residual. A guess needs that. */
static void corrections_that_wait_have_no_guess(void **state)
{
    enum { SIDE = 9, UP = 7 };
    static double f[SIDE * SIDE * UP], u[SIDE * SIDE * UP];
    const struct starfish_atmosphere_problem problem = {
        .n = {SIDE, SIDE, UP}, .length = {1, 1}, .height = 0.01, .omega = 1, .lambda = 1};
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    struct starfish_flat_volumes volumes;
    (void)state;

    options.mixed = 1;
    for (size_t i = 0; i < sizeof f / sizeof f[0]; i++)
        f[i] = sin((double)i);
    ASSERT_OK(starfish_flat_volumes_create(&volumes, &problem));
    for (options.initial_guess = 0; options.initial_guess < 2; options.initial_guess++)
        for (int from_guess = 0; from_guess < 2; from_guess++) {
            const starfish_status expected =
                from_guess && !options.initial_guess ? STARFISH_ERROR_ARGUMENT : STARFISH_SUCCESS;
            struct starfish_multigrid_engine *engine;
            ASSERT_OK(starfish_multigrid_engine_create(context, starfish_flat_hooks(&volumes.matrix), &volumes.matrix,
                                                       &options, NULL, &engine, NULL));
            struct starfish_multigrid_solve *solve = make_solve(engine);
            solve->pass = (struct starfish_pass){
                .variant = STARFISH_KRYLOV_NONE, .most = 50, .from_guess = from_guess, .tolerance = 1e-9};
            memset(u, 0, sizeof u);
            ASSERT_OK(starfish_multigrid_solve_arrays(solve, f, u));
            drive(solve);
            assert_int_equal(solve->failure.status, expected);
            starfish_multigrid_engine_destroy(engine);
            free(solve);
        }
    starfish_flat_volumes_destroy(&volumes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes_of_an_engine_do_not_see_each_other),
                                       cmocka_unit_test(a_plan_runs_the_pass_of_its_options),
                                       cmocka_unit_test(an_engine_refuses_what_it_has_no_vectors_for),
                                       cmocka_unit_test(corrections_that_wait_have_no_guess)};

    return TEST_GROUP("passes", tests, &context, 0, -1, 0);
}
