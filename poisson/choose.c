/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of methods, and the choice of one: the requested method, or the cheapest of those that can solve the
 * problem. */
#include "poisson/methods.h"

#include "base/failure.h"
#include "poisson/condition.h"
#include "scheduler/runtime/ranks.h"

#include <math.h>
#include <stdio.h>

const char *const starfish_method_list[STARFISH_ALL_METHODS] = {
    [STARFISH_METHOD_AUTO] = "auto",           [STARFISH_METHOD_SLAB] = "slab",
    [STARFISH_METHOD_BLKTRI] = "blktri",       [STARFISH_METHOD_BLKTRI_PRODUCT] = "blktri-product",
    [STARFISH_METHOD_MULTIGRID] = "multigrid", [STARFISH_METHOD_ELIMINATION] = "elimination"};

const struct starfish_method_row *const starfish_method_rows[STARFISH_ALL_METHODS] = {
    [STARFISH_METHOD_SLAB] = &starfish_slab_method,
    [STARFISH_METHOD_BLKTRI] = &starfish_blktri_method,
    [STARFISH_METHOD_BLKTRI_PRODUCT] = &starfish_blktri_product_method,
    [STARFISH_METHOD_MULTIGRID] = &starfish_multigrid_method,
    [STARFISH_METHOD_ELIMINATION] = &starfish_elimination_method,
};

/* ---- Choosing ---------------------------------------------------------------------------------------------------- */

enum { WHY = 200 };

/* A method that can, `auto` if none can, as `status` says, with its cost and the reason for it; and why not another
 * one, which cannot or costs too much. */
struct choice {
    starfish_method method;
    starfish_status status;
    double cost;
    char why[WHY], why_not[WHY];
};

/* Of rows that weigh the part in x: slab, and in three dimensions blktri, which auto does not choose. */
static int takes_weights(const struct starfish_poisson_plan *plan, const struct starfish_method_row *row)
{
    const int is_asked = row->id == STARFISH_METHOD_BLKTRI && row->id == plan->options.method;
    return row->id == STARFISH_METHOD_SLAB || (is_asked && !plan->in_plane);
}

static starfish_status can(const struct starfish_poisson_plan *plan, const struct starfish_method_row *row)
{
    STARFISH_FAIL_IF(plan->count > 1 && !row->many, STARFISH_ERROR_UNSUPPORTED,
                     "method %s solves one problem at a time, but options.count is %zu", starfish_method_list[row->id],
                     plan->count);
    STARFISH_FAIL_IF(plan->direction[0].spectral && row->id != STARFISH_METHOD_SLAB, STARFISH_ERROR_UNSUPPORTED,
                     "problem.eigenvalues: method %s has no spectral ones, which method slab has",
                     starfish_method_list[row->id]);
    STARFISH_FAIL_IF(plan->direction[2].weight_x && !takes_weights(plan, row), STARFISH_ERROR_UNSUPPORTED,
                     "method %s does not solve problem %s, which method slab does", starfish_method_list[row->id],
                     plan->base.about.kind);
    return row->can(plan);
}

static void compare(const struct starfish_poisson_plan *plan, const struct starfish_method_row *row,
                    struct choice *choice)
{
    char why[WHY] = "";
    const double cost = row->cost(plan, why, sizeof why);
    if (cost == HUGE_VAL)
        snprintf(choice->why_not, sizeof choice->why_not, "%s", why);
    if (choice->method != STARFISH_METHOD_AUTO && cost >= choice->cost)
        return;
    choice->method = row->id;
    choice->cost = cost;
    snprintf(choice->why, sizeof choice->why, "%s", why);
}

/* The cheapest of all methods but `not` (or NULL), or of those that run on several ranks; the first one of equal ones.
 * Fails as the last one that cannot does, where none can. */
