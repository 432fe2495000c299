/* Solves in the order of a CUDA stream. The caller's thread waits for what is in the stream, and for the solve: what it
 * puts into the stream later comes after both. A wait on the device instead (cuStreamWaitValue32) came to no end on an
 * H200: a stream that waits holds up all calls of CUDA that wait for the whole device. */
#include "poisson/submit_on.h"

#include "scheduler/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = 1024 };

/* What the solve has come to, until it is asked for. */
struct starfish_job_on {
    double *pertrb_of_all; /* one for each problem */
    starfish_status status;
    char message[MESSAGE];
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
static starfish_status check_place(const struct starfish_poisson_plan *plan, const char *name, const void *memory)
{
    enum starfish_residence residence;
    int node;
    STARFISH_TRY(starfish_memory_place(plan->context, name, memory, &node, &residence));
    if (residence != STARFISH_ON_DEVICE)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is not in CUDA device memory", name);
    return STARFISH_SUCCESS;
}

static starfish_status check(const struct starfish_poisson_plan *plan, const struct request_on *request)
{
    if (plan->context->workers_of[STARFISH_GPU] == 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: the context has no GPU");
    STARFISH_TRY(check_place(plan, "rhs", request->rhs));
    return check_place(plan, "solution", request->solution);
}

static void solve(struct starfish_poisson_plan *plan, const struct request_on *request, struct starfish_job_on *on)
{
    struct starfish_job *job = NULL;
    on->accuracy.size = sizeof on->accuracy;
    on->status = starfish_poisson_submit_staying(plan, request->boundary, request->rhs, request->solution, &job);
    if (on->status == STARFISH_SUCCESS) {
        job->pertrb = on->pertrb_of_all;
        on->status = starfish_job_wait_accuracy(job, &on->info, &on->accuracy);
    }
    if (on->status != STARFISH_SUCCESS)
        snprintf(on->message, sizeof on->message, "%s", starfish_error_message());
}

static starfish_status make_job(struct starfish_poisson_plan *plan, struct starfish_job **job)
{
    struct starfish_job *made = calloc(1, sizeof *made);
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
                                           starfish_job **result)
{
    const struct request_on request = {boundary, rhs, solution};
    struct starfish_job *job;
    if (!plan || !rhs || !solution || !result)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is NULL",
                             !plan       ? "plan"
                             : !rhs      ? "rhs"
                             : !solution ? "solution"
                                         : "job");
    *result = NULL;
    STARFISH_TRY(check(plan, &request));
    STARFISH_TRY(starfish_stream_wait(stream, "solution", solution));
    STARFISH_TRY(make_job(plan, &job));
    solve(plan, &request, job->on);
    *result = job;
    return STARFISH_SUCCESS;
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

starfish_status starfish_job_wait_on(struct starfish_job *job, struct starfish_info *info,
                                     struct starfish_accuracy *accuracy)
{
    struct starfish_job_on *on = job->on;
    starfish_status status = on->status;
    if (status == STARFISH_SUCCESS && job->pertrb)
        memcpy(job->pertrb, on->pertrb_of_all, job->plan->count * sizeof *job->pertrb);
    if (info && (status == STARFISH_SUCCESS || status == STARFISH_ERROR_NUMERICAL))
        *info = on->info;
    if (status == STARFISH_SUCCESS || status == STARFISH_ERROR_NUMERICAL)
        starfish_accuracy_copy(accuracy, &on->accuracy);
    if (status != STARFISH_SUCCESS)
        status = starfish_fail(status, "%s", on->message);
    destroy(on);
    free(job);
    return status;
}

/* Its solve is over. */
void starfish_job_progress_on(const struct starfish_job *job, size_t *finished, size_t *total)
{
    (void)job;
    *finished = *total = 0;
}
