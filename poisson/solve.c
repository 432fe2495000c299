/* Solves: a job is made, its tasks are submitted as a whole, and what it holds is released when it is waited for. */
#include "poisson/job.h"

#include "poisson/methods.h"
#include "tridiag/kernels/constant_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Submission ------------------------------------------------------------------------------------------------- */

static int reads_residual(const struct starfish_poisson_plan *plan)
{
    return plan->options.check_residual || plan->refinements > 0;
}

/* The solution's slabs, with edges where a residual will be asked for. */
static starfish_status make_solution_slabs(struct starfish_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    memcpy(job->solution_slabs.slab, job->solution->handle, sizeof job->solution_slabs.slab);
    if (!reads_residual(plan))
        return STARFISH_SUCCESS;
    return starfish_edges_create(&job->solution_slabs, &job->cut, plan->n, plan->options.precision,
                                 plan->direction[2].periodic);
}

/* The user's right-hand side, or the job's own where there is one. */
static const starfish_handle *solved_rhs(const struct starfish_job *job)
{
    return job->full_rhs[0] ? job->full_rhs : job->rhs->handle;
}

static starfish_status submit_residual(struct starfish_job *job)
{
    const struct starfish_residual_data data = {
        .rhs = solved_rhs(job), .removed = job->removed.handle, .maximum = job->maximum};
    for (size_t slab = 0; slab < job->cut.slabs; slab++)
        STARFISH_TRY(starfish_table_results(&job->maximum[slab], 2));
    return starfish_graph_residual(&job->plan->operator_, &job->cut, &job->progress, STARFISH_PHASE_RESIDUAL,
                                   &job->solution_slabs, &data);
}

/* Solve again for what the residual says is missing, and add it. */
static starfish_status submit_refinement(struct starfish_job *job)
{
    struct starfish_poisson_plan *plan = job->plan;
    const struct starfish_residual_data data = {
        .rhs = solved_rhs(job), .removed = job->removed.handle, .result = job->correction.slab};
    if (plan->singular && !job->removed_again.handle)
        STARFISH_TRY(starfish_table_results(&job->removed_again, STARFISH_CONSTANT_MOMENTS));
    const struct starfish_cut_array array = {.n = plan->n, .precision = plan->options.precision};
    for (size_t slab = 0; slab < job->cut.slabs; slab++)
        if (!job->correction.slab[slab])
            starfish_slab_register(&job->correction.slab[slab], "correction", &job->cut, slab, &array);
    STARFISH_TRY(starfish_graph_residual(&plan->operator_, &job->cut, &job->progress, STARFISH_PHASE_REFINEMENT,
                                         &job->solution_slabs, &data));
    STARFISH_TRY(plan->method->submit(job, job->correction.slab, &job->correction, job->removed_again.handle));
    return starfish_graph_add(&plan->operator_, &job->cut, &job->progress, &job->solution_slabs, job->correction.slab);
}

/* The user's right-hand side, or one of ours where boundary data are moved to it, or where it is read again after the
 * solution has taken its place. */
static starfish_status prepare_rhs(struct starfish_job *job, const struct starfish_boundary *boundary)
{
    const int overwritten = job->rhs->memory == job->solution->memory;
    if (!starfish_job_has_boundary(job, boundary) && !(overwritten && reads_residual(job->plan)))
        return STARFISH_SUCCESS;
    return starfish_job_submit_full_rhs(job, boundary);
}

/* A field may be the right-hand side of any number of jobs, and be written by none. */
static starfish_status forget_readers(struct starfish_job *job)
{
    enum { JOBS = 256 };
    if ((atomic_fetch_add(&job->rhs->jobs, 1) + 1) % JOBS != 0)
        return STARFISH_SUCCESS;
    return starfish_graph_forget_readers(&job->progress, STARFISH_PHASE_FORWARD, &job->cut, job->rhs->handle);
}

static starfish_status submit_graph(struct starfish_job *job, const struct starfish_boundary *boundary)
{
    struct starfish_poisson_plan *plan = job->plan;
    STARFISH_TRY(forget_readers(job));
    STARFISH_TRY(prepare_rhs(job, boundary));
    STARFISH_TRY(make_solution_slabs(job));
    if (plan->singular)
        STARFISH_TRY(starfish_table_results(&job->removed, STARFISH_CONSTANT_MOMENTS));
    STARFISH_TRY(plan->method->submit(job, solved_rhs(job), &job->solution_slabs, job->removed.handle));
    if (plan->method->join)
        return STARFISH_SUCCESS;
    for (int step = 0; step < plan->refinements; step++)
        STARFISH_TRY(submit_refinement(job));
    return starfish_job_submit_rest(job);
}

