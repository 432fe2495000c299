/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves of plans of any kind: direct ones are submitted as tasks at once, iterative ones take turns. */
#include "scheduler/runtime/watchdog.h"
#include "solver/gather.h"

#include "base/arithmetic.h"
#include "scheduler/runtime/idle.h"
#include "scheduler/runtime/ranks.h"

#include <math.h>
#include <stdlib.h>

/* ---- The life of a job ------------------------------------------------------------------------------------------- */

static struct starfish_result unknown_result(void)
{
    const double unknown = (double)NAN;

    return (struct starfish_result){.size = sizeof(struct starfish_result),
                                    .residual = unknown,
                                    .tolerance = unknown,
                                    .rounding = unknown,
                                    .rhs_norm = unknown,
                                    .factor = unknown,
                                    .recurrence = unknown,
                                    .residual_max = unknown,
                                    .residual_bound = unknown,
                                    .correction = unknown};
}

static starfish_status check_request(const starfish_plan *plan, const struct starfish_request *request)
{
    STARFISH_REFUSE_IF(plan->kind->has_rhs && request->rhs,
                       "rhs must be NULL: plans of kind %s have the right-hand side", plan->kind->name);
    if (!request->rhs_field && !plan->kind->on_ranks) {
        STARFISH_NEED(request->rhs, "rhs");
        STARFISH_NEED(request->solution, "solution");
    }
    STARFISH_REFUSE_IF(request->boundary && !plan->kind->has_boundary,
                       "boundary must be NULL: problems of kind %s have no such data", plan->kind->name);
    return STARFISH_SUCCESS;
}

static starfish_status make(starfish_plan *plan, const struct starfish_request *request, struct starfish_job **made)
{
    STARFISH_TRY(check_request(plan, request));
    struct starfish_job *job = *made = calloc(1, plan->kind->job_bytes);
    STARFISH_FAIL_IF(!job, STARFISH_ERROR_MEMORY, "out of memory for a solve");
    job->plan = plan;
    job->request = *request;
    job->tell = plan->tell;
    job->tell_data = plan->tell_data;
    job->result = unknown_result();
    job->before = starfish_context_bytes(plan->context);
    starfish_progress_init(&job->progress, plan->context);
    starfish_progress_time_steps(&job->progress, job->step);
    return STARFISH_SUCCESS;
}

/* Frees a job that has ended; its status, with its message. A stuck runtime may still use what it holds. */
static starfish_status destroy(struct starfish_job *job)
{
    if (job->inner)
        (void)destroy(job->inner);
    const starfish_status status = starfish_failure_repeat(&job->failure);
    if (starfish_is_stuck())
        return status;
    starfish_progress_destroy(&job->progress);
    free(job->kept);
    free(job);
    return status;
}

static void drop(struct starfish_job *job)
{
    if (job->plan->kind->drop && !job->plan->gather)
        job->plan->kind->drop(job);
}

static void fill_counts(struct starfish_job *job)
{
    const struct starfish_bytes after = starfish_context_bytes(job->plan->context);
    struct starfish_result *result = &job->result;

    if (result->seconds == 0)
        result->seconds = starfish_progress_seconds(&job->progress);
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        result->worker[kind].tasks += job->progress.done[kind].tasks;
        result->worker[kind].busy_seconds += job->progress.done[kind].busy_seconds;
    }
    result->host_to_device += after.host_to_device - job->before.host_to_device;
    result->device_to_host += after.device_to_host - job->before.device_to_host;
    result->device_to_device += after.device_to_device - job->before.device_to_device;
}

/* After all has been submitted: waits for the tasks. A failure of a task is more than one of the numbers it left. */
static void end_tasks(struct starfish_job *job)
{
    const struct starfish_kind *kind = job->plan->kind;

    starfish_failure_keep(&job->failure, starfish_progress_wait(&job->progress));
    if (kind->finish)
        starfish_failure_keep(&job->failure, kind->finish(job, job->failure.status));
    drop(job);
    fill_counts(job);
    atomic_store(&job->has_ended, 1);
}

static void drive(void *data)
{
    struct starfish_job *job = data;
    const struct starfish_kind *kind = job->plan->kind;
    starfish_status status;

    if (atomic_load(&job->cancelled)) {
        job->result.outcome = STARFISH_CANCELLED;
        status = starfish_fail(STARFISH_ERROR_NUMERICAL, "cancelled before its turn");
    } else {
        status = job->plan->run(job);
        if (kind->accept && (status == STARFISH_SUCCESS || status == STARFISH_ERROR_NUMERICAL))
            status = kind->accept(job, status);
    }
    starfish_failure_keep(&job->failure, status);
    end_tasks(job);
}

