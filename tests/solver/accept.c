/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What may be called solved: every family's rules by tables, with residuals and bounds on both sides of every limit. */
#include "solver/accept.h"

#include "atmosphere/plan.h"
#include "base/precision.h"
#include "diffusion/solve.h"
#include "fem/plan.h"
#include "poisson/job.h"
#include "tests/common/check.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { REACHED, EXHAUSTED, STALLED, NOT_FINITE, CANCELLED, FIXED };
#define CAP 1e-3
#define ABOVE (1.01 * CAP)
#define UNKNOWN ((double)NAN)
static const struct starfish_acceptance *const P = &starfish_poisson_acceptance,
                                               *const D = &starfish_diffusion_acceptance,
                                               *const A = &starfish_atmosphere_acceptance,
                                               *const F = &starfish_fem_acceptance;

struct row {
    const struct starfish_acceptance *const *rules;
    int end;
    double reached, rounding;
    starfish_outcome outcome;
    int excused; /* rounding is the tolerance that counts */
};

static const struct row rows[] = {
    /* An iteration that has reached its tolerance, or was to look at none. */
    {&P, REACHED, 1e-11, UNKNOWN, STARFISH_SOLVED, 0},
    {&D, REACHED, 1e-11, 1e-9, STARFISH_SOLVED, 0},
    {&A, REACHED, 1e-11, 0, STARFISH_SOLVED, 0},
    {&A, FIXED, UNKNOWN, 0, STARFISH_SOLVED, 0},
    {&F, REACHED, 2, UNKNOWN, STARFISH_SOLVED, 0}, /* the load is nothing but rounding errors of its mean */
    {&P, FIXED, UNKNOWN, UNKNOWN, STARFISH_SOLVED, 0},
    /* Stalled: excused up to what rounding errors explain, and up to the cap. */
    {&P, STALLED, 1e-9, 1e-9, STARFISH_SOLVED, 1},
    {&P, STALLED, 1.01e-9, 1e-9, STARFISH_STAGNATED, 0},
    {&P, STALLED, CAP, CAP, STARFISH_SOLVED, 1},
    {&P, STALLED, 1e-9, ABOVE, STARFISH_STAGNATED, 0},
    {&P, STALLED, 1e-9, UNKNOWN, STARFISH_STAGNATED, 0}, /* without check_residual */
    {&P, STALLED, 7, UNKNOWN, STARFISH_STAGNATED, 0},
    {&D, STALLED, 1e-9, 1e-9, STARFISH_SOLVED, 1},
    {&D, STALLED, 1.01e-9, 1e-9, STARFISH_STAGNATED, 0},
    {&D, STALLED, CAP, CAP, STARFISH_SOLVED, 1},
    {&D, STALLED, 1e-9, ABOVE, STARFISH_STAGNATED, 0},
    {&D, STALLED, 7, 8, STARFISH_STAGNATED, 0},
    {&A, STALLED, 1e-9, 1e-9, STARFISH_SOLVED, 1},
    {&A, STALLED, 1.01e-9, 1e-9, STARFISH_STAGNATED, 0},
    {&A, STALLED, CAP, CAP, STARFISH_SOLVED, 1},
    {&A, STALLED, 1e-9, ABOVE, STARFISH_STAGNATED, 0},
    {&A, STALLED, 1e-9, UNKNOWN, STARFISH_STAGNATED, 0},
    {&F, STALLED, 1e-9, 1e-9, STARFISH_SOLVED, 1},
    {&F, STALLED, 1.01e-9, 1e-9, STARFISH_STAGNATED, 0},
    {&F, STALLED, CAP, CAP, STARFISH_SOLVED, 1},
    {&F, STALLED, 1e-9, ABOVE, STARFISH_STAGNATED, 0},
    /* Out of steps: excused in F alone. */
    {&P, EXHAUSTED, 1e-9, 1e-8, STARFISH_NOT_CONVERGED, 0},
    {&P, EXHAUSTED, UNKNOWN, UNKNOWN, STARFISH_NOT_CONVERGED, 0},
    {&D, EXHAUSTED, 1e-9, 1e-8, STARFISH_NOT_CONVERGED, 0},
    {&A, EXHAUSTED, 1e-9, 1e-8, STARFISH_NOT_CONVERGED, 0},
    {&F, EXHAUSTED, 1e-9, 1e-8, STARFISH_SOLVED, 1},
    {&F, EXHAUSTED, 1e-9, 9e-10, STARFISH_NOT_CONVERGED, 0},
    {&F, EXHAUSTED, 1e-9, ABOVE, STARFISH_NOT_CONVERGED, 0},
    /* Larger than the right-hand side: diverged in A and F, in A unless rounding errors explain it. */
    {&A, STALLED, 1, 1e-9, STARFISH_STAGNATED, 0},
    {&A, STALLED, 1.01, 1e-9, STARFISH_DIVERGED, 0},
    {&A, STALLED, 1.01, 1.01, STARFISH_STAGNATED, 0},
    {&A, EXHAUSTED, 1, 1e-9, STARFISH_NOT_CONVERGED, 0},
    {&A, EXHAUSTED, 1.01, 1e-9, STARFISH_DIVERGED, 0},
    {&A, EXHAUSTED, 1.01, 2, STARFISH_STAGNATED, 0},
    {&A, CANCELLED, 1.01, 1e-9, STARFISH_DIVERGED, 0},
    {&F, STALLED, 1, UNKNOWN, STARFISH_STAGNATED, 0},
    {&F, STALLED, 1.01, UNKNOWN, STARFISH_DIVERGED, 0},
    {&F, EXHAUSTED, 1, UNKNOWN, STARFISH_NOT_CONVERGED, 0},
    {&F, EXHAUSTED, 1.01, UNKNOWN, STARFISH_DIVERGED, 0},
    /* Not finite. */
    {&P, NOT_FINITE, UNKNOWN, UNKNOWN, STARFISH_STAGNATED, 0},
    {&P, NOT_FINITE, HUGE_VAL, HUGE_VAL, STARFISH_STAGNATED, 0},
    {&D, NOT_FINITE, 1e-9, 1e-8, STARFISH_DIVERGED, 0}, /* the best solution's residual is finite */
    {&A, NOT_FINITE, UNKNOWN, 0, STARFISH_DIVERGED, 0},
    {&A, EXHAUSTED, UNKNOWN, 0, STARFISH_DIVERGED, 0},
    {&F, NOT_FINITE, UNKNOWN, UNKNOWN, STARFISH_DIVERGED, 0},
    {&F, EXHAUSTED, HUGE_VAL, UNKNOWN, STARFISH_DIVERGED, 0},
    /* Cancelled: excused in A. */
    {&A, CANCELLED, 1e-9, 1e-8, STARFISH_SOLVED, 1},
    {&A, CANCELLED, 1e-7, 1e-8, STARFISH_CANCELLED, 0},
    {&A, CANCELLED, 0, UNKNOWN, STARFISH_CANCELLED, 0}, /* before its turn */
};