starfish_status starfish_job_submit_rest(struct starfish_job *job)
{
    if (job->owns_fields)
        STARFISH_TRY(
            starfish_graph_bring_home(&job->progress, STARFISH_PHASE_BACKWARD, &job->cut, job->solution->handle));
    return job->plan->options.check_residual ? submit_residual(job) : STARFISH_SUCCESS;
}

/* ---- Fields that a job's own thread works on --------------------------------------------------------------------- */

/* Tasks on a field run in the order of their submission, which another job's thread may not have come to yet. */
static void take_fields(struct starfish_job *job)
{
    starfish_field_wait_for_holders(job->rhs);
    starfish_field_wait_for_holders(job->solution);
    if (!job->plan->method->join)
        return;
    starfish_field_hold(job->rhs);
    starfish_field_hold(job->solution);
}

void starfish_job_release_fields(struct starfish_job *job)
{
    starfish_field_release_hold(job->rhs);
    starfish_field_release_hold(job->solution);
}

/* ---- Jobs ------------------------------------------------------------------------------------------------------- */

/* Waits for what was submitted, and releases everything but the job itself and what fill_info reads. */
static starfish_status finish(struct starfish_job *job)
{
    const starfish_status joined = job->plan->method->join ? job->plan->method->join(job) : STARFISH_SUCCESS;
    const starfish_status waited = starfish_progress_wait(&job->progress);
    starfish_job_release_boundary(job);
    starfish_edges_release(&job->solution_slabs, &job->cut);
    for (size_t slab = 0; slab < job->cut.slabs; slab++)
        starfish_array_unregister(job->correction.slab[slab]);
    if (job->owns_fields) {
        if (job->rhs != job->solution)
            starfish_field_destroy(job->rhs);
        starfish_field_destroy(job->solution);
    }
    return waited != STARFISH_SUCCESS ? waited : joined;
}

static void destroy(struct starfish_job *job)
{
    free(job->of_method);
    starfish_table_destroy(&job->removed);
    starfish_table_destroy(&job->removed_again);
    for (size_t slab = 0; slab < STARFISH_MAX_SLABS; slab++)
        starfish_table_destroy(&job->maximum[slab]);
    starfish_progress_destroy(&job->progress);
    free(job);
}

/* What a job is made of, besides the plan and the boundary data; the fields are the same in place. */
struct request {
    struct starfish_field *rhs, *solution;
    int owns_fields, lone, in_place; /* as struct starfish_job has them */
};

static starfish_status submit(struct starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                              const struct request *request, starfish_job **result)
{
    struct starfish_job *job = calloc(1, sizeof *job);
    if (!job)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a job");
    job->plan = plan;
    job->rhs = request->rhs;
    job->solution = request->solution;
    job->cut = request->rhs->cut;
    job->owns_fields = request->owns_fields;
    job->lone = request->lone;
    job->in_place = request->in_place;
    starfish_progress_init(&job->progress, plan->context);
    take_fields(job);
    pthread_mutex_lock(&plan->submission);
    starfish_status status = submit_graph(job, boundary);
    pthread_mutex_unlock(&plan->submission);
    if (status != STARFISH_SUCCESS) {
        if (plan->method->join)
            starfish_job_release_fields(job);
        job->owns_fields = 0; /* they are still the caller's */
        finish(job);
        destroy(job);
        return status;
    }
    *result = job;
    return STARFISH_SUCCESS;
}

/* ---- Between fields --------------------------------------------------------------------------------------------- */

static starfish_status check_field(struct starfish_poisson_plan *plan, const char *name,
                                   const struct starfish_field *field)
{
    if (!field)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is NULL", name);
    if (field->context != plan->context || field->precision != plan->options.precision ||
        !plan->method->has_cut(plan, &field->cut) || memcmp(field->n, plan->n, sizeof plan->n) != 0)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "%s has another context, shape, precision or cut into slabs than the plan: make it with "
                             "starfish_poisson_field",
                             name);
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_submit_field(starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                                              starfish_field *rhs, starfish_field *solution, starfish_job **job)
{
    if (!plan || !job)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is NULL", plan ? "job" : "plan");
    *job = NULL;
    STARFISH_TRY(check_field(plan, "rhs", rhs));
    STARFISH_TRY(check_field(plan, "solution", solution));
    if (!starfish_cut_is_same(&rhs->cut, &solution->cut))
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "rhs and solution are cut into slabs in different ways, since one is "
                             "in device memory and the other is not");
    atomic_fetch_add(&plan->in_flight, 1);
    const struct request request = {.rhs = rhs, .solution = solution};
    const starfish_status status = submit(plan, boundary, &request, job);
    if (status != STARFISH_SUCCESS)
        atomic_fetch_sub(&plan->in_flight, 1);
    return status;
}

/* ---- Between arrays --------------------------------------------------------------------------------------------- */