static starfish_status find_cheapest_of(const struct starfish_poisson_plan *plan,
                                        const struct starfish_method_row * not, int on_ranks, struct choice *choice)
{
    starfish_status status = STARFISH_ERROR_UNSUPPORTED;
    *choice = (struct choice){.method = STARFISH_METHOD_AUTO};
    for (int method = 0; method < STARFISH_METHODS; method++) {
        const struct starfish_method_row *row = starfish_method_rows[method];
        if (!row || !row->cost || row == not || (on_ranks && !row->ranks))
            continue;
        const starfish_status able = can(plan, row);
        if (able == STARFISH_SUCCESS)
            compare(plan, row, choice);
        else
            snprintf(choice->why_not, sizeof choice->why_not, "%s", starfish_error_message());
        status = able == STARFISH_SUCCESS ? status : able;
    }
    return choice->method != STARFISH_METHOD_AUTO ? STARFISH_SUCCESS : status;
}

static int may_be_another_method(starfish_status status)
{
    return status == STARFISH_ERROR_NOT_SYMMETRIZABLE || status == STARFISH_ERROR_UNSUPPORTED;
}

/* On several ranks one that runs on them, where there is any. */
static starfish_status find_cheapest(const struct starfish_poisson_plan *plan, const struct starfish_method_row * not,
                                     struct choice *choice)
{
    if (starfish_context_ranks(plan->base.context) > 1 && find_cheapest_of(plan, not, 1, choice) == STARFISH_SUCCESS)
        return STARFISH_SUCCESS;
    return find_cheapest_of(plan, not, 0, choice);
}

/* The cheapest on the first rank, for all ranks: costs depend on a rank's workers. Collective, but the status is each
 * rank's own. */
static starfish_status choose(const struct starfish_poisson_plan *plan, const struct starfish_method_row * not,
                              struct choice *choice)
{
    const int is_first = starfish_context_rank(plan->base.context) == 0;
    const starfish_status status = is_first ? find_cheapest(plan, not, choice) : STARFISH_SUCCESS;
    choice->status = status;
    STARFISH_TRY(starfish_ranks_broadcast(plan->base.context, choice, sizeof *choice, 0));
    if (is_first)
        return status;
    STARFISH_FAIL_IF(choice->method == STARFISH_METHOD_AUTO, choice->status, "the first rank has found no method");
    return can(plan, starfish_method_rows[choice->method]);
}

/* Best in any case, or only better than no method: the choice has reasons of its own. Else what speaks against another
 * method is the reason, and where there is nothing the comparison of costs. */
static void take(struct starfish_poisson_plan *plan, const struct choice *choice)
{
    const int own = choice->cost == 0 || choice->cost == HUGE_VAL || choice->why_not[0] == 0;
    plan->method = starfish_method_rows[choice->method];
    snprintf(plan->reason, sizeof plan->reason, "%s", own ? choice->why : choice->why_not);
}

/* Where all other choices have failed: slab, however its basis is scaled, then elimination, from the one that is next.
 * Such plans refine their solutions, and what rounding errors leave of these is tested. Collective. */
static starfish_status take_last(struct starfish_poisson_plan *plan, const struct starfish_failure *failure)
{
    static const struct starfish_method_row *const last[] = {&starfish_slab_method, &starfish_elimination_method};
    while (plan->last_resort < (int)(sizeof last / sizeof last[0])) {
        plan->method = last[plan->last_resort++];
        snprintf(plan->reason, sizeof plan->reason, "no other method can: %.170s", failure->message);
        if (starfish_ranks_agree(plan->base.context, can(plan, plan->method)) == STARFISH_SUCCESS)
            return STARFISH_SUCCESS;
    }
    return starfish_failure_repeat(failure);
}

starfish_status starfish_poisson_choose_method(struct starfish_poisson_plan *plan)
{
    const struct starfish_method_row *asked = starfish_method_rows[plan->options.method];
    struct choice choice = {.method = STARFISH_METHOD_AUTO, .status = STARFISH_ERROR_UNSUPPORTED};
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};
    if (asked) {
        STARFISH_TRY(can(plan, asked));
        plan->method = asked;
        snprintf(plan->reason, sizeof plan->reason, "asked for");
        return STARFISH_SUCCESS;
    }
    starfish_failure_keep(&failure, plan->last_resort ? choice.status : choose(plan, NULL, &choice));
    if (choice.method == STARFISH_METHOD_AUTO && may_be_another_method(choice.status))
        return take_last(plan, &failure);
    STARFISH_TRY(starfish_failure_repeat(&failure));
    take(plan, &choice);
    return STARFISH_SUCCESS;
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

