/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Planes as hierarchies of grids of their own: the grid decoupled across them, and coarser in both other directions
 * until one of these has one unknown left. */
#include "multigrid/flux.h"

#include <stdlib.h>
#include <string.h>

/* No row of D^-1 A has off-diagonal entries of a larger sum than its diagonal one, which is 1. */
static const double largest_eigenvalue = 2;

struct starfish_flux_shape starfish_flux_shape_of(const struct starfish_flux_grid *grid, int coarsest)
{
    struct starfish_flux_shape shape = {.stored = grid->face[0] != NULL,
                                        .coarsest = coarsest,
                                        .pairs = grid->pairs,
                                        .lambda = grid->lambda,
                                        .eigenvalue = largest_eigenvalue};

    shape.without_rest = shape.stored && starfish_flux_grid_has_no_rest(grid);
    for (int d = 0; d < 3; d++) {
        shape.n[d] = grid->line[d].n;
        shape.coarse[d] = coarsest ? 0 : grid->to[d].coarse;
        shape.periodic[d] = grid->line[d].periodic;
    }
    return shape;
}

struct planes {
    struct starfish_flux_grid grid[STARFISH_GRID_MOST_LEVELS];
    int levels;
};

static starfish_status coarsen_all(struct planes *p, const struct starfish_flux_grid *grid, int across)
{
    static const int none[3] = {0, 0, 0};
    const int in_plane[3] = {across != 0, across != 1, across != 2};
    const int e = (across + 1) % 3, f = (across + 2) % 3;
    struct starfish_flux_grid finest = *grid; /* whose transfers are others */

    p->levels = 1;
    STARFISH_TRY(starfish_flux_grid_coarsen(&finest, none, &p->grid[0])); /* a copy */
    while (p->grid[p->levels - 1].line[e].n > 1 && p->grid[p->levels - 1].line[f].n > 1) {
        STARFISH_TRY(starfish_flux_grid_coarsen(&p->grid[p->levels - 1], in_plane, &p->grid[p->levels]));
        p->levels++;
    }
    return STARFISH_SUCCESS;
}

static starfish_status append_table(const struct starfish_flux_grid *grid, const struct starfish_flux_shape *shape,
                                    double **table, size_t *size)
{
    const size_t more = starfish_flux_table_size(shape);
    double *longer = realloc(*table, (*size + more) * sizeof *longer);

    STARFISH_FAIL_IF(!longer, STARFISH_ERROR_MEMORY, "out of memory for the matrices of planes");
    memset(longer + *size, 0, more * sizeof *longer);
    starfish_flux_fill_table(grid, shape, longer + *size);
    *table = longer;
    *size += more;
    return STARFISH_SUCCESS;
}

/* The coarsest grid has neither an inverse nor transfers. */
static starfish_status append(const struct planes *p, int across, struct starfish_flux_plane *plane, double **table,
                              size_t *size)
{
    plane->levels = p->levels;
    for (int l = 0; l < p->levels; l++) {
        struct starfish_flux_shape *shape = &plane->shape[l];
        *shape = starfish_flux_shape_of(&p->grid[l], l == p->levels - 1);
        shape->coarsest = 0;
        shape->decoupled[across] = 1;
        plane->table[l] = *size;
        STARFISH_TRY(append_table(&p->grid[l], shape, table, size));
    }
    return STARFISH_SUCCESS;
}

static starfish_status append_across(const struct starfish_flux_grid *grid, int across,
                                     struct starfish_flux_plane *plane, double **table, size_t *size)
{
    struct planes *p = calloc(1, sizeof *p);

    STARFISH_FAIL_IF(!p, STARFISH_ERROR_MEMORY, "out of memory for hierarchies of planes");
    starfish_status status = coarsen_all(p, grid, across);
    STARFISH_THEN(status, append(p, across, plane, table, size));
    for (int l = 0; l < STARFISH_GRID_MOST_LEVELS; l++)
        starfish_flux_grid_destroy(&p->grid[l]);
    free(p);
    return status;
}

starfish_status starfish_flux_append_planes(const struct starfish_flux_grid *grid, struct starfish_flux_plane plane[3],
                                            double **table, size_t *size)
{
    /* symmetric, as the cycle may have to be */
    static const struct starfish_smoothing usual = {
        .smoother = STARFISH_SMOOTHER_ADI, .damping = 0.8, .before = 1, .after = 1, .symmetric = 1};

    for (int d = 0; d < 3; d++) {
        plane[d].levels = 0;
        plane[d].smoothing = usual;
        if (grid->line[d].n == 1)
            continue;
        STARFISH_TRY(append_across(grid, d, &plane[d], table, size));
        starfish_flux_planes_count(&plane[d]);
    }
    return STARFISH_SUCCESS;
}
