/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Acceptance test of a solution, from its residual and steps of refinement (docs/reliability.md). Each of three rules
 * can reject it:
 *
 *   1. The residual must not exceed its bound: the level of rounding errors, row by row, and never more than a cap.
 *   2. The last correction must be small. It approximates the solution's error, so it reveals an elimination that has
 *      lost its digits even if the residual is at the level of rounding errors.
 *   3. Without a correction, the largest residual over the smallest eigenvalue bounds the error. This holds for
 *      operators that are symmetric up to a scaling, which are those with known eigenvalues. */
#include "poisson/layout.h"

#include "base/precision.h"
#include "poisson/methods.h"
#include "scheduler/runtime/ranks.h"
#include "stencil/kernels/refine.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double floors[] = {[STARFISH_F32] = 1e-3, [STARFISH_F64] = 1e-8};
static const double caps[] = {[STARFISH_F32] = 1e-2, [STARFISH_F64] = 1e-3};
static const char *const names[] = {[STARFISH_F32] = "f32", [STARFISH_F64] = "f64"};

#define UNITS 64         /* of rounding, that a residual of a stable solve may have */
#define SPECTRAL_UNITS 8 /* of the right-hand side's rounding, in the modes that a direct method solves for */
#define NOISE_UNITS 1e3
#define MOST_CORRECTION 0.05
/* In units of rounding, where many steps were counted on to bring the correction down to less by far. */
#define UNITS_OF_MANY_STEPS 4e6
enum { MANY_STEPS = 3 };
#define MOST_ERROR 0.1

/* ---- What is known ----------------------------------------------------------------------------------------------- */

/* Without data the solution is zero, and so is its residual. */
static double relative(double residual, double rhs)
{
    if (!isfinite(residual) || !isfinite(rhs))
        return (double)INFINITY;
    return rhs > 0 ? residual / rhs : residual > 0 ? (double)INFINITY : 0;
}

/* Takes in the maxima of one slab of a problem; or, of many problems, keeps those of the one whose residual is the
 * largest beside its own right-hand side. */
static void take_maxima(double maximum[STARFISH_MAXIMA], const double *found, int many)
{
    const double is = relative(found[STARFISH_MAXIMUM_RESIDUAL], found[STARFISH_MAXIMUM_RHS]);
    const double was = relative(maximum[STARFISH_MAXIMUM_RESIDUAL], maximum[STARFISH_MAXIMUM_RHS]);
    for (int m = 0; m < STARFISH_MAXIMA && !many; m++)
        maximum[m] = fmax(maximum[m], found[m]);
    if (many && is >= was)
        memcpy(maximum, found, STARFISH_MAXIMA * sizeof *maximum);
}

/* What the residual's task found, over this rank's slabs. */
static starfish_status read_maxima_here(const struct starfish_poisson_job *job, double maximum[STARFISH_MAXIMA])
{
    memset(maximum, 0, STARFISH_MAXIMA * sizeof *maximum);
    for (size_t slab = 0; slab < job->cut.parts; slab++) {
        if (!starfish_run_is_here(job->plan->base.context, &job->cut, slab))
            continue;
        STARFISH_TRY(starfish_coefficient_table_acquire(&job->maximum[slab], job->plan->base.context, STARFISH_READ));
        const double *found = job->maximum[slab].memory;
        for (size_t p = 0; p < starfish_job_problems(job, slab); p++, found += STARFISH_MAXIMA)
            take_maxima(maximum, found, job->plan->count > 1);
        starfish_coefficient_table_release(&job->maximum[slab]);
    }
    return STARFISH_SUCCESS;
}

static int has_residual(const struct starfish_poisson_job *job)
{
    return job->maximum[0].handle != NULL && !job->unwritten;
}

/* Over all slabs; *known: 0 where there was no residual. */
static starfish_status read_maxima(const struct starfish_poisson_job *job, double maximum[STARFISH_MAXIMA], int *known)
{
    *known = has_residual(job);
    const starfish_status status = *known ? read_maxima_here(job, maximum) : STARFISH_SUCCESS;
    return *known ? starfish_ranks_agree_maximum(job->plan->base.context, status, maximum, STARFISH_MAXIMA) : status;
}