/* What the user passed. */
struct arrays {
    const struct starfish_boundary *boundary;
    const void *rhs;
    void *solution;
    int boundary_stays; /* until the job is done, and need not be copied */
};

static starfish_status field_over(const struct starfish_poisson_plan *plan, const struct starfish_cut *cut,
                                  const char *name, void *memory, struct starfish_field **field)
{
    return starfish_field_over(plan->context, plan->options.precision, plan->n, cut, name, memory, field);
}

/* Copies go at the pace of the slower of the two. */
static starfish_status slower_residence(const struct starfish_poisson_plan *plan, const void *rhs, const void *solution,
                                        enum starfish_residence *residence)
{
    int node;
    enum starfish_residence other;
    STARFISH_TRY(starfish_memory_place(plan->context, "rhs", rhs, &node, residence));
    STARFISH_TRY(starfish_memory_place(plan->context, "solution", solution, &node, &other));
    if (other < *residence)
        *residence = other;
    return STARFISH_SUCCESS;
}

static starfish_status submit_memory(starfish_poisson_plan *plan, const struct arrays *arrays, int lone,
                                     starfish_job **job)
{
    struct request request = {.owns_fields = 1, .lone = lone, .in_place = arrays->boundary_stays};
    enum starfish_residence residence;
    const struct starfish_cut *cut;
    STARFISH_TRY(slower_residence(plan, arrays->rhs, arrays->solution, &residence));
    STARFISH_TRY(plan->method->cut(plan, residence, lone ? STARFISH_LONE : STARFISH_STREAM, &cut));
    /* The right-hand side is only read, unless it is the solution too. */
    starfish_status status = field_over(plan, cut, "rhs", (void *)(uintptr_t)arrays->rhs, &request.rhs);
    if (status == STARFISH_SUCCESS && arrays->rhs != arrays->solution)
        status = field_over(plan, cut, "solution", arrays->solution, &request.solution);
    else
        request.solution = request.rhs;
    if (status == STARFISH_SUCCESS)
        status = submit(plan, arrays->boundary, &request, job);
    if (status != STARFISH_SUCCESS) {
        if (request.solution != request.rhs)
            starfish_field_destroy(request.solution);
        starfish_field_destroy(request.rhs);
    }
    return status;
}

static starfish_status submit_arrays(starfish_poisson_plan *plan, const struct arrays *arrays, starfish_job **job)
{
    if (!plan || !arrays->rhs || !arrays->solution || !job)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is NULL",
                             !plan               ? "plan"
                             : !arrays->rhs      ? "rhs"
                             : !arrays->solution ? "solution"
                                                 : "job");
    *job = NULL;
    const int lone = atomic_fetch_add(&plan->in_flight, 1) == 0;
    const starfish_status status = submit_memory(plan, arrays, lone, job);
    if (status != STARFISH_SUCCESS)
        atomic_fetch_sub(&plan->in_flight, 1);
    return status;
}

starfish_status starfish_poisson_submit(starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                                        const void *rhs, void *solution, starfish_job **job)
{
    return submit_arrays(plan, &(struct arrays){boundary, rhs, solution, 0}, job);
}

starfish_status starfish_poisson_solve(starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                                       const void *rhs, void *solution, struct starfish_info *info)
{
    starfish_job *job = NULL;
    STARFISH_TRY(submit_arrays(plan, &(struct arrays){boundary, rhs, solution, 1}, &job));
    return starfish_job_wait(job, info);
}

/* ---- Waiting ---------------------------------------------------------------------------------------------------- */

starfish_status starfish_job_wait(starfish_job *job, struct starfish_info *info)
{
    if (!job)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "job is NULL");
    struct starfish_poisson_plan *plan = job->plan;
    struct starfish_info result;
    starfish_status status = finish(job);
    const double seconds = starfish_progress_seconds(&job->progress);
    /* Short of a tolerance there is a solution, of which to tell. */
    if (status == STARFISH_ERROR_NUMERICAL && starfish_job_fill_info(job, seconds, &result) == STARFISH_SUCCESS && info)
        *info = result;
    if (status == STARFISH_SUCCESS)
        status = starfish_job_fill_info(job, seconds, &result);
    if (status == STARFISH_SUCCESS) {
        if (plan->method->watch)
            plan->method->watch(job, result.seconds);
        if (info)
            *info = result;
        if (plan->options.check_residual && !isfinite(result.residual))
            status = starfish_fail(STARFISH_ERROR_NUMERICAL, "the solution is not finite: a mode is singular, or the "
                                                             "right-hand side is not finite");
    }
    atomic_fetch_sub(&plan->in_flight, 1);
    destroy(job);
    return status;
}

void starfish_job_progress(const starfish_job *job, size_t *finished, size_t *total)
{
    *finished = atomic_load(&job->progress.finished);
    *total = atomic_load(&job->progress.submitted);
}
