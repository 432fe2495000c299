/* Public plans and their jobs, which are solves in the thread that asks for a solution or in one of the job's own. The
 * jobs of a plan take turns, as they share the vectors of its engine. */
#include "multigrid/plan.h"

#include "base/arithmetic.h"
#include "multigrid/solve.h"
#include "scheduler/ranks.h"

#include <stdlib.h>

struct starfish_multigrid_job {
    struct starfish_multigrid_solve solve;
    struct starfish_turn turn;
    atomic_int cancelled;
};

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

starfish_status starfish_multigrid_plan_of(struct starfish_multigrid_engine *engine, starfish_multigrid_plan **result)
{
    struct starfish_multigrid_plan *plan = calloc(1, sizeof *plan);

    if (!plan) {
        starfish_multigrid_engine_destroy(engine);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan");
    }
    plan->engine = engine;
    starfish_queue_create(&plan->queue);
    *result = plan;
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_plan_create(struct starfish_context *context,
                                               const struct starfish_multigrid_hooks *hooks, const void *problem,
                                               const struct starfish_multigrid_options *options,
                                               starfish_multigrid_plan **result)
{
    struct starfish_multigrid_engine *engine;

    STARFISH_NEED(context, "context");
    STARFISH_NEED(problem, "problem");
    STARFISH_NEED(result, "plan");
    *result = NULL;
    STARFISH_TRY(starfish_multigrid_engine_create(context, hooks, problem, options, NULL, &engine));
    return starfish_multigrid_plan_of(engine, result);
}

void starfish_multigrid_plan_destroy(starfish_multigrid_plan *plan)
{
    STARFISH_OWN_ARITHMETIC;
    if (!plan || starfish_is_stuck()) /* tasks may still use it */
        return;
    starfish_multigrid_engine_destroy(plan->engine);
    starfish_queue_destroy(&plan->queue);
    free(plan);
}

starfish_status starfish_multigrid_plan_memory(const starfish_multigrid_plan *plan, struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_multigrid_engine_memory(plan ? plan->engine : NULL, memory);
}

void starfish_multigrid_tell(starfish_multigrid_plan *plan, starfish_multigrid_progress *function, void *data)
{
    if (!plan)
        return;
    plan->tell = function;
    plan->tell_data = data;
}

/* ---- Jobs -------------------------------------------------------------------------------------------------------- */

static starfish_status create_job(struct starfish_multigrid_plan *plan, const void *rhs, void *solution,
                                  struct starfish_multigrid_job **created)
{
    STARFISH_NEED(plan, "plan");
    struct starfish_multigrid_job *job = calloc(1, sizeof *job);
    starfish_status status = starfish_ranks_agree(
        plan->engine->context,
        job ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a solve"));

    if (status == STARFISH_SUCCESS && job) {
        job->solve = (struct starfish_multigrid_solve){.engine = plan->engine,
                                                       .pass = starfish_multigrid_pass(&plan->engine->options),
                                                       .watch = {&job->cancelled, plan->tell, plan->tell_data}};
        status = starfish_multigrid_solve_arrays(&job->solve, rhs, solution);
    }
    if (status == STARFISH_SUCCESS)
        *created = job;
    else
        free(job);
    return status;
}

/* What it came to, in this thread. */
static starfish_status end(struct starfish_multigrid_job *job, struct starfish_multigrid_info *info)
{
    const starfish_status status = starfish_failure_repeat(&job->solve.failure);

    if (info)
        *info = job->solve.info;
    if (!starfish_is_stuck())
        free(job);
    return status;
}

starfish_status starfish_multigrid_solve(starfish_multigrid_plan *plan, const void *rhs, void *solution,
                                         struct starfish_multigrid_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_multigrid_job *job;

    STARFISH_TRY(create_job(plan, rhs, solution, &job));
    starfish_turn_take(&job->turn, &plan->queue, starfish_multigrid_drive, &job->solve);
    return end(job, info);
}

starfish_status starfish_multigrid_submit(starfish_multigrid_plan *plan, const void *rhs, void *solution,
                                          starfish_multigrid_job **job)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_multigrid_job *created;

    STARFISH_NEED(job, "job");
    *job = NULL;
    STARFISH_TRY(create_job(plan, rhs, solution, &created));
    const starfish_status status = starfish_turn_start(&created->turn, plan->engine->context, &plan->queue,
                                                       starfish_multigrid_drive, &created->solve);
    if (status == STARFISH_SUCCESS)
        *job = created;
    else
        free(created);
    return status;
}

starfish_status starfish_multigrid_wait(starfish_multigrid_job *job, struct starfish_multigrid_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(job, "job");
    STARFISH_TRY(starfish_turn_wait(&job->turn)); /* where it fails, the thread still has the job */
    return end(job, info);
}

void starfish_multigrid_cancel(starfish_multigrid_job *job)
{
    if (job)
        atomic_store(&job->cancelled, 1);
}
