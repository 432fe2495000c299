/* Solves: the user's arrays become runtime data, and the iteration (iterate.c) runs in the thread that asks for a
 * solution, or in one of the job's own. The solves of a plan take turns, as they share its vectors. */
#include "diffusion/solve.h"

#include "base/arithmetic.h"
#include "base/failure.h"
#include "base/real.h"
#include "diffusion/gathered.h"
#include "scheduler/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RHS, SOLUTION, EXTRA, ARRAYS };
static const char *const names[ARRAYS] = {"rhs", "solution", "boundary data"};

struct starfish_diffusion_job {
    struct starfish_diffusion_plan *plan;
    struct starfish_turn turn;
    struct {
        void *memory; /* NULL: there is none */
        int node;
        struct starfish_vector vector;
    } array[ARRAYS];
    double largest_extra; /* of all ranks, before it was rounded */
    struct starfish_progress progress;
    struct starfish_diffusion_info info;
    atomic_int iterations;
    struct starfish_failure failure;
};

/* ---- One solve --------------------------------------------------------------------------------------------------- */

/* Of several ranks all register the same ones, and fail together. */
static void register_arrays(struct starfish_diffusion_job *job)
{
    for (int i = 0; i < ARRAYS && job->failure.status == STARFISH_SUCCESS; i++)
        if (i != EXTRA || job->array[i].memory)
            starfish_failure_keep(&job->failure, starfish_vector_over(&job->array[i].vector, &job->plan->space,
                                                                      job->plan->options.precision, job->array[i].node,
                                                                      job->array[i].memory, names[i]));
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
        .largest_extra = job->largest_extra,
        .info = &job->info,
        .iterations = &job->iterations};

    register_arrays(job);
    if (job->failure.status != STARFISH_SUCCESS)
        return;
    starfish_failure_keep(&job->failure, starfish_diffusion_iterate(&solve));
    if (job->failure.status == STARFISH_SUCCESS || job->failure.status == STARFISH_ERROR_NUMERICAL)
        starfish_failure_keep(
            &job->failure, starfish_algebra_update(&solve.algebra, &plan->u, NULL, NULL, &job->array[SOLUTION].vector));
}

static void fill_info(struct starfish_diffusion_job *job, const struct starfish_bytes *before)
{
    struct starfish_diffusion_info *info = &job->info;
    const struct starfish_bytes after = starfish_context_bytes(job->plan->context);

    info->seconds = starfish_progress_seconds(&job->progress);
    memcpy(info->worker, job->progress.done, sizeof info->worker);
    info->host_to_device = after.host_to_device - before->host_to_device;
    info->device_to_host = after.device_to_host - before->device_to_host;
    info->device_to_device = after.device_to_device - before->device_to_device;
}

static void drive(void *data)
{
    struct starfish_diffusion_job *job = data;

    const struct starfish_bytes before = starfish_context_bytes(job->plan->context);
    starfish_progress_init(&job->progress, job->plan->context);
    run(job);
    starfish_failure_keep(&job->failure, starfish_progress_wait(&job->progress));
    /* What has failed on one of the ranks has failed on all. */
    starfish_failure_keep(&job->failure,
                          starfish_ranks_agree(job->plan->context, starfish_failure_repeat(&job->failure)));
    for (int i = 0; i < ARRAYS && !starfish_is_stuck(); i++) /* else tasks may still use them */
        starfish_vector_destroy(&job->array[i].vector);
    fill_info(job, &before);
    starfish_progress_destroy(&job->progress);
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
        job->largest_extra = starfish_diffusion_move_boundary(&plan->box, boundary, plan->options.precision, &planes,
                                                              job->array[EXTRA].memory);
    return starfish_ranks_maximum(plan->context, &job->largest_extra, 1);
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

    STARFISH_NEED(plan, "plan");
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

/* What it came to, in this thread. */
static starfish_status end(struct starfish_diffusion_job *job, struct starfish_diffusion_info *info)
{
    const starfish_status status = starfish_failure_repeat(&job->failure);

    if (info)
        *info = job->info;
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
    starfish_failure_keep(&made->failure,
                          starfish_diffusion_solve_gathered(plan, boundary, rhs, solution, &made->info));
    atomic_store(&made->iterations, plan->options.max_iterations); /* there are no more to come */
    *job = made;
    return STARFISH_SUCCESS;
}

starfish_status starfish_diffusion_solve(starfish_diffusion_plan *plan, const struct starfish_boundary *boundary,
                                         const void *rhs, void *solution, struct starfish_diffusion_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_diffusion_job *job;

    if (plan && plan->gathered) {
        STARFISH_TRY(submit_gathered(plan, boundary, rhs, solution, &job));
        return end(job, info);
    }
    STARFISH_TRY(create_job(plan, boundary, rhs, solution, &job));
    starfish_turn_take(&job->turn, &plan->queue, drive, job);
    return end(job, info);
}

starfish_status starfish_diffusion_submit(starfish_diffusion_plan *plan, const struct starfish_boundary *boundary,
                                          const void *rhs, void *solution, starfish_diffusion_job **job)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_diffusion_job *created;

    STARFISH_NEED(job, "job");
    *job = NULL;
    if (plan && plan->gathered)
        return submit_gathered(plan, boundary, rhs, solution, job);
    STARFISH_TRY(create_job(plan, boundary, rhs, solution, &created));
    const starfish_status status = starfish_turn_start(&created->turn, plan->context, &plan->queue, drive, created);
    if (status != STARFISH_SUCCESS) {
        free_job(created);
        return status;
    }
    *job = created;
    return STARFISH_SUCCESS;
}

starfish_status starfish_diffusion_wait(starfish_diffusion_job *job, struct starfish_diffusion_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(job, "job");
    STARFISH_TRY(starfish_turn_wait(&job->turn)); /* where it fails, the thread still has the job */
    return end(job, info);
}

void starfish_diffusion_progress(const starfish_diffusion_job *job, size_t *finished, size_t *most)
{
    if (!job || !finished || !most)
        return;
    *finished = (size_t)atomic_load(&((struct starfish_diffusion_job *)(uintptr_t)job)->iterations);
    *most = (size_t)job->plan->options.max_iterations;
}