/* Steps of refinement that the method's tables need, for its cost, and *steps that a solve does: the largest of all
 * ranks, which submit the same tasks. */
static starfish_status find_refinements(struct starfish_poisson_plan *plan, int *steps)
{
    double most[2] = {plan->refinements, plan->refinements};
    if (plan->options.refinements < 0 && plan->method->direct) {
        most[0] = starfish_poisson_refinements_of_tables(plan);
        most[1] = starfish_poisson_wanted_refinements(plan);
    }
    STARFISH_TRY(starfish_ranks_maximum(plan->base.context, most, 2));
    plan->refinements = (int)most[0];
    *steps = (int)most[1];
    return STARFISH_SUCCESS;
}

static starfish_status create(struct starfish_poisson_plan *plan, int *steps)
{
    *steps = plan->refinements = plan->options.refinements > 0 ? plan->options.refinements : 0;
    plan->losses = (struct starfish_losses){0};
    plan->on_one_rank = starfish_context_ranks(plan->base.context) > 1 && !plan->method->ranks;
    if (!plan->on_one_rank)
        STARFISH_TRY(plan->method->create(plan));
    return plan->on_one_rank ? STARFISH_SUCCESS : find_refinements(plan, steps); /* the first rank has it */
}

/* After the first choice has failed, as this thread's message says. */
static starfish_status create_second(struct starfish_poisson_plan *plan, int *steps)
{
    const struct starfish_method_row *first = plan->method;
    struct choice choice;
    char why[WHY];
    snprintf(why, sizeof why, "%s", starfish_error_message());
    STARFISH_TRY(starfish_ranks_agree(plan->base.context, choose(plan, first, &choice)));
    take(plan, &choice);
    snprintf(plan->reason, sizeof plan->reason, "%s", why);
    return create(plan, steps);
}

/* Where all other choices have failed, as `status` and this thread's message say. */
static starfish_status create_last(struct starfish_poisson_plan *plan, starfish_status status, int *steps)
{
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};
    starfish_failure_keep(&failure, status);
    while (status != STARFISH_SUCCESS && take_last(plan, &failure) == STARFISH_SUCCESS)
        status = create(plan, steps);
    return status == STARFISH_SUCCESS ? status : starfish_failure_repeat(&failure);
}

static starfish_status create_chosen(struct starfish_poisson_plan *plan, int *steps)
{
    const struct starfish_method_row *first = plan->method;
    struct choice choice;
    starfish_status status = create(plan, steps);
    if (starfish_method_rows[plan->options.method])
        return status; /* asked for */
    if (may_be_another_method(status)) {
        status = plan->last_resort ? status : create_second(plan, steps);
        return may_be_another_method(status) ? create_last(plan, status, steps) : status;
    }
    STARFISH_TRY(status);
    /* Whether its tables need refinement is known only now. */
    if (plan->last_resort || plan->options.refinements >= 0 || plan->refinements == 0 ||
        starfish_ranks_agree(plan->base.context, choose(plan, NULL, &choice)) != STARFISH_SUCCESS ||
        choice.method == first->id)
        return STARFISH_SUCCESS;
    starfish_poisson_destroy_method(plan);
    take(plan, &choice);
    return create(plan, steps);
}

starfish_status starfish_poisson_create_method(struct starfish_poisson_plan *plan)
{
    int steps = 0;
    STARFISH_TRY(create_chosen(plan, &steps));
    plan->refinements = steps;
    return STARFISH_SUCCESS;
}

void starfish_poisson_destroy_method(struct starfish_poisson_plan *plan)
{
    if (plan->method && plan->state)
        plan->method->destroy(plan);
    plan->state = NULL;
}
