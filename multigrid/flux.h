/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Seven-point matrices on the grids of a hierarchy. Everything is computed in f64.
 *
 * A direction on its own is a line: a graph of resistors between successive unknowns. A is made of three of them
 * (tensor form), or has couplings of its own for every face (stored form), and then the lines say how to interpolate.
 * Coarse unknowns are every other fine one. Those between are eliminated from the line, u_i = (k_below u_(i-1) +
 * k_above u_(i+1)) / (k_below + k_above + e_i), which is the interpolation (linear in the distances, zero beyond a
 * Dirichlet end, constant beyond a Neumann one), and leaves resistors in series between coarse unknowns; extras,
 * weights, and in the stored form the couplings across, are restricted by its transpose (lumped: Galerkin's matrix
 * would have 27 points). A coarse line is the discretisation of the coarse grid, whatever the kind of grid was. So
 * constants stay in the null space, and the transfers are transposed: cycles of symmetric smoothers are symmetric.
 * Source: Alcouffe, Brandt, Dendy, Painter, SIAM J. Sci. Stat. Comput. 2 (1981), 430-454, one direction at a time.
 *
 * Where stored couplings jump, a line says nothing about the interpolation of the others. Then coarse unknowns are
 * pairs of cells in each direction, interpolated by constants, and a coarse coupling is the sum of the fine ones in the
 * coarse face, times the fine distance of centres over the coarse one: for harmonic means that is what the coarse cells
 * have between their centres (Wesseling, An Introduction to Multigrid Methods, 1992, section 5.4; Galerkin's matrix
 * without the distances would be twice as stiff). Source of the factor: Braess, Computing 55 (1995), 379-393. */
#ifndef STARFISH_MULTIGRID_FLUX_GRIDS_H
#define STARFISH_MULTIGRID_FLUX_GRIDS_H

#include "multigrid/kernels/flux_kind.h"
#include "scheduler/runtime/halo_window.h"
#include <starfish/multigrid.h>

/* One direction as multigrid/kernels/flux.h has it: coupling[n + 1], extra[n], weight[n]. Owned. */
struct starfish_flux_line {
    size_t n;
    int periodic;
    double *coupling, *extra, *weight;
};
/* Direction d of a problem, checked. */
starfish_status starfish_flux_line_create(struct starfish_flux_line *line,
                                          const struct starfish_stencil_problem *problem, int d);
void starfish_flux_line_destroy(struct starfish_flux_line *line);
/* Is the coupling about the same along a line: at most 4 times as strong here as there? */
int starfish_flux_line_is_even(const struct starfish_flux_line *line);

/* How a line is interpolated from the next coarser one: lower[fine], upper[fine], gather[4][coarse] as in struct
 * starfish_flux_transfer. coarse == fine: the identity, without arrays. Owned. */
struct starfish_flux_interpolation {
    size_t fine, coarse;
    int periodic;
    double *lower, *upper, *gather[4];
};

struct starfish_flux_grid {
    struct starfish_flux_line line[3];
    double lambda;
    double *face[3], *rest;                   /* stored form: the faces below unknowns; NULL: tensor */
    struct starfish_halo_window window;       /* stored form: the planes that these arrays have */
    int pairs;                                /* coarse unknowns are pairs of cells */
    struct starfish_flux_interpolation to[3]; /* from the next coarser grid; unset on the coarsest */
};
static inline size_t starfish_flux_grid_unknowns(const struct starfish_flux_grid *grid)
{
    return grid->line[0].n * grid->line[1].n * grid->line[2].n;
}
starfish_status starfish_flux_grid_create(struct starfish_flux_grid *grid,
                                          const struct starfish_stencil_problem *problem);
/* Couplings of its own for every face, the one below each unknown (around a periodic end: across it), and what else is
 * on the diagonal, instead of those that the lines have: of the planes in grid->window, a copy. Where the largest
 * coupling is more than 10 times the smallest one, coarse unknowns are pairs. Collective among the window's ranks.
 * MEMORY. */
