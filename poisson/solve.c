/* Solves: a job is made, its tasks are submitted as a whole, and what it holds is released when it is waited for. */
#include "poisson/layout.h"

#include "base/arithmetic.h"
#include "poisson/gathered.h"
#include "poisson/ghosts.h"
#include "poisson/methods.h"
#include "poisson/ranks.h"
#include "poisson/submit_on.h"
#include "poisson/wide.h"
#include "scheduler/bundle.h"
#include "scheduler/rest.h"
#include "stencil/kernels/refine.h"
#include "tridiag/kernels/constant_line.h"

#include <stdlib.h>

/* ---- Submission ------------------------------------------------------------------------------------------------- */

static int reads_residual(const struct starfish_poisson_plan *plan)
{
    return plan->options.check_residual || plan->refinements > 0;
}

/* The solution's slabs, with edges where a residual will be asked for. */
static starfish_status make_solution_slabs(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    starfish_job_make_solution_slabs(job);
    if (!reads_residual(plan) || plan->count > 1)
        return STARFISH_SUCCESS;
    const struct starfish_cut_array array = {
        .n = plan->n, .precision = plan->options.precision, .context = plan->context};
    return starfish_edges_create(&job->solution_slabs, &job->cut, &array, plan->direction[2].periodic);
}

/* The user's right-hand side, or the job's own where there is one. */
static const starfish_handle *solved_rhs(const struct starfish_poisson_job *job)
{
    return job->full_rhs[0] ? job->full_rhs : job->rhs->handle;
}

/* Per slab `count` doubles for each of its problems. */
static starfish_status make_maxima(const struct starfish_poisson_job *job, struct starfish_table *maximum, size_t count)
{
    for (size_t slab = 0; slab < job->cut.slabs; slab++)
        if (!maximum[slab].handle)
            STARFISH_TRY(starfish_table_results_of(&maximum[slab], job->plan->context,
                                                   count * starfish_job_problems(job, slab),
                                                   starfish_where_rank(job->cut.where[slab])));
    return STARFISH_SUCCESS;
}

/* The residual's maxima, and where `result` is not NULL its values. */
static starfish_status submit_residual(struct starfish_poisson_job *job, enum starfish_phase phase,
                                       const starfish_handle *result)
{
    const struct starfish_residual_data data = {.rhs = solved_rhs(job),
                                                .removed = job->removed.handle,
                                                .maximum = job->maximum,
                                                .result = result,
                                                .many = job->plan->count > 1,
                                                .removed_of_slab = job->plan->count > 1 ? job->removed_of_slab : NULL,
                                                .boundary = job->boundary_in_passing ? &job->boundary : NULL};
    return starfish_graph_residual(&job->plan->operator_, &job->cut, &job->progress, phase, &job->solution_slabs,
                                   &data);
}

static starfish_status make_refinement(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    const struct starfish_cut_array array = {
        .n = plan->field_n, .precision = plan->options.precision, .context = plan->context};
    if (plan->singular && plan->count == 1)
        STARFISH_TRY(starfish_table_results_of(&job->removed_again, plan->context, STARFISH_CONSTANT_REMOVED, 0));
    for (size_t slab = 0; slab < job->cut.slabs; slab++)
        starfish_slab_register(&job->correction.slab[slab], "correction", &job->cut, slab, &array);
    for (int step = 0; step < plan->refinements; step++)
        STARFISH_TRY(starfish_table_results_of(&job->verdict[step], plan->context, STARFISH_VERDICT_NUMBERS, 0));
    STARFISH_TRY(make_maxima(job, job->refined, STARFISH_MAXIMA));
    return make_maxima(job, job->correction_maximum, 1);
}

/* Solve again for what the residual says is missing, and add it where that helps. */
static starfish_status submit_refinement(struct starfish_poisson_job *job, int step)
{
    struct starfish_poisson_plan *plan = job->plan;
    const struct starfish_refinement_data data = {.rhs = solved_rhs(job),
                                                  .removed = job->removed.handle,
                                                  .correction = job->correction.slab,
                                                  .before = job->maximum,
                                                  .after = job->refined,
                                                  .correction_maximum = job->correction_maximum,
                                                  .verdict = job->verdict[step].handle,
                                                  .many = plan->count > 1,
                                                  .removed_of_slab = plan->count > 1 ? job->removed_of_slab : NULL};
    STARFISH_TRY(submit_residual(job, STARFISH_PHASE_REFINEMENT, job->correction.slab));
    STARFISH_TRY(plan->method->submit(job, job->correction.slab, &job->correction, job->removed_again.handle));
    return starfish_graph_refine(&plan->operator_, &job->cut, &job->progress, &job->solution_slabs, &data);
}

