/* Stored couplings of seven-point matrices (flux.h): their arrays, what they are like, and those of the next coarser
 * grid.
 *
 * A plan walks over the finest grid's four arrays a few times, which is bound by memory: all cores share each walk
 * (scheduler/host_loop.h), and inner loops run along the array, whichever direction becomes coarser. */
#include "multigrid/flux.h"

#include "base/pages.h"
#include "base/status.h"
#include "scheduler/host_loop.h"

#include <math.h>
#include <stdlib.h>

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

starfish_status starfish_flux_grid_allocate(struct starfish_flux_grid *grid)
{
    const size_t count = starfish_flux_grid_unknowns(grid);
    int there = 1;

    for (int a = 0; a < 4; a++) {
        double **array = a < 3 ? &grid->face[a] : &grid->rest;
        there = (*array = starfish_pages_alloc(count * sizeof(double))) != NULL && there;
    }
    return there ? STARFISH_SUCCESS
                 : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu rows", count);
}

starfish_status starfish_flux_grid_set_faces(struct starfish_flux_grid *grid, const double *const face[3],
                                             const double *rest)
{
    const size_t bytes = starfish_flux_grid_unknowns(grid) * sizeof(double);
    const double much = 10;
    struct starfish_flux_couplings all[3];
    double least = INFINITY, most = 0;

    STARFISH_TRY(starfish_flux_grid_allocate(grid));
    starfish_host_copy(grid->rest, rest, bytes);
    for (int d = 0; d < 3; d++) {
        starfish_host_copy(grid->face[d], face[d], bytes);
        all[d] = starfish_flux_survey(grid->face[d], starfish_flux_grid_unknowns(grid));
        least = fmin(least, all[d].least);
        most = fmax(most, all[d].most);
    }
    grid->pairs = most > much * least;
    return STARFISH_SUCCESS;
}

/* ---- What couplings are like ------------------------------------------------------------------------------------- */

/* Of the loop over all couplings, whatever the number of cores is: runs at most, and couplings of one at least. */
enum { RUNS = 256, RUN = 1 << 16 };

struct survey {
    const double *values;
    size_t run;
    struct starfish_flux_couplings of_run[RUNS];
};

/* Products of values are as good as sums of logarithms as long as they are neither too large nor too small. */
static void survey_run(void *data, size_t first, size_t last)
{
    const double large = 1e150, small = 1e-150;
    struct survey *survey = data;
    struct starfish_flux_couplings found = {0, 0, INFINITY, 0};
    double product = 1;

    for (size_t i = first; i < last; i++) {
        const double value = survey->values[i];
        if (!(value > 0))
            continue;
        found.count++;
        found.least = value < found.least ? value : found.least;
        found.most = value > found.most ? value : found.most;
        if (value > large || value < small) {
            found.logarithms += log(value);
            continue;
        }
        product *= value;
        if (product > large || product < small) {
            found.logarithms += log(product);
            product = 1;
        }
    }
    found.logarithms += log(product);
    survey->of_run[first / survey->run] = found;
}

struct starfish_flux_couplings starfish_flux_survey(const double *values, size_t count)
{
    struct survey survey = {.values = values, .run = count / RUNS + 1 > RUN ? count / RUNS + 1 : RUN};
    struct starfish_flux_couplings all = {0, 0, INFINITY, 0};

    starfish_host_loop(count, survey.run, survey_run, &survey);
    for (size_t r = 0; r * survey.run < count; r++) {
        all.count += survey.of_run[r].count;
        all.logarithms += survey.of_run[r].logarithms;
        all.least = fmin(all.least, survey.of_run[r].least);
        all.most = fmax(all.most, survey.of_run[r].most);
    }
    return all;
}

int starfish_flux_grid_has_no_rest(const struct starfish_flux_grid *grid)
{
    const size_t count = starfish_flux_grid_unknowns(grid);

    return starfish_host_find_beyond(grid->rest, count, 0, 0) == count;
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

/* n: of the array before, of which direction d becomes coarser. What has become coarser replaces *array, unless that is
 * `kept`. */
static starfish_status coarsen_array(const struct starfish_flux_grid *fine, const size_t n[3], int d, int along,
                                     const double *kept, double **array)
{
    const struct starfish_flux_interpolation *to = &fine->to[d];
    const size_t width = d == 0 ? 1 : d == 1 ? n[0] : n[0] * n[1];
    const size_t rows = n[0] * n[1] * n[2] / n[d] / width * to->coarse, run = ((size_t)1 << 16) / width + 1;
    struct starfish_flux_sum *sums = malloc(to->coarse * sizeof *sums);
    double *result = starfish_pages_alloc(rows * width * sizeof *result);
    struct coarsening coarsening = {.sum = sums,
                                    .fine = n[d],
                                    .coarse = to->coarse,
                                    .width = width,
                                    .from = *array ? *array : kept,
                                    .result = result};

    if (!sums || !result) {
        free(sums);
        free(result);
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu rows", rows * width);
    }
    for (size_t c = 0; c < to->coarse; c++)
        sums[c] =
            along ? starfish_flux_coarse_coupling(&fine->line[d], fine->pairs, to, c) : starfish_flux_gathered(to, c);
    starfish_host_loop(rows, run, coarsen_rows, &coarsening);
    free(sums);
    free(*array);
    *array = result;
    return STARFISH_SUCCESS;
}

static starfish_status copy_array(const double *from, size_t count, double **to)
{
    *to = starfish_pages_alloc(count * sizeof **to);
    if (!*to)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a matrix of %zu rows", count);
    starfish_host_copy(*to, from, count * sizeof **to);
    return STARFISH_SUCCESS;
}

/* The last direction first: its rows are the longest, and x, whose rows are single numbers, has the least left. */
starfish_status starfish_flux_coarsen_stored(const struct starfish_flux_grid *fine, struct starfish_flux_grid *coarse)
{
    for (int a = 0; a < 4; a++) {
        size_t n[3] = {fine->line[0].n, fine->line[1].n, fine->line[2].n};
        double **array = a < 3 ? &coarse->face[a] : &coarse->rest;
        for (int d = 2; d >= 0; d--) {
            if (!fine->to[d].lower)
                continue;
            STARFISH_TRY(coarsen_array(fine, n, d, a == d, a < 3 ? fine->face[a] : fine->rest, array));
            n[d] = fine->to[d].coarse;
        }
        if (!*array)
            STARFISH_TRY(copy_array(a < 3 ? fine->face[a] : fine->rest, starfish_flux_grid_unknowns(fine), array));
    }
    return STARFISH_SUCCESS;
}
