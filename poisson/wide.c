/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves repeated in f64. Tasks convert the right-hand side, where it lies, to a new array; the second plan's solution
 * overwrites that array and is converted back. */
#include "poisson/wide.h"

#include "poisson/methods.h"
#include "scheduler/runtime/ranks.h"
#include "tasks/algebra.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* In f64 a direct method has solved with finite data, and not the one that would come next. */
static int may_eliminate(const struct starfish_poisson_job *job)
{
    const struct starfish_method_row *method = job->plan->method;
    return method->direct && method->id != STARFISH_METHOD_ELIMINATION && isfinite(job->base.result.residual_max);
}

int starfish_job_may_widen(const struct starfish_poisson_job *job)
{
    const struct starfish_poisson_options *options = &job->plan->options;
    return options->method == STARFISH_METHOD_AUTO && options->refinements < 0 && job->owns_fields &&
           !job->base.request.group && !job->solution_slabs.strided &&
           (options->precision == STARFISH_F32 || may_eliminate(job));
}

/* The second plan, made by the first job that wants it. */
static starfish_status find_plan(struct starfish_poisson_plan *plan, struct starfish_plan **wide)
{
    starfish_status status = STARFISH_SUCCESS;
    pthread_mutex_lock(&plan->base.lock);
    if (!plan->wide)
        status =
            starfish_poisson_plan_widen(plan, plan->base.context, plan->options.precision == STARFISH_F64, &plan->wide);
    *wide = plan->wide;
    pthread_mutex_unlock(&plan->base.lock);
    return status;
}

/* ---- Converting -------------------------------------------------------------------------------------------------- */

/* The array in f64, of this rank's planes. */
struct wide {
    struct starfish_poisson_job *job;
    size_t bytes;
    void *memory;
};

/* From the slabs to those of the array, or back. */
static starfish_status submit_conversion(struct wide *wide, const starfish_handle *narrow, const starfish_handle *other,
                                         int back)
{
    static const struct starfish_factor one = {.number = 1};
    const struct starfish_algebra algebra = {.progress = &wide->job->base.progress, .phase = STARFISH_PHASE_REFINEMENT};
    const starfish_precision precision = wide->job->plan->options.precision;
    struct starfish_vector of_plan, in_f64;
    starfish_vector_borrow(&of_plan, &wide->job->space, precision, narrow);
    starfish_vector_borrow(&in_f64, &wide->job->space, STARFISH_F64, other);
    const struct starfish_vector *const from = back ? &in_f64 : &of_plan, *const to = back ? &of_plan : &in_f64;
    return precision == STARFISH_F64 ? starfish_algebra_update(&algebra, from, &one, NULL, to)
                                     : starfish_algebra_convert(&algebra, &one, 0, from, to);
}