/* A verdict is found by rank 0. */
static starfish_status read_verdict(const struct starfish_poisson_job *job, int step,
                                    double verdict[STARFISH_VERDICT_NUMBERS])
{
    const struct starfish_context *context = job->plan->base.context;
    const size_t bytes = STARFISH_VERDICT_NUMBERS * sizeof *verdict;
    starfish_status status = STARFISH_SUCCESS;
    if (starfish_context_rank(context) == 0)
        status = starfish_coefficient_table_read(&job->verdict[step], job->plan->base.context, verdict, bytes);
    STARFISH_TRY(starfish_ranks_broadcast(context, verdict, bytes, 0));
    return status;
}

/* Steps up to the first that was taken back, since those after it repeat it; and what the last one says. */
static starfish_status read_verdicts(const struct starfish_poisson_job *job, double maximum[STARFISH_MAXIMA],
                                     struct starfish_result *result)
{
    double verdict[STARFISH_VERDICT_NUMBERS];
    int all_kept = 1;
    for (int step = 0; step < STARFISH_MOST_REFINEMENTS && job->verdict[step].handle; step++) {
        STARFISH_TRY(read_verdict(job, step, verdict));
        all_kept = all_kept && verdict[STARFISH_VERDICT_KEPT] != 0;
        result->refinements += all_kept;
        memcpy(maximum, verdict + STARFISH_VERDICT_MAXIMA, STARFISH_MAXIMA * sizeof *maximum);
        const double correction = verdict[STARFISH_VERDICT_CORRECTION];
        result->correction = correction > 0 ? correction / maximum[STARFISH_MAXIMUM_SOLUTION] : 0;
    }
    return STARFISH_SUCCESS;
}

/* The iteration has seen that the Euclidean norm is small enough: the maximum is at most that. */
static double bound_by_norm(const struct starfish_poisson_plan *plan, double tolerance)
{
    return tolerance * sqrt((double)plan->n[0] * (double)plan->n[1] * (double)plan->n[2]);
}

static double most_correction(const struct starfish_poisson_plan *plan)
{
    const int many = plan->options.refinements < 0 && plan->refinements >= MANY_STEPS;
    return many ? fmin(MOST_CORRECTION, UNITS_OF_MANY_STEPS * starfish_epsilon(plan->options.precision))
                : MOST_CORRECTION;
}

/* Elimination errs row by row, and the correction, which must be less than in other plans, shows what it has lost. Of a
 * singular problem it does not show what the mean of f is wrong by. */
static double cap_of(const struct starfish_poisson_plan *plan)
{
    const int shows =
        plan->method->id == STARFISH_METHOD_ELIMINATION && !plan->singular && most_correction(plan) < MOST_CORRECTION;
    return shows ? (double)INFINITY : caps[plan->options.precision];
}

/* Of a direct method, or of an iteration to the default tolerance, what rounding errors leave. */
static double bound_of(const struct starfish_poisson_plan *plan, const struct starfish_evidence *evidence,
                       const double maximum[STARFISH_MAXIMA])
{
    const starfish_precision precision = plan->options.precision;
    const double rhs = maximum[STARFISH_MAXIMUM_RHS], size = maximum[STARFISH_MAXIMUM_SIZE];
    const double rounding = rhs > 0 ? UNITS * starfish_epsilon(precision) * (size / rhs) : 0;
    const double bound = fmin(cap_of(plan), fmax(floors[precision], rounding));
    if (plan->options.tolerance == 0 || isnan(evidence->asked))
        return bound;
    return fmax(bound, bound_by_norm(plan, evidence->asked));
}

/* Where the mean was all of the right-hand side, what is left of it is rounding errors, and so is the solution: they
 * are no measure of anything. */
static int is_noise(const struct starfish_poisson_plan *plan, const double maximum[STARFISH_MAXIMA])
{
    const double noise = NOISE_UNITS * starfish_epsilon(plan->options.precision) * maximum[STARFISH_MAXIMUM_RHS];
    return plan->singular && plan->condition.known &&
           maximum[STARFISH_MAXIMUM_SOLUTION] * plan->condition.smallest <= noise;
}

/* How wrong a mode of the smallest eigenvalue may be, over the largest value of the solution; 0 where it is not known.
 */
