/* Solves in f32 that are repeated in f64: the right-hand side is converted where it lies, in tasks, to an array of
 * ours, which the solution of the second plan takes the place of, and that is converted back. */
#include "poisson/wide.h"

#include "poisson/layout.h"
#include "poisson/methods.h"
#include "scheduler/ranks.h"
#include "tasks/algebra.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

int starfish_job_may_widen(const struct starfish_poisson_job *job)
{
    const struct starfish_poisson_options *options = &job->plan->options;
    return options->method == STARFISH_METHOD_AUTO && options->precision == STARFISH_F32 && options->refinements < 0 &&
           job->owns_fields && !job->in_bundle && !job->solution_slabs.strided;
}

/* The second plan, made by the first job that wants it. */
static starfish_status find_plan(struct starfish_poisson_plan *plan, struct starfish_poisson_plan **wide)
{
    starfish_status status = STARFISH_SUCCESS;
    pthread_mutex_lock(&plan->submission);
    if (!plan->wide)
        status = starfish_poisson_plan_widen(plan, &plan->wide);
    *wide = plan->wide;
    pthread_mutex_unlock(&plan->submission);
    return status;
}

/* ---- Converting -------------------------------------------------------------------------------------------------- */

/* Slabs of a job's cut as vectors of one part each, and the array in f64, of this rank's planes. */
struct wide {
    struct starfish_poisson_job *job;
    struct starfish_space space[STARFISH_MAX_SLABS];
    size_t bytes;
    void *memory;
};

static starfish_status make_space(const struct starfish_poisson_job *job, size_t slab, struct starfish_space *space)
{
    const struct starfish_poisson_plan *plan = job->plan;
    const size_t planes = starfish_cut_planes(&job->cut, slab), first[2] = {0, planes};
    const uint32_t where = job->cut.where[slab];
    const int gpu = starfish_where_gpu(where);
    const struct starfish_owner owner = {starfish_where_rank(where), gpu >= 0 ? gpu : STARFISH_ANY};
    const struct starfish_runs runs = {.parts = 1, .first = first, .owner = &owner};
    return starfish_space_runs(space, plan->context, (const size_t[]){plan->n[0] * plan->n[1], planes}, &runs);
}

/* From the slabs to the array, or back. */
static starfish_status submit_conversion(struct wide *wide, size_t slab, starfish_handle narrow, starfish_handle other,
                                         int back)
{
    static const struct starfish_factor one = {.number = 1};
    struct starfish_poisson_job *job = wide->job;
    const struct starfish_algebra algebra = {.progress = &job->progress,
                                             .phase = STARFISH_PHASE_REFINEMENT,
                                             .where = starfish_where_kinds(job->cut.where[slab])};
    struct starfish_vector in_f32, in_f64;
    starfish_vector_borrow(&in_f32, &wide->space[slab], STARFISH_F32, &narrow);
    starfish_vector_borrow(&in_f64, &wide->space[slab], STARFISH_F64, &other);
    return starfish_algebra_convert(&algebra, &one, 0, back ? &in_f64 : &in_f32, back ? &in_f32 : &in_f64);
}

static starfish_status convert(struct wide *wide, const starfish_handle *narrow, int back)
{
    struct starfish_poisson_job *job = wide->job;
    const struct starfish_poisson_plan *plan = job->plan;
    struct starfish_field *field;
    STARFISH_TRY(
        starfish_field_over(plan->context, STARFISH_F64, plan->field_n, &job->cut, "rhs in f64", wide->memory, &field));
    starfish_status status = STARFISH_SUCCESS;
    for (size_t slab = 0; slab < job->cut.slabs && status == STARFISH_SUCCESS; slab++)
        status = submit_conversion(wide, slab, narrow[slab], field->handle[slab], back);
    const starfish_status waited = starfish_progress_wait(&job->progress);
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
    for (size_t i = 0; i < wide->bytes / sizeof *u; i++)
        largest = fmax(largest, fabs(u[i]));
    STARFISH_TRY(starfish_ranks_maximum(wide->job->plan->context, &largest, 1));
    return largest <= (double)FLT_MAX
               ? STARFISH_SUCCESS
               : starfish_fail(STARFISH_ERROR_NUMERICAL, "the solution is as large as %.3g: f32 does not hold it",
                               largest);
}

