/* Solves: the user's arrays become runtime data, and the iteration (iterate.c) runs in the thread that asks for a
 * solution, or in one of the job's own. The solves of a plan take turns, as they share its vectors. */
#include "diffusion/solve.h"

#include "base/options.h"
#include "base/real.h"
#include "base/status.h"
#include "diffusion/gathered.h"
#include "scheduler/ranks.h"
#include "scheduler/rest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RHS, SOLUTION, EXTRA, ARRAYS };
static const char *const names[ARRAYS] = {"rhs", "solution", "boundary data"};

struct starfish_diffusion_job {
    struct starfish_diffusion_plan *plan;
    size_t ticket;
    struct starfish_driver driver;
    int driven; /* in the thread that has submitted it, as on several ranks */
    struct {
        void *memory; /* NULL: there is none */
        int node;
        struct starfish_vector vector;
    } array[ARRAYS];
    struct starfish_progress progress;
    struct starfish_diffusion_info info;
    atomic_int iterations;
    starfish_status status;
    char message[512];
};

/* ---- One solve --------------------------------------------------------------------------------------------------- */

/* A failure and its message, which belongs to this thread: the one that waits is another. */
static void record(struct starfish_diffusion_job *job, starfish_status status)
{
    if (status == STARFISH_SUCCESS)
        return;
    job->status = status;
    snprintf(job->message, sizeof job->message, "%s", starfish_error_message());
}

/* What has failed on one of the ranks has failed. */
static void agree(struct starfish_diffusion_job *job)
{
    if (job->status != STARFISH_SUCCESS)
        starfish_fail(job->status, "%s", job->message);
    record(job, starfish_ranks_agree(job->plan->context, job->status));
}

/* Of several ranks all register the same ones, and fail together. */
static void register_arrays(struct starfish_diffusion_job *job)
{
    for (int i = 0; i < ARRAYS && job->status == STARFISH_SUCCESS; i++)
        if (i != EXTRA || job->array[i].memory)
            record(job, starfish_vector_over(&job->array[i].vector, &job->plan->space, job->plan->options.precision,
                                             job->array[i].node, job->array[i].memory, names[i]));
}

static void run(struct starfish_diffusion_job *job)
{
    struct starfish_diffusion_plan *plan = job->plan;
    struct starfish_diffusion_solve solve = {
        .plan = plan,
        .progress = &job->progress,
        .algebra = {&job->progress, 0, starfish_context_gpus_else_any(plan->context)},
        .rhs = &job->array[RHS].vector,
        .extra = job->array[EXTRA].memory ? &job->array[EXTRA].vector : NULL,
        .info = &job->info,
        .iterations = &job->iterations};

    register_arrays(job);
    if (job->status != STARFISH_SUCCESS)
        return;
    record(job, starfish_diffusion_iterate(&solve));
    if (job->status == STARFISH_SUCCESS || job->status == STARFISH_ERROR_NUMERICAL) {
        const starfish_status copied =
            starfish_algebra_update(&solve.algebra, &plan->u, NULL, NULL, &job->array[SOLUTION].vector);
        record(job, copied);
    }
}

static void fill_info(struct starfish_diffusion_job *job, const struct starfish_bytes *before)
{
    struct starfish_diffusion_info *info = &job->info;
    const struct starfish_bytes after = starfish_context_bytes(job->plan->context);

    info->seconds = starfish_progress_seconds(&job->progress);
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        info->worker[kind].tasks = job->progress.done[kind].tasks;
        info->worker[kind].busy_seconds = job->progress.done[kind].busy_seconds;
    }
    info->host_to_device = after.host_to_device - before->host_to_device;
    info->device_to_host = after.device_to_host - before->device_to_host;
    info->device_to_device = after.device_to_device - before->device_to_device;
}

static void drive(void *data)
{
    struct starfish_diffusion_job *job = data;

    starfish_queue_wait(&job->plan->queue, job->ticket);
    starfish_rest_call_begin();
    const struct starfish_bytes before = starfish_context_bytes(job->plan->context);
    starfish_progress_init(&job->progress, job->plan->context);
    run(job);
    record(job, starfish_progress_wait(&job->progress));
    agree(job);
    for (int i = 0; i < ARRAYS && !starfish_is_stuck(); i++) /* else tasks may still use them */
        starfish_vector_destroy(&job->array[i].vector);
    fill_info(job, &before);
    starfish_progress_destroy(&job->progress);
    starfish_rest_call_end();
    starfish_queue_leave(&job->plan->queue);
}

/* ---- Jobs -------------------------------------------------------------------------------------------------------- */

static void free_job(struct starfish_diffusion_job *job)
{
    free(job->array[EXTRA].memory);
    free(job);
}

/* The planes of the arrays that a solve is given. */
static struct starfish_run_of_planes planes_here(const struct starfish_diffusion_plan *plan)
{
    if (plan->space.on_ranks)
        return (struct starfish_run_of_planes){plan->dealt.first_here, plan->dealt.rows_here};
    return (struct starfish_run_of_planes){0, plan->box.n[2]};
}

