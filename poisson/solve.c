/* One solve: a job owns what lives as long as its tasks, and nothing of it outlives starfish_job_wait. */
#include "poisson/plan.h"

#include "base/pages.h"
#include "base/real.h"
#include "codelets/stencil.h"
#include "scheduler/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct starfish_job {
    struct starfish_poisson_plan *plan;
    struct starfish_progress progress;
    struct starfish_slab_graph *graph; /* of the slab method: which of the plan's it runs */
    const struct starfish_cut *cut;
    struct starfish_field *rhs, *solution;
    int owns_fields, lone;
    /* Right-hand side with boundary data, where it differs from the user's or would be overwritten. */
    starpu_data_handle_t full_rhs[STARFISH_MAX_SLABS];
    struct starfish_table face[3][2];
    struct starfish_table removed;                       /* pertrb, and another double */
    starpu_data_handle_t correction[STARFISH_MAX_SLABS]; /* of iterative refinement */
    struct starfish_table removed_again;                 /* what refinement finds left of it */
    struct starfish_table maximum[STARFISH_MAX_SLABS];   /* of the residual */
    void *integrand;                                     /* multigrid: memory of full_rhs, which it finds there */
    struct starfish_multigrid_info multigrid;
    double solved; /* when it was done */
};

/* ---- Boundary data ---------------------------------------------------------------------------------------------- */

static int end_has_data(const struct starfish_poisson_plan *plan, const struct starfish_boundary *boundary, int axis,
                        int end)
{
    return boundary && plan->direction[axis].takes_boundary[end] &&
           (boundary->array[axis][end] || boundary->constant[axis][end] != 0);
}

static int any_boundary(const struct starfish_poisson_plan *plan, const struct starfish_boundary *boundary)
{
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            if (end_has_data(plan, boundary, axis, end))
                return 1;
    return 0;
}

static starfish_status copy_face(struct starfish_job *job, const struct starfish_boundary *boundary, int axis, int end)
{
    const size_t *n = job->plan->n, count = n[0] * n[1] * n[2] / n[axis];
    double *values = malloc(count * sizeof *values);
    if (!values)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for boundary data");
    const void *array = boundary->array[axis][end];
    for (size_t i = 0; i < count; i++)
        values[i] = job->plan->options.precision == STARFISH_F32 ? (double)((const float *)array)[i]
                                                                 : ((const double *)array)[i];
    starfish_status status = starfish_table_reals(&job->face[axis][end], job->plan->options.precision, values, count);
    free(values);
    return status;
}

/* A slab of `memory`, or one that has memory only while tasks need it. */
static void register_slab(const struct starfish_job *job, starpu_data_handle_t *handle, const char *name, size_t slab,
                          void *memory)
{
    const size_t *n = job->plan->n, start = job->cut->first_plane[slab] * n[0] * n[1];
    const uintptr_t address = memory ? (uintptr_t)memory + start * starfish_real_size(job->plan->options.precision) : 0;
    starpu_block_data_register(handle, memory ? STARPU_MAIN_RAM : -1, address, (uint32_t)n[0], (uint32_t)(n[0] * n[1]),
                               (uint32_t)n[0], (uint32_t)n[1], (uint32_t)starfish_cut_planes(job->cut, slab),
                               starfish_real_size(job->plan->options.precision));
    starpu_data_set_coordinates(*handle, 1, (int)slab);
    starpu_data_set_name(*handle, name);
}

static starfish_status submit_full_rhs(struct starfish_job *job, const struct starfish_boundary *boundary)
{
    const struct starfish_poisson_plan *plan = job->plan;
    const starfish_precision precision = plan->options.precision;
    struct starfish_boundary_task task = {.precision = precision, .planes = plan->n[2]};
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++) {
            if (!end_has_data(plan, boundary, axis, end))
                continue;
            task.weight[axis][end] = plan->direction[axis].boundary_weight[end];
            task.constant[axis][end] = boundary->constant[axis][end];
            if (boundary->array[axis][end])
                STARFISH_TRY(copy_face(job, boundary, axis, end));
            task.face[axis][end] = job->face[axis][end].handle;
        }
    for (size_t slab = 0; slab < job->cut->slabs; slab++) {
        const size_t planes = starfish_cut_planes(job->cut, slab);
        memcpy(task.n, (const size_t[]){plan->n[0], plan->n[1], planes}, sizeof task.n);
        task.first_plane = job->cut->first_plane[slab];
        task.where = job->cut->where[slab];
        task.rhs = job->rhs->handle[slab];
        register_slab(job, &job->full_rhs[slab], "full rhs", slab, job->integrand);
        task.result = job->full_rhs[slab];
        STARFISH_TRY(starfish_submit_boundary_rhs(&job->progress, STARFISH_PHASE_FORWARD, &task));
    }
    return STARFISH_SUCCESS;
}

