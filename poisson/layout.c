/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays whose rows are not packed, and many problems. Layouts are checked and become strides during plan creation. If
 * the method, the residual or refinement needs packed rows, the job uses packed slabs of the runtime. The task that
 * adds boundary data to the right-hand side fills them; a task of the same kind empties them. */
#include "poisson/layout.h"

#include "codelets/stencil.h"
#include "poisson/methods.h"
#include "poisson/volume_mean.h"
#include "scheduler/runtime/data.h"
#include "scheduler/runtime/ranks.h"
#include "tridiag/kernels/constant_line.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const char *const names[STARFISH_USER_ARRAYS] = {"rhs", "solution"};

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* The stride that a member says, in reals: `least`, or more where it is not 0. */
static starfish_status read_stride(const char *array, const char *member, size_t given, size_t unit, size_t least,
                                   size_t *stride)
{
    *stride = least;
    if (given == 0)
        return STARFISH_SUCCESS;
    STARFISH_REFUSE_IF(given > UINT32_MAX / unit || given * unit < least,
                       "options.%s_layout.%s is %zu, not in %zu..%zu", array, member, given, least / unit,
                       (size_t)UINT32_MAX / unit);
    *stride = given * unit;
    return STARFISH_SUCCESS;
}

/* In two dimensions a row of the user's is a plane; unknowns are pairs where numbers are complex. */
static starfish_status read_layout(const struct starfish_poisson_plan *plan, const struct starfish_array_layout *given,
                                   const char *name, struct starfish_user_layout *layout)
{
    const int of_numbers = plan->direction[0].transform == STARFISH_TRANSFORM_IDENTITY;
    const int flat = of_numbers || plan->in_plane;
    const size_t *n = plan->n, unit = of_numbers ? n[0] : 1;
    struct starfish_strides strides = {.height = n[1], .depth = n[2]};
    STARFISH_REFUSE_IF(flat && given->plane > 0, "options.%s_layout.plane is %zu, but there are two dimensions", name,
                       given->plane);
    STARFISH_TRY(read_stride(name, "row", flat ? 0 : given->row, unit, n[0], &strides.row));
    STARFISH_TRY(read_stride(name, flat ? "row" : "plane", flat ? given->row : given->plane, unit, strides.row * n[1],
                             &strides.plane));
    STARFISH_REFUSE_IF(strides.plane > UINT32_MAX, "options.%s_layout.row is %zu: planes of %zu rows are too large",
                       name, given->row, n[1]);
    STARFISH_TRY(read_stride(name, "problem", given->problem, unit, strides.plane * n[2], &strides.box));
    const int packed = strides.row == n[0] && strides.plane == n[0] * n[1] &&
                       (plan->count == 1 || strides.box == strides.plane * n[2]);
    layout->offset = given->offset * unit;
    layout->strides = strides;
    if (packed)
        memset(&layout->strides, 0, sizeof layout->strides);
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_read_layouts(struct starfish_poisson_plan *plan)
{
    const struct starfish_poisson_options *options = &plan->options;
    plan->count = options->count > 0 ? options->count : 1;
    memcpy(plan->field_n, plan->n, sizeof plan->n);
    STARFISH_REFUSE_IF(plan->count > UINT32_MAX / plan->n[2],
                       "options.count is %zu: together they have too many planes", plan->count);
    plan->field_n[2] *= plan->count;
    STARFISH_TRY(read_layout(plan, &options->rhs_layout, names[STARFISH_RHS], &plan->layout[STARFISH_RHS]));
    return read_layout(plan, &options->solution_layout, names[STARFISH_SOLUTION], &plan->layout[STARFISH_SOLUTION]);
}

static void *first_unknown(const struct starfish_poisson_plan *plan, enum starfish_user_array which, const void *memory)
{
    return (char *)(uintptr_t)memory + plan->layout[which].offset * starfish_real_size(plan->options.precision);
}

/* Takes the kept field of that array out of the plan; NULL where the plan keeps no such field. By now the address may
 * belong to another memory. */
static struct starfish_field *take_kept(struct starfish_poisson_plan *plan, enum starfish_user_array which,
                                        const struct starfish_runs *cut, const void *memory)
{
    struct starfish_field *found = NULL;
    int node;
    pthread_mutex_lock(&plan->base.lock);
    for (size_t i = 0; i < STARFISH_KEPT_FIELDS && !found; i++) {
        struct starfish_field **const kept = &plan->kept[which].field[i];
        if (*kept && (*kept)->memory == memory && starfish_runs_are_same(&(*kept)->cut, cut)) {
            found = *kept;
            *kept = NULL;
        }
    }
    pthread_mutex_unlock(&plan->base.lock);
    if (found && (starfish_memory_place(plan->base.context, names[which], memory, &node, NULL) != STARFISH_SUCCESS ||
                  node != starfish_slab_home(found->handle[0]))) {
        starfish_field_destroy(found);
        found = NULL;
    }
    return found;
}

void starfish_poisson_end_user_field(struct starfish_poisson_plan *plan, enum starfish_user_array which,
                                     struct starfish_field *field)
{
    struct starfish_kept_fields *const kept = &plan->kept[which];
    struct starfish_field *ended = field;
    if (field && starfish_context_ranks(field->context) == 1 && starfish_field_is_on_device_only(field)) {
        pthread_mutex_lock(&plan->base.lock);
        ended = kept->field[kept->oldest];
        kept->field[kept->oldest] = field;
        kept->oldest = (kept->oldest + 1) % STARFISH_KEPT_FIELDS;
        pthread_mutex_unlock(&plan->base.lock);
    }
    starfish_field_destroy(ended);
}

void starfish_poisson_forget_fields(struct starfish_poisson_plan *plan)
{
    for (int which = 0; which < STARFISH_USER_ARRAYS; which++)
        for (size_t i = 0; i < STARFISH_KEPT_FIELDS; i++)
            starfish_field_destroy(plan->kept[which].field[i]);
}

starfish_status starfish_poisson_user_field(struct starfish_poisson_plan *plan, enum starfish_user_array which,
                                            const struct starfish_runs *cut, void *memory,
                                            struct starfish_field **field)
{
    const struct starfish_field_shape shape = {.precision = plan->options.precision,
                                               .n = {plan->field_n[0], plan->field_n[1], plan->field_n[2]},
                                               .strides = plan->layout[which].strides};
    void *const first = plan->here.planes > 0 ? first_unknown(plan, which, memory) : NULL;
    *field = first ? take_kept(plan, which, cut, first) : NULL;
    return *field ? STARFISH_SUCCESS
                  : starfish_field_shaped(plan->base.context, &shape, cut, names[which], first, field);
}

starfish_status starfish_poisson_same_field(const struct starfish_poisson_plan *plan, const void *rhs,
                                            const void *solution, int *same)
{
    const struct starfish_user_layout *layout = plan->layout;
    const void *const from = first_unknown(plan, STARFISH_RHS, rhs);
    const void *const to = first_unknown(plan, STARFISH_SOLUTION, solution);
    /* Unknowns of arrays that are not packed may lie between each other. */
    const int packed = layout[STARFISH_RHS].strides.row == 0 && layout[STARFISH_SOLUTION].strides.row == 0;
    const int alike =
        memcmp(&layout[STARFISH_RHS].strides, &layout[STARFISH_SOLUTION].strides, sizeof layout[0].strides) == 0;
    STARFISH_TRY(starfish_memory_check_arrays(from, to, plan->options.precision,
                                              packed ? plan->n[0] * plan->n[1] * plan->here.planes * plan->count : 0));
    *same = from == to;
    STARFISH_REFUSE_IF(*same && !alike, "rhs and solution are one array, but have two layouts");
    return STARFISH_SUCCESS;
}

/* ---- Packed copies ----------------------------------------------------------------------------------------------- */

static int wants_packed(const struct starfish_poisson_job *job, const struct starfish_field *field)
{
    const struct starfish_poisson_plan *plan = job->plan;
    return job->staged ||
           (field->strides.row > 0 && (!plan->method->rows || plan->options.check_residual || plan->refinements > 0 ||
                                       plan->options.check_data || starfish_poisson_has_volume_mean(plan)));
}

int starfish_job_packing_device(const struct starfish_poisson_job *job, size_t slab)
{
    return job->staged ? STARFISH_CORES : job->cut.owner[slab].device;
}

int starfish_job_packs_rhs(const struct starfish_poisson_job *job)
{
    return wants_packed(job, job->rhs);
}

starfish_status starfish_job_make_solution_slabs(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    const struct starfish_field_array array = {
        .n = plan->field_n, .precision = plan->options.precision, .context = plan->base.context};
    const int packs = wants_packed(job, job->solution);
    for (size_t slab = 0; slab < job->cut.parts && packs; slab++)
        starfish_slab_register(&job->packed[slab], "packed solution", &job->cut, slab, &array);
    starfish_vector_borrow(&job->solution_slabs, &job->space, plan->options.precision,
                           packs ? job->packed : job->solution->handle);
    job->solution_slabs.strided = !packs && job->solution->strides.row > 0;
    return starfish_vector_add_edges(&job->solution_slabs);
}

starfish_status starfish_job_submit_unpacking(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    struct starfish_boundary_task task = {.precision = plan->options.precision,
                                          .planes = plan->n[2],
                                          .name = "unpack solution",
                                          .past_caches = job->staged};
    for (size_t slab = 0; slab < job->cut.parts && job->packed[slab]; slab++) {
        memcpy(task.n, (const size_t[]){plan->n[0], plan->n[1], starfish_runs_rows(&job->cut, slab)}, sizeof task.n);
        task.first_plane = job->cut.first[slab];
        task.device = starfish_job_packing_device(job, slab);
        task.rhs = job->packed[slab];
        task.result = job->solution->handle[slab];
        STARFISH_TRY(starfish_submit_boundary_rhs(&job->base.progress, STARFISH_PHASE_BACKWARD, &task));
    }
    return STARFISH_SUCCESS;
}

void starfish_job_end_staging(struct starfish_poisson_job *job, starfish_handle *copies)
{
    for (size_t slab = 0; slab < job->cut.parts && job->staged; slab++) {
        starfish_data_discard_after_tasks(copies[slab]);
        copies[slab] = NULL;
    }
}

void starfish_job_release_packed(struct starfish_poisson_job *job)
{
    for (size_t slab = 0; slab < job->cut.parts; slab++)
        starfish_array_unregister(job->packed[slab]);
}

/* ---- Results of each problem ------------------------------------------------------------------------------------- */

size_t starfish_job_problems(const struct starfish_poisson_job *job, size_t slab)
{
    return job->plan->count > 1 ? starfish_runs_rows(&job->cut, slab) / job->plan->n[2] : 1;
}

starfish_status starfish_job_make_removed(struct starfish_poisson_job *job)
{
    if (!job->plan->singular)
        return STARFISH_SUCCESS;
    if (job->plan->count == 1)
        return starfish_coefficient_table_results_of(&job->removed, job->plan->base.context, STARFISH_CONSTANT_REMOVED,
                                                     0);
    for (size_t slab = 0; slab < job->cut.parts; slab++)
        STARFISH_TRY(starfish_coefficient_table_results(&job->removed_of_slab[slab],
                                                        STARFISH_CONSTANT_REMOVED * starfish_job_problems(job, slab)));
    return STARFISH_SUCCESS;
}

/* What was taken off on all ranks: the sum is rank 0's. */
static starfish_status read_sum(const struct starfish_poisson_job *job, double removed[2])
{
    struct starfish_context *context = job->plan->base.context;
    starfish_status status = STARFISH_SUCCESS;
    if (starfish_context_rank(context) == 0)
        status = starfish_coefficient_table_read(&job->removed, context, removed, 2 * sizeof *removed);
    STARFISH_TRY(starfish_ranks_broadcast(context, removed, 2 * sizeof *removed, 0));
    return status;
}

/* The pairs of one table: keeps the one with the largest first number, and copies all of these to `all`. */
static starfish_status read_removed(const struct starfish_poisson_job *job,
                                    const struct starfish_coefficient_table *table, size_t problems, double largest[2],
                                    double *all)
{
    STARFISH_TRY(starfish_coefficient_table_acquire(table, job->plan->base.context, STARFISH_READ));
    const double *pair = table->memory;
    for (size_t p = 0; p < problems; p++, pair += 2) {
        if (fabs(pair[0]) > fabs(largest[0]) || problems == 1)
            memcpy(largest, pair, 2 * sizeof *pair);
        all[p] = pair[0];
    }
    starfish_coefficient_table_release(table);
    return STARFISH_SUCCESS;
}

static starfish_status read_largest(const struct starfish_poisson_job *job, double removed[2])
{
    double *next = job->base.kept;
    for (size_t slab = 0; slab < job->cut.parts; slab++) {
        const size_t problems = starfish_job_problems(job, slab);
        double largest[2] = {0, 0};
        STARFISH_TRY(read_removed(job, &job->removed_of_slab[slab], problems, largest, next));
        if (fabs(largest[0]) > fabs(removed[0]))
            memcpy(removed, largest, sizeof largest);
        next += problems;
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_job_read_removed(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    double removed[2] = {0, 0};
    if (plan->singular)
        STARFISH_TRY(plan->count == 1 ? read_sum(job, removed) : read_largest(job, removed));
    job->base.result.pertrb = removed[0];
    job->base.result.pertrb_imaginary = starfish_poisson_is_complex(plan) ? removed[1] : 0;
    return STARFISH_SUCCESS;
}