static void outcome_and_tolerance_follow_from_the_evidence(void **state)
{
    const struct starfish_failure failure = {STARFISH_ERROR_NUMERICAL, "what the iteration says"};
    struct starfish_result result;

    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct row *row = &rows[r];
        const struct starfish_evidence evidence = {.end = (enum starfish_ending)row->end,
                                                   .asked = 1e-10,
                                                   .reached = row->reached,
                                                   .rounding = row->rounding,
                                                   .failure = &failure};
        const int solved = row->outcome == STARFISH_SOLVED;
        const starfish_status status = starfish_accept(*row->rules, &evidence, &result);
        if (result.outcome != row->outcome || (status == STARFISH_SUCCESS) != solved ||
            result.tolerance != (row->excused ? row->rounding : 1e-10) ||
            starfish_is_excused(*row->rules, &evidence) != row->excused)
            fail_msg("row %zu: %s, tolerance %g", r, starfish_outcome_name(result.outcome), result.tolerance);
        if (!solved)
            assert_int_equal(strncmp(starfish_error_message(), failure.message, strlen(failure.message)), 0);
    }
}

/* Where it costs seconds it is not found in vain, and where it decides it is. */
static void rounding_is_needed_where_it_decides(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct row *row = &rows[r];
        struct starfish_evidence evidence = {.end = (enum starfish_ending)row->end, .reached = row->reached};
        starfish_outcome outcome[2];
        for (int finite = 0; finite < 2; finite++) {
            const struct starfish_failure failure = {STARFISH_ERROR_NUMERICAL, ""};
            struct starfish_result result;
            evidence.failure = &failure;
            evidence.rounding = finite ? row->reached : UNKNOWN;
            starfish_accept(*row->rules, &evidence, &result);
            outcome[finite] = result.outcome;
        }
        assert_int_equal(starfish_needs_rounding(*row->rules, &evidence), outcome[0] != outcome[1]);
    }
}