/* ---- Multigrid --------------------------------------------------------------------------------------------------- */

/* Multigrid iterates on arrays, here and now: they are held at home meanwhile. */
static void hold(const struct starfish_job *job, const starpu_data_handle_t *slab, enum starpu_data_access_mode mode)
{
    for (size_t s = 0; s < job->cut->slabs; s++)
        starpu_data_acquire_on_node(slab[s], starpu_data_get_home_node(slab[s]), mode);
}

static void let_go(const struct starfish_job *job, const starpu_data_handle_t *slab)
{
    for (size_t s = 0; s < job->cut->slabs; s++)
        starpu_data_release_on_node(slab[s], starpu_data_get_home_node(slab[s]));
}

static starfish_status make_integrand(struct starfish_job *job)
{
    const size_t *n = job->plan->n;

    job->integrand = starfish_pages_alloc(n[0] * n[1] * n[2] * starfish_real_size(job->plan->options.precision));
    return job->integrand ? STARFISH_SUCCESS
                          : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a right-hand side");
}

static starfish_status tell_removed(struct starfish_job *job)
{
    double *removed = job->removed.memory;

    if (starpu_data_acquire(job->removed.handle, STARPU_W) != 0)
        return starfish_fail(STARFISH_ERROR_RUNTIME, "the mean that was taken off is out of reach");
    memset(removed, 0, job->removed.count * sizeof *removed);
    removed[0] = job->multigrid.removed;
    starpu_data_release(job->removed.handle);
    return STARFISH_SUCCESS;
}

static starfish_status iterate(struct starfish_job *job, const starpu_data_handle_t *rhs)
{
    const void *f = job->integrand ? job->integrand : job->rhs->memory;

    hold(job, rhs, STARPU_R);
    hold(job, job->solution->handle, STARPU_W);
    const starfish_status status =
        starfish_multigrid_solve(job->plan->multigrid, f, job->solution->memory, &job->multigrid);
    let_go(job, job->solution->handle);
    let_go(job, rhs);
    job->solved = starpu_timing_now();
    return status == STARFISH_SUCCESS && job->plan->singular ? tell_removed(job) : status;
}

/* ---- Submission ------------------------------------------------------------------------------------------------- */

static starfish_status submit_residual(struct starfish_job *job, const starpu_data_handle_t *rhs)
{
    for (size_t slab = 0; slab < job->cut->slabs; slab++)
        STARFISH_TRY(starfish_table_results(&job->maximum[slab], 2));
    return starfish_graph_residual(&job->plan->operator_, job->cut, &job->progress, STARFISH_PHASE_RESIDUAL,
                                   job->solution->handle, rhs, job->removed.handle, job->maximum, NULL);
}

static starfish_status submit_solve(struct starfish_job *job, const starpu_data_handle_t *rhs,
                                    const starpu_data_handle_t *solution, starpu_data_handle_t removed)
{
    struct starfish_poisson_plan *plan = job->plan;
    if (plan->method == STARFISH_METHOD_MULTIGRID)
        return iterate(job, rhs);
    return plan->method == STARFISH_METHOD_SLAB
               ? starfish_graph_slab(job->graph, &job->progress, rhs, solution, removed)
               : starfish_graph_blktri(&plan->spectral, &job->progress, rhs, solution, removed);
}

/* Solve again for what the residual says is missing, and add it. */
static starfish_status submit_refinement(struct starfish_job *job, const starpu_data_handle_t *rhs)
{
    struct starfish_poisson_plan *plan = job->plan;
    if (plan->singular && !job->removed_again.handle)
        STARFISH_TRY(starfish_table_results(&job->removed_again, STARFISH_CONSTANT_MOMENTS));
    for (size_t slab = 0; slab < job->cut->slabs; slab++)
        if (!job->correction[slab])
            register_slab(job, &job->correction[slab], "correction", slab, NULL);
    STARFISH_TRY(starfish_graph_residual(&plan->operator_, job->cut, &job->progress, STARFISH_PHASE_REFINEMENT,
                                         job->solution->handle, rhs, job->removed.handle, NULL, job->correction));
    STARFISH_TRY(submit_solve(job, job->correction, job->correction, job->removed_again.handle));
    return starfish_graph_add(&plan->operator_, job->cut, &job->progress, job->solution->handle, job->correction);
}