static double error_of(const struct starfish_poisson_plan *plan, const double maximum[STARFISH_MAXIMA])
{
    const double rounding = SPECTRAL_UNITS * starfish_epsilon(plan->options.precision) * maximum[STARFISH_MAXIMUM_RHS];
    const double smallest = plan->condition.smallest, solution = maximum[STARFISH_MAXIMUM_SOLUTION];
    if (!plan->condition.known || !(solution > 0))
        return 0;
    return (maximum[STARFISH_MAXIMUM_RESIDUAL] + rounding) / smallest / solution;
}

void starfish_job_look_at_boundary(struct starfish_poisson_job *job)
{
    double maximum[STARFISH_MAXIMA];
    const int known = has_residual(job) && job->plan->count == 1;
    if (known && read_maxima_here(job, maximum) == STARFISH_SUCCESS && maximum[STARFISH_MAXIMUM_RHS] == 0)
        job->largest_boundary = starfish_job_largest_boundary(job);
}

/* Whether the right-hand side with its boundary data has lost digits before it was solved for, which no residual
 * shows. Where there is a tolerance it was squared. */
static starfish_status check_rhs(const struct starfish_poisson_job *job, const struct starfish_evidence *evidence,
                                 double rhs)
{
    const struct starfish_poisson_plan *plan = job->plan;
    const double least = starfish_least_normal(plan->options.precision);
    double size = rhs > 0 ? rhs : job->largest_boundary;
    if (plan->count > 1)
        return STARFISH_SUCCESS;
    if (rhs == 0)
        STARFISH_TRY(starfish_ranks_maximum(plan->base.context, &size, 1));
    return STARFISH_OR_FAIL(size == 0 || size >= fmax(least, isnan(evidence->asked) ? 0 : STARFISH_LEAST_NORM),
                            STARFISH_ERROR_ARGUMENT, STARFISH_RHS_TOO_SMALL, size);
}

/* Fills the result and evidence->rounding, and *error: how wrong the solution may be where no correction tells; 0: not
 * known. Collective. */