static void messages_are_the_iterations_or_our_own(void **state)
{
    static const struct {
        const struct starfish_acceptance *const *rules;
        int end, iterations, has_failure;
        double rounding;
        const char *message;
    } cases[] = {
        {&D, EXHAUSTED, 7, 0, 1e-9, "not converged: the residual is 0.25 of the right-hand side after 7 iterations"},
        {&D, STALLED, 7, 0, 1e-9,
         "stagnated: the residual is 0.25 of the right-hand side, by its recurrence 0.125, after 7 iterations, and "
         "rounding errors explain up to 1e-09"},
        {&D, NOT_FINITE, 7, 0, 1e-9, "diverged after 7 iterations"},
        {&D, NOT_FINITE, 0, 0, UNKNOWN, "rhs or boundary data are not finite, or too large to be squared"},
        {&D, CANCELLED, 7, 0, 1e-9, "cancelled after 7 iterations"},
        {&P, STALLED, 7, 1, 1e-9, "100% of it"},
        {&A, STALLED, 7, 1, 1e-9, "100% of it"},
        {&F, STALLED, 7, 1, UNKNOWN, "100% of it"},
        {&F, STALLED, 7, 1, HUGE_VAL, "100% of it"},
        {&F, STALLED, 7, 1, 1e-9, "100% of it; rounding errors explain up to 1e-09"},
    };
    const struct starfish_failure failure = {STARFISH_ERROR_NUMERICAL, "100% of it"};
    struct starfish_result result;

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const struct starfish_evidence evidence = {.end = (enum starfish_ending)cases[c].end,
                                                   .iterations = cases[c].iterations,
                                                   .asked = 1e-10,
                                                   .reached = 0.25,
                                                   .rounding = cases[c].rounding,
                                                   .recurrence = 0.125,
                                                   .failure = cases[c].has_failure ? &failure : NULL};
        assert_int_equal(starfish_accept(*cases[c].rules, &evidence, &result), STARFISH_ERROR_NUMERICAL);
        assert_string_equal(starfish_error_message(), cases[c].message);
    }
}

/* ---- Tests of the solution --------------------------------------------------------------------------------------- */

static starfish_status refuse(const void *about)
{
    return starfish_fail(STARFISH_ERROR_NUMERICAL, "test %s", (const char *)about);
}

