/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selects the kind of plan from the command line, and implements what all kinds have in common. */
#include "apps/plans/plan.h"

#include "apps/files/output.h"
#include "apps/options.h"
#include "apps/recorded/simulate.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct plan_kind *const kinds[PLAN_KINDS] = {
    [PLAN_PROBLEM] = &plan_problem, [PLAN_MESH] = &plan_mesh,         [PLAN_BATCH] = &plan_batch,
    [PLAN_MANY] = &plan_many,       [PLAN_ELEMENTS] = &plan_elements,
};

static starfish_status find_kind(struct plan *plan)
{
    int found = 0;
    if (starfish_path_ends(plan->options.named[PLAN_PROBLEM], ".msh")) {
        plan->options.named[PLAN_ELEMENTS] = plan->options.named[PLAN_PROBLEM];
        plan->options.named[PLAN_PROBLEM] = NULL;
    }
    for (int i = 0; i < PLAN_KINDS; ++i)
        if (plan->options.named[i]) {
            plan->kind = kinds[i];
            found++;
        }
    for (int i = 0; i < PLAN_KINDS && found == 1; ++i)
        STARFISH_FAIL_IF(plan->options.only[i] && plan->kind != kinds[i], STARFISH_ERROR_ARGUMENT, "%s: is for %s",
                         plan->options.only[i], kinds[i]->whose);
    STARFISH_FAIL_IF(found == 1 && *options_word(&plan->options.words, "--algorithm") &&
                         plan->kind != kinds[PLAN_PROBLEM] && plan->kind != kinds[PLAN_BATCH],
                     STARFISH_ERROR_ARGUMENT, "--algorithm: is for a problem file or --batch");
    if (found == 1)
        return STARFISH_SUCCESS;
    plan->kind = NULL;
    return starfish_fail(STARFISH_ERROR_ARGUMENT,
                         found == 0 ? "missing operand: PROBLEM.json or MESH.msh, or --mesh, --batch or --many instead"
                                    : "a file, --mesh, --batch and --many: only one of them");
}

starfish_status plan_open(struct plan *plan, size_t parts)
{
    char text[24];
    STARFISH_TRY(find_kind(plan));
    plan->table = plan->kind->table;
    plan->data = calloc(1, plan->kind->bytes);
    STARFISH_FAIL_IF(!plan->data, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    STARFISH_TRY(plan->kind->open(plan));
    const struct starfish_option *slabs = starfish_option_of_flag(plan->table, "--slabs");
    snprintf(text, sizeof text, "%zu", parts < plan->rows ? parts : plan->rows);
    if (!slabs)
        return plan->options.slabs ? starfish_fail(STARFISH_ERROR_ARGUMENT, "--slabs: is not for %s", plan->name)
                                   : STARFISH_SUCCESS;
    return starfish_option_set(slabs, plan->library, plan->options.slabs ? plan->options.slabs : text);
}

void plan_close(struct plan *plan)
{
    if (plan->data && plan->kind->close)
        plan->kind->close(plan);
    for (int a = 0; a < 2; a++)
        starfish_array_free(&plan->memory[a]);
    free(plan->data);
    plan->data = NULL;
}

starfish_status plan_make_array(struct plan *plan, int which, starfish_precision precision, size_t count, double value)
{
    struct starfish_array *array = &plan->memory[which];
    STARFISH_TRY((SIMULATED ? starfish_array_reserve : starfish_array_create)(array, precision, 1, &count));
    if (!SIMULATED)
        starfish_array_fill(array, value);
    plan->array[which] = array->data;
    plan->bytes[which] = count * starfish_real_size(precision);
    return STARFISH_SUCCESS;
}

starfish_status plan_solve(struct plan *plan)
{
    plan->result = (struct starfish_result)STARFISH_RESULT_DEFAULTS;
    STARFISH_TRY(starfish_plan_solve(plan->made, NULL, plan->array[0], plan->array[1], &plan->result));
    plan->seconds = plan->result.seconds;
    return STARFISH_SUCCESS;
}

static void destroy(struct plan *plan)
{
    if (plan->kind->destroy)
        plan->kind->destroy(plan);
    starfish_plan_destroy(plan->made);
    plan->made = NULL;
}

static starfish_status create(struct plan *plan, int check)
{
    return options_name_flags(plan->table, plan->kind->create(plan, check));
}

static starfish_status check_once(struct plan *plan)
{
    STARFISH_TRY(create(plan, 1));
    STARFISH_TRY(plan->kind->solve(plan));
    STARFISH_TRY(plan->kind->check(plan));
    destroy(plan);
    return STARFISH_SUCCESS;
}

starfish_status plan_start(struct plan *plan, starfish_context *context)
{
    plan->context = context;
    for (plan->pinned = 0; plan->pinned < 2 && plan->array[plan->pinned]; plan->pinned++)
        STARFISH_TRY(starfish_pin(context, plan->array[plan->pinned], plan->bytes[plan->pinned]));
    plan->residual = (double)NAN;
    if (!SIMULATED && !plan->unchecked)
        STARFISH_TRY(check_once(plan));
    return create(plan, 0);
}

void plan_stop(struct plan *plan)
{
    if (!plan->context)
        return;
    destroy(plan);
    while (plan->pinned-- > 0)
        starfish_unpin(plan->context, plan->array[plan->pinned], plan->bytes[plan->pinned]);
    plan->pinned = 0;
    plan->context = NULL;
}