/* The user's right-hand side, or one of ours where boundary data are moved to it before the solve, or where it is read
 * again after the solution has taken its place. */
static starfish_status prepare_rhs(struct starfish_poisson_job *job, const struct starfish_boundary *boundary)
{
    const struct starfish_method_row *method = job->plan->method;
    const int overwritten = job->rhs->memory == job->solution->memory; /* of spread fields, the first share's */
    const int copied = (overwritten && reads_residual(job->plan)) || starfish_job_packs_rhs(job);
    int any;
    STARFISH_TRY(starfish_job_take_boundary(job, boundary, &any));
    job->boundary_in_passing =
        any && !copied && job->plan->refinements == 0 && method->moves_boundary && method->moves_boundary(job);
    return copied || (any && !job->boundary_in_passing) ? starfish_job_submit_full_rhs(job) : STARFISH_SUCCESS;
}

/* A field may be the right-hand side of any number of jobs, and be written by none. */
static starfish_status forget_readers(struct starfish_poisson_job *job)
{
    enum { JOBS = 256 };
    if ((atomic_fetch_add(&job->rhs->jobs, 1) + 1) % JOBS != 0)
        return STARFISH_SUCCESS;
    return starfish_graph_forget_readers(&job->progress, STARFISH_PHASE_FORWARD, &job->cut, job->rhs->handle);
}

/* The job's data, and tasks for which no other rank waits. */
static starfish_status prepare(struct starfish_poisson_job *job, const struct starfish_boundary *boundary)
{
    const struct starfish_poisson_plan *plan = job->plan;
    const int refines = plan->refinements > 0 && !plan->method->join;
    STARFISH_TRY(forget_readers(job));
    STARFISH_TRY(prepare_rhs(job, boundary));
    STARFISH_TRY(starfish_job_submit_search(job));
    STARFISH_TRY(make_solution_slabs(job));
    STARFISH_TRY(starfish_job_make_removed(job));
    if (refines || (plan->refinements == 0 && plan->options.check_residual))
        STARFISH_TRY(make_maxima(job, job->maximum, STARFISH_MAXIMA));
    return refines ? make_refinement(job) : STARFISH_SUCCESS;
}

static starfish_status submit_graph(struct starfish_poisson_job *job, const struct starfish_boundary *boundary)
{
    struct starfish_poisson_plan *plan = job->plan;
    STARFISH_TRY(starfish_ranks_agree(plan->context, prepare(job, boundary)));
    STARFISH_TRY(plan->method->submit(job, solved_rhs(job), &job->solution_slabs, job->removed.handle));
    if (plan->method->join)
        return STARFISH_SUCCESS;
    if (!reads_residual(plan))
        starfish_job_end_staging(job, job->full_rhs);
    for (int step = 0; step < plan->refinements; step++)
        STARFISH_TRY(submit_refinement(job, step));
    return starfish_job_submit_rest(job);
}

starfish_status starfish_job_submit_home(struct starfish_poisson_job *job)
{
    STARFISH_TRY(starfish_job_submit_unpacking(job));
    if (!reads_residual(job->plan))
        starfish_job_end_staging(job, job->packed);
    if (job->owns_fields && !job->staged)
        STARFISH_TRY(
            starfish_graph_bring_home(&job->progress, STARFISH_PHASE_BACKWARD, &job->cut, job->solution->handle));
    return starfish_job_submit_ghosts(job);
}

starfish_status starfish_job_submit_rest(struct starfish_poisson_job *job)
{
    STARFISH_TRY(starfish_job_submit_home(job));
    const int wanted = job->plan->options.check_residual && job->plan->refinements == 0;
    return wanted ? submit_residual(job, STARFISH_PHASE_RESIDUAL, NULL) : STARFISH_SUCCESS;
}

/* ---- Fields that a job's own thread works on --------------------------------------------------------------------- */

/* Tasks on a field run in the order of their submission, which another job's thread may not have come to yet. */
static void take_fields(struct starfish_poisson_job *job)
{
    starfish_field_wait_for_holders(job->rhs);
    starfish_field_wait_for_holders(job->solution);
    if (!job->plan->method->join)
        return;
    starfish_field_hold(job->rhs);
    starfish_field_hold(job->solution);
}

