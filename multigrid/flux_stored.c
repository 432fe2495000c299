/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stored couplings of seven-point matrices (flux.h): their arrays, what they are like, and those of the next coarser
 * grid.
 *
 * A plan walks over the finest grid's four arrays a few times, which is bound by memory: all cores share each walk
 * (scheduler/runtime/host_loop.h), and inner loops run along the array, whichever direction becomes coarser. */
#include "multigrid/flux.h"

#include "base/pages.h"
#include "scheduler/runtime/ranks.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { RUN = 1 << 16 }; /* unknowns of a run of a loop over all of them, about */

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

starfish_status starfish_flux_grid_allocate(struct starfish_flux_grid *grid)
{
    const size_t count = starfish_flux_grid_unknowns(grid);
    int there = 1;

    for (int a = 0; a < 4; a++) {
        double **array = a < 3 ? &grid->face[a] : &grid->rest;
        there = (*array = starfish_pages_alloc(count * sizeof(double))) != NULL && there;
    }
    return STARFISH_OR_FAIL(there, STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu rows", count);
}

static size_t plane_of(const struct starfish_flux_grid *grid)
{
    return grid->line[0].n * grid->line[1].n;
}

static starfish_status copy_faces(struct starfish_flux_grid *grid, const double *const face[3], const double *rest)
{
    const struct starfish_spans spans = starfish_halo_window_spans(&grid->window, 1, plane_of(grid));

    STARFISH_TRY(starfish_flux_grid_allocate(grid));
    for (int d = 0; d < 3; d++)
        starfish_spans_copy(&spans, grid->face[d], face[d], sizeof(double));
    starfish_spans_copy(&spans, grid->rest, rest, sizeof(double));
    return STARFISH_SUCCESS;
}

starfish_status starfish_flux_grid_set_faces(struct starfish_flux_grid *grid, const double *const face[3],
                                             const double *rest)
{
    const double much = 10;
    double least = INFINITY, most = 0;

    STARFISH_TRY(starfish_halo_window_agree(&grid->window, copy_faces(grid, face, rest)));
    for (int d = 0; d < 3; d++) {
        struct starfish_flux_couplings all;
        STARFISH_TRY(starfish_flux_survey(grid, grid->face[d], &all));
        least = fmin(least, all.least);
        most = fmax(most, all.most);
    }
    grid->pairs = most > much * least;
    return STARFISH_SUCCESS;
}

starfish_status starfish_flux_grid_exchange(struct starfish_flux_grid *grid, size_t depth, starfish_status status)
{
    double *const array[4] = {grid->face[0], grid->face[1], grid->face[2], grid->rest};

    grid->window.depth = depth;
    for (int a = 0; a < 4; a++)
        status = starfish_halo_window_exchange(&grid->window, status, array[a], plane_of(grid) * sizeof(double));
    return status;
}

/* ---- What couplings are like ------------------------------------------------------------------------------------- */

/* Of each plane, 0 of those that are other ranks'. */
struct survey {
    const double *values;
    size_t plane, first;        /* unknowns of a plane; the first of this rank's planes */
    double *logarithms, *count; /* of all planes */
    double *least, *most;
};

/* Products of values are as good as sums of logarithms as long as they are neither too large nor too small. */
static void survey_plane(struct survey *survey, size_t number)
{
    const double large = 1e150, small = 1e-150, *values = survey->values + number * survey->plane;
    double product = 1, logarithms = 0, count = 0, least = INFINITY, most = 0;

    for (size_t i = 0; i < survey->plane; i++) {
        const double value = values[i];
        if (!(value > 0))
            continue;
        count++;
        least = value < least ? value : least;
        most = value > most ? value : most;
        if (value > large || value < small) {
            logarithms += log(value);
            continue;
        }
        product *= value;
        if (product > large || product < small) {
            logarithms += log(product);
            product = 1;
        }
    }
    survey->logarithms[number] = logarithms + log(product);
    survey->count[number] = count;
    survey->least[number] = least;
    survey->most[number] = most;
}

static void survey_planes(void *data, size_t first, size_t last)
{
    struct survey *survey = data;

    for (size_t i = first; i < last; i++)
        survey_plane(survey, survey->first + i);
}

starfish_status starfish_flux_survey(const struct starfish_flux_grid *grid, const double *values,
                                     struct starfish_flux_couplings *couplings)
{
    const struct starfish_halo_window *window = &grid->window;
    const struct starfish_run_of_planes own = starfish_halo_window_own(window);
    const size_t planes = window->planes, plane = plane_of(grid), run = RUN / plane + 1;
    double *room = calloc(4 * planes, sizeof *room), extremes[2] = {-INFINITY, 0}; /* less the least, and the most */
    struct survey survey = {values, plane, own.first, room, room + planes, room + 2 * planes, room + 3 * planes};
    starfish_status status = STARFISH_OR_FAIL(room, STARFISH_ERROR_MEMORY, "out of memory for %zu planes", planes);

    status = starfish_halo_window_agree(window, status);
    if (status == STARFISH_SUCCESS)
        starfish_host_loop(own.count, run, survey_planes, &survey);
    for (size_t i = own.first; i < own.first + own.count && status == STARFISH_SUCCESS; i++) {
        extremes[0] = fmax(extremes[0], -survey.least[i]);
        extremes[1] = fmax(extremes[1], survey.most[i]);
    }
    if (status == STARFISH_SUCCESS && window->context)
        status = starfish_ranks_maximum(window->context, extremes, 2);
    if (status == STARFISH_SUCCESS && window->context)
        status = starfish_ranks_sum(window->context, room, 2 * planes);
    *couplings = (struct starfish_flux_couplings){.least = -extremes[0], .most = extremes[1]};
    for (size_t i = 0; i < planes && status == STARFISH_SUCCESS; i++) {
        couplings->logarithms += survey.logarithms[i];
        couplings->count += survey.count[i];
    }
    free(room);
    return status;
}

int starfish_flux_grid_has_no_rest(const struct starfish_flux_grid *grid)
{
    const struct starfish_spans spans = starfish_halo_window_spans(&grid->window, 1, plane_of(grid));

    return starfish_spans_find_beyond(&spans, grid->rest, 0, 0, SIZE_MAX) == SIZE_MAX;
}

/* ---- Coarser grids ----------------------------------------------------------------------------------------------- */

/* Of one direction, rows of `width` numbers that follow each other: row c of the result has the sum of a few rows of
 * the source times factors. */
struct coarsening {
    const struct starfish_flux_sum *sum; /* of each coarse row */
    size_t fine, coarse, width;
    const double *from;
    double *result;
};

static void coarsen_rows(void *data, size_t first, size_t last)
{
    const struct coarsening *c = data;

    for (size_t row = first; row < last; row++) {
        const struct starfish_flux_sum *sum = &c->sum[row % c->coarse];
        const double *from = c->from + row / c->coarse * c->fine * c->width;
        double *result = c->result + row * c->width;
        for (size_t i = 0; i < c->width; i++)
            result[i] = -sum->less;
        for (int t = 0; t < sum->count; t++) {
            const double factor = sum->factor[t], *values = from + sum->row[t] * c->width;
            for (size_t i = 0; i < c->width; i++)
                result[i] += factor * values[i];
        }
        for (size_t i = 0; i < c->width && sum->less > 0; i++)
            result[i] = fmax(result[i], 0);
    }
}

/* n: of the array before, of which direction d becomes coarser; `planes`: those of the result that are made. What has
 * become coarser replaces *array, unless that is `kept`. */
static starfish_status coarsen_array(const struct starfish_flux_grid *fine, const size_t n[3], int d, int along,
                                     const struct starfish_run_of_planes *planes, const double *kept, double **array)
{
    const struct starfish_flux_interpolation *to = &fine->to[d];
    const size_t width = d == 0 ? 1 : d == 1 ? n[0] : n[0] * n[1];
    const size_t of_plane = d == 2 ? 1 : d == 1 ? to->coarse : n[1] * to->coarse; /* rows */
    const size_t all = d == 2 ? to->coarse : n[2];
    struct starfish_flux_sum *sums = malloc(to->coarse * sizeof *sums);
    double *result = starfish_pages_alloc(all * of_plane * width * sizeof *result);
    struct coarsening coarsening = {.sum = sums,
                                    .fine = n[d],
                                    .coarse = to->coarse,
                                    .width = width,
                                    .from = *array ? *array : kept,
                                    .result = result};
    const struct starfish_spans rows = {1, {{planes->first * of_plane, planes->count * of_plane}}};

    if (!sums || !result) {
        free(sums);
        free(result);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu rows", all * of_plane * width);
    }
    for (size_t c = 0; c < to->coarse; c++)
        sums[c] =
            along ? starfish_flux_coarse_coupling(&fine->line[d], fine->pairs, to, c) : starfish_flux_gathered(to, c);
    starfish_spans_loop(&rows, RUN / width + 1, coarsen_rows, &coarsening);
    free(sums);
    free(*array);
    *array = result;
    return STARFISH_SUCCESS;
}

static starfish_status copy_array(const struct starfish_flux_grid *grid, const struct starfish_run_of_planes *planes,
                                  const double *from, double **to)
{
    const size_t count = starfish_flux_grid_unknowns(grid), plane = plane_of(grid);
    const struct starfish_spans own = {1, {{planes->first * plane, planes->count * plane}}};

    *to = starfish_pages_alloc(count * sizeof **to);
    STARFISH_FAIL_IF(!*to, STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu rows", count);
    starfish_spans_copy(&own, *to, from, sizeof **to);
    return STARFISH_SUCCESS;
}

/* The last direction first: its rows are the longest, and x, whose rows are single numbers, has the least left. */
starfish_status starfish_flux_coarsen_stored(const struct starfish_flux_grid *fine, struct starfish_flux_grid *coarse)
{
    const struct starfish_run_of_planes planes = starfish_halo_window_own(&coarse->window);

    for (int a = 0; a < 4; a++) {
        size_t n[3] = {fine->line[0].n, fine->line[1].n, fine->line[2].n};
        double **array = a < 3 ? &coarse->face[a] : &coarse->rest;
        for (int d = 2; d >= 0; d--) {
            if (!fine->to[d].lower)
                continue;
            STARFISH_TRY(coarsen_array(fine, n, d, a == d, &planes, a < 3 ? fine->face[a] : fine->rest, array));
            n[d] = fine->to[d].coarse;
        }
        if (!*array)
            STARFISH_TRY(copy_array(fine, &planes, a < 3 ? fine->face[a] : fine->rest, array));
    }
    return STARFISH_SUCCESS;
}