starfish_status starfish_flux_grid_set_faces(struct starfish_flux_grid *grid, const double *const face[3],
                                             const double *rest);
/* Ranks have made their own planes of a coarse grid with the given status: of others' they get `depth`. Collective. */
starfish_status starfish_flux_grid_exchange(struct starfish_flux_grid *grid, size_t depth, starfish_status status);
/* The arrays of the stored form, not filled. MEMORY. */
starfish_status starfish_flux_grid_allocate(struct starfish_flux_grid *grid);
void starfish_flux_grid_destroy(struct starfish_flux_grid *grid);
/* How strongly unknowns are coupled in each direction, on the whole (geometric mean); 0 where there is one unknown.
 * Collective among the ranks of the grid's window. MEMORY. */
starfish_status starfish_flux_grid_strength(const struct starfish_flux_grid *grid, double strength[3]);
/* Is the matrix singular, with constants as null space? */
int starfish_flux_grid_is_singular(const struct starfish_flux_grid *grid);

/* Of the couplings of an array that are not 0: how many, the sum of their logarithms, the least and the largest. The
 * same on any number of cores and of ranks, since the logarithms are added plane by plane. Collective. MEMORY. */
struct starfish_flux_couplings {
    double count, logarithms, least, most;
};
starfish_status starfish_flux_survey(const struct starfish_flux_grid *grid, const double *values,
                                     struct starfish_flux_couplings *couplings);

/* Is the rest 0 everywhere in the window? Of the stored form. */
int starfish_flux_grid_has_no_rest(const struct starfish_flux_grid *grid);

/* What a coarse unknown's coupling or weight is made of: factor[t] times fine row[t], added up, less `less`, and where
 * that is more than 0, 0 at least. */
struct starfish_flux_sum {
    int count;
    size_t row[4];
    double factor[4], less;
};
/* What coarse unknown c gets of fine ones by the transpose of the interpolation. */
struct starfish_flux_sum starfish_flux_gathered(const struct starfish_flux_interpolation *to, size_t c);
/* The coupling below coarse unknown c, of those below fine ones. */
struct starfish_flux_sum starfish_flux_coarse_coupling(const struct starfish_flux_line *line, int pairs,
                                                       const struct starfish_flux_interpolation *to, size_t c);
/* The stored form of the next coarser grid, whose lines are there: this rank's own planes. */
starfish_status starfish_flux_coarsen_stored(const struct starfish_flux_grid *fine, struct starfish_flux_grid *coarse);

/* The next coarser grid, coarser in the directions said; fills `to` of the fine one. */
starfish_status starfish_flux_grid_coarsen(struct starfish_flux_grid *fine, const int coarsened[3],
                                           struct starfish_flux_grid *coarse);

/* The table of a grid, starfish_flux_table_size doubles, but for the inverse; and the spans of it that are there, which
 * are not all where the grid has a window of its planes. */
void starfish_flux_fill_table(const struct starfish_flux_grid *grid, const struct starfish_flux_shape *shape,
                              double *table);
struct starfish_spans starfish_flux_table_spans(const struct starfish_flux_grid *grid,
                                                const struct starfish_flux_shape *shape);
/* What a shape has of the grid. */
struct starfish_flux_shape starfish_flux_shape_of(const struct starfish_flux_grid *grid, int coarsest);
/* The hierarchies of all planes across x, y, z of a grid (struct starfish_flux_plane), whose tables are put behind the
 * grid's own of *size doubles, which may move. */
starfish_status starfish_flux_append_planes(const struct starfish_flux_grid *grid, struct starfish_flux_plane plane[3],
                                            double **table, size_t *size);
/* The inverse of the matrix of a grid of few unknowns, its pseudo-inverse where that is singular: unknowns squared
 * doubles. */
starfish_status starfish_flux_inverse(const struct starfish_flux_grid *grid, double *inverse);
/* Add A to a matrix of all unknowns squared doubles, as rows. */
void starfish_flux_add_matrix(const struct starfish_flux_grid *grid, double *matrix);

#endif