/* A test holds up to its bound, and where nothing is known; the first that does not hold speaks. */
static void every_test_must_hold(void **state)
{
    static const struct {
        double value[3];
        int end;
        starfish_outcome outcome;
        const char *message; /* NULL: solved */
    } cases[] = {
        {{1, 1, 1}, REACHED, STARFISH_SOLVED, NULL},
        {{1, 1, 1}, FIXED, STARFISH_SOLVED, NULL},
        {{1, 1, 1}, STALLED, STARFISH_SOLVED, NULL},
        {{UNKNOWN, UNKNOWN, UNKNOWN}, REACHED, STARFISH_SOLVED, NULL},
        {{1.01, 1, 2}, REACHED, STARFISH_STAGNATED, "test a"},
        {{UNKNOWN, 1.01, 2}, REACHED, STARFISH_STAGNATED, "test b"},
        {{0, 1, HUGE_VAL}, FIXED, STARFISH_STAGNATED, "test c"},
        {{0, 1, 1.01}, STALLED, STARFISH_STAGNATED, "test c"},
        {{2, 2, 2}, EXHAUSTED, STARFISH_NOT_CONVERGED, "not converged: "}, /* the end has failed before */
    };

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct starfish_result result;
        struct starfish_evidence evidence = {
            .end = (enum starfish_ending)cases[c].end, .asked = 1e-10, .reached = 1e-9, .rounding = 1e-8, .tests = 3};
        for (int t = 0; t < 3; t++)
            evidence.test[t] = (struct starfish_test){cases[c].value[t], 1, refuse, &"a\0b\0c"[2 * t]};
        const starfish_status status = starfish_accept(P, &evidence, &result);
        assert_int_equal(status == STARFISH_SUCCESS, !cases[c].message);
        assert_int_equal(result.outcome, cases[c].outcome);
        assert_true(result.tolerance == (cases[c].end == STALLED ? 1e-8 : 1e-10));
        if (cases[c].message)
            assert_ptr_equal(strstr(starfish_error_message(), cases[c].message), starfish_error_message());
    }
}

/* ---- Words and numbers ------------------------------------------------------------------------------------------- */

static void ends_are_outcomes_where_nothing_excuses_them(void **state)
{
    static const struct {
        enum starfish_ending end;
        starfish_outcome outcome;
        const char *name;
    } cases[STARFISH_ENDINGS] = {
        {STARFISH_ENDED_REACHED, STARFISH_SOLVED, "solved"},
        {STARFISH_ENDED_EXHAUSTED, STARFISH_NOT_CONVERGED, "not-converged"},
        {STARFISH_ENDED_STALLED, STARFISH_STAGNATED, "stagnated"},
        {STARFISH_ENDED_NOT_FINITE, STARFISH_DIVERGED, "diverged"},
        {STARFISH_ENDED_CANCELLED, STARFISH_CANCELLED, "cancelled"},
        {STARFISH_ENDED_FIXED, STARFISH_SOLVED, "solved"},
    };

    (void)state;
    for (size_t c = 0; c < STARFISH_ENDINGS; c++) {
        assert_int_equal(starfish_outcome_of_ending(cases[c].end), cases[c].outcome);
        assert_string_equal(starfish_outcome_name(cases[c].outcome), cases[c].name);
        if (cases[c].end != STARFISH_ENDED_FIXED)
            assert_int_equal(starfish_ending_of_outcome(cases[c].outcome), cases[c].end);
    }
    assert_string_equal(starfish_outcome_name((starfish_outcome)-1), "unknown outcome");
    assert_string_equal(starfish_outcome_name((starfish_outcome)5), "unknown outcome");
}

static void rounding_is_a_hundred_units(void **state)
{
    (void)state;
    assert_true(starfish_rounding(STARFISH_F64, 6, 2) == 100 * DBL_EPSILON * 3);
    assert_true(starfish_rounding(STARFISH_F32, 6, 2) == 100 * (double)FLT_EPSILON * 3);
    assert_true(isnan(starfish_rounding(STARFISH_F64, 0, 0)));
    assert_true(starfish_default_tolerance(STARFISH_F64) == 1e-10 && starfish_default_tolerance(STARFISH_F32) == 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcome_and_tolerance_follow_from_the_evidence),
        cmocka_unit_test(rounding_is_needed_where_it_decides),
        cmocka_unit_test(messages_are_the_iterations_or_our_own),
        cmocka_unit_test(every_test_must_hold),
        cmocka_unit_test(ends_are_outcomes_where_nothing_excuses_them),
        cmocka_unit_test(rounding_is_a_hundred_units),
    };

    return cmocka_run_group_tests_name("accept", tests, NULL, NULL);
}
