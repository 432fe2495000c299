/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Seven-point matrices (flux.h): assembly from the problem, tables for tasks, inverses of small grids. Made once per
 * plan, on all cores. */
#include "multigrid/flux.h"
#include "multigrid/plan.h"

#include "krylov/kernels/coarse.h"
#include "scheduler/runtime/host_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Variable coefficients --------------------------------------------------------------------------------------- */

/* Where a loop over all unknowns is: indices, and the area of the volume's faces across direction d. */
struct place {
    size_t index[3], unknown;
};

static void step(const struct starfish_flux_grid *grid, struct place *at)
{
    at->unknown++;
    for (int d = 0; d < 3 && ++at->index[d] == grid->line[d].n && d < 2; d++)
        at->index[d] = 0;
}

static double area(const struct starfish_flux_grid *grid, const struct place *at, int d)
{
    double product = 1;

    for (int e = 0; e < 3; e++)
        if (e != d)
            product *= grid->line[e].weight[at->index[e]];
    return product;
}

/* The coupling to the cell before, half a cell of either in series; their line has the coupling for D = 1. */
static double face_below(const struct starfish_flux_grid *grid, const struct starfish_stencil_problem *p,
                         const struct place *at, int d, size_t stride)
{
    const struct starfish_flux_line *line = &grid->line[d];
    const size_t i = at->index[d], before = i > 0 ? i - 1 : line->n - 1;
    const double *diffusion = p->coefficient[d], h = line->weight[i], g = line->weight[before];

    if (!diffusion || line->coupling[i] == 0)
        return line->coupling[i];
    return 2 / (h / diffusion[at->unknown] + g / diffusion[at->unknown + (before - i) * stride]);
}

static void fill_stored(struct starfish_flux_grid *grid, const struct starfish_stencil_problem *p)
{
    const size_t count = starfish_flux_grid_unknowns(grid);
    const size_t stride[3] = {1, grid->line[0].n, grid->line[0].n * grid->line[1].n};

    for (struct place at = {.unknown = 0}; at.unknown < count; step(grid, &at)) {
        double rest = grid->lambda * area(grid, &at, 3);
        for (int d = 0; d < 3; d++) {
            const double across = area(grid, &at, d), own = p->coefficient[d] ? p->coefficient[d][at.unknown] : 1;
            grid->face[d][at.unknown] = across * face_below(grid, p, &at, d, stride[d]);
            rest += across * own * grid->line[d].extra[at.index[d]]; /* Dirichlet ends alone: half a cell */
        }
        grid->rest[at.unknown] = rest;
    }
}

