/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves: the user's arrays become runtime data, and the iteration (iterate.c) runs in the job's turn. */
#include "diffusion/solve.h"

#include "base/real.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/watchdog.h"

#include <stdint.h>
#include <stdlib.h>

enum {
    RHS = STARFISH_DIFFUSION_RHS,
    SOLUTION = STARFISH_DIFFUSION_SOLUTION,
    EXTRA = STARFISH_DIFFUSION_EXTRA,
    ARRAYS = STARFISH_DIFFUSION_ARRAYS
};
static const char *const names[ARRAYS] = {"rhs", "solution", "boundary data"};

static struct starfish_diffusion_plan *plan_of(const struct starfish_diffusion_job *job)
{
    return (struct starfish_diffusion_plan *)job->job.plan;
}

/* ---- The caller's arrays ----------------------------------------------------------------------------------------- */

/* The planes of the arrays that a solve is given. */
static struct starfish_run_of_planes planes_here(const struct starfish_diffusion_plan *plan)
{
    if (plan->space.on_ranks)
        return (struct starfish_run_of_planes){plan->dealt.first_here, plan->dealt.rows_here};
    return (struct starfish_run_of_planes){0, plan->box.n[2]};
}

static starfish_status place_arrays(struct starfish_diffusion_job *job)
{
    const struct starfish_diffusion_plan *plan = plan_of(job);
    const struct starfish_request *request = &job->job.request;
    int node[2];

    STARFISH_TRY(starfish_memory_places(plan->plan.context, request->rhs, request->solution, plan->options.precision,
                                        planes_here(plan).count * plan->box.n[0] * plan->box.n[1], node));
    job->array[RHS] = (struct starfish_diffusion_array){.memory = (void *)(uintptr_t)request->rhs, .node = node[0]};
    job->array[SOLUTION] = (struct starfish_diffusion_array){.memory = request->solution, .node = node[1]};
    return STARFISH_SUCCESS;
}

/* Where one rank has boundary data all have an array of them, which may be zeros. */
static starfish_status allocate_extra(struct starfish_diffusion_job *job)
{
    const struct starfish_diffusion_plan *plan = plan_of(job);
    const size_t cells = planes_here(plan).count * plan->box.n[0] * plan->box.n[1];

    job->array[EXTRA].node = STARFISH_MAIN_MEMORY;
    job->array[EXTRA].memory = calloc(cells, starfish_real_size(plan->options.precision));
    return STARFISH_OR_FAIL(job->array[EXTRA].memory, STARFISH_ERROR_MEMORY, "out of memory for boundary data");
}

static starfish_status take(struct starfish_job *base)
{
    struct starfish_diffusion_job *job = (struct starfish_diffusion_job *)base;
    const struct starfish_diffusion_plan *plan = plan_of(job);
    const struct starfish_boundary *boundary = base->request.boundary;
    const struct starfish_run_of_planes planes = planes_here(plan);
    double has = starfish_diffusion_has_boundary(&plan->box, boundary);

    base->most = plan->options.max_iterations;
    STARFISH_TRY(starfish_ranks_agree(plan->plan.context, place_arrays(job)));
    STARFISH_TRY(starfish_ranks_maximum(plan->plan.context, &has, 1));
    if (has == 0)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_ranks_agree(plan->plan.context, allocate_extra(job)));
    if (boundary)
        job->largest_extra = starfish_diffusion_move_boundary(&plan->box, boundary, plan->options.precision, &planes,
                                                              job->array[EXTRA].memory);
    return starfish_ranks_maximum(plan->plan.context, &job->largest_extra, 1);
}

/* ---- The solve --------------------------------------------------------------------------------------------------- */

static starfish_status run(struct starfish_job *base)
{
    struct starfish_diffusion_job *job = (struct starfish_diffusion_job *)base;

    job->algebra = (struct starfish_algebra){&base->progress, 0, starfish_context_gpus_else_any(base->plan->context)};
    /* Of several ranks all register the same ones, and fail together. */
    const struct starfish_diffusion_plan *plan = plan_of(job);

    for (int i = 0; i < ARRAYS; i++)
        if (i != EXTRA || job->array[i].memory)
            STARFISH_TRY(starfish_vector_over(&job->array[i].vector, &plan->space, plan->options.precision,
                                              job->array[i].node, job->array[i].memory, names[i]));
    starfish_failure_keep(&base->failure, starfish_diffusion_iterate(job));
    if (base->failure.status == STARFISH_SUCCESS || base->failure.status == STARFISH_ERROR_NUMERICAL)
        starfish_failure_keep(&base->failure, starfish_algebra_update(&job->algebra, &plan_of(job)->u, NULL, NULL,
                                                                      &job->array[SOLUTION].vector));
    return starfish_failure_repeat(&base->failure);
}

/* What has failed on one of the ranks has failed on all. */
static starfish_status finish(struct starfish_job *job, starfish_status status)
{
    (void)status;
    return starfish_ranks_agree(job->plan->context, starfish_failure_repeat(&job->failure));
}

static void drop(struct starfish_job *base)
{
    struct starfish_diffusion_job *job = (struct starfish_diffusion_job *)base;

    if (starfish_is_stuck()) /* tasks may still use them */
        return;
    for (int i = 0; i < ARRAYS; i++)
        starfish_vector_destroy(&job->array[i].vector);
    free(job->array[EXTRA].memory);
}

const struct starfish_kind starfish_kind_diffusion = {.name = "diffusion",
                                                      .options = &starfish_diffusion_option_table,
                                                      .problems = starfish_diffusion_problems,
                                                      .plan_bytes = sizeof(struct starfish_diffusion_plan),
                                                      .job_bytes = sizeof(struct starfish_diffusion_job),
                                                      .options_at = offsetof(struct starfish_diffusion_plan, options),
                                                      .has_boundary = 1,
                                                      .one_team = 1,
                                                      .on_ranks = 1,
                                                      .check = starfish_diffusion_check_plan,
                                                      .create = starfish_diffusion_create_plan,
                                                      .release = starfish_diffusion_release,
                                                      .take = take,
                                                      .run = run,
                                                      .finish = finish,
                                                      .drop = drop};