void starfish_job_release_fields(struct starfish_poisson_job *job)
{
    starfish_field_release_hold(job->rhs);
    starfish_field_release_hold(job->solution);
}

/* ---- Jobs ------------------------------------------------------------------------------------------------------- */

/* Waits for what was submitted. */
static starfish_status finish(struct starfish_poisson_job *job)
{
    const starfish_status joined = job->plan->method->join ? job->plan->method->join(job) : STARFISH_SUCCESS;
    const starfish_status waited = starfish_progress_wait(&job->progress);
    const starfish_status searched = waited == STARFISH_SUCCESS ? starfish_job_end_search(job) : STARFISH_SUCCESS;
    if (waited == STARFISH_SUCCESS && searched == STARFISH_SUCCESS)
        starfish_job_look_at_boundary(job);
    if (waited != STARFISH_SUCCESS)
        return waited;
    return searched != STARFISH_SUCCESS ? searched : joined;
}

/* Everything but the job itself and what fill_info reads. */
static void release(struct starfish_poisson_job *job)
{
    starfish_job_release_boundary(job);
    starfish_edges_release(&job->solution_slabs, &job->cut);
    for (size_t slab = 0; slab < job->cut.slabs; slab++)
        starfish_array_unregister(job->correction.slab[slab]);
    starfish_job_release_packed(job);
    starfish_data_release(&job->ghosted);
    if (job->owns_fields) {
        if (job->rhs != job->solution)
            starfish_field_destroy(job->rhs);
        starfish_field_destroy(job->solution);
    }
}

static void destroy(struct starfish_poisson_job *job)
{
    if (starfish_is_stuck())
        return; /* tasks may still use it */
    free(job->of_method);
    starfish_table_destroy(&job->removed);
    starfish_table_destroy(&job->removed_again);
    starfish_job_release_search(job);
    for (size_t slab = 0; slab < STARFISH_MAX_SLABS; slab++) {
        starfish_table_destroy(&job->maximum[slab]);
        starfish_table_destroy(&job->removed_of_slab[slab]);
        starfish_table_destroy(&job->refined[slab]);
        starfish_table_destroy(&job->correction_maximum[slab]);
    }
    for (int step = 0; step < STARFISH_MOST_REFINEMENTS; step++)
        starfish_table_destroy(&job->verdict[step]);
    starfish_progress_destroy(&job->progress);
    free(job);
}

/* What a job is made of, besides the plan and the boundary data; the fields are the same in place. */
struct request {
    struct starfish_field *rhs, *solution;
    int owns_fields, lone, in_place, staged; /* as struct starfish_poisson_job has them */
    struct starfish_bundle *bundle;          /* for its tasks, or NULL */
};

static starfish_status submit(struct starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                              const struct request *request, starfish_poisson_job **result)
{
    struct starfish_poisson_job *job = calloc(1, sizeof *job);
    if (!job)
        return starfish_ranks_agree(plan->context, starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a job"));
    job->plan = plan;
    job->rhs = request->rhs;
    job->solution = request->solution;
    job->cut = request->rhs->cut;
    job->owns_fields = request->owns_fields;
    job->lone = request->lone;
    job->in_place = request->in_place;
    job->staged = request->staged;
    job->in_bundle = request->bundle != NULL;
    starfish_progress_init(&job->progress, plan->context);
    if (plan->where)
        job->progress.where = plan->where;
    take_fields(job);
    pthread_mutex_lock(&plan->submission);
    job->progress.bundle = request->bundle;
    starfish_status status = submit_graph(job, boundary);
    job->progress.bundle = NULL;
    if (status == STARFISH_SUCCESS && request->bundle)
        status = starfish_bundle_submit(request->bundle, &job->progress, STARFISH_PHASE_FORWARD);
    pthread_mutex_unlock(&plan->submission);
    if (status != STARFISH_SUCCESS) {
        if (plan->method->join)
            starfish_job_release_fields(job);
        job->owns_fields = 0; /* they are still the caller's */
        finish(job);
        release(job);
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
    STARFISH_NEED(field, name);
    if (field->context != plan->context || field->precision != plan->options.precision ||
        !plan->method->has_cut(plan, &field->cut) || memcmp(field->n, plan->field_n, sizeof plan->field_n) != 0)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "%s has another context, shape, precision or cut into slabs than the plan: make it with "
                             "starfish_poisson_field",
                             name);
    return STARFISH_SUCCESS;
}

static starfish_status check_fields(struct starfish_poisson_plan *plan, const struct starfish_field *rhs,
                                    const struct starfish_field *solution)
{
    STARFISH_TRY(check_field(plan, "rhs", rhs));
    STARFISH_TRY(check_field(plan, "solution", solution));
    if (!starfish_cut_is_same(&rhs->cut, &solution->cut))
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "rhs and solution are cut into slabs in different ways, since one is "
                             "in device memory and the other is not");
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_submit_field(starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                                              starfish_field *rhs, starfish_field *solution, starfish_poisson_job **job)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(plan, "plan");
    STARFISH_NEED(job, "job");
    *job = NULL;
    if (plan->gathered)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "method %s has no fields on several ranks",
                             starfish_method_list[plan->method->id]);
    STARFISH_TRY(starfish_ranks_agree(plan->context, check_fields(plan, rhs, solution)));
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
    int boundary_stays;             /* until the job is done, and need not be copied */
    struct starfish_bundle *bundle; /* for the job's tasks, or NULL */
};

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