static starfish_status submit_graph(struct starfish_job *job, const struct starfish_boundary *boundary)
{
    struct starfish_poisson_plan *plan = job->plan;
    const int overwritten = job->rhs->memory == job->solution->memory;
    const starpu_data_handle_t *rhs = job->rhs->handle;
    const int multigrid = plan->method == STARFISH_METHOD_MULTIGRID;
    const int rhs_again = plan->options.check_residual || plan->refinements > 0 || multigrid;
    if (multigrid && (any_boundary(plan, boundary) || overwritten))
        STARFISH_TRY(make_integrand(job));
    if (any_boundary(plan, boundary) || (overwritten && rhs_again)) {
        STARFISH_TRY(submit_full_rhs(job, boundary));
        rhs = job->full_rhs;
    }
    if (plan->singular)
        STARFISH_TRY(starfish_table_results(&job->removed, STARFISH_CONSTANT_MOMENTS));
    STARFISH_TRY(submit_solve(job, rhs, job->solution->handle, job->removed.handle));
    for (int step = 0; step < plan->refinements; step++)
        STARFISH_TRY(submit_refinement(job, rhs));
    if (job->owns_fields)
        STARFISH_TRY(
            starfish_graph_bring_home(&job->progress, STARFISH_PHASE_BACKWARD, job->cut, job->solution->handle));
    return plan->options.check_residual ? submit_residual(job, rhs) : STARFISH_SUCCESS;
}

/* Wait for what was submitted, and let go of everything but the job itself. */
static starfish_status finish(struct starfish_job *job)
{
    starfish_status status = starfish_progress_wait(&job->progress);
    for (size_t slab = 0; slab < job->cut->slabs; slab++) {
        starfish_array_unregister(job->full_rhs[slab]);
        starfish_array_unregister(job->correction[slab]);
    }
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            starfish_table_destroy(&job->face[axis][end]);
    if (job->owns_fields) {
        if (job->rhs != job->solution)
            starfish_field_destroy(job->rhs);
        starfish_field_destroy(job->solution);
    }
    return status;
}

static void destroy(struct starfish_job *job)
{
    free(job->integrand);
    starfish_table_destroy(&job->removed);
    starfish_table_destroy(&job->removed_again);
    for (size_t slab = 0; slab < STARFISH_MAX_SLABS; slab++)
        starfish_table_destroy(&job->maximum[slab]);
    starfish_progress_destroy(&job->progress);
    free(job);
}

static starfish_status submit(struct starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                              struct starfish_field *rhs, struct starfish_field *solution, int owns_fields, int lone,
                              starfish_job **result)
{
    struct starfish_job *job = calloc(1, sizeof *job);
    if (!job)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a job");
    job->plan = plan;
    job->rhs = rhs;
    job->solution = solution;
    job->graph = starfish_poisson_graph_of(plan, &rhs->cut);
    job->cut = job->graph ? &job->graph->cut : &plan->spectral.cut;
    job->owns_fields = owns_fields;
    job->lone = lone;
    starfish_progress_init(&job->progress, plan->context);
    pthread_mutex_lock(&plan->submission);
    starfish_status status = submit_graph(job, boundary);
    pthread_mutex_unlock(&plan->submission);
    if (status != STARFISH_SUCCESS) {
        job->owns_fields = 0; /* they are still the caller's */
        finish(job);
        destroy(job);
        return status;
    }
    *result = job;
    return STARFISH_SUCCESS;
}

static starfish_status check_field(struct starfish_poisson_plan *plan, const char *name,
                                   const struct starfish_field *field)
{
    if (!field)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is NULL", name);
    if (field->context != plan->context || field->precision != plan->options.precision ||
        !starfish_poisson_is_cut(plan, &field->cut) || memcmp(field->n, plan->n, sizeof plan->n) != 0)
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
    if (starfish_poisson_graph_of(plan, &rhs->cut) != starfish_poisson_graph_of(plan, &solution->cut))
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "rhs and solution are cut into slabs in different ways, since one is "
                             "in device memory and the other is not");
    atomic_fetch_add(&plan->in_flight, 1);
    const starfish_status status = submit(plan, boundary, rhs, solution, 0, 0, job);
    if (status != STARFISH_SUCCESS)
        atomic_fetch_sub(&plan->in_flight, 1);
    return status;
}

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

