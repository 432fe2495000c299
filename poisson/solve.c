/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves: a job takes its fields, the tasks of a direct method are submitted as a whole, and what the job holds is
 * released when they are done. */
#include "poisson/layout.h"

#include "base/arithmetic.h"
#include "poisson/ghosts.h"
#include "poisson/methods.h"
#include "poisson/options.h"
#include "poisson/ranks.h"
#include "poisson/volume_mean.h"
#include "poisson/wide.h"
#include "scheduler/runtime/data.h"
#include "scheduler/runtime/task_group_stream.h"
#include "scheduler/runtime/watchdog.h"
#include "stencil/kernels/refine.h"
#include "tridiag/kernels/constant_line.h"

#include <stdlib.h>

static struct starfish_poisson_job *job_of(struct starfish_job *base)
{
    return (struct starfish_poisson_job *)base;
}

/* ---- What jobs are made of --------------------------------------------------------------------------------------- */

static int reads_residual(const struct starfish_poisson_plan *plan)
{
    return plan->options.check_residual || plan->refinements > 0;
}

/* The space of the fields' slabs. */
static starfish_status make_space(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    struct starfish_runs runs = job->cut;
    runs.apart = 1;
    runs.wraps = plan->direction[2].periodic;
    runs.depth = reads_residual(plan) && plan->count == 1;
    return starfish_space_runs(&job->space, plan->base.context,
                               (const size_t[]){plan->n[0] * plan->n[1], plan->field_n[2]}, &runs);
}

/* The user's right-hand side, or the job's own where there is one. */
static const starfish_handle *solved_rhs(const struct starfish_poisson_job *job)
{
    return job->full_rhs[0] ? job->full_rhs : job->rhs->handle;
}

/* Per slab `count` doubles for each of its problems. */
static starfish_status make_maxima(const struct starfish_poisson_job *job, struct starfish_coefficient_table *maximum,
                                   size_t count)
{
    for (size_t slab = 0; slab < job->cut.parts; slab++)
        if (!maximum[slab].handle)
            STARFISH_TRY(starfish_coefficient_table_results_of(&maximum[slab], job->plan->base.context,
                                                               count * starfish_job_problems(job, slab),
                                                               job->cut.owner[slab].rank));
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
    return starfish_submit_residual(&job->base.progress, phase, &job->plan->operator_, &job->solution_slabs, &data);
}

static starfish_status make_refinement(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    const struct starfish_field_array array = {
        .n = plan->field_n, .precision = plan->options.precision, .context = plan->base.context};
    if (plan->singular && plan->count == 1)
        STARFISH_TRY(starfish_coefficient_table_results_of(&job->removed_again, plan->base.context,
                                                           STARFISH_CONSTANT_REMOVED, 0));
    for (size_t slab = 0; slab < job->cut.parts; slab++)
        starfish_slab_register(&job->correction.piece[slab], "correction", &job->cut, slab, &array);
    for (int step = 0; step < plan->refinements; step++)
        STARFISH_TRY(starfish_coefficient_table_results_of(&job->verdict[step], plan->base.context,
                                                           STARFISH_VERDICT_NUMBERS, 0));
    STARFISH_TRY(make_maxima(job, job->refined, STARFISH_MAXIMA));
    return make_maxima(job, job->correction_maximum, 1);
}

/* Solve again for what the residual says is missing, and add it where that helps. */
static starfish_status submit_refinement(struct starfish_poisson_job *job, int step)
{
    struct starfish_poisson_plan *plan = job->plan;
    const struct starfish_refinement_data data = {.rhs = solved_rhs(job),
                                                  .removed = job->removed.handle,
                                                  .correction = job->correction.piece,
                                                  .before = job->maximum,
                                                  .after = job->refined,
                                                  .correction_maximum = job->correction_maximum,
                                                  .verdict = job->verdict[step].handle,
                                                  .many = plan->count > 1,
                                                  .removed_of_slab = plan->count > 1 ? job->removed_of_slab : NULL};
    const struct starfish_direct_data solve = {
        .rhs = job->correction.piece, .solution = &job->correction, .removed = job->removed_again.handle};
    STARFISH_TRY(submit_residual(job, STARFISH_PHASE_REFINEMENT, job->correction.piece));
    STARFISH_TRY(plan->method->submit(job->graph, &job->base.progress, &solve));
    return starfish_graph_refine(&plan->operator_, &job->base.progress, &job->solution_slabs, &data);
}

