/* Solves in the order of a CUDA stream. Where all of a solve's tasks are for the GPU that the arrays lie on, they are
 * one task (scheduler/bundle.h), which is ordered by events: the caller's thread waits for its launches alone. Where
 * they are not (cores or several GPUs share the solve, or an iteration looks at its residuals), the caller's thread
 * waits for what is in the stream, and for the solve: what it puts into the stream later comes after both. To hold the
 * stream instead until the host has done its part (cuStreamWaitValue32) came to no end on an H200, and bundle.h says
 * why it must. */
#include "poisson/submit_on.h"

#include "base/arithmetic.h"
#include "poisson/methods.h"
#include "scheduler/bundle.h"
#include "scheduler/stream.h"

#include <stdlib.h>
#include <string.h>

/* The solve, while it goes on; and what it has come to, until it is asked for. */
struct starfish_job_on {
    struct starfish_poisson_job *job; /* NULL: it is over */
    struct starfish_bundle *bundle;
    double *pertrb_of_all; /* one for each problem */
    struct starfish_failure failure;
    struct starfish_info info;
    struct starfish_accuracy accuracy;
};

static void destroy(struct starfish_job_on *on)
{
    free(on->pertrb_of_all);
    free(on);
}

/* What a solve is asked for. */
struct request_on {
    const struct starfish_boundary *boundary;
    const void *rhs;
    void *solution;
};

/* Both arrays have to be there when the stream comes to them: in device memory. */
static starfish_status check_place(const struct starfish_poisson_plan *plan, const char *name, const void *memory,
                                   int *node)
{
    enum starfish_residence residence;
    STARFISH_TRY(starfish_memory_place(plan->context, name, memory, node, &residence));
    if (residence != STARFISH_ON_DEVICE)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is not in CUDA device memory", name);
    return STARFISH_SUCCESS;
}

/* *together: on one device. */
static starfish_status check(const struct starfish_poisson_plan *plan, const struct request_on *request, int *together)
{
    int node[2];
    if (plan->context->workers_of[STARFISH_GPU] == 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: the context has no GPU");
    STARFISH_TRY(check_place(plan, "rhs", request->rhs, &node[0]));
    STARFISH_TRY(check_place(plan, "solution", request->solution, &node[1]));
    *together = node[0] == node[1];
    return STARFISH_SUCCESS;
}

/* The solve's end. */
static void collect(struct starfish_job_on *on)
{
    struct starfish_poisson_job *job = on->job;
    if (!job)
        return;
    on->job = NULL;
    job->pertrb = on->pertrb_of_all;
    starfish_failure_keep(&on->failure, starfish_job_wait_accuracy(job, &on->info, &on->accuracy));
    starfish_bundle_destroy(on->bundle);
    on->bundle = NULL;
}

static void solve(struct starfish_poisson_plan *plan, const struct request_on *request, struct starfish_job_on *on)
{
    starfish_failure_keep(&on->failure, starfish_poisson_submit_staying(plan, request->boundary, request->rhs,
                                                                        request->solution, NULL, &on->job));
    collect(on);
}

/* The solve as one task. UNSUPPORTED: it cannot be. */
static starfish_status launch(struct starfish_poisson_plan *plan, const struct request_on *request,
                              struct CUstream_st *stream, struct starfish_job_on *on)
{
    if (plan->method->join)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: method %s looks at its residuals",
                             starfish_method_list[plan->method->id]);
    STARFISH_TRY(starfish_bundle_create(&on->bundle, plan->context, stream, "solution", request->solution));
    const starfish_status status =
        starfish_poisson_submit_staying(plan, request->boundary, request->rhs, request->solution, on->bundle, &on->job);
    if (status != STARFISH_SUCCESS) {
        starfish_bundle_destroy(on->bundle);
        on->bundle = NULL;
    }
    return status;
}

static starfish_status make_job(struct starfish_poisson_plan *plan, struct starfish_poisson_job **job)
{
    struct starfish_poisson_job *made = calloc(1, sizeof *made);
    struct starfish_job_on *on = calloc(1, sizeof *on);
    double *pertrb = calloc(plan->count, sizeof *pertrb);
    if (!made || !on || !pertrb) {
        free(pertrb);
        free(on);
        free(made);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a job");
    }
    on->pertrb_of_all = pertrb;
    made->plan = plan;
    made->on = on;
    *job = made;
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_submit_on(starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                                           const void *rhs, void *solution, struct CUstream_st *stream,
                                           starfish_poisson_job **result)
{
    STARFISH_OWN_ARITHMETIC;
    const struct request_on request = {boundary, rhs, solution};
    struct starfish_poisson_job *job;
    STARFISH_NEED(plan, "plan");
    STARFISH_NEED(rhs, "rhs");
    STARFISH_NEED(solution, "solution");
    STARFISH_NEED(result, "job");
    *result = NULL;
    int together;
    STARFISH_TRY(check(plan, &request, &together));
    STARFISH_TRY(make_job(plan, &job));
    starfish_status status = together ? launch(plan, &request, stream, job->on) : STARFISH_ERROR_UNSUPPORTED;
    if (status == STARFISH_ERROR_UNSUPPORTED ||
        status == STARFISH_ERROR_MEMORY) { /* one after the other they may fit */
        status = starfish_stream_wait(stream, "solution", solution);
        if (status == STARFISH_SUCCESS)
            solve(plan, &request, job->on);
    }
    if (status != STARFISH_SUCCESS) {
        destroy(job->on);
        free(job);
        return status;
    }
    *result = job;
    return STARFISH_SUCCESS;
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

starfish_status starfish_job_wait_on(struct starfish_poisson_job *job, struct starfish_info *info,
                                     struct starfish_accuracy *accuracy)
{
    struct starfish_job_on *on = job->on;
    collect(on);
    const starfish_status status = starfish_failure_repeat(&on->failure);
    if (status == STARFISH_SUCCESS && job->pertrb)
        memcpy(job->pertrb, on->pertrb_of_all, job->plan->count * sizeof *job->pertrb);
    if (status == STARFISH_SUCCESS || status == STARFISH_ERROR_NUMERICAL)
        starfish_job_tell(&on->info, &on->accuracy, info, accuracy);
    destroy(on);
    free(job);
    return status;
}

/* Of a solve that is over, nothing. */
void starfish_job_progress_on(const struct starfish_poisson_job *job, size_t *finished, size_t *total)
{
    *finished = *total = 0;
    if (job->on->job)
        starfish_job_progress(job->on->job, finished, total);
}