static starfish_status create_stored(struct starfish_flux_grid *grid, const struct starfish_stencil_problem *p)
{
    for (int d = 0; d < 3; d++) {
        STARFISH_FAIL_IF(p->line[d].coupling || (p->width[d] && p->grid != STARFISH_CELL), STARFISH_ERROR_UNSUPPORTED,
                         "problem.coefficient needs widths of cells in direction %d", d);
        if (p->coefficient[d])
            STARFISH_TRY(starfish_multigrid_check_positive("coefficient", d, p->coefficient[d],
                                                           starfish_flux_grid_unknowns(grid)));
    }
    STARFISH_TRY(starfish_flux_grid_allocate(grid));
    fill_stored(grid, p);
    return STARFISH_SUCCESS;
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

starfish_status starfish_flux_grid_create(struct starfish_flux_grid *grid,
                                          const struct starfish_stencil_problem *problem)
{
    memset(grid, 0, sizeof *grid);
    grid->lambda = problem->reaction;
    for (int d = 0; d < 3; d++)
        STARFISH_TRY(starfish_flux_line_create(&grid->line[d], problem, d));
    grid->window = starfish_halo_window_whole(grid->line[2].n);
    if (problem->coefficient[0] || problem->coefficient[1] || problem->coefficient[2])
        return create_stored(grid, problem);
    return STARFISH_SUCCESS;
}

void starfish_flux_grid_destroy(struct starfish_flux_grid *grid)
{
    for (int d = 0; d < 3; d++) {
        starfish_flux_line_destroy(&grid->line[d]);
        free(grid->to[d].lower);
        free(grid->to[d].upper);
        for (int t = 0; t < 4; t++)
            free(grid->to[d].gather[t]);
        free(grid->face[d]);
    }
    free(grid->rest);
    memset(grid, 0, sizeof *grid);
}

/* Logarithms are added, so that a few large couplings where a grid is fine do not decide for all of it. */
starfish_status starfish_flux_grid_strength(const struct starfish_flux_grid *grid, double strength[3])
{
    for (int d = 0; d < 3; d++) {
        const struct starfish_flux_line *line = &grid->line[d];
        struct starfish_flux_couplings all = {0, 0, 0, 0};
        if (grid->face[0])
            STARFISH_TRY(starfish_flux_survey(grid, grid->face[d], &all));
        for (size_t i = 1; i < line->n && !grid->face[0]; i++) {
            const double coupling = 2 * line->coupling[i] / (line->weight[i - 1] + line->weight[i]);
            all.logarithms += coupling > 0 ? log(coupling) : 0;
            all.count += coupling > 0;
        }
        strength[d] = line->n > 1 && all.count > 0 ? exp(all.logarithms / all.count) : 0;
    }
    return STARFISH_SUCCESS;
}

int starfish_flux_grid_is_singular(const struct starfish_flux_grid *grid)
{
    for (int d = 0; d < 3; d++)
        for (size_t i = 0; i < grid->line[d].n; i++)
            if (grid->line[d].extra[i] != 0)
                return 0;
    return grid->lambda == 0;
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

static double *put(double *next, const double *values, size_t count)
{
    if (values)
        starfish_host_copy(next, values, count * sizeof *next);
    return next + count;
}

/* What the table of the stored form has besides the couplings: directions and transfers, and of the coarsest grid the
 * inverse. */
struct starfish_spans starfish_flux_table_spans(const struct starfish_flux_grid *grid,
                                                const struct starfish_flux_shape *shape)
{
    const size_t stored = starfish_flux_table_stored(shape), inverse = starfish_flux_table_inverse(shape);
    const size_t plane = shape->n[0] * shape->n[1], arrays = (inverse - stored) / (plane * shape->n[2]);
    struct starfish_spans spans = starfish_halo_window_spans(&grid->window, arrays, plane);

    for (int s = 0; s < spans.count; s++)
        spans.span[s].first += stored;
    spans.span[spans.count++] = (struct starfish_span){0, stored};
    spans.span[spans.count++] = (struct starfish_span){inverse, starfish_flux_table_size(shape) - inverse};
    return spans;
}

void starfish_flux_fill_table(const struct starfish_flux_grid *grid, const struct starfish_flux_shape *shape,
                              double *table)
{
    const size_t count = starfish_flux_unknowns(shape);
    const struct starfish_spans planes = starfish_halo_window_spans(&grid->window, 1, shape->n[0] * shape->n[1]);
    double *next = table;

    for (int d = 0; d < 3; d++) {
        const size_t n = shape->n[d];
        next = put(next, grid->line[d].coupling, n + 1);
        next = put(next, grid->line[d].extra, n);
        next = put(next, grid->line[d].weight, n);
    }
    for (int d = 0; d < 3; d++) {
        const struct starfish_flux_interpolation *to = &grid->to[d];
        next = table + starfish_flux_table_transfer(shape, d);
        if (!to->lower)
            continue; /* the identity, or the coarsest grid */
        next = put(next, to->lower, to->fine);
        next = put(next, to->upper, to->fine);
        for (int t = 0; t < 4; t++)
            next = put(next, to->gather[t], to->coarse);
    }
    next = table + starfish_flux_table_stored(shape);
    for (int d = 0; d < 3; d++)
        if (starfish_flux_stores_faces(shape, d)) {
            starfish_spans_copy(&planes, next, grid->face[d], sizeof *next);
            next += count;
        }
    if (shape->stored && !shape->without_rest)
        starfish_spans_copy(&planes, next, grid->rest, sizeof *next);
}

/* ---- The matrix as a whole --------------------------------------------------------------------------------------- */

static double rest_at(const struct starfish_flux_grid *grid, const struct place *at)
{
    if (grid->rest)
        return grid->rest[at->unknown];
    double rest = grid->lambda * area(grid, at, 3);
    for (int d = 0; d < 3; d++)
        rest += area(grid, at, d) * grid->line[d].extra[at->index[d]];
    return rest;
}

void starfish_flux_add_matrix(const struct starfish_flux_grid *grid, double *matrix)
{
    const size_t count = starfish_flux_grid_unknowns(grid);
    const size_t stride[3] = {1, grid->line[0].n, grid->line[0].n * grid->line[1].n};

    for (struct place at = {.unknown = 0}; at.unknown < count; step(grid, &at)) {
        const size_t row = at.unknown;
        matrix[row * count + row] += rest_at(grid, &at);
        for (int d = 0; d < 3; d++) {
            const size_t i = at.index[d], before = i > 0 ? i - 1 : grid->line[d].n - 1;
            const size_t column = row + (before - i) * stride[d];
            const double k = grid->face[d] ? grid->face[d][row] : area(grid, &at, d) * grid->line[d].coupling[i];
            matrix[row * count + row] += k;
            matrix[column * count + column] += k;
            matrix[row * count + column] -= k;
            matrix[column * count + row] -= k;
        }
    }
}

/* Add a constant to all entries, which does not change what a symmetric matrix does to vectors of mean zero if
 * constants are its null space. */
static void shift(double *matrix, size_t n, double by)
{
    for (size_t i = 0; i < n * n; i++)
        matrix[i] += by;
}

starfish_status starfish_flux_inverse(const struct starfish_flux_grid *grid, double *inverse)
{
    const size_t n = starfish_flux_grid_unknowns(grid);
    const int singular = starfish_flux_grid_is_singular(grid);
    double by = 1;

    memset(inverse, 0, n * n * sizeof *inverse);
    starfish_flux_add_matrix(grid, inverse);
    if (n > 1)
        by = inverse[0] / (double)n;
    if (singular)
        shift(inverse, n, by);
    if (starfish_coarse_invert(n, inverse) != 0)
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "the matrix of the coarsest grid is not positive definite");
    if (singular)
        shift(inverse, n, -1 / (by * (double)n * (double)n));
    return STARFISH_SUCCESS;
}