/* The user's right-hand side, or one of ours where boundary data are moved to it before the solve, or where it is read
 * again after the solution has taken its place. */
static starfish_status prepare_rhs(struct starfish_poisson_job *job)
{
    const struct starfish_method_row *method = job->plan->method;
    const int overwritten = job->rhs->memory == job->solution->memory; /* of spread fields, the first share's */
    const int copied = (overwritten && reads_residual(job->plan)) || starfish_job_packs_rhs(job) ||
                       starfish_poisson_fills_rhs(job->plan);
    int any;
    STARFISH_TRY(starfish_job_take_boundary(job, job->base.request.boundary, &any));
    job->boundary_in_passing = any && !copied && job->plan->refinements == 0 && !job->plan->direction[2].weight_x &&
                               method->moves_boundary && method->moves_boundary(job->graph);
    return copied || (any && !job->boundary_in_passing) ? starfish_job_submit_full_rhs(job) : STARFISH_SUCCESS;
}

/* A field may be the right-hand side of any number of jobs, and be written by none. */
static starfish_status forget_readers(struct starfish_poisson_job *job)
{
    enum { JOBS = 256 };
    if ((atomic_fetch_add(&job->rhs->jobs, 1) + 1) % JOBS != 0)
        return STARFISH_SUCCESS;
    return starfish_graph_forget_readers(&job->base.progress, STARFISH_PHASE_FORWARD, &job->cut, job->rhs->handle);
}

/* The job's data, and tasks for which no other rank waits. */
static starfish_status prepare_here(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    STARFISH_FAIL_IF(!job->base.kept, STARFISH_ERROR_MEMORY, "out of memory for a job");
    STARFISH_TRY(forget_readers(job));
    STARFISH_TRY(prepare_rhs(job));
    STARFISH_TRY(starfish_job_submit_search(job));
    STARFISH_TRY(starfish_job_make_solution_slabs(job));
    STARFISH_TRY(starfish_job_make_removed(job));
    if (reads_residual(plan))
        STARFISH_TRY(make_maxima(job, job->maximum, STARFISH_MAXIMA));
    if (plan->base.run)
        return plan->method->take(job, solved_rhs(job), &job->solution_slabs);
    return plan->refinements > 0 ? make_refinement(job) : STARFISH_SUCCESS;
}

