/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boundary data of a solve. One task per slab adds them to the right-hand side and reads the face arrays in place, on
 * the host or on a GPU; or the method does so itself while reading the right-hand side (methods.h). */
#include "poisson/layout.h"

#include "base/pages.h"
#include "base/precision.h"
#include "codelets/stencil.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int axis_of_user(const struct starfish_poisson_plan *plan, int axis)
{
    return plan->in_plane && axis == 2 ? 1 : axis;
}

/* Whether this rank has unknowns at an end. */
static int end_is_here(const struct starfish_poisson_plan *plan, int axis, int end)
{
    const struct starfish_planes_here *here = &plan->here;
    return here->planes > 0 && (axis < 2 || (end ? here->first + here->planes == plan->n[2] : here->first == 0));
}

static int end_has_data(const struct starfish_poisson_plan *plan, const struct starfish_boundary *boundary, int axis,
                        int end)
{
    return boundary && end_is_here(plan, axis, end) && plan->direction[axis].takes_boundary[end] &&
           (boundary->array[axis][end] || boundary->constant[axis][end] != 0);
}

/* Whether `bytes` from `array` on are among those of the solution, which a method may write before it has read them. */
static int is_in_solution(const struct starfish_poisson_job *job, const void *array, size_t bytes)
{
    const size_t *n = job->plan->field_n;
    const size_t size = n[0] * n[1] * n[2] * starfish_real_size(job->plan->options.precision);
    const uintptr_t at = (uintptr_t)array, solution = (uintptr_t)job->solution->memory;
    return at < solution + size && solution < at + bytes;
}

/* The array of a face as data. A host array that may change before the job is done is copied. */
static starfish_status register_face(struct starfish_poisson_job *job, const void *array, int axis, int end)
{
    const struct starfish_poisson_plan *plan = job->plan;
    const size_t count = starfish_poisson_face_size(plan, axis);
    const size_t size = starfish_real_size(plan->options.precision);
    enum starfish_residence residence;
    char name[48];
    int node;

    snprintf(name, sizeof name, "boundary.array[%d][%d]", axis_of_user(plan, axis), end);
    STARFISH_TRY(starfish_memory_place(plan->base.context, name, array, &node, &residence));
    if (residence != STARFISH_ON_DEVICE &&
        (!job->base.request.boundary_stays || is_in_solution(job, array, count * size))) {
        void *copy = job->face_copy[axis][end] = starfish_pages_alloc(count * size);
        STARFISH_FAIL_IF(!copy, STARFISH_ERROR_MEMORY, "out of memory for boundary data");
        array = memcpy(copy, array, count * size);
    }
    job->face_on_host[axis][end] = residence != STARFISH_ON_DEVICE ? array : NULL;
    return starfish_array_over(&job->boundary.face[axis][end], plan->base.context, name, array, count, size);
}

/* A number that is not zero, and neither is infinite nor loses digits in the precision. */
static int is_held(starfish_precision precision, double value)
{
    return fabs(value) >= starfish_least_normal(precision) && fabs(value) <= starfish_largest_number(precision);
}

static starfish_status check_constant(const struct starfish_poisson_plan *plan, double constant, int axis, int end)
{
    const int of_user = axis_of_user(plan, axis);
    const starfish_precision precision = plan->options.precision;
    const char *name = precision == STARFISH_F32 ? "f32" : "f64";
    const double weight = plan->direction[axis].boundary_weight[end];
    STARFISH_REFUSE_IF(plan->options.check_data && !isfinite(constant), "boundary.constant[%d][%d] is not finite",
                       of_user, end);
    if (!isfinite(constant))
        return STARFISH_SUCCESS;
    STARFISH_REFUSE_IF(!is_held(precision, constant), "boundary.constant[%d][%d] is %g, which is beyond what %s holds",
                       of_user, end, constant, name);
    STARFISH_REFUSE_IF(!is_held(precision, weight * constant),
                       "boundary.constant[%d][%d] = %g adds %g to rhs, which is beyond what %s holds", of_user, end,
                       constant, -weight * constant, name);
    return STARFISH_SUCCESS;
}

/* Whether the first or the last plane is one unknown, on axis or pole. */
static int has_point(const struct starfish_poisson_plan *plan, int end)
{
    const struct starfish_direction *z = &plan->direction[2];
    return z->weight_x && z->weight_x[end ? z->n - 1 : 0] == 0;
}

int starfish_poisson_fills_rhs(const struct starfish_poisson_plan *plan)
{
    return has_point(plan, 0) || has_point(plan, 1);
}