/* A rank without planes has no arrays. */
static starfish_status check_arrays(const struct starfish_poisson_plan *plan, const struct arrays *arrays, int *same,
                                    enum starfish_residence *residence)
{
    *same = 0;
    *residence = STARFISH_PINNED;
    if (plan->here.planes == 0)
        return STARFISH_SUCCESS;
    STARFISH_NEED(arrays->rhs, "rhs");
    STARFISH_NEED(arrays->solution, "solution");
    STARFISH_TRY(starfish_poisson_same_field(plan, arrays->rhs, arrays->solution, same));
    return slower_residence(plan, arrays->rhs, arrays->solution, residence);
}

static starfish_status make_fields(const struct starfish_poisson_plan *plan, const struct arrays *arrays, int same,
                                   const struct starfish_cut *cut, struct request *request)
{
    /* The right-hand side is only read, unless it is the solution too. */
    STARFISH_TRY(starfish_poisson_user_field(plan, STARFISH_RHS, cut, (void *)(uintptr_t)arrays->rhs, &request->rhs));
    request->solution = request->rhs;
    if (same)
        return STARFISH_SUCCESS;
    request->solution = NULL;
    return starfish_poisson_user_field(plan, STARFISH_SOLUTION, cut, arrays->solution, &request->solution);
}

/* Both arrays are the host's. */
static int is_staged(const struct starfish_poisson_plan *plan, const struct arrays *arrays)
{
    const void *const memory[] = {arrays->rhs, arrays->solution};
    if (arrays->bundle || !plan->method->stages || !plan->method->stages(plan))
        return 0;
    for (int i = 0; i < 2; i++) {
        enum starfish_residence residence;
        int node;
        if (starfish_memory_place(plan->context, "", memory[i], &node, &residence) != STARFISH_SUCCESS ||
            residence >= STARFISH_ON_DEVICE)
            return 0;
    }
    return 1;
}

static starfish_status submit_memory(starfish_poisson_plan *plan, const struct arrays *arrays, int lone,
                                     starfish_poisson_job **job)
{
    struct request request = {
        .owns_fields = 1, .lone = lone, .in_place = arrays->boundary_stays, .bundle = arrays->bundle};
    enum starfish_residence residence;
    const struct starfish_cut *cut;
    int same;
    const starfish_status checked = check_arrays(plan, arrays, &same, &residence);
    STARFISH_TRY(starfish_poisson_agree_on_residence(plan, checked, &residence));
    request.staged = residence == STARFISH_PAGEABLE && is_staged(plan, arrays);
    residence = request.staged ? STARFISH_STAGED : residence;
    STARFISH_TRY(plan->method->cut(plan, residence, lone ? STARFISH_LONE : STARFISH_STREAM, &cut));
    starfish_status status = make_fields(plan, arrays, same, cut, &request);
    if (status == STARFISH_SUCCESS)
        status = submit(plan, arrays->boundary, &request, job);
    else
        status = starfish_ranks_agree(plan->context, status); /* as other ranks do in `submit` */
    if (status != STARFISH_SUCCESS) {
        if (request.solution != request.rhs)
            starfish_field_destroy(request.solution);
        starfish_field_destroy(request.rhs);
    }
    return status;
}