void starfish_job_look(void *data, const struct starfish_result *result)
{
    struct starfish_job *job = data;

    atomic_store(&job->iterations, result->iterations);
    if (job->tell)
        job->tell(job->tell_data, result);
}

/* ---- Submission -------------------------------------------------------------------------------------------------- */

starfish_status starfish_job_create(starfish_plan *plan, const struct starfish_request *request, int waits,
                                    struct starfish_job **result)
{
    struct starfish_job *job;

    STARFISH_NEED(plan, "plan");
    const starfish_status made = make(plan, request, &job);
    if (made != STARFISH_SUCCESS) /* other ranks agree in `take` */
        return plan->kind->on_ranks ? starfish_ranks_agree(plan->context, made) : made;
    starfish_status status = plan->gather ? starfish_gather_solve(job) : plan->kind->take(job);
    if (status == STARFISH_SUCCESS && plan->run)
        status = starfish_turn_start(&job->turn, plan->context, &plan->queue, waits, drive, job);
    else if (status == STARFISH_SUCCESS && !plan->gather)
        status = plan->kind->submit(job);
    if (status != STARFISH_SUCCESS) {
        starfish_failure_keep(&job->failure, status);
        (void)starfish_progress_wait(&job->progress); /* what has been submitted before it failed */
        drop(job);
        return destroy(job);
    }
    if (waits && !plan->run && !job->has_ended)
        end_tasks(job);
    *result = job;
    return STARFISH_SUCCESS;
}

/* Where the turn is still under way, a stuck runtime has the job. */
static starfish_status finish(struct starfish_job *job, struct starfish_result *result)
{
    if (job->plan->run)
        STARFISH_TRY(starfish_turn_wait(&job->turn));
    else if (!job->has_ended)
        end_tasks(job);
    if (job->failure.status == STARFISH_SUCCESS || job->failure.status == STARFISH_ERROR_NUMERICAL) {
        starfish_filled_copy(result, &job->result, sizeof *result);
        if (job->plan->kind->tell)
            job->plan->kind->tell(job);
    }
    return destroy(job);
}

/* ---- Interface --------------------------------------------------------------------------------------------------- */

starfish_status starfish_plan_submit(starfish_plan *plan, const struct starfish_boundary *boundary, const void *rhs,
                                     void *solution, starfish_job **job)
{
    STARFISH_OWN_ARITHMETIC;
    const struct starfish_request request = {.boundary = boundary, .rhs = rhs, .solution = solution};

    STARFISH_NEED(job, "job");
    *job = NULL;
    return starfish_job_create(plan, &request, 0, job);
}

starfish_status starfish_job_finish(starfish_job *job, struct starfish_result *result)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(job, "job");
    STARFISH_TRY(starfish_filled_check(result, sizeof *result, "result"));
    starfish_idle_call_begin();
    const starfish_status status = finish(job, result);
    starfish_idle_call_end();
    return status;
}

starfish_status starfish_plan_solve(starfish_plan *plan, const struct starfish_boundary *boundary, const void *rhs,
                                    void *solution, struct starfish_result *result)
{
    STARFISH_OWN_ARITHMETIC;
    const struct starfish_request request = {
        .boundary = boundary, .rhs = rhs, .solution = solution, .boundary_stays = 1};
    struct starfish_job *job = NULL;

    STARFISH_TRY(starfish_filled_check(result, sizeof *result, "result"));
    starfish_idle_call_begin();
    starfish_status status = starfish_job_create(plan, &request, 1, &job);
    if (job)
        status = finish(job, result);
    starfish_idle_call_end();
    return status;
}

void starfish_job_cancel(starfish_job *job)
{
    if (job)
        atomic_store(&job->cancelled, 1);
}

starfish_status starfish_job_state(const starfish_job *job, size_t *done, size_t *most)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(job, "job");
    STARFISH_NEED(done, "done");
    STARFISH_NEED(most, "most");
    job = job->inner ? job->inner : job;
    if (job->plan->run) {
        const int has_ended = atomic_load(&job->has_ended);
        *done = (size_t)atomic_load(&job->iterations);
        *most = has_ended ? *done : (size_t)job->most;
    } else {
        *done = atomic_load(&job->progress.finished);
        *most = atomic_load(&job->progress.submitted);
    }
    return STARFISH_SUCCESS;
}