/* A point takes data at walls from the plane beside it. */
static starfish_status check_walls(const struct starfish_poisson_plan *plan)
{
    for (int end = 0; end < 2; end++)
        STARFISH_FAIL_IF(
            has_point(plan, end) && end_is_here(plan, 2, end) && plan->here.planes < 2, STARFISH_ERROR_UNSUPPORTED,
            "boundary.array[0] and constant[0]: the rank with the node at %s must have two planes", plan->name[2]);
    return STARFISH_SUCCESS;
}

/* What data at end of x are multiplied by at a point: its coupling times their part in the mean beside it. */
static double weight_at_point(const struct starfish_poisson_plan *plan, int point, int end)
{
    const struct starfish_direction *x = &plan->direction[0], *z = &plan->direction[2];
    const double coupling = point ? z->lower[z->n - 1] : z->upper[0];
    return coupling * x->boundary_weight[end] * x->weight[end ? x->n - 1 : 0];
}

starfish_status starfish_job_take_boundary(struct starfish_poisson_job *job, const struct starfish_boundary *boundary,
                                           int *any)
{
    const struct starfish_poisson_plan *plan = job->plan;
    struct starfish_boundary_data *data = &job->boundary;
    struct starfish_boundary of_plane;
    *any = 0;
    if (boundary && plan->in_plane) {
        of_plane = *boundary;
        memcpy(of_plane.array[2], boundary->array[1], sizeof of_plane.array[2]);
        memcpy(of_plane.constant[2], boundary->constant[1], sizeof of_plane.constant[2]);
        boundary = &of_plane;
    }
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++) {
            if (!end_has_data(plan, boundary, axis, end))
                continue;
            *any = 1;
            if (axis == 0)
                STARFISH_TRY(check_walls(plan));
            data->weight[axis][end] = plan->direction[axis].boundary_weight[end];
            data->constant[axis][end] = boundary->constant[axis][end];
            if (!boundary->array[axis][end])
                STARFISH_TRY(check_constant(plan, boundary->constant[axis][end], axis, end));
            if (boundary->array[axis][end])
                STARFISH_TRY(register_face(job, boundary->array[axis][end], axis, end));
        }
    return STARFISH_SUCCESS;
}

starfish_status starfish_job_submit_full_rhs(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    const starfish_precision precision = plan->options.precision;
    struct starfish_boundary_task task = {.precision = precision,
                                          .planes = plan->here.planes,
                                          .data = job->boundary,
                                          .factors = plan->operator_.factors.handle,
                                          .factor_planes = plan->operator_.n[2],
                                          .first_factor = plan->here.first};
    const struct starfish_field_array array = {
        .n = plan->field_n, .precision = precision, .context = plan->base.context};
    for (int face = 0; face < 4; face++)
        if (has_point(plan, face / 2))
            task.at_point[face / 2][face % 2] = weight_at_point(plan, face / 2, face % 2);
    /* Faces are those of this rank's planes. */
    for (size_t slab = 0; slab < job->cut.parts; slab++) {
        memcpy(task.n, (const size_t[]){plan->n[0], plan->n[1], starfish_runs_rows(&job->cut, slab)}, sizeof task.n);
        task.first_plane = job->cut.first[slab] - plan->here.first;
        task.device = starfish_job_packing_device(job, slab);
        task.rhs = job->rhs->handle[slab];
        starfish_slab_register(&job->full_rhs[slab], "full rhs", &job->cut, slab, &array);
        task.result = job->full_rhs[slab];
        STARFISH_TRY(starfish_submit_boundary_rhs(&job->base.progress, STARFISH_PHASE_FORWARD, &task));
    }
    return STARFISH_SUCCESS;
}

double starfish_job_largest_boundary(const struct starfish_poisson_job *job)
{
    double largest = 0;
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2, end = face % 2;
        const void *array = job->face_on_host[axis][end];
        for (size_t e = 0; array && e < starfish_poisson_face_size(job->plan, axis); e++)
            largest = fmax(largest, fabs(job->boundary.weight[axis][end] *
                                         starfish_element(array, job->plan->options.precision, e)));
    }
    return largest;
}

void starfish_job_release_boundary(struct starfish_poisson_job *job)
{
    for (size_t slab = 0; slab < job->cut.parts; slab++)
        starfish_array_unregister(job->full_rhs[slab]);
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++) {
            starfish_data_release(&job->boundary.face[axis][end]);
            free(job->face_copy[axis][end]);
        }
}