/* Where one rank has boundary data all have an array of them, which may be zeros. */
static starfish_status add_boundary(struct starfish_diffusion_job *job, const struct starfish_boundary *boundary)
{
    struct starfish_diffusion_plan *plan = job->plan;
    const struct starfish_run_of_planes planes = planes_here(plan);
    double has = starfish_diffusion_has_boundary(&plan->box, boundary);
    starfish_status status = STARFISH_SUCCESS;

    STARFISH_TRY(starfish_ranks_maximum(plan->context, &has, 1));
    if (has == 0)
        return STARFISH_SUCCESS;
    job->array[EXTRA].node = STARFISH_MAIN_MEMORY;
    job->array[EXTRA].memory =
        calloc(planes.count * plan->box.n[0] * plan->box.n[1], starfish_real_size(plan->options.precision));
    if (!job->array[EXTRA].memory)
        status = starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for boundary data");
    STARFISH_TRY(starfish_ranks_agree(plan->context, status));
    if (boundary)
        starfish_diffusion_move_boundary(&plan->box, boundary, plan->options.precision, &planes,
                                         job->array[EXTRA].memory);
    return STARFISH_SUCCESS;
}

static starfish_status allocate_job(starfish_diffusion_plan *plan, const void *rhs, void *solution,
                                    struct starfish_diffusion_job **created)
{
    int node[2];

    STARFISH_TRY(starfish_memory_places(plan->context, rhs, solution, plan->options.precision,
                                        planes_here(plan).count * plan->box.n[0] * plan->box.n[1], node));
    struct starfish_diffusion_job *job = calloc(1, sizeof *job);
    if (!job)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a solve");
    job->plan = plan;
    job->info.size = sizeof job->info;
    job->array[RHS].memory = (void *)(uintptr_t)rhs;
    job->array[SOLUTION].memory = solution;
    job->array[RHS].node = node[RHS];
    job->array[SOLUTION].node = node[SOLUTION];
    *created = job;
    return STARFISH_SUCCESS;
}

static starfish_status create_job(starfish_diffusion_plan *plan, const struct starfish_boundary *boundary,
                                  const void *rhs, void *solution, struct starfish_diffusion_job **created)
{
    struct starfish_diffusion_job *job = NULL;

    if (!plan)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "plan is NULL");
    starfish_status status = starfish_ranks_agree(plan->context, allocate_job(plan, rhs, solution, &job));
    if (status == STARFISH_SUCCESS)
        status = add_boundary(job, boundary);
    if (status != STARFISH_SUCCESS) {
        if (job)
            free_job(job);
        return status;
    }
    *created = job;
    return STARFISH_SUCCESS;
}

/* What it came to, in this thread; of an older program's smaller struct only what it has. */
static starfish_status end(struct starfish_diffusion_job *job, struct starfish_diffusion_info *info)
{
    const starfish_status status = job->status;

    if (info)
        starfish_options_give(info, &job->info, sizeof job->info);
    if (status != STARFISH_SUCCESS)
        starfish_fail(status, "%s", job->message);
    if (!starfish_is_stuck())
        free_job(job);
    return status;
}

/* Where one rank solves for all, a job is solved before its submission returns. */
static starfish_status submit_gathered(starfish_diffusion_plan *plan, const struct starfish_boundary *boundary,
                                       const void *rhs, void *solution, struct starfish_diffusion_job **job)
{
    struct starfish_diffusion_job *made = calloc(1, sizeof *made);
    const starfish_status status = starfish_ranks_agree(
        plan->context, made ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a solve"));

    if (status != STARFISH_SUCCESS || !made) {
        free(made);
        return status;
    }
    made->plan = plan;
    made->driven = 1;
    made->info.size = sizeof made->info;
    record(made, starfish_diffusion_solve_gathered(plan, boundary, rhs, solution, &made->info));
    atomic_store(&made->iterations, plan->options.max_iterations); /* there are no more to come */
    *job = made;
    return STARFISH_SUCCESS;
}

starfish_status starfish_diffusion_solve(starfish_diffusion_plan *plan, const struct starfish_boundary *boundary,
                                         const void *rhs, void *solution, struct starfish_diffusion_info *info)
{
    struct starfish_diffusion_job *job;

    if (plan && plan->gathered) {
        STARFISH_TRY(submit_gathered(plan, boundary, rhs, solution, &job));
        return end(job, info);
    }
    STARFISH_TRY(create_job(plan, boundary, rhs, solution, &job));
    job->ticket = starfish_queue_enter(&plan->queue);
    drive(job);
    return end(job, info);
}

starfish_status starfish_diffusion_submit(starfish_diffusion_plan *plan, const struct starfish_boundary *boundary,
                                          const void *rhs, void *solution, starfish_diffusion_job **job)
{
    struct starfish_diffusion_job *created;

    if (!job)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "job is NULL");
    *job = NULL;
    if (plan && plan->gathered)
        return submit_gathered(plan, boundary, rhs, solution, job);
    STARFISH_TRY(create_job(plan, boundary, rhs, solution, &created));
    created->ticket = starfish_queue_enter(&plan->queue);
    if (plan->space.on_ranks) { /* whose threads must agree in one order */
        drive(created);
        created->driven = 1;
        *job = created;
        return STARFISH_SUCCESS;
    }
    const starfish_status status =
        starfish_driver_start_in_turn(&created->driver, plan->context, &plan->queue, created->ticket, drive, created);
    if (status != STARFISH_SUCCESS) {
        free_job(created);
        return status;
    }
    *job = created;
    return STARFISH_SUCCESS;
}

starfish_status starfish_diffusion_wait(starfish_diffusion_job *job, struct starfish_diffusion_info *info)
{
    if (!job)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "job is NULL");
    if (!job->driven)
        STARFISH_TRY(starfish_driver_join(&job->driver)); /* else the job stays, as its thread does */
    return end(job, info);
}

void starfish_diffusion_progress(const starfish_diffusion_job *job, size_t *finished, size_t *most)
{
    if (!job || !finished || !most)
        return;
    *finished = (size_t)atomic_load(&((struct starfish_diffusion_job *)(uintptr_t)job)->iterations);
    *most = (size_t)job->plan->options.max_iterations;
}