static starfish_status submit_memory(starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                                     const void *rhs, void *solution, int lone, starfish_job **job)
{
    starfish_field *field[2] = {NULL, NULL};
    enum starfish_residence residence;
    const struct starfish_cut *cut;
    STARFISH_TRY(slower_residence(plan, rhs, solution, &residence));
    if (lone)
        starfish_poisson_renew_cut(plan, residence);
    STARFISH_TRY(starfish_poisson_cut(plan, residence, lone ? STARFISH_LONE : STARFISH_STREAM, &cut));
    /* The right-hand side is only read, unless it is the solution too. */
    starfish_status status = field_over(plan, cut, "rhs", (void *)(uintptr_t)rhs, &field[0]);
    if (status == STARFISH_SUCCESS && rhs != solution)
        status = field_over(plan, cut, "solution", solution, &field[1]);
    else
        field[1] = field[0];
    if (status == STARFISH_SUCCESS)
        status = submit(plan, boundary, field[0], field[1], 1, lone, job);
    if (status != STARFISH_SUCCESS) {
        if (field[1] != field[0])
            starfish_field_destroy(field[1]);
        starfish_field_destroy(field[0]);
    }
    return status;
}

starfish_status starfish_poisson_submit(starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                                        const void *rhs, void *solution, starfish_job **job)
{
    if (!plan || !rhs || !solution || !job)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is NULL",
                             !plan       ? "plan"
                             : !rhs      ? "rhs"
                             : !solution ? "solution"
                                         : "job");
    *job = NULL;
    const int lone = atomic_fetch_add(&plan->in_flight, 1) == 0;
    const starfish_status status = submit_memory(plan, boundary, rhs, solution, lone, job);
    if (status != STARFISH_SUCCESS)
        atomic_fetch_sub(&plan->in_flight, 1);
    return status;
}

/* ---- Results ---------------------------------------------------------------------------------------------------- */

static double read_result(const struct starfish_table *vector, size_t index)
{
    starpu_data_acquire(vector->handle, STARPU_R);
    const double value = ((const double *)vector->memory)[index];
    starpu_data_release(vector->handle);
    return value;
}

static double relative_residual(const struct starfish_job *job)
{
    double residual = 0, rhs = 0;
    if (!job->plan->options.check_residual)
        return NAN;
    for (size_t slab = 0; slab < job->cut->slabs; slab++) {
        residual = fmax(residual, read_result(&job->maximum[slab], 0));
        rhs = fmax(rhs, read_result(&job->maximum[slab], 1));
    }
    return rhs > 0 ? residual / rhs : residual;
}

/* How long the residual check ran on after the last inverse transform: not part of the solve. */
static double residual_tail(const struct starfish_job *job)
{
    const double solved = job->plan->multigrid ? job->solved : job->progress.phase[STARFISH_PHASE_BACKWARD].span.end;
    const double tail = job->progress.phase[STARFISH_PHASE_RESIDUAL].span.end - solved;
    return job->plan->options.check_residual && tail > 0 ? 1e-6 * tail : 0;
}

/* How long each team of cores worked on its slab. */
static double cores_seconds(const struct starfish_job *job)
{
    const size_t workers = job->plan->context->workers_of[STARFISH_CPU];
    double busy = 0;
    for (int phase = 0; phase < STARFISH_PHASES; phase++)
        if (phase != STARFISH_PHASE_RESIDUAL)
            busy += job->progress.phase[phase].done[STARFISH_CPU].busy_seconds;
    return workers > 0 ? busy / (double)workers : 0;
}

static struct starfish_step_info step_of(const struct starfish_progress *progress, int step)
{
    const struct starfish_tasks_done *done = progress->step[step].done;
    return (struct starfish_step_info){.seconds = starfish_interval_seconds(progress->step[step].span),
                                       .busy_seconds =
                                           done[STARFISH_CPU].busy_seconds + done[STARFISH_GPU].busy_seconds,
                                       .tasks = {done[STARFISH_CPU].tasks, done[STARFISH_GPU].tasks}};
}

