/* Solves in the order of a CUDA stream: a turn on the stream (scheduler/stream.h), and a thread that waits for what is
 * before it, solves, and lets the stream go on, whatever the solve has come to. The caller's thread only records an
 * event, copies boundary data of the host's, and makes the thread. */
#include "poisson/submit_on.h"

#include "scheduler/driver.h"
#include "scheduler/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = 1024 };

struct starfish_job_on {
    struct starfish_poisson_plan *plan;
    struct starfish_stream_turn turn;
    struct starfish_driver driver;
    struct starfish_boundary boundary;
    void *face_copy[3][2];
    const void *rhs;
    void *solution;
    double *pertrb_of_all; /* one for each problem */

    /* What the thread has come to. */
    starfish_status status;
    char message[MESSAGE];
    struct starfish_info info;
    struct starfish_accuracy accuracy;
};

/* ---- The thread -------------------------------------------------------------------------------------------------- */

static starfish_status solve(struct starfish_job_on *on)
{
    struct starfish_job *job = NULL;
    STARFISH_TRY(starfish_stream_turn_wait(&on->turn));
    STARFISH_TRY(starfish_poisson_submit_staying(on->plan, &on->boundary, on->rhs, on->solution, &job));
    job->pertrb = on->pertrb_of_all;
    on->accuracy.size = sizeof on->accuracy;
    return starfish_job_wait_accuracy(job, &on->info, &on->accuracy);
}

static void run(void *data)
{
    struct starfish_job_on *on = data;
    on->status = solve(on);
    if (on->status != STARFISH_SUCCESS)
        snprintf(on->message, sizeof on->message, "%s", starfish_error_message());
    starfish_stream_turn_release(&on->turn);
}

/* ---- Submission -------------------------------------------------------------------------------------------------- */

/* Arrays of the host's may change as soon as the submission returns. */
static starfish_status copy_faces(struct starfish_job_on *on, const struct starfish_boundary *boundary)
{
    const struct starfish_poisson_plan *plan = on->plan;
    if (boundary)
        on->boundary = *boundary;
    for (int face = 0; face < 6 && boundary; face++) {
        const int axis = face / 2, end = face % 2;
        const void *const array = boundary->array[axis][end];
        const size_t count = plan->n[0] * plan->n[1] * plan->n[2] / plan->n[axis] * plan->count;
        const size_t bytes = count * starfish_real_size(plan->options.precision);
        enum starfish_residence residence;
        int node;
        if (!array || !plan->direction[axis].takes_boundary[end])
            continue;
        STARFISH_TRY(starfish_memory_place(plan->context, "boundary", array, &node, &residence));
        if (residence == STARFISH_ON_DEVICE)
            continue;
        on->face_copy[axis][end] = malloc(bytes);
        if (!on->face_copy[axis][end])
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for boundary data");
        on->boundary.array[axis][end] = memcpy(on->face_copy[axis][end], array, bytes);
    }
    return STARFISH_SUCCESS;
}

static void end_turn(struct starfish_job_on *on)
{
    pthread_mutex_lock(&on->plan->submission);
    starfish_stream_turn_end(&on->turn);
    pthread_mutex_unlock(&on->plan->submission);
}

static starfish_status start(struct starfish_job_on *on, struct CUstream_st *stream)
{
    pthread_mutex_lock(&on->plan->submission);
    starfish_status status =
        starfish_stream_turn_take(&on->plan->stream_turns, stream, "solution", on->solution, &on->turn);
    pthread_mutex_unlock(&on->plan->submission);
    STARFISH_TRY(status);
    status = starfish_driver_start(&on->driver, run, on);
    if (status != STARFISH_SUCCESS) {
        starfish_stream_turn_release(&on->turn);
        end_turn(on);
    }
    return status;
}

static void destroy(struct starfish_job_on *on)
{
    for (int face = 0; face < 6; face++)
        free(on->face_copy[face / 2][face % 2]);
    free(on->pertrb_of_all);
    free(on);
}

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

static starfish_status prepare(struct starfish_job_on *on, const struct starfish_boundary *boundary,
                               struct CUstream_st *stream)
{
    const struct starfish_poisson_plan *plan = on->plan;
    if (plan->context->workers_of[STARFISH_GPU] == 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "stream: the context has no GPU");
    STARFISH_TRY(check_place(plan, "rhs", on->rhs));
    STARFISH_TRY(check_place(plan, "solution", on->solution));
    STARFISH_TRY(copy_faces(on, boundary));
    on->pertrb_of_all = calloc(plan->count, sizeof *on->pertrb_of_all);
    if (!on->pertrb_of_all)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a job");
    return start(on, stream);
}

starfish_status starfish_poisson_submit_on(starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                                           const void *rhs, void *solution, struct CUstream_st *stream,
                                           starfish_job **result)
{
    if (!plan || !rhs || !solution || !result)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is NULL",
                             !plan       ? "plan"
                             : !rhs      ? "rhs"
                             : !solution ? "solution"
                                         : "job");
    *result = NULL;
    struct starfish_job *job = calloc(1, sizeof *job);
    struct starfish_job_on *on = calloc(1, sizeof *on);
    starfish_status status =
        job && on ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a job");
    if (status == STARFISH_SUCCESS) {
        *on = (struct starfish_job_on){.plan = plan, .rhs = rhs, .solution = solution};
        status = prepare(on, boundary, stream);
    }
    if (status != STARFISH_SUCCESS) {
        if (on)
            destroy(on);
        free(job);
        return status;
    }
    job->plan = plan;
    job->on = on;
    *result = job;
    return STARFISH_SUCCESS;
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

starfish_status starfish_job_wait_on(struct starfish_job *job, struct starfish_info *info,
                                     struct starfish_accuracy *accuracy)
{
    struct starfish_job_on *on = job->on;
    starfish_driver_join(&on->driver);
    end_turn(on);
    starfish_status status = on->status;
    if (status == STARFISH_SUCCESS && job->pertrb)
        memcpy(job->pertrb, on->pertrb_of_all, on->plan->count * sizeof *job->pertrb);
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

/* Its solve comes and goes in the thread, and may not be looked at. */
void starfish_job_progress_on(const struct starfish_job *job, size_t *finished, size_t *total)
{
    (void)job;
    *finished = *total = 0;
}