static starfish_status submit_arrays(starfish_poisson_plan *plan, const struct arrays *arrays,
                                     starfish_poisson_job **job)
{
    STARFISH_NEED(plan, "plan");
    STARFISH_NEED(job, "job");
    *job = NULL;
    const int lone = atomic_fetch_add(&plan->in_flight, 1) == 0;
    const starfish_status status =
        plan->gathered ? starfish_poisson_submit_gathered(plan, arrays->boundary, arrays->rhs, arrays->solution, job)
                       : submit_memory(plan, arrays, lone, job);
    if (status != STARFISH_SUCCESS)
        atomic_fetch_sub(&plan->in_flight, 1);
    return status;
}

starfish_status starfish_poisson_submit(starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                                        const void *rhs, void *solution, starfish_poisson_job **job)
{
    STARFISH_OWN_ARITHMETIC;
    return submit_arrays(plan, &(struct arrays){boundary, rhs, solution, 0, NULL}, job);
}

starfish_status starfish_poisson_submit_staying(struct starfish_poisson_plan *plan,
                                                const struct starfish_boundary *boundary, const void *rhs,
                                                void *solution, struct starfish_bundle *bundle,
                                                struct starfish_poisson_job **job)
{
    return submit_arrays(plan, &(struct arrays){boundary, rhs, solution, 1, bundle}, job);
}

starfish_status starfish_poisson_solve(starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                                       const void *rhs, void *solution, struct starfish_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    starfish_poisson_job *job = NULL;
    starfish_rest_call_begin();
    starfish_status status = starfish_poisson_submit_staying(plan, boundary, rhs, solution, NULL, &job);
    if (status == STARFISH_SUCCESS)
        status = starfish_job_wait(job, info);
    starfish_rest_call_end();
    return status;
}

/* ---- Waiting ---------------------------------------------------------------------------------------------------- */

/* What is told of a solve, and what may be told of one that fell short. */
struct told {
    struct starfish_info info;
    struct starfish_findings findings;
};

static starfish_status find_out(const struct starfish_poisson_job *job, double seconds, struct told *told)
{
    STARFISH_TRY(starfish_job_find_accuracy(job, &told->findings));
    return starfish_job_fill_info(job, seconds, &told->findings.accuracy, &told->info);
}

/* Short of a tolerance there is a solution, of which to tell; the message of the failure stays. */
static starfish_status end(starfish_poisson_job *job, starfish_status status, struct told *told)
{
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};
    const double seconds = starfish_progress_seconds(&job->progress);
    if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
        return status;
    starfish_failure_keep(&failure, status);
    const starfish_status found = find_out(job, seconds, told);
    if (found != STARFISH_SUCCESS) {
        told->info.outcome = STARFISH_STAGNATED;
        return status == STARFISH_SUCCESS ? found : starfish_failure_repeat(&failure);
    }
    if (status == STARFISH_SUCCESS && job->plan->method->watch)
        job->plan->method->watch(job, told->info.seconds);
    return starfish_job_accept(job, &failure, &told->findings, &told->info);
}

starfish_status starfish_job_wait_accuracy(starfish_poisson_job *job, struct starfish_info *info,
                                           struct starfish_accuracy *accuracy)
{
    STARFISH_OWN_ARITHMETIC;
    STARFISH_NEED(job, "job");
    if (job->on)
        return starfish_job_wait_on(job, info, accuracy);
    if (job->gathered)
        return starfish_job_wait_gathered(job, info, accuracy);
    struct starfish_poisson_plan *plan = job->plan;
    struct told told = {.findings = {.error = 0}};
    starfish_rest_call_begin();
    starfish_status status = end(job, starfish_ranks_agree(plan->context, finish(job)), &told);
    if (status == STARFISH_ERROR_NUMERICAL && starfish_job_may_widen(job))
        status = starfish_job_widen(job, &told.info, &told.findings.accuracy);
    release(job);
    starfish_rest_call_end();
    if (status == STARFISH_SUCCESS || status == STARFISH_ERROR_NUMERICAL)
        starfish_job_tell(&told.info, &told.findings.accuracy, info, accuracy);
    atomic_fetch_sub(&plan->in_flight, 1);
    destroy(job);
    return status;
}

starfish_status starfish_job_wait(starfish_poisson_job *job, struct starfish_info *info)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_job_wait_accuracy(job, info, NULL);
}

void starfish_job_progress(const starfish_poisson_job *job, size_t *finished, size_t *total)
{
    if (!job || !finished || !total)
        return;
    if (job->on) {
        starfish_job_progress_on(job, finished, total);
        return;
    }
    *finished = atomic_load(&job->progress.finished);
    *total = atomic_load(&job->progress.submitted);
}