static starfish_status solve(const struct wide *wide, struct starfish_poisson_plan *plan, struct starfish_info *info,
                             struct starfish_accuracy *accuracy)
{
    struct starfish_poisson_job *job;
    STARFISH_TRY(starfish_poisson_submit(plan, NULL, wide->memory, wide->memory, &job));
    if (wide->job->pertrb)
        STARFISH_TRY(starfish_job_tell_pertrb(job, wide->job->pertrb));
    STARFISH_TRY(starfish_job_wait_accuracy(job, info, accuracy));
    return check_range(wide);
}

static starfish_status write_solution(struct wide *wide)
{
    struct starfish_poisson_job *job = wide->job;
    STARFISH_TRY(convert(wide, job->solution_slabs.slab, 1));
    starfish_data_release(&job->ghosted);
    const starfish_status status = starfish_job_submit_home(job);
    const starfish_status waited = starfish_progress_wait(&job->progress);
    return status == STARFISH_SUCCESS ? waited : status;
}

static starfish_status prepare(struct wide *wide)
{
    const struct starfish_poisson_plan *plan = wide->job->plan;
    wide->bytes = plan->n[0] * plan->n[1] * plan->here.planes * plan->count * sizeof(double);
    for (size_t slab = 0; slab < wide->job->cut.slabs; slab++)
        STARFISH_TRY(make_space(wide->job, slab, &wide->space[slab]));
    return wide->bytes > 0 ? starfish_alloc(plan->context, wide->bytes, &wide->memory) : STARFISH_SUCCESS;
}

static starfish_status run(struct wide *wide, struct starfish_info *info, struct starfish_accuracy *accuracy)
{
    struct starfish_context *context = wide->job->plan->context;
    struct starfish_poisson_plan *plan;
    STARFISH_TRY(find_plan(wide->job->plan, &plan));
    STARFISH_TRY(starfish_ranks_agree(context, prepare(wide)));
    STARFISH_TRY(starfish_ranks_agree(context, convert_rhs(wide)));
    STARFISH_TRY(solve(wide, plan, info, accuracy));
    return starfish_ranks_agree(context, write_solution(wide));
}

/* Seconds and phases are those of both solves. */
static void add_info(const struct starfish_info *second, struct starfish_info *info)
{
    info->residual = second->residual;
    info->pertrb = second->pertrb;
    info->pertrb_imaginary = second->pertrb_imaginary;
    info->refinements = second->refinements;
    info->outcome = second->outcome;
    info->seconds += second->seconds;
    if (info->phases < STARFISH_MAX_PHASES) {
        info->phase[info->phases].name = "again in f64";
        info->phase[info->phases++].seconds = second->seconds;
    }
}

starfish_status starfish_job_widen(struct starfish_poisson_job *job, struct starfish_info *info,
                                   struct starfish_accuracy *accuracy)
{
    struct starfish_failure refusal = {.status = STARFISH_SUCCESS};
    struct starfish_info second;
    struct starfish_accuracy found;
    starfish_failure_keep(&refusal, STARFISH_ERROR_NUMERICAL);
    struct wide *wide = calloc(1, sizeof *wide);
    starfish_status status = wide ? STARFISH_SUCCESS : STARFISH_ERROR_MEMORY;
    status = starfish_ranks_agree(job->plan->context, status);
    if (wide && status == STARFISH_SUCCESS) {
        wide->job = job;
        status = run(wide, &second, &found);
        if (wide->memory)
            starfish_free(job->plan->context, wide->memory, wide->bytes);
    }
    free(wide);
    if (status != STARFISH_SUCCESS)
        return starfish_failure_repeat(&refusal);
    add_info(&second, info);
    found.residual_bound = accuracy->residual_bound; /* the plan's: that of f64 is less */
    *accuracy = found;
    return STARFISH_SUCCESS;
}
