/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one acceptance test of solutions (docs/reliability.md).
 *
 * A family gathers evidence about a solution: how its iteration ended, the residual that was reached, what rounding
 * errors explain of it, and tests of the solution. It has one row of rules, a struct starfish_acceptance.
 * starfish_accept makes the outcome, the tolerance that counted and the message of both:
 *
 *     an iteration that ended at its tolerance, or was to take a fixed number of steps, has solved;
 *     so has one whose end is excused, if rounding errors explain a residual as large as its own, but at most 1e-3;
 *     every test of the evidence must hold besides, in their order;
 *     else the outcome follows from the end.
 *
 * Norms are the family's: of rows, of equations times volumes, or largest values. */
#ifndef STARFISH_SOLVER_ACCEPT_H
#define STARFISH_SOLVER_ACCEPT_H

#include "base/failure.h"
#include <starfish/solve.h>
#include <starfish/types.h>

/* Below this norm squares of right-hand sides and residuals are lost in f64, 16 digits of them and more. */
#define STARFISH_LEAST_NORM 1e-140
#define STARFISH_RHS_TOO_SMALL                                                                                         \
    "rhs with any boundary data has the norm %.3g: numbers that small lose digits, multiply it by a constant"

/* ||f - A u|| / ||f|| where no tolerance is given. */
static inline double starfish_default_tolerance(starfish_precision precision)
{
    return precision == STARFISH_F32 ? 1e-6 : 1e-10;
}

/* Options of a plan that are for one precision: checks `mixed`, and gives a *tolerance of 0 its default; NULL: there is
 * none. Errors: ARGUMENT. */
starfish_status starfish_complete_options(starfish_precision precision, int mixed, double *tolerance);
/* 100 eps || |A| |u| || / ||f||: how large rounding errors may make the relative residual. size: || |A| |u| ||. */
double starfish_rounding(starfish_precision precision, double size, double rhs);

/* How an iteration ended. The first five are in the order of enum starfish_outcome. */
enum starfish_ending {
    STARFISH_ENDED_REACHED,    /* the residual is at most the tolerance, or what rounding errors leave of f */
    STARFISH_ENDED_EXHAUSTED,  /* all steps were taken: counts before the next two */
    STARFISH_ENDED_STALLED,    /* the residual has stopped falling */
    STARFISH_ENDED_NOT_FINITE, /* the residual */
    STARFISH_ENDED_CANCELLED,
    STARFISH_ENDED_FIXED, /* a given number of steps, after which the residual is not computed */
    STARFISH_ENDINGS
};
/* The outcome where nothing excuses the end; and the end of an iteration with that outcome. */
starfish_outcome starfish_outcome_of_ending(enum starfish_ending ending);
enum starfish_ending starfish_ending_of_outcome(starfish_outcome outcome);

/* Holds where value <= bound; also where the value is NaN: it is not known. */
struct starfish_test {
    double value, bound;
    starfish_status (*refuse)(const void *about); /* fails with NUMERICAL, and says why */
    const void *about;
};

enum { STARFISH_TESTS = 5 };
/* Residuals are relative. */
struct starfish_evidence {
    enum starfish_ending end;
    int iterations;
    double asked;      /* the tolerance, or NaN */
    double reached;    /* the residual */
    double rounding;   /* starfish_rounding; NaN: not known */
    double recurrence; /* what the iteration took for the residual: for the message, where `failure` is NULL */
    const struct starfish_failure *failure; /* what the iteration says of its end; NULL: texts of accept.c */
    int tests;
    struct starfish_test test[STARFISH_TESTS];
};

/* What differs between families. */
struct starfish_acceptance {
    unsigned excused;      /* ends that rounding errors excuse: bits 1 << ending */
    double diverged_above; /* a residual that is larger, or NaN, has diverged whatever the end; NaN: no residual has */
    starfish_outcome of_nan;
    int explains_divergence; /* a residual above diverged_above that rounding errors explain has stagnated */
    int tells_rounding;      /* to the failure's message the rounding is added */
};

/* Whether evidence.rounding decides: families that find it at a price ask first. */
int starfish_needs_rounding(const struct starfish_acceptance *rules, const struct starfish_evidence *evidence);
/* Whether rounding errors excuse the end: then evidence.rounding is the tolerance that counts. */
int starfish_is_excused(const struct starfish_acceptance *rules, const struct starfish_evidence *evidence);
/* SUCCESS, or NUMERICAL with a message. Of the result outcome and rounding, and tolerance, the one that counted. */
starfish_status starfish_accept(const struct starfish_acceptance *rules, const struct starfish_evidence *evidence,
                                struct starfish_result *result);

#endif