static void fill_levels(const struct starfish_job *job, struct starfish_info *info)
{
    const struct starfish_spectral *spectral = &job->plan->spectral;
    _Static_assert((int)STARFISH_MAX_LEVELS <= (int)STARFISH_MAX_REDUCTION_LEVELS &&
                       2 * (int)STARFISH_MAX_LEVELS <= (int)STARFISH_PROGRESS_STEPS,
                   "every level has a place");
    info->levels = job->plan->method == STARFISH_METHOD_SLAB || job->plan->multigrid ? 0 : spectral->levels;
    for (size_t l = 0; l < info->levels; l++) {
        info->level[l].separators = spectral->level[l].rows;
        info->level[l].reduction = step_of(&job->progress, starfish_reduction_step(l, 0));
        info->level[l].substitution = step_of(&job->progress, starfish_reduction_step(l, 1));
    }
}

static void fill_cycles(const struct starfish_multigrid_info *multigrid, struct starfish_info *info)
{
    info->cycles = multigrid->cycles;
    info->tolerated = multigrid->residual;
    info->phase[info->phases].name = "cycles";
    info->phase[info->phases++].seconds = multigrid->seconds;
}

static void fill_info(const struct starfish_job *job, double seconds, struct starfish_info *info)
{
    static const char *const names[STARFISH_PHASES] = {
        [STARFISH_PHASE_FORWARD] = "forward transform",  [STARFISH_PHASE_MODES] = "modes",
        [STARFISH_PHASE_BACKWARD] = "inverse transform", [STARFISH_PHASE_REFINEMENT] = "refinement",
        [STARFISH_PHASE_RESIDUAL] = "residual check",
    };
    const struct starfish_bytes before = job->progress.bytes_before;
    const struct starfish_bytes after = starfish_context_bytes(job->plan->context);
    memset(info, 0, sizeof *info);
    info->seconds = seconds - residual_tail(job);
    info->residual = relative_residual(job);
    info->refinements = job->plan->refinements;
    info->pertrb = job->plan->singular ? read_result(&job->removed, 0) : 0;
    info->pertrb_imaginary =
        job->plan->singular && job->plan->numbers != STARFISH_TRIDIAG_REAL ? read_result(&job->removed, 1) : 0;
    const int direct = !job->plan->multigrid;
    const int wanted[STARFISH_PHASES] = {direct, direct, direct, job->plan->refinements > 0,
                                         job->plan->options.check_residual};
    if (!direct)
        fill_cycles(&job->multigrid, info);
    for (int phase = 0; phase < STARFISH_PHASES; phase++)
        if (wanted[phase]) {
            info->phase[info->phases].name = names[phase];
            info->phase[info->phases++].seconds = starfish_interval_seconds(job->progress.phase[phase].span);
        }
    fill_levels(job, info);
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        info->worker[kind].tasks = job->progress.done[kind].tasks + job->multigrid.worker[kind].tasks;
        info->worker[kind].busy_seconds =
            job->progress.done[kind].busy_seconds + job->multigrid.worker[kind].busy_seconds;
    }
    info->host_to_device = after.host_to_device - before.host_to_device;
    info->device_to_host = after.device_to_host - before.device_to_host;
    info->device_to_device = after.device_to_device - before.device_to_device;
}

starfish_status starfish_job_wait(starfish_job *job, struct starfish_info *info)
{
    if (!job)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "job is NULL");
    starfish_status status = finish(job);
    const double seconds = 1e-6 * (starpu_timing_now() - job->progress.start);
    struct starfish_info result;
    if (status == STARFISH_SUCCESS) {
        fill_info(job, seconds, &result);
        if (job->lone && job->graph)
            starfish_poisson_watch(job->plan, job->graph, cores_seconds(job), result.seconds);
        if (info)
            *info = result;
        if (job->plan->options.check_residual && !isfinite(result.residual))
            status = starfish_fail(STARFISH_ERROR_NUMERICAL, "the solution is not finite: a mode is singular, or the "
                                                             "right-hand side is not finite");
    }
    atomic_fetch_sub(&job->plan->in_flight, 1);
    destroy(job);
    return status;
}

void starfish_job_progress(const starfish_job *job, size_t *finished, size_t *total)
{
    *finished = atomic_load(&job->progress.finished);
    *total = atomic_load(&job->progress.submitted);
}

starfish_status starfish_poisson_solve(starfish_poisson_plan *plan, const struct starfish_boundary *boundary,
                                       const void *rhs, void *solution, struct starfish_info *info)
{
    starfish_job *job = NULL;
    STARFISH_TRY(starfish_poisson_submit(plan, boundary, rhs, solution, &job));
    return starfish_job_wait(job, info);
}
