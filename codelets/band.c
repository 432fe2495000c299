/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elimination of a banded matrix with partial pivoting in f64, and its task (band.h). Bound by arithmetic: n w^2 once,
 * n w per solve. */
#include "codelets/band.h"

#include "base/precision.h"
#include "codelets/kernel_pair.h"

#include <math.h>
#include <stdlib.h>

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

static size_t row_length(const struct starfish_band *band)
{
    return 3 * band->width + 1;
}

/* Both are places. */
static double *entry_at(const struct starfish_band *band, size_t row, size_t column)
{
    return &band->entry[row * row_length(band) + column + band->width - row];
}

/* One behind the last column or row within `distance`. */
static size_t end_within(const struct starfish_band *band, size_t from, size_t distance)
{
    return from + distance < band->n ? from + distance + 1 : band->n;
}

double starfish_band_bytes(size_t n, size_t width)
{
    return (double)n * (3 * (double)width + 6) * sizeof(double);
}

starfish_status starfish_band_create(struct starfish_band *band, size_t n, size_t width, int singular)
{
    *band = (struct starfish_band){.n = n, .width = width};
    band->entry = calloc(n * row_length(band), sizeof *band->entry);
    band->scale = calloc(n, sizeof *band->scale);
    band->pivot = calloc(n, sizeof *band->pivot);
    band->place = calloc(n, sizeof *band->place);
    band->weight = singular ? calloc(n, sizeof *band->weight) : NULL;
    if (band->entry && band->scale && band->pivot && band->place && (band->weight || !singular))
        return STARFISH_SUCCESS;
    starfish_band_destroy(band);
    return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu rows", n);
}

void starfish_band_destroy(struct starfish_band *band)
{
    free(band->entry);
    free(band->scale);
    free(band->pivot);
    free(band->place);
    free(band->weight);
    *band = (struct starfish_band){.n = 0};
}

void starfish_band_add(struct starfish_band *band, size_t row, size_t column, double value)
{
    *entry_at(band, band->place[row], band->place[column]) += value;
}

/* ---- Elimination ------------------------------------------------------------------------------------------------- */

/* The unknown of the largest weight: what others are wrong by is small beside it. */
static void leave_one_out(struct starfish_band *band)
{
    for (size_t i = 0; i < band->n; i++)
        if (fabs(band->weight[i]) > fabs(band->weight[band->left_out]))
            band->left_out = i;
    const size_t row = band->place[band->left_out];
    double *const first = band->entry + row * row_length(band);
    for (size_t i = 0; i < row_length(band); i++)
        first[i] = 0;
    *entry_at(band, row, row) = 1;
}

static void scale_rows(struct starfish_band *band)
{
    for (size_t row = 0; row < band->n; row++) {
        double *const first = band->entry + row * row_length(band), largest = 0;
        for (size_t i = 0; i < row_length(band); i++)
            largest = fmax(largest, fabs(first[i]));
        band->scale[row] = largest > 0 ? ldexp(1, -ilogb(largest)) : 1;
        for (size_t i = 0; i < row_length(band); i++)
            first[i] *= band->scale[row];
    }
}

static void exchange(const struct starfish_band *band, size_t row, size_t other)
{
    for (size_t j = row; j < end_within(band, row, 2 * band->width); j++) {
        double *const a = entry_at(band, row, j), *const b = entry_at(band, other, j), kept = *a;
        *a = *b;
        *b = kept;
    }
}

static void eliminate(const struct starfish_band *band, size_t row, size_t with)
{
    const size_t count = end_within(band, with, 2 * band->width) - with;
    double *const to = entry_at(band, row, with);
    const double *const from = entry_at(band, with, with), factor = to[0] / from[0];
    to[0] = factor;
    for (size_t j = 1; j < count && factor != 0; j++)
        to[j] -= factor * from[j];
}

