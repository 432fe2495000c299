/* One solve: a job registers the user's arrays piece by piece, and releases them when it is waited for. Where GPUs and
 * teams of cores share the plan's pieces, the first ones are the cores'. */
#include "tridiag/plan.h"

#include "base/arithmetic.h"
#include "codelets/bring_home.h"
#include "scheduler/rest.h"

#include <stdlib.h>
#include <string.h>

struct starfish_tridiag_job {
    struct starfish_tridiag_plan *plan;
    struct starfish_progress progress;
    starfish_handle input[STARFISH_BATCH_MOST_PIECES], output[STARFISH_BATCH_MOST_PIECES];
    struct starfish_batch_share *share; /* of the plan's, by the place of these arrays; NULL: none */
    size_t number;                      /* of the plan's jobs */
    int lone;                           /* no other job of the plan was in flight when this one began */
    int places;                         /* the share says which pieces are the cores'; else any worker may take any */
    size_t cores;                       /* pieces of theirs */
};

/* ---- Shares ------------------------------------------------------------------------------------------------------ */

/* What is in a GPU's memory already is the GPUs' alone. */
static starfish_status choose_share(struct starfish_tridiag_job *job, const void *rhs, const void *solution)
{
    struct starfish_tridiag_plan *plan = job->plan;
    enum starfish_residence residence[2];
    int node;

    STARFISH_TRY(starfish_memory_place(plan->context, "rhs", rhs, &node, &residence[0]));
    STARFISH_TRY(starfish_memory_place(plan->context, "solution", solution, &node, &residence[1]));
    const enum starfish_residence slower = residence[0] < residence[1] ? residence[0] : residence[1];
    if (!plan->shares || slower >= STARFISH_ON_DEVICE)
        return STARFISH_SUCCESS;
    pthread_mutex_lock(&plan->lock);
    job->share = &plan->share[slower];
    job->cores = job->share->cores;
    job->number = ++plan->submitted;
    job->lone = plan->in_flight++ == 0;
    job->places = job->lone || starfish_batch_share_is_known(job->share);
    pthread_mutex_unlock(&plan->lock);
    return STARFISH_SUCCESS;
}

static void leave_share(struct starfish_tridiag_job *job, starfish_status status)
{
    struct starfish_tridiag_plan *plan = job->plan;
    const double busy = job->progress.done[STARFISH_CPU].busy_seconds;
    const double workers = (double)plan->context->workers_of[STARFISH_CPU];

    if (!job->share)
        return;
    pthread_mutex_lock(&plan->lock);
    plan->in_flight--;
    if (status == STARFISH_SUCCESS && job->lone && plan->submitted == job->number)
        starfish_batch_share_watch(job->share, plan->pieces, busy / workers, starfish_progress_seconds(&job->progress));
    pthread_mutex_unlock(&plan->lock);
}

static uint32_t where_of(const struct starfish_tridiag_job *job, size_t piece)
{
    return !job->places ? 0 : piece < job->cores ? STARFISH_ON_CORES : STARFISH_ON_GPUS;
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

static starfish_status register_piece(const struct starfish_tridiag_plan *plan, const char *name, const void *array,
                                      size_t number, starfish_handle *handle)
{
    const struct starfish_batch_piece *piece = &plan->piece[number];
    const struct starfish_tridiag_problem *p = &plan->problem;
    struct starfish_data_block_place lines = {.context = plan->context,
                                              .name = name,
                                              .memory = (const char *)array +
                                                        piece->first_line * p->vectors.line * plan->element_size,
                                              .element_size = plan->element_size};

    STARFISH_TRY(starfish_memory_place(plan->context, name, array, &lines.node, NULL));
    return starfish_data_block_register(handle, &lines, &piece->task.vector_shape.block);
}

static starfish_status submit(struct starfish_tridiag_job *job, const void *rhs, void *solution)
{
    for (size_t i = 0; i < job->plan->pieces; i++) {
        struct starfish_batch_task task = job->plan->piece[i].task;
        STARFISH_TRY(register_piece(job->plan, "solution", solution, i, &job->output[i]));
        if (rhs != solution)
            STARFISH_TRY(register_piece(job->plan, "rhs", rhs, i, &job->input[i]));
        task.output = job->output[i];
        task.input = rhs != solution ? job->input[i] : job->output[i];
        task.where = where_of(job, i);
        STARFISH_TRY(starfish_submit_batch(&job->progress, &task));
        if (job->share && task.where != STARFISH_ON_CORES) /* while other pieces are solved */
            STARFISH_TRY(starfish_submit_bring_home(&job->progress, 0, task.output));
    }
    return STARFISH_SUCCESS;
}

/* Releasing brings the solution back to its memory. */
static starfish_status finish(struct starfish_tridiag_job *job)
{
    const starfish_status status = starfish_progress_wait(&job->progress);

    for (size_t i = 0; i < job->plan->pieces; i++) {
        starfish_data_release(&job->input[i]);
        starfish_data_release(&job->output[i]);
    }
    leave_share(job, status);
    return status;
}

static void destroy(struct starfish_tridiag_job *job)
{
    if (starfish_is_stuck())
        return; /* tasks may still use it */
    starfish_progress_destroy(&job->progress);
    free(job);
}

starfish_status starfish_tridiag_submit(starfish_tridiag_plan *plan, const void *rhs, void *solution,
                                        starfish_tridiag_job **result)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(plan, "plan");
    STARFISH_NEED(rhs, "rhs");
    STARFISH_NEED(solution, "solution");
    STARFISH_NEED(result, "job");
    *result = NULL;
    /* Arrays whose systems are not packed may lie between each other. */
    STARFISH_TRY(starfish_memory_check_arrays(rhs, solution, plan->options.precision, 0));
    struct starfish_tridiag_job *job = calloc(1, sizeof *job);
    if (!job)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a job");
    job->plan = plan;
    starfish_progress_init(&job->progress, plan->context);
    starfish_status status = choose_share(job, rhs, solution);
    if (status == STARFISH_SUCCESS)
        status = submit(job, rhs, solution);
    if (status != STARFISH_SUCCESS) {
        finish(job);
        destroy(job);
        return status;
    }
    *result = job;
    return STARFISH_SUCCESS;
}

static void fill_info(const struct starfish_tridiag_job *job, struct starfish_tridiag_info *info)
{
    memset(info, 0, sizeof *info);
    info->seconds = starfish_progress_seconds(&job->progress);
    memcpy(info->worker, job->progress.done, sizeof info->worker);
}

starfish_status starfish_tridiag_wait(starfish_tridiag_job *job, struct starfish_tridiag_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(job, "job");
    starfish_rest_call_begin();
    const starfish_status status = finish(job);
    starfish_rest_call_end();
    if (status == STARFISH_SUCCESS && info)
        fill_info(job, info);
    destroy(job);
    return status;
}

starfish_status starfish_tridiag_solve(starfish_tridiag_plan *plan, const void *rhs, void *solution,
                                       struct starfish_tridiag_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    starfish_tridiag_job *job = NULL;

    starfish_rest_call_begin();
    starfish_status status = starfish_tridiag_submit(plan, rhs, solution, &job);
    if (status == STARFISH_SUCCESS)
        status = starfish_tridiag_wait(job, info);
    starfish_rest_call_end();
    return status;
}