static starfish_status find(struct starfish_poisson_job *job, struct starfish_evidence *evidence, double *error)
{
    const struct starfish_poisson_plan *plan = job->plan;
    const starfish_precision precision = plan->options.precision;
    struct starfish_result *result = &job->base.result;
    double maximum[STARFISH_MAXIMA];
    int known;
    *error = 0;
    result->residual_bound = caps[precision];
    STARFISH_TRY(read_maxima(job, maximum, &known));
    STARFISH_TRY(read_verdicts(job, maximum, result));
    if (!known)
        return STARFISH_SUCCESS;
    STARFISH_TRY(check_rhs(job, evidence, maximum[STARFISH_MAXIMUM_RHS]));
    const int noise = is_noise(plan, maximum);
    if (noise && result->correction > 0)
        result->correction = 0;
    result->residual_max = relative(maximum[STARFISH_MAXIMUM_RESIDUAL], maximum[STARFISH_MAXIMUM_RHS]);
    result->residual_bound = bound_of(plan, evidence, maximum);
    *error = isnan(result->correction) && !noise ? error_of(plan, maximum) : 0;
    result->rounding = evidence->rounding =
        starfish_rounding(precision, relative(maximum[STARFISH_MAXIMUM_SIZE], maximum[STARFISH_MAXIMUM_RHS]), 1);
    return STARFISH_SUCCESS;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

/* What messages of tests are about. */
struct about {
    const struct starfish_result *result;
    const struct starfish_condition *condition;
    double error;
    const char *precision;
};

static starfish_status refuse_infinity(const void *data)
{
    (void)data;
    return starfish_fail(STARFISH_ERROR_NUMERICAL, "the solution is not finite: a mode is singular, or the right-hand "
                                                   "side is not finite");
}

static starfish_status refuse_residual(const void *data)
{
    const struct about *about = data;
    return starfish_fail(STARFISH_ERROR_NUMERICAL, "the residual is %.3g, which exceeds %.3g in %s",
                         about->result->residual_max, about->result->residual_bound, about->precision);
}

static starfish_status refuse_eigenvalue(const void *data)
{
    const struct about *about = data;
    return starfish_fail(STARFISH_ERROR_NUMERICAL,
                         "the smallest eigenvalue, %.2g, is less than what rounding leaves of rows that sum to "
                         "zero, %.2g: the solution is not known",
                         about->condition->smallest, about->condition->dropped);
}

static starfish_status refuse_correction(const void *data)
{
    const struct about *about = data;
    return starfish_fail(STARFISH_ERROR_NUMERICAL,
                         "the last step of refinement would change the solution by %.2g of its largest value, "
                         "which is too much to be sure of it in %s",
                         about->result->correction, about->precision);
}

static starfish_status refuse_error(const void *data)
{
    const struct about *about = data;
    return starfish_fail(STARFISH_ERROR_NUMERICAL,
                         "the residual of %.3g allows errors of %.2g of the solution's largest value, since the "
                         "smallest eigenvalue is %.3g: refine it, or use a higher precision than %s",
                         about->result->residual_max, about->error, about->condition->smallest, about->precision);
}

/* A given number of steps may leave any residual. */
static void add_tests(const struct starfish_poisson_plan *plan, const struct about *about,
                      struct starfish_evidence *evidence)
{
    const struct starfish_result *result = about->result;
    const int has_eigenvalue = plan->condition.known && !plan->singular;
    const int all = evidence->end != STARFISH_ENDED_FIXED;
    const struct starfish_test test[] = {
        {result->residual_max, DBL_MAX, refuse_infinity, about},
        {result->residual_max, result->residual_bound, refuse_residual, about},
        {has_eigenvalue ? plan->condition.dropped : (double)NAN, MOST_ERROR * plan->condition.smallest,
         refuse_eigenvalue, about},
        {result->correction, most_correction(plan), refuse_correction, about},
        {about->error, MOST_ERROR, refuse_error, about},
    };
    evidence->tests = isnan(result->residual_max) ? 0 : all ? (int)(sizeof test / sizeof test[0]) : 1;
    memcpy(evidence->test, test, sizeof test);
}

/* ---- The verdict ------------------------------------------------------------------------------------------------- */

const struct starfish_acceptance starfish_poisson_acceptance = {
    .excused = 1 << STARFISH_ENDED_STALLED, .diverged_above = (double)NAN, .of_nan = STARFISH_STAGNATED};

static starfish_status accept(struct starfish_poisson_job *job, struct starfish_evidence *evidence, double error)
{
    const struct starfish_poisson_plan *plan = job->plan;
    struct starfish_result *result = &job->base.result;
    const struct about about = {result, &plan->condition, error, names[plan->options.precision]};
    if (starfish_is_excused(&starfish_poisson_acceptance, evidence))
        result->residual_bound = fmax(result->residual_bound, bound_by_norm(plan, evidence->rounding));
    add_tests(plan, &about, evidence);
    const starfish_status status = starfish_accept(&starfish_poisson_acceptance, evidence, result);
    /* Of an iteration that stopped short of its tolerance: why there is no more to be had. */
    char said[STARFISH_MESSAGE];
    if (status == STARFISH_SUCCESS || evidence->end != STARFISH_ENDED_STALLED || !isfinite(evidence->rounding) ||
        starfish_is_excused(&starfish_poisson_acceptance, evidence))
        return status;
    snprintf(said, sizeof said, "%s", starfish_error_message());
    return starfish_fail(status, "%s; rounding errors explain up to %.3g", said, evidence->rounding);
}

/* Short of a tolerance there is a solution, of which to tell; the message of the iteration's failure stays. */
starfish_status starfish_job_accept(struct starfish_poisson_job *job)
{
    struct starfish_evidence evidence = {
        .end = STARFISH_ENDED_REACHED, .asked = (double)NAN, .reached = (double)NAN, .rounding = (double)NAN};
    double error;
    if (job->plan->method->look)
        job->plan->method->look(job, &evidence);
    job->base.result.iterations = evidence.iterations;
    job->base.result.residual = evidence.reached;
    const starfish_status found = find(job, &evidence, &error);
    if (found == STARFISH_SUCCESS)
        return accept(job, &evidence, error);
    job->base.result.outcome = STARFISH_STAGNATED;
    return evidence.failure ? starfish_failure_repeat(evidence.failure) : found;
}
