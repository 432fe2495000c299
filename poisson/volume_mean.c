/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Singular problems whose rows are scaled: what comes off the right-hand side, and off the solution, are means by
 * volumes, which the scaled rows do not know (docs/curvilinear.md). */
#include "poisson/volume_mean.h"

#include "poisson/methods.h"
#include "stencil/kernels/volume_mean.h"

#include <stdlib.h>
#include <string.h>

int starfish_poisson_has_volume_mean(const struct starfish_poisson_plan *plan)
{
    return plan->singular && plan->direction[1].scale_y && plan->method != &starfish_blktri_method;
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

static double mean(const struct starfish_direction *y, const double *values)
{
    double sum = 0;
    for (size_t j = 0; j < y->n; j++)
        sum += y->weight[j] * values[j];
    return sum;
}

/* row solves (Y row)[j] = mean_scale - scale_y[j], from flux to flux; its mean by volumes is zero. */
static void solve_row(const struct starfish_direction *y, const double *volume, double mean_scale, double *row)
{
    long double flux = 0, sum = 0;
    for (size_t j = 0; j + 1 < y->n; j++) {
        flux += (long double)y->weight[j] * (long double)(mean_scale - y->scale_y[j]);
        row[j + 1] = (double)((long double)row[j] + flux / (long double)(y->weight[j] * y->upper[j]));
    }
    for (size_t j = 0; j < y->n; j++)
        sum += (long double)volume[j] * (long double)row[j];
    for (size_t j = 0; j < y->n; j++)
        row[j] -= (double)sum;
}

static starfish_status fill(struct starfish_poisson_plan *plan, double *volumes, double *row)
{
    const struct starfish_direction *d = plan->direction;
    struct starfish_mean_tables *tables = &plan->mean_tables;
    double *const of_y = volumes + d[0].n;
    const double mean_scale = mean(&d[1], d[1].scale_y);
    memcpy(tables->n, plan->n, sizeof tables->n);
    memcpy(volumes, d[0].weight, d[0].n * sizeof *volumes);
    for (size_t j = 0; j < d[1].n; j++)
        of_y[j] = d[1].weight[j] * d[1].scale_y[j] / mean_scale;
    memcpy(of_y + d[1].n, d[2].weight, d[2].n * sizeof *volumes);
    solve_row(&d[1], of_y, mean_scale, row);
    STARFISH_TRY(
        starfish_coefficient_table_reals(&tables->volumes, plan->options.precision, volumes, d[0].n + d[1].n + d[2].n));
    return starfish_coefficient_table_reals(&tables->row, STARFISH_F64, row, d[1].n);
}

starfish_status starfish_poisson_create_volume_mean(struct starfish_poisson_plan *plan)
{
    const size_t *n = plan->n, count = n[0] + n[1] + n[2];
    if (!starfish_poisson_has_volume_mean(plan))
        return STARFISH_SUCCESS;
    double *volumes = calloc(count + n[1], sizeof *volumes);
    STARFISH_FAIL_IF(!volumes, STARFISH_ERROR_MEMORY, "out of memory for volumes of %zu rows", count);
    const starfish_status status = fill(plan, volumes, volumes + count);
    free(volumes);
    return status;
}

void starfish_poisson_destroy_volume_mean(struct starfish_poisson_plan *plan)
{
    starfish_coefficient_table_destroy(&plan->mean_tables.volumes);
    starfish_coefficient_table_destroy(&plan->mean_tables.row);
}

/* ---- Jobs -------------------------------------------------------------------------------------------------------- */

static starfish_status make_tables(struct starfish_poisson_job *job)
{
    const struct starfish_context *context = job->plan->base.context;
    if (job->means)
        return STARFISH_SUCCESS;
    job->means = calloc(job->cut.parts + 1, sizeof *job->means);
    STARFISH_FAIL_IF(!job->means, STARFISH_ERROR_MEMORY, "out of memory for sums of %zu slabs", job->cut.parts);
    for (size_t slab = 0; slab < job->cut.parts; slab++)
        STARFISH_TRY(starfish_coefficient_table_results_of(&job->means[slab], context, STARFISH_SUMS,
                                                           job->cut.owner[slab].rank));
    return starfish_coefficient_table_results_of(&job->means[job->cut.parts], context, STARFISH_MEAN_NUMBERS, 0);
}

starfish_status starfish_job_submit_volume_mean(struct starfish_poisson_job *job, int again)
{
    if (!starfish_poisson_has_volume_mean(job->plan))
        return STARFISH_SUCCESS;
    STARFISH_TRY(make_tables(job));
    const struct starfish_mean_data data = {.sums = job->means,
                                            .numbers = job->means[job->cut.parts].handle,
                                            .removed = again ? NULL : job->removed.handle};
    return starfish_submit_volume_mean(&job->base.progress, STARFISH_PHASE_BACKWARD, &job->plan->mean_tables,
                                       &job->solution_slabs, &data);
}

void starfish_job_release_volume_mean(struct starfish_poisson_job *job)
{
    for (size_t i = 0; job->means && i <= job->cut.parts; i++)
        starfish_coefficient_table_destroy(&job->means[i]);
    free(job->means);
}