static starfish_status convert(struct wide *wide, const starfish_handle *narrow, int back)
{
    struct starfish_poisson_job *job = wide->job;
    const struct starfish_poisson_plan *plan = job->plan;
    struct starfish_field *field;
    STARFISH_TRY(starfish_field_over(plan->base.context, STARFISH_F64, plan->field_n, &job->cut, "rhs in f64",
                                     wide->memory, &field));
    const starfish_status status = submit_conversion(wide, narrow, field->handle, back);
    const starfish_status waited = starfish_progress_wait(&job->base.progress);
    starfish_field_destroy(field);
    return status == STARFISH_SUCCESS ? waited : status;
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

/* The right-hand side with its boundary data, packed: where the solve has made none, as it would have been. */
static starfish_status convert_rhs(struct wide *wide)
{
    struct starfish_poisson_job *job = wide->job;
    if (!job->full_rhs[0] && job->boundary_in_passing)
        STARFISH_TRY(starfish_job_submit_full_rhs(job));
    return convert(wide, job->full_rhs[0] ? job->full_rhs : job->rhs->handle, 0);
}

/* Of solutions beyond what f32 holds rounding would make infinity. */
static starfish_status check_range(const struct wide *wide)
{
    const double *u = wide->memory;
    double largest = 0;
    if (wide->job->plan->options.precision == STARFISH_F64)
        return STARFISH_SUCCESS;
    for (size_t i = 0; i < wide->bytes / sizeof *u; i++)
        largest = fmax(largest, fabs(u[i]));
    STARFISH_TRY(starfish_ranks_maximum(wide->job->plan->base.context, &largest, 1));
    return STARFISH_OR_FAIL(largest <= (double)FLT_MAX, STARFISH_ERROR_NUMERICAL,
                            "the solution is as large as %.3g: f32 does not hold it", largest);
}

static starfish_status write_solution(struct wide *wide)
{
    struct starfish_poisson_job *job = wide->job;
    STARFISH_TRY(convert(wide, job->solution_slabs.piece, 1));
    starfish_data_release(&job->ghosted);
    const starfish_status status = starfish_job_submit_home(job);
    const starfish_status waited = starfish_progress_wait(&job->base.progress);
    return status == STARFISH_SUCCESS ? waited : status;
}

static starfish_status prepare(struct wide *wide)
{
    const struct starfish_poisson_plan *plan = wide->job->plan;
    wide->bytes = plan->n[0] * plan->n[1] * plan->here.planes * plan->count * sizeof(double);
    return wide->bytes > 0 ? starfish_alloc(plan->base.context, wide->bytes, &wide->memory) : STARFISH_SUCCESS;
}

static starfish_status run(struct wide *wide, struct starfish_result *result)
{
    struct starfish_context *context = wide->job->plan->base.context;
    struct starfish_plan *plan;
    STARFISH_TRY(find_plan(wide->job->plan, &plan));
    STARFISH_TRY(starfish_ranks_agree(context, prepare(wide)));
    STARFISH_TRY(starfish_ranks_agree(context, convert_rhs(wide)));
    starfish_job *job;
    STARFISH_TRY(starfish_plan_submit(plan, NULL, wide->memory, wide->memory, &job));
    STARFISH_TRY(starfish_poisson_tell_pertrb(job, wide->job->base.kept));
    STARFISH_TRY(starfish_job_finish(job, result));
    STARFISH_TRY(check_range(wide));
    return starfish_ranks_agree(context, write_solution(wide));
}

/* Seconds and phases are those of both solves; the bound is the plan's, but where elimination's is more. */
static void keep_result(struct starfish_poisson_job *job, const struct starfish_result *second)
{
    struct starfish_result *result = &job->base.result;
    job->wide_seconds = second->seconds;
    result->seconds += second->seconds;
    result->outcome = second->outcome;
    result->refinements = second->refinements;
    result->residual_max = second->residual_max;
    result->residual_bound = fmax(result->residual_bound, second->residual_bound);
    result->rounding = second->rounding;
    result->correction = second->correction;
    result->pertrb = second->pertrb;
    result->pertrb_imaginary = second->pertrb_imaginary;
}

starfish_status starfish_job_widen(struct starfish_poisson_job *job)
{
    struct starfish_context *context = job->plan->base.context;
    struct starfish_failure refusal = {.status = STARFISH_SUCCESS};
    struct starfish_result second = STARFISH_RESULT_DEFAULTS;
    starfish_failure_keep(&refusal, STARFISH_ERROR_NUMERICAL);
    struct wide *wide = calloc(1, sizeof *wide);
    starfish_status status = wide ? STARFISH_SUCCESS : STARFISH_ERROR_MEMORY;
    status = starfish_ranks_agree(context, status);
    if (wide && status == STARFISH_SUCCESS) {
        wide->job = job;
        status = run(wide, &second);
        if (wide->memory)
            starfish_free(context, wide->memory, wide->bytes);
    }
    free(wide);
    if (status != STARFISH_SUCCESS)
        return starfish_failure_repeat(&refusal);
    keep_result(job, &second);
    starfish_plan_solved_again(&job->plan->base, job->plan->wide);
    return STARFISH_SUCCESS;
}
