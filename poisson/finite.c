/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Search for user data that are not finite: one task per slab of the right-hand side and per face array, besides the
 * tasks of the solve. */
#include "poisson/layout.h"

#include "codelets/stencil.h"
#include "scheduler/runtime/machine.h"
#include "stencil/kernels/finite.h"

#include <stdint.h>
#include <stdlib.h>

/* A result for every piece of data. */
struct starfish_finite_search {
    struct starfish_coefficient_table face[3][2];
    size_t slabs;
    struct starfish_coefficient_table slab[];
};

static starfish_status submit(struct starfish_poisson_job *job, struct starfish_finite_task *task,
                              struct starfish_coefficient_table *first)
{
    STARFISH_TRY(starfish_coefficient_table_results(first, 1));
    task->precision = job->plan->options.precision;
    task->first = first->handle;
    return starfish_submit_finite(&job->base.progress, STARFISH_PHASE_FORWARD, task);
}

starfish_status starfish_job_submit_search(struct starfish_poisson_job *job)
{
    const struct starfish_poisson_plan *plan = job->plan;
    if (!plan->options.check_data)
        return STARFISH_SUCCESS;
    struct starfish_finite_search *search = job->search =
        calloc(1, sizeof *search + job->cut.parts * sizeof search->slab[0]);
    STARFISH_FAIL_IF(!search, STARFISH_ERROR_MEMORY, "out of memory for the search for values that are not finite");
    search->slabs = job->cut.parts;
    const starfish_handle *values = starfish_job_packs_rhs(job) ? job->full_rhs : job->rhs->handle;
    for (size_t slab = 0; slab < job->cut.parts; slab++) {
        struct starfish_finite_task task = {.count = plan->n[0] * plan->n[1] * starfish_runs_rows(&job->cut, slab),
                                            .is_slab = 1,
                                            .device = job->cut.owner[slab].device,
                                            .values = values[slab]};
        STARFISH_TRY(submit(job, &task, &search->slab[slab]));
    }
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2, end = face % 2;
        struct starfish_finite_task task = {.count = starfish_poisson_face_size(plan, axis),
                                            .device = job->cut.owner[0].device,
                                            .values = job->boundary.face[axis][end]};
        if (job->boundary.face[axis][end])
            STARFISH_TRY(submit(job, &task, &search->face[axis][end]));
    }
    return STARFISH_SUCCESS;
}

static starfish_status read_first(const struct starfish_poisson_job *job,
                                  const struct starfish_coefficient_table *table, uint64_t *first)
{
    *first = STARFISH_ALL_FINITE;
    if (!table->handle || starfish_machine_is_simulated()) /* where nothing is computed */
        return STARFISH_SUCCESS;
    return starfish_coefficient_table_read(table, job->plan->base.context, first, sizeof *first);
}

starfish_status starfish_job_end_search(const struct starfish_poisson_job *job)
{
    const struct starfish_finite_search *search = job->search;
    const size_t nx = job->plan->n[0], ny = job->plan->n[1];
    uint64_t first;
    /* Faces first: a packed copy of the right-hand side has their data in it. */
    for (int face = 0; face < 6 && search; face++) {
        STARFISH_TRY(read_first(job, &search->face[face / 2][face % 2], &first));
        STARFISH_REFUSE_IF(first != STARFISH_ALL_FINITE, "boundary.array[%d][%d] is not finite at %zu", face / 2,
                           face % 2, (size_t)first);
    }
    for (size_t slab = 0; slab < job->cut.parts && search; slab++) {
        if (!starfish_run_is_here(job->plan->base.context, &job->cut, slab))
            continue;
        STARFISH_TRY(read_first(job, &search->slab[slab], &first));
        STARFISH_REFUSE_IF(first != STARFISH_ALL_FINITE, "rhs is not finite at (%zu, %zu, %zu)", (size_t)first % nx,
                           (size_t)first / nx % ny, job->cut.first[slab] + (size_t)first / (nx * ny));
    }
    return STARFISH_SUCCESS;
}

void starfish_job_release_search(struct starfish_poisson_job *job)
{
    struct starfish_finite_search *search = job->search;
    for (size_t slab = 0; search && slab < search->slabs; slab++)
        starfish_coefficient_table_destroy(&search->slab[slab]);
    for (int face = 0; face < 6 && search; face++)
        starfish_coefficient_table_destroy(&search->face[face / 2][face % 2]);
    free(search);
    job->search = NULL;
}
