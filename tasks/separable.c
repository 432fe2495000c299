/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of task graphs common to all separable methods (separable.h): directions as tables, the residual of a slab, and
 * its neighbours' planes. */
#include "tasks/separable.h"

#include "codelets/bring_home.h"
#include "codelets/stencil.h"

#include <stdlib.h>
#include <string.h>

/* A direction's coefficients from table[0] on; returns how many reals they are. */
static size_t put_direction(const struct starfish_direction *d, double *table)
{
    const double *const part[3] = {d->lower, d->diag, d->upper};
    const size_t stride = d->imaginary ? 2 : 1;
    for (size_t p = 0; p < 3; p++)
        for (size_t k = 0; k < d->n; k++) {
            double *element = table + (p * d->n + k) * stride;
            element[0] = part[p][k];
            if (d->imaginary)
                element[1] = d->imaginary[p * d->n + k];
        }
    return 3 * d->n * stride;
}

/* And weights of x behind them, where it has any. */
static size_t put_line(const struct starfish_direction *d, double *table)
{
    const size_t count = put_direction(d, table);
    if (!d->weight_x)
        return count;
    memcpy(table + count, d->weight_x, d->n * sizeof *table);
    return count + d->n;
}

/* The coefficients, and the rows' sums behind them, as the direction knows them: what a rounded diagonal adds up to is
 * noise of the couplings' size, which refinement would converge to. A single periodic row is coupled to itself
 * alone: all of it goes to the diagonal, where what cancels is gone before it meets a rounded value. */
static size_t put_operator(const struct starfish_direction *d, double *table)
{
    const size_t count = put_direction(d, table) / 3, stride = count / d->n;
    double *lower = table, *diag = lower + count, *upper = diag + count, *sum = upper + count;
    for (size_t e = 0; e < count; e++)
        sum[e] = e % stride == 0 ? d->sum[e / stride]
                                 : (double)((long double)lower[e] + (long double)upper[e] + (long double)diag[e]);
    if (d->spectral) {
        memset(table, 0, 4 * count * sizeof *table);
        return 4 * count;
    }
    for (size_t e = 0; e < count && d->n == 1; e++) {
        diag[e] = sum[e];
        lower[e] = upper[e] = 0;
    }
    return 4 * count;
}

typedef size_t put_coefficients(const struct starfish_direction *d, double *table);

/* `put` for every direction, at most `parts` complex numbers of a row each. */
static starfish_status make_table(struct starfish_coefficient_table *vector, starfish_precision precision,
                                  const struct starfish_direction *direction, size_t count, put_coefficients *put,
                                  size_t parts)
{
    size_t total = 2 * parts * direction[0].n, at = 0;
    for (size_t d = 1; d < count; d++)
        total += 2 * parts * direction[d].n;
    double *table = malloc(total * sizeof *table);
    STARFISH_FAIL_IF(!table, STARFISH_ERROR_MEMORY, "out of memory for a table of %zu coefficients", total);
    for (size_t d = 0; d < count; d++)
        at += put(&direction[d], table + at);
    starfish_status status = starfish_coefficient_table_reals(vector, precision, table, at);
    free(table);
    return status;
}

starfish_status starfish_matrix_table(struct starfish_coefficient_table *vector, starfish_precision precision,
                                      const struct starfish_direction *direction, size_t count)
{
    return make_table(vector, precision, direction, count, put_line, 4);
}

static starfish_status make_factors(struct starfish_operator *op, const double *weight_x, const double *scale_y)
{
    const size_t planes = op->n[2], rows = op->n[1];
    if (!weight_x && !scale_y)
        return STARFISH_SUCCESS;
    double *table = malloc((planes + rows) * sizeof *table);
    STARFISH_FAIL_IF(!table, STARFISH_ERROR_MEMORY, "out of memory for %zu factors of rows", planes + rows);
    for (size_t k = 0; k < planes; k++)
        table[k] = weight_x ? weight_x[k] : 1;
    for (size_t j = 0; j < rows; j++)
        table[planes + j] = scale_y ? scale_y[j] : 1;
    const starfish_status status = starfish_coefficient_table_reals(&op->factors, STARFISH_F64, table, planes + rows);
    free(table);
    return status;
}

/* Rows of the identity, transformed, multiplied by eigenvalues, and transformed back: row l is what u at l adds. */
static starfish_status fill_dense(const struct starfish_direction *d, double *rows)
{
    const double scale = 1 / starfish_transform_scale(d->transform, d->n);
    struct starfish_transform_cpu *transform;
    STARFISH_TRY(starfish_transform_cpu_create(&transform, d->transform, d->n, STARFISH_F64));
    void *const workspace = malloc(starfish_transform_cpu_workspace(transform) + 1);
    const struct starfish_transform_rows all = {.count = d->n,
                                                .rows = rows,
                                                .tiles = 1,
                                                .tile = {rows},
                                                .first_mode = {0, d->n},
                                                .scale = 1,
                                                .workspace = workspace};
    for (size_t l = 0; l < d->n; l++)
        rows[l * d->n + l] = 1;
    if (workspace)
        starfish_transform_rows_cpu(transform, STARFISH_FORWARD, &all);
    for (size_t l = 0; l < d->n; l++)
        for (size_t mode = 0; mode < d->n; mode++)
            rows[l * d->n + mode] *= scale * d->eigenvalue[mode];
    if (workspace)
        starfish_transform_rows_cpu(transform, STARFISH_BACKWARD, &all);
    starfish_transform_cpu_destroy(transform);
    free(workspace);
    return STARFISH_OR_FAIL(workspace, STARFISH_ERROR_MEMORY, "out of memory for a transform");
}