starfish_status starfish_band_factorise(struct starfish_band *band)
{
    if (band->weight)
        leave_one_out(band);
    scale_rows(band);
    for (size_t k = 0; k < band->n; k++) {
        const size_t end = end_within(band, k, band->width);
        size_t best = k;
        for (size_t i = k + 1; i < end; i++)
            if (fabs(*entry_at(band, i, k)) > fabs(*entry_at(band, best, k)))
                best = i;
        STARFISH_FAIL_IF(*entry_at(band, best, k) == 0, STARFISH_ERROR_SINGULAR,
                         "elimination finds no pivot in column %zu of %zu", k, band->n);
        band->pivot[k] = best;
        if (best != k)
            exchange(band, k, best);
        for (size_t i = k + 1; i < end; i++)
            eliminate(band, i, k);
    }
    return STARFISH_SUCCESS;
}

/* x: by places. */
static void substitute(const struct starfish_band *band, double *x)
{
    for (size_t k = 0; k < band->n; k++)
        x[k] *= band->scale[k];
    for (size_t k = 0; k < band->n; k++) {
        const double value = x[band->pivot[k]];
        x[band->pivot[k]] = x[k];
        x[k] = value;
        for (size_t i = k + 1; i < end_within(band, k, band->width); i++)
            x[i] -= *entry_at(band, i, k) * value;
    }
    for (size_t k = band->n; k-- > 0;) {
        const double *const row = entry_at(band, k, k);
        for (size_t j = 1; j < end_within(band, k, 2 * band->width) - k; j++)
            x[k] -= row[j] * x[k + j];
        x[k] /= row[0];
    }
}

/* ---- The task ---------------------------------------------------------------------------------------------------- */

struct arguments {
    struct starfish_task_header header;
    const struct starfish_band *band;
    int same, removes;
};

/* The mean of x, by places; 0 of a regular matrix. */
static double mean(const struct starfish_band *band, const double *x)
{
    double sum = 0;
    for (size_t i = 0; band->weight && i < band->n; i++)
        sum += band->weight[i] * x[band->place[i]];
    return sum;
}

static void solve(const struct starfish_band *band, double *x, double *removed)
{
    const double of_f = mean(band, x);
    for (size_t i = 0; i < band->n; i++)
        x[i] -= of_f;
    if (band->weight)
        x[band->place[band->left_out]] = 0;
    substitute(band, x);
    const double of_u = mean(band, x);
    for (size_t i = 0; i < band->n; i++)
        x[i] -= of_u;
    if (removed) {
        removed[0] = of_f;
        removed[1] = 0;
    }
}

/* Data: the solution, which may be the right-hand side, this where it is not, and what is removed. */
static void band_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_band *band = a->band;
    void *const solution = STARFISH_SLAB(buffers, 0);
    const void *const rhs = STARFISH_SLAB(buffers, a->same ? 0 : 1);
    double *const x = malloc(band->n * sizeof *x);
    for (size_t i = 0; x && i < band->n; i++)
        x[band->place[i]] = starfish_element(rhs, band->precision, i);
    if (x)
        solve(band, x, a->removes ? STARFISH_VECTOR(buffers, a->same ? 1 : 2) : NULL);
    for (size_t i = 0; i < band->n; i++)
        starfish_element_set(solution, band->precision, i, x ? x[band->place[i]] : (double)NAN);
    free(x);
}

STARFISH_CORES_CODELET(band, "band", 0x886644);

starfish_status starfish_submit_band(struct starfish_progress *progress, int phase, const struct starfish_band *band,
                                     starpu_data_handle_t rhs, starpu_data_handle_t solution,
                                     starpu_data_handle_t removed)
{
    struct arguments arguments = {.band = band, .same = rhs == solution, .removes = removed != NULL};
    struct starfish_task task;
    starfish_task_begin(&task, &band_codelet, progress, phase);
    task.name = "elimination";
    task.device = STARFISH_CORES;
    task.width = band->n;
    task.flops = 6 * (double)band->n * (double)band->width;
    starfish_task_data(&task, solution, arguments.same ? STARPU_RW : STARPU_W);
    if (!arguments.same)
        starfish_task_data(&task, rhs, STARPU_R);
    if (removed)
        starfish_task_data(&task, removed, STARPU_W);
    arguments.header.footprint = STARFISH_FOOTPRINT(band->precision, band->n, band->width);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}
