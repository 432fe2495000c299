/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One solve: a job registers the user's arrays piece by piece, and releases them when its tasks are done. Where GPUs
 * and teams of cores share the plan's pieces, the first ones are the cores'. */
#include "tridiag/plan.h"

#include "codelets/bring_home.h"
#include "tridiag/options.h"

struct starfish_tridiag_job {
    struct starfish_job job; /* the first member */
    starfish_handle input[STARFISH_BATCH_MOST_PIECES], output[STARFISH_BATCH_MOST_PIECES];
    struct starfish_batch_share *share; /* of the plan's, by the place of these arrays; NULL: none */
    size_t number;                      /* of the plan's jobs */
    int lone;                           /* no other job of the plan was in flight when this one began */
    int places;                         /* the share says which pieces are the cores'; else any worker may take any */
    size_t cores;                       /* pieces of theirs */
};

static struct starfish_tridiag_plan *plan_of(const struct starfish_tridiag_job *job)
{
    return (struct starfish_tridiag_plan *)job->job.plan;
}

/* ---- Shares ------------------------------------------------------------------------------------------------------ */

/* What is in a GPU's memory already is the GPUs' alone. */
static starfish_status choose_share(struct starfish_tridiag_job *job)
{
    struct starfish_tridiag_plan *plan = plan_of(job);
    struct starfish_context *context = plan->plan.context;
    enum starfish_residence residence[2];
    int node;

    STARFISH_TRY(starfish_memory_place(context, "rhs", job->job.request.rhs, &node, &residence[0]));
    STARFISH_TRY(starfish_memory_place(context, "solution", job->job.request.solution, &node, &residence[1]));
    const enum starfish_residence slower = residence[0] < residence[1] ? residence[0] : residence[1];
    if (!plan->shares || slower >= STARFISH_ON_DEVICE)
        return STARFISH_SUCCESS;
    pthread_mutex_lock(&plan->plan.lock);
    job->share = &plan->share[slower];
    job->cores = job->share->cores;
    job->number = ++plan->submitted;
    job->lone = plan->in_flight++ == 0;
    job->places = job->lone || starfish_batch_share_is_known(job->share);
    pthread_mutex_unlock(&plan->plan.lock);
    return STARFISH_SUCCESS;
}

static void leave_share(const struct starfish_tridiag_job *job)
{
    struct starfish_tridiag_plan *plan = plan_of(job);
    const struct starfish_progress *progress = &job->job.progress;
    const double workers = (double)plan->plan.context->workers_of[STARFISH_CPU];
    const double busy = progress->done[STARFISH_CPU].busy_seconds / workers;

    if (!job->share)
        return;
    pthread_mutex_lock(&plan->plan.lock);
    plan->in_flight--;
    if (job->job.failure.status == STARFISH_SUCCESS && job->lone && plan->submitted == job->number)
        starfish_batch_share_watch(job->share, plan->pieces, busy, starfish_progress_seconds(progress));
    pthread_mutex_unlock(&plan->plan.lock);
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

static starfish_status register_piece(const struct starfish_tridiag_plan *plan, const char *name, const void *array,
                                      size_t number, starfish_handle *handle)
{
    const struct starfish_batch_piece *piece = &plan->piece[number];
    const struct starfish_tridiag_problem *p = &plan->problem;
    struct starfish_data_block_place lines = {.context = plan->plan.context,
                                              .name = name,
                                              .memory = (const char *)array +
                                                        piece->first_line * p->vectors.line * plan->element_size,
                                              .element_size = plan->element_size};

    STARFISH_TRY(starfish_memory_place(plan->plan.context, name, array, &lines.node, NULL));
    return starfish_data_block_register(handle, &lines, &piece->task.vector_shape.block);
}

static starfish_status submit(struct starfish_job *base)
{
    struct starfish_tridiag_job *job = (struct starfish_tridiag_job *)base;
    const struct starfish_tridiag_plan *plan = plan_of(job);
    const void *const rhs = base->request.rhs, *const solution = base->request.solution;

    for (size_t i = 0; i < plan->pieces; i++) {
        struct starfish_batch_task task = plan->piece[i].task;
        STARFISH_TRY(register_piece(plan, "solution", solution, i, &job->output[i]));
        if (rhs != solution)
            STARFISH_TRY(register_piece(plan, "rhs", rhs, i, &job->input[i]));
        task.output = job->output[i];
        task.input = rhs != solution ? job->input[i] : job->output[i];
        task.where = !job->places ? 0 : i < job->cores ? STARFISH_ON_CORES : STARFISH_ON_GPUS;
        STARFISH_TRY(starfish_submit_batch(&base->progress, &task));
        if (job->share && task.where != STARFISH_ON_CORES) /* while other pieces are solved */
            STARFISH_TRY(starfish_submit_bring_home(&base->progress, 0, task.output));
    }
    return STARFISH_SUCCESS;
}

/* ---- The kind ---------------------------------------------------------------------------------------------------- */

/* Arrays whose systems are not packed may lie between each other. */
static starfish_status take(struct starfish_job *base)
{
    struct starfish_tridiag_job *job = (struct starfish_tridiag_job *)base;
    const struct starfish_request *request = &base->request;

    STARFISH_TRY(starfish_memory_check_arrays(request->rhs, request->solution, plan_of(job)->options.precision, 0));
    return choose_share(job);
}

/* Releasing brings the solution back to its memory. */
static void drop(struct starfish_job *base)
{
    struct starfish_tridiag_job *job = (struct starfish_tridiag_job *)base;

    for (size_t i = 0; i < plan_of(job)->pieces; i++) {
        starfish_data_release(&job->input[i]);
        starfish_data_release(&job->output[i]);
    }
    leave_share(job);
}

const struct starfish_kind starfish_kind_tridiag = {.name = "tridiag",
                                                    .options = &starfish_tridiag_option_table,
                                                    .plan_bytes = sizeof(struct starfish_tridiag_plan),
                                                    .job_bytes = sizeof(struct starfish_tridiag_job),
                                                    .options_at = offsetof(struct starfish_tridiag_plan, options),
                                                    .create = starfish_tridiag_create_plan,
                                                    .release = starfish_tridiag_release,
                                                    .take = take,
                                                    .submit = submit,
                                                    .drop = drop};