static starfish_status make_dense(struct starfish_coefficient_table *table, const struct starfish_direction *d)
{
    if (!d->spectral)
        return STARFISH_SUCCESS;
    double *rows = calloc(d->n * d->n, sizeof *rows);
    STARFISH_FAIL_IF(!rows, STARFISH_ERROR_MEMORY, "out of memory for the %zu^2 entries of a spectral derivative",
                     d->n);
    starfish_status status = fill_dense(d, rows);
    STARFISH_THEN(status, starfish_coefficient_table_reals(table, STARFISH_F64, rows, d->n * d->n));
    free(rows);
    return status;
}

starfish_status starfish_operator_create(struct starfish_operator *op, starfish_precision precision,
                                         const struct starfish_direction *direction, double lambda, int complex_pairs)
{
    memset(op, 0, sizeof *op);
    op->precision = precision;
    op->lambda = lambda;
    op->complex_pairs = complex_pairs;
    op->complex_y = direction[1].imaginary != NULL;
    for (int axis = 0; axis < 3; axis++) {
        op->n[axis] = direction[axis].n;
        op->periodic[axis] = direction[axis].periodic;
    }
    STARFISH_TRY(make_factors(op, direction[2].weight_x, direction[1].scale_y));
    for (int axis = 0; axis < 2; axis++)
        STARFISH_TRY(make_dense(&op->dense[axis], &direction[axis]));
    return make_table(&op->axes, STARFISH_F64, direction, 3, put_operator, 4);
}

void starfish_operator_destroy(struct starfish_operator *op)
{
    starfish_coefficient_table_destroy(&op->axes);
    starfish_coefficient_table_destroy(&op->factors);
    for (int axis = 0; axis < 2; axis++)
        starfish_coefficient_table_destroy(&op->dense[axis]);
}

/* Any kind of worker that has a slab: the verdict is a task of one thread, which goes where data are. */
static int device_of(const struct starfish_space *space)
{
    int cores = 1, gpus = 1;
    for (size_t slab = 0; slab < space->parts[1]; slab++) {
        cores &= !starfish_device_allows(space->owner[slab].device, 1);
        gpus &= !starfish_device_allows(space->owner[slab].device, 0);
    }
    return cores ? STARFISH_CORES : gpus ? STARFISH_GPUS : STARFISH_ANY;
}

static struct starfish_refine_task refine_task(const struct starfish_vector *solution,
                                               const struct starfish_refinement_data *data, size_t slab)
{
    return (struct starfish_refine_task){STARFISH_PHASE_REFINEMENT, solution, slab, data->correction[slab]};
}

starfish_status starfish_graph_refine(const struct starfish_operator *op, struct starfish_progress *progress,
                                      const struct starfish_vector *solution,
                                      const struct starfish_refinement_data *data)
{
    const size_t slabs = solution->space->parts[1];
    const struct starfish_residual_data residual = {.rhs = data->rhs,
                                                    .removed = data->removed,
                                                    .maximum = data->after,
                                                    .many = data->many,
                                                    .removed_of_slab = data->removed_of_slab};
    const struct starfish_refine_judge_task judging = {.precision = op->precision,
                                                       .phase = STARFISH_PHASE_REFINEMENT,
                                                       .slabs = slabs,
                                                       .device = device_of(solution->space),
                                                       .before = data->before,
                                                       .after = data->after,
                                                       .correction = data->correction_maximum,
                                                       .verdict = data->verdict};
    for (size_t slab = 0; slab < slabs; slab++) {
        const struct starfish_refine_task task = refine_task(solution, data, slab);
        STARFISH_TRY(starfish_submit_refine_add(progress, &task, data->correction_maximum[slab].handle));
    }
    STARFISH_TRY(starfish_submit_residual(progress, STARFISH_PHASE_REFINEMENT, op, solution, &residual));
    STARFISH_TRY(starfish_submit_refine_judge(progress, &judging));
    for (size_t slab = 0; slab < slabs; slab++) {
        const struct starfish_refine_task task = refine_task(solution, data, slab);
        STARFISH_TRY(starfish_submit_refine_restore(progress, &task, data->verdict));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_graph_edges(struct starfish_progress *progress, int phase,
                                     const struct starfish_vector *solution)
{
    for (size_t slab = 0; solution->edge && slab < solution->space->parts[1]; slab++)
        STARFISH_TRY(starfish_submit_edges(progress, phase, solution, slab));
    return STARFISH_SUCCESS;
}

starfish_status starfish_graph_bring_home(struct starfish_progress *progress, int phase,
                                          const struct starfish_runs *cut, const starfish_handle *slab)
{
    for (size_t s = 0; s < cut->parts; s++)
        STARFISH_TRY(starfish_submit_bring_home(progress, phase, slab[s]));
    return STARFISH_SUCCESS;
}

starfish_status starfish_graph_forget_readers(struct starfish_progress *progress, int phase,
                                              const struct starfish_runs *cut, const starfish_handle *slab)
{
    for (size_t s = 0; s < cut->parts; s++)
        STARFISH_TRY(starfish_submit_forget_readers(progress, phase, slab[s]));
    return STARFISH_SUCCESS;
}
