/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The acceptance of solutions (accept.h): the one place that decides whether a solve succeeded, and with what message
 * it fails. */
#include "solver/accept.h"

#include "base/precision.h"

#include <math.h>

/* Above this tolerance a residual does not tell a right solution from a wrong one. */
#define MOST_EXCUSED 1e-3

const char *starfish_outcome_name(starfish_outcome outcome)
{
    static const char *const names[] = {[STARFISH_SOLVED] = "solved",
                                        [STARFISH_NOT_CONVERGED] = "not-converged",
                                        [STARFISH_STAGNATED] = "stagnated",
                                        [STARFISH_DIVERGED] = "diverged",
                                        [STARFISH_CANCELLED] = "cancelled"};

    return (unsigned)outcome < sizeof names / sizeof names[0] ? names[outcome] : "unknown outcome";
}

starfish_status starfish_complete_options(starfish_precision precision, int mixed, double *tolerance)
{
    STARFISH_REFUSE_IF(mixed && precision != STARFISH_F64, "options.mixed is for STARFISH_F64");
    if (tolerance && *tolerance == 0)
        *tolerance = starfish_default_tolerance(precision);
    return STARFISH_SUCCESS;
}

double starfish_rounding(starfish_precision precision, double size, double rhs)
{
    return 100 * starfish_epsilon(precision) * size / rhs;
}

starfish_outcome starfish_outcome_of_ending(enum starfish_ending ending)
{
    return ending == STARFISH_ENDED_FIXED ? STARFISH_SOLVED : (starfish_outcome)ending;
}

enum starfish_ending starfish_ending_of_outcome(starfish_outcome outcome)
{
    return (enum starfish_ending)outcome;
}

/* ---- Rounding errors --------------------------------------------------------------------------------------------- */

static int may_be_excused(const struct starfish_acceptance *rules, const struct starfish_evidence *evidence)
{
    return (rules->excused >> evidence->end & 1) != 0;
}

int starfish_needs_rounding(const struct starfish_acceptance *rules, const struct starfish_evidence *evidence)
{
    const int explains = rules->explains_divergence && evidence->reached > rules->diverged_above;

    return explains || (may_be_excused(rules, evidence) && evidence->reached <= MOST_EXCUSED);
}

int starfish_is_excused(const struct starfish_acceptance *rules, const struct starfish_evidence *evidence)
{
    return may_be_excused(rules, evidence) && evidence->rounding <= MOST_EXCUSED &&
           evidence->reached <= evidence->rounding;
}

/* ---- The judgement ----------------------------------------------------------------------------------------------- */

static starfish_outcome outcome_of(const struct starfish_acceptance *rules, const struct starfish_evidence *e)
{
    const int solved = starfish_outcome_of_ending(e->end) == STARFISH_SOLVED;

    if (solved || starfish_is_excused(rules, e))
        return STARFISH_SOLVED;
    if (!isnan(rules->diverged_above) && !(e->reached <= rules->diverged_above))
        return rules->explains_divergence && e->reached <= e->rounding ? STARFISH_STAGNATED : STARFISH_DIVERGED;
    return e->end == STARFISH_ENDED_NOT_FINITE ? rules->of_nan : starfish_outcome_of_ending(e->end);
}

/* In this file's words. */
static starfish_status say(const struct starfish_evidence *e, starfish_outcome outcome)
{
    switch (outcome) {
    case STARFISH_NOT_CONVERGED:
        return starfish_fail(STARFISH_ERROR_NUMERICAL,
                             "not converged: the residual is %.3g of the right-hand side after %d iterations",
                             e->reached, e->iterations);
    case STARFISH_DIVERGED:
        STARFISH_FAIL_IF(e->iterations == 0, STARFISH_ERROR_NUMERICAL,
                         "rhs or boundary data are not finite, or too large to be squared");
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "diverged after %d iterations", e->iterations);
    case STARFISH_CANCELLED:
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "cancelled after %d iterations", e->iterations);
    default:
        return starfish_fail(STARFISH_ERROR_NUMERICAL,
                             "stagnated: the residual is %.3g of the right-hand side, by its recurrence %.3g, after %d "
                             "iterations, and rounding errors explain up to %.3g",
                             e->reached, e->recurrence, e->iterations, e->rounding);
    }
}

static starfish_status refuse(const struct starfish_acceptance *rules, const struct starfish_evidence *e,
                              starfish_outcome outcome)
{
    if (!e->failure)
        return say(e, outcome);
    STARFISH_FAIL_IF(rules->tells_rounding && isfinite(e->rounding), STARFISH_ERROR_NUMERICAL,
                     "%s; rounding errors explain up to %.3g", e->failure->message, e->rounding);
    return starfish_fail(STARFISH_ERROR_NUMERICAL, "%s", e->failure->message);
}

starfish_status starfish_accept(const struct starfish_acceptance *rules, const struct starfish_evidence *evidence,
                                struct starfish_result *result)
{
    result->outcome = outcome_of(rules, evidence);
    result->rounding = evidence->rounding;
    result->tolerance = starfish_is_excused(rules, evidence) ? evidence->rounding : evidence->asked;
    if (result->outcome != STARFISH_SOLVED)
        return refuse(rules, evidence, result->outcome);
    for (int t = 0; t < evidence->tests; t++) {
        const struct starfish_test *test = &evidence->test[t];
        if (isnan(test->value) || test->value <= test->bound)
            continue;
        result->outcome = STARFISH_STAGNATED;
        return test->refuse(test->about);
    }
    return STARFISH_SUCCESS;
}