static starfish_status prepare(struct starfish_poisson_job *job)
{
    return starfish_ranks_agree(job->plan->base.context, prepare_here(job));
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

/* Copies go at the pace of the slower of the two. */
static starfish_status slower_residence(const struct starfish_poisson_plan *plan, const struct starfish_request *arrays,
                                        enum starfish_residence *residence)
{
    int node;
    enum starfish_residence other;
    STARFISH_TRY(starfish_memory_place(plan->base.context, "rhs", arrays->rhs, &node, residence));
    STARFISH_TRY(starfish_memory_place(plan->base.context, "solution", arrays->solution, &node, &other));
    if (other < *residence)
        *residence = other;
    return STARFISH_SUCCESS;
}

/* A rank without planes has no arrays. */
static starfish_status check_arrays(const struct starfish_poisson_plan *plan, const struct starfish_request *arrays,
                                    int *same, enum starfish_residence *residence)
{
    *same = 0;
    *residence = STARFISH_PINNED;
    if (plan->here.planes == 0)
        return STARFISH_SUCCESS;
    STARFISH_NEED(arrays->rhs, "rhs");
    STARFISH_NEED(arrays->solution, "solution");
    STARFISH_TRY(starfish_poisson_same_field(plan, arrays->rhs, arrays->solution, same));
    return slower_residence(plan, arrays, residence);
}

/* Both arrays are the host's. */
static int is_staged(const struct starfish_poisson_plan *plan, const struct starfish_request *arrays)
{
    const void *const memory[] = {arrays->rhs, arrays->solution};
    if (arrays->group || !plan->method->stages || !plan->method->stages(plan))
        return 0;
    for (int i = 0; i < 2; i++) {
        enum starfish_residence residence;
        int node;
        if (starfish_memory_place(plan->base.context, "", memory[i], &node, &residence) != STARFISH_SUCCESS ||
            residence >= STARFISH_ON_DEVICE)
            return 0;
    }
    return 1;
}

/* The right-hand side is only read, unless it is the solution too. */
static starfish_status make_fields(struct starfish_poisson_job *job, int same, const struct starfish_runs *cut)
{
    const struct starfish_request *arrays = &job->base.request;
    job->owns_fields = 1;
    STARFISH_TRY(starfish_poisson_user_field(job->plan, STARFISH_RHS, cut, (void *)(uintptr_t)arrays->rhs, &job->rhs));
    if (!same)
        return starfish_poisson_user_field(job->plan, STARFISH_SOLUTION, cut, arrays->solution, &job->solution);
    job->solution = job->rhs;
    return STARFISH_SUCCESS;
}

/* Fields over the request's arrays. */
static starfish_status take_arrays(struct starfish_poisson_job *job)
{
    struct starfish_poisson_plan *plan = job->plan;
    enum starfish_residence residence;
    const struct starfish_runs *cut;
    int same;
    const starfish_status checked = check_arrays(plan, &job->base.request, &same, &residence);
    STARFISH_TRY(starfish_poisson_agree_on_residence(plan, checked, &residence));
    job->staged = residence == STARFISH_PAGEABLE && is_staged(plan, &job->base.request);
    residence = job->staged ? STARFISH_STAGED : residence;
    STARFISH_TRY(starfish_poisson_cut(plan, residence, job->lone ? STARFISH_LONE : STARFISH_STREAM, &cut));
    const starfish_status status = make_fields(job, same, cut);
    return status == STARFISH_SUCCESS ? status
                                      : starfish_ranks_agree(plan->base.context, status); /* as others in `prepare` */
}

static starfish_status check_field(struct starfish_poisson_plan *plan, const char *name,
                                   const struct starfish_field *field)
{
    STARFISH_NEED(field, name);
    pthread_mutex_lock(&plan->base.lock);
    const int has_graph = starfish_poisson_graph_of(plan, &field->cut) != NULL;
    pthread_mutex_unlock(&plan->base.lock);
    STARFISH_REFUSE_IF(field->context != plan->base.context || field->precision != plan->options.precision ||
                           !has_graph || memcmp(field->n, plan->field_n, sizeof plan->field_n) != 0,
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
    STARFISH_REFUSE_IF(!starfish_runs_are_same(&rhs->cut, &solution->cut),
                       "rhs and solution are cut into slabs in different ways, since one is "
                       "in device memory and the other is not");
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_submit_field(starfish_plan *base, const struct starfish_boundary *boundary,
                                              starfish_field *rhs, starfish_field *solution, starfish_job **job)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_poisson_plan *plan = (struct starfish_poisson_plan *)base;
    const struct starfish_request request = {.boundary = boundary, .rhs_field = rhs, .solution_field = solution};
    STARFISH_TRY(starfish_plan_check(base, &starfish_kind_poisson));
    STARFISH_NEED(job, "job");
    *job = NULL;
    STARFISH_FAIL_IF(base->gather, STARFISH_ERROR_UNSUPPORTED, "method %s has no fields on several ranks",
                     base->about.method);
    STARFISH_TRY(starfish_ranks_agree(base->context, check_fields(plan, rhs, solution)));
    return starfish_job_create(base, &request, 0, job);
}

/* Tasks on a field run in the order of their submission, which an iterating job's thread may not have come to yet. */
static void hold_fields(struct starfish_poisson_job *job)
{
    starfish_field_wait_for_holders(job->rhs);
    starfish_field_wait_for_holders(job->solution);
    if (!job->plan->base.run)
        return;
    starfish_field_hold(job->rhs);
    starfish_field_hold(job->solution);
    job->holds_fields = 1;
}

/* What a job has for each slab of its fields. */
static starfish_status make_arrays(struct starfish_poisson_job *job)
{
    const size_t slabs = job->rhs->cut.parts;
    starfish_handle *const handle = job->full_rhs = calloc(3 * slabs, sizeof *handle);
    struct starfish_coefficient_table *const table = job->maximum = calloc(4 * slabs, sizeof *table);
    STARFISH_FAIL_IF(!handle || !table, STARFISH_ERROR_MEMORY, "out of memory for a job");
    job->packed = handle + slabs;
    job->removed_of_slab = table + slabs;
    job->refined = table + 2 * slabs;
    job->correction_maximum = table + 3 * slabs;
    job->cut = job->rhs->cut;
    starfish_vector_borrow(&job->correction, &job->space, job->plan->options.precision, handle + 2 * slabs);
    return make_space(job);
}

/* Fields; and of an iteration all that has to be there before its turn. */
static starfish_status take(struct starfish_job *base)
{
    struct starfish_poisson_job *job = job_of(base);
    struct starfish_poisson_plan *plan = job->plan = (struct starfish_poisson_plan *)base->plan;
    const int others = atomic_fetch_add(&plan->in_flight, 1);
    base->kept = calloc(plan->count, sizeof(double));
    job->lone = others == 0 && !base->request.rhs_field;
    job->rhs = base->request.rhs_field;
    job->solution = base->request.solution_field;
    if (plan->where)
        base->progress.where = plan->where;
    if (!job->rhs)
        STARFISH_TRY(take_arrays(job));
    hold_fields(job);
    STARFISH_TRY(make_arrays(job));
    return plan->base.run ? prepare(job) : STARFISH_SUCCESS;
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

/* Of a single slab at home on a GPU. The field's end would fetch it if a task had written it elsewhere. */
static int is_written_at_home(const struct starfish_poisson_job *job)
{
    return job->cut.parts == 1 && !starfish_data_is_of_host(job->solution->handle[0]);
}

starfish_status starfish_job_submit_home(struct starfish_poisson_job *job)
{
    STARFISH_TRY(starfish_job_submit_unpacking(job));
    if (!reads_residual(job->plan))
        starfish_job_end_staging(job, job->packed);
    if (job->owns_fields && !job->staged && !is_written_at_home(job))
        STARFISH_TRY(
            starfish_graph_bring_home(&job->base.progress, STARFISH_PHASE_BACKWARD, &job->cut, job->solution->handle));
    return starfish_job_submit_ghosts(job);
}

starfish_status starfish_job_submit_rest(struct starfish_poisson_job *job)
{
    STARFISH_TRY(starfish_job_submit_home(job));
    const int wanted = job->plan->options.check_residual && job->plan->refinements == 0;
    return wanted ? submit_residual(job, STARFISH_PHASE_RESIDUAL, NULL) : STARFISH_SUCCESS;
}

static starfish_status submit_all(void *data)
{
    struct starfish_poisson_job *job = data;
    struct starfish_poisson_plan *plan = job->plan;
    job->graph = starfish_poisson_graph_of(plan, &job->cut);
    STARFISH_TRY(prepare(job));
    const struct starfish_direct_data solve = {.rhs = solved_rhs(job),
                                               .boundary = job->boundary_in_passing ? &job->boundary : NULL,
                                               .solution = &job->solution_slabs,
                                               .removed = job->removed.handle,
                                               .removed_of_slab = job->removed_of_slab};
    STARFISH_TRY(plan->method->submit(job->graph, &job->base.progress, &solve));
    STARFISH_TRY(starfish_job_submit_volume_mean(job, 0));
    if (!reads_residual(plan))
        starfish_job_end_staging(job, job->full_rhs);
    for (int step = 0; step < plan->refinements; step++)
        STARFISH_TRY(submit_refinement(job, step));
    if (plan->refinements > 0)
        STARFISH_TRY(starfish_job_submit_volume_mean(job, 1));
    return starfish_job_submit_rest(job);
}

static starfish_status submit(struct starfish_job *base)
{
    struct starfish_poisson_job *job = job_of(base);
    pthread_mutex_lock(&job->plan->base.lock);
    const starfish_status status =
        starfish_stream_group_run(base->request.group, &base->progress, STARFISH_PHASE_FORWARD, submit_all, job);
    pthread_mutex_unlock(&job->plan->base.lock);
    job->owns_group = status == STARFISH_SUCCESS;
    return status;
}

/* ---- The end ----------------------------------------------------------------------------------------------------- */

static void release_data(struct starfish_poisson_job *job)
{
    starfish_job_release_boundary(job);
    starfish_vector_destroy(&job->solution_slabs);
    for (size_t slab = 0; slab < job->cut.parts; slab++)
        starfish_array_unregister(job->correction.piece[slab]);
    starfish_job_release_packed(job);
    starfish_data_release(&job->ghosted);
    starfish_space_destroy(&job->space);
    if (job->holds_fields) {
        starfish_field_release_hold(job->rhs);
        starfish_field_release_hold(job->solution);
    }
    if (!job->owns_fields)
        return;
    if (job->rhs != job->solution)
        starfish_poisson_end_user_field(job->plan, STARFISH_SOLUTION, job->solution);
    starfish_poisson_end_user_field(job->plan, STARFISH_RHS, job->rhs);
}

static starfish_status finish(struct starfish_job *base, starfish_status status)
{
    struct starfish_poisson_job *job = job_of(base);
    struct starfish_poisson_plan *plan = job->plan;
    STARFISH_THEN(status, starfish_job_end_search(job));
    if (status == STARFISH_SUCCESS)
        starfish_job_look_at_boundary(job);
    STARFISH_TRY(starfish_ranks_agree(plan->base.context, status));
    base->result.seconds = starfish_progress_seconds(&base->progress) - starfish_job_residual_tail(job);
    STARFISH_TRY(starfish_job_read_removed(job));
    if (plan->method->watch)
        plan->method->watch(job, base->result.seconds);
    starfish_plan_solved_again(base->plan, NULL);
    status = starfish_job_accept(job);
    return status == STARFISH_ERROR_NUMERICAL && starfish_job_may_widen(job) ? starfish_job_widen(job) : status;
}

static void drop(struct starfish_job *base)
{
    struct starfish_poisson_job *job = job_of(base);
    atomic_fetch_sub(&job->plan->in_flight, 1);
    if (starfish_is_stuck())
        return; /* tasks may still use it */
    release_data(job);
    if (job->owns_group)
        starfish_stream_group_destroy(base->request.group);
    free(base->of_run);
    starfish_coefficient_table_destroy(&job->removed);
    starfish_coefficient_table_destroy(&job->removed_again);
    starfish_job_release_search(job);
    starfish_job_release_volume_mean(job);
    for (size_t i = 0; i < 4 * job->cut.parts; i++)
        starfish_coefficient_table_destroy(&job->maximum[i]);
    free(job->maximum);
    free(job->full_rhs);
    for (int step = 0; step < STARFISH_MOST_REFINEMENTS; step++)
        starfish_coefficient_table_destroy(&job->verdict[step]);
}

static int iterates(const void *options)
{
    return ((const struct starfish_poisson_options *)options)->method == STARFISH_METHOD_MULTIGRID;
}

const struct starfish_kind starfish_kind_poisson = {.name = "poisson",
                                                    .options = &starfish_poisson_option_table,
                                                    .problems = starfish_poisson_problems,
                                                    .plan_bytes = sizeof(struct starfish_poisson_plan),
                                                    .job_bytes = sizeof(struct starfish_poisson_job),
                                                    .options_at = offsetof(struct starfish_poisson_plan, options),
                                                    .iterates = iterates,
                                                    .has_boundary = 1,
                                                    .on_ranks = 1,
                                                    .check = starfish_poisson_check_plan,
                                                    .create = starfish_poisson_create_plan,
                                                    .release = starfish_poisson_release,
                                                    .memory = starfish_poisson_report_memory,
                                                    .take = take,
                                                    .submit = submit,
                                                    .accept = starfish_poisson_accept,
                                                    .finish = finish,
                                                    .drop = drop,
                                                    .tell = starfish_job_report_wanted};
