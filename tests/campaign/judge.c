/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Right or refused: the rule for what may be called solved. A solution is compared with the oracle's, by the problem's
 * condition. */
#include "judge.h"

#include "tests/common/about.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const campaign_verdict_text[CAMPAIGN_VERDICTS] = {
    [CAMPAIGN_RIGHT] = "right",
    [CAMPAIGN_REFUSED] = "refused",
    [CAMPAIGN_MISREFUSED] = "called singular and is not",
    [CAMPAIGN_CONDITION] = "error above 100 eps times the condition",
    [CAMPAIGN_BEST] = "error above 1000 times that of the best method",
    [CAMPAIGN_WORTHLESS] = "error above 0.1",
};

static double eps_of(starfish_precision precision)
{
    return precision == STARFISH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

static starfish_status create_plan(starfish_context *context, const struct campaign_problem *p, int method,
                                   starfish_plan **plan)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.method = (starfish_method)method;
    options.precision = p->precision;
    options.slabs = p->slabs;
    options.check_residual = 1;
    if (p->in_two)
        return starfish_separable2d_plan_create(context, &p->axis[1], &p->axis[2], p->lambda, &options, plan);
    const struct starfish_poisson_problem problem = {.axis = {p->axis[0], p->axis[1], p->axis[2]}, .lambda = p->lambda};
    return starfish_poisson_plan_create(context, &problem, &options, plan);
}

/* rhs and solution in double, whatever the plan's precision. */
static starfish_status solve(starfish_plan *plan, starfish_precision precision, const struct campaign_answer *answer,
                             double *solution, struct starfish_result *info)
{
    if (precision == STARFISH_F64)
        return starfish_plan_solve(plan, NULL, answer->rhs, solution, info);
    float *narrow = malloc(2 * answer->count * sizeof *narrow);
    if (!narrow)
        return STARFISH_ERROR_MEMORY;
    for (size_t i = 0; i < answer->count; i++)
        narrow[i] = (float)answer->rhs[i];
    const starfish_status status = starfish_plan_solve(plan, NULL, narrow, narrow + answer->count, info);
    for (size_t i = 0; i < answer->count; i++)
        solution[i] = (double)narrow[answer->count + i];
    free(narrow);
    return status;
}

static double error_of(const struct campaign_answer *answer, const double *solution)
{
    double error = 0;
    for (size_t i = 0; i < answer->count; i++)
        error = fabs(solution[i] - answer->solution[i]) <= error ? error : fabs(solution[i] - answer->solution[i]);
    return answer->largest > 0 ? error / answer->largest : error;
}

static void run(starfish_plan *plan, const struct campaign_problem *p, const struct campaign_answer *answer,
                struct campaign_outcome *outcome)
{
    double solution[CAMPAIGN_UNKNOWNS] = {0};
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    outcome->status = solve(plan, p->precision, answer, solution, &info);
    outcome->residual = info.residual_max;
    outcome->refinements = info.refinements;
    snprintf(outcome->method, sizeof outcome->method, "%s", test_about(plan).method);
    if (outcome->status == STARFISH_SUCCESS)
        outcome->error = error_of(answer, solution);
    else
        snprintf(outcome->message, sizeof outcome->message, "%s", starfish_error_message());
}

static enum campaign_verdict verdict_of(const struct campaign_judgement *j, double eps, unsigned either,
                                        const struct campaign_outcome *outcome)
{
    if (outcome->status == STARFISH_ERROR_SINGULAR && j->usable && j->condition * eps < 1e-3)
        return CAMPAIGN_MISREFUSED;
    if (outcome->status != STARFISH_SUCCESS)
        return CAMPAIGN_REFUSED;
    if (!(outcome->error <= 0.1))
        return CAMPAIGN_WORTHLESS;
    const int beyond_condition = outcome->error > 100 * eps * j->condition;
    const int beyond_best = outcome->error > 1000 * j->best + 1000 * eps;
    if (either && !(beyond_condition && beyond_best))
        return CAMPAIGN_RIGHT;
    return beyond_condition ? CAMPAIGN_CONDITION : beyond_best ? CAMPAIGN_BEST : CAMPAIGN_RIGHT;
}

void campaign_judge(starfish_context *context, const struct campaign_problem *p, unsigned methods, unsigned how,
                    struct campaign_judgement *j)
{
    starfish_plan *plan[CAMPAIGN_METHODS] = {NULL};
    struct campaign_answer answer = {.count = 0};
    int singular = 0;
    *j = (struct campaign_judgement){.best = INFINITY};
    for (int m = 0; m < CAMPAIGN_METHODS; m++) {
        struct campaign_outcome *outcome = &j->outcome[m];
        if (how & CAMPAIGN_ALONE && !(methods >> m & 1))
            continue;
        outcome->status = create_plan(context, p, m, &plan[m]);
        snprintf(outcome->method, sizeof outcome->method, "none");
        if (outcome->status == STARFISH_SUCCESS)
            singular = test_about(plan[m]).singular;
        else
            snprintf(outcome->message, sizeof outcome->message, "%s", starfish_error_message());
    }
    j->usable = campaign_answer_create(&answer, p, singular);
    j->condition = answer.condition;
    for (int m = 0; m < CAMPAIGN_METHODS && j->usable; m++)
        if (plan[m]) {
            run(plan[m], p, &answer, &j->outcome[m]);
            if (j->outcome[m].status == STARFISH_SUCCESS)
                j->best = fmin(j->best, j->outcome[m].error);
        }
    for (int m = 0; m < CAMPAIGN_METHODS; m++) {
        starfish_plan_destroy(plan[m]);
        if (j->usable && (methods >> m & 1))
            j->outcome[m].verdict = verdict_of(j, eps_of(p->precision), how & CAMPAIGN_EITHER, &j->outcome[m]);
    }
    if (j->usable)
        campaign_answer_destroy(&answer);
}
