/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Public plans, whose jobs are solves by their engine (engine.h): the kind's row, a plan's making, and what it says of
 * itself. */
#include "multigrid/plan.h"

#include "base/arithmetic.h"
#include "multigrid/options.h"
#include "multigrid/solve.h"

#include <stdio.h>

static struct starfish_multigrid_plan *plan_of(const struct starfish_plan *base)
{
    return (struct starfish_multigrid_plan *)base;
}

/* ---- The kind ---------------------------------------------------------------------------------------------------- */

static void release(struct starfish_plan *base)
{
    starfish_multigrid_engine_destroy(plan_of(base)->engine);
}

static starfish_status take(struct starfish_job *job)
{
    return starfish_multigrid_job_take(job, plan_of(job->plan)->engine);
}

const struct starfish_kind starfish_kind_multigrid = {.name = "multigrid",
                                                      .options = &starfish_multigrid_option_table,
                                                      .plan_bytes = sizeof(struct starfish_multigrid_plan),
                                                      .job_bytes = sizeof(struct starfish_multigrid_job),
                                                      .release = release,
                                                      .take = take,
                                                      .run = starfish_multigrid_job_run};

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

static void describe(struct starfish_multigrid_plan *plan)
{
    const struct starfish_multigrid_engine *engine = plan->engine;
    const struct starfish_multigrid_options *o = &engine->options;
    const struct starfish_space *space = engine->op.space;
    const int has_forms = o->matrix != STARFISH_MATRIX_AUTO;

    snprintf(plan->reason, sizeof plan->reason, "%s cycles, %d and %d steps of %s%s%s", starfish_cycle_names[o->cycle],
             o->before, o->after, starfish_smoother_names[o->smoother], has_forms ? ", matrix " : "",
             has_forms ? starfish_matrix_names[o->matrix] : "");
    plan->plan.about.method = o->krylov == STARFISH_KRYLOV_NONE ? "multigrid" : starfish_krylov_names[o->krylov];
    plan->plan.about.reason = plan->reason;
    plan->plan.about.unknowns = space->n[0] * space->n[1];
    plan->plan.about.singular = engine->singular;
    plan->plan.about.owners = starfish_space_owners(space);
    plan->plan.about.levels = engine->graph.all_levels;
}

starfish_status starfish_multigrid_plan_of(struct starfish_multigrid_engine *engine, double start,
                                           starfish_plan **result)
{
    struct starfish_plan *plan;
    const starfish_status status = starfish_plan_begin(engine->context, &starfish_kind_multigrid, NULL, &plan);

    if (status != STARFISH_SUCCESS) {
        starfish_multigrid_engine_destroy(engine);
        return status;
    }
    plan_of(plan)->engine = engine;
    plan->memory = engine->memory;
    describe(plan_of(plan));
    return starfish_plan_end(plan, start, status, result);
}

starfish_status starfish_multigrid_plan_create(struct starfish_context *context,
                                               const struct starfish_multigrid_hooks *hooks, const void *problem,
                                               const struct starfish_multigrid_options *options, starfish_plan **result)
{
    const double start = starfish_now();
    struct starfish_multigrid_engine *engine;

    STARFISH_NEED(context, "context");
    STARFISH_NEED(problem, "problem");
    STARFISH_NEED(result, "plan");
    *result = NULL;
    STARFISH_TRY(starfish_multigrid_engine_create(context, hooks, problem, options, NULL, &engine, NULL));
    return starfish_multigrid_plan_of(engine, start, result);
}

starfish_status starfish_multigrid_plan_options(const starfish_plan *plan, struct starfish_multigrid_options *options)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_TRY(starfish_plan_check(plan, &starfish_kind_multigrid));
    STARFISH_NEED(options, "options");
    STARFISH_TRY(starfish_filled_check(options, sizeof *options, "options"));
    starfish_filled_copy(options, &plan_of(plan)->engine->options, sizeof *options);
    return STARFISH_SUCCESS;
}
