/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bilinear finite elements on one tensor-product grid of a hierarchy. Everything is computed in f64. */
#ifndef STARFISH_MULTIGRID_Q1_H
#define STARFISH_MULTIGRID_Q1_H

#include "multigrid/kernels/band.h"
#include <starfish/multigrid.h>

/* Element widths and coefficients of one grid; coefficients may be NULL (1). Owned. */
struct starfish_q1_grid {
    size_t elements[2], n[2]; /* unknowns */
    int dirichlet[2][2];
    double *width[2];
    double *diffusion[2];
    double reaction;
    /* How the next finer grid's unknowns are interpolated from this one's (multigrid/kernels/transfer.h): stride 1 or
     * 2, and n weights per direction. Unset on the finest. */
    size_t stride[2], origin[2];
    double *left[2], *right[2];
};

/* Elements, ends and widths of direction d. Errors: ARGUMENT (names the member). */
starfish_status starfish_q1_check_direction(const struct starfish_q1_problem *problem, int d);
starfish_status starfish_q1_grid_create(struct starfish_q1_grid *grid, const struct starfish_q1_problem *problem);
/* The next coarser grid: pairs of elements become one, in directions that have enough. */
starfish_status starfish_q1_grid_coarsen(const struct starfish_q1_grid *fine, struct starfish_q1_grid *coarse);
/* Can any direction be coarsened? */
int starfish_q1_grid_coarsens(const struct starfish_q1_grid *grid);
/* The largest ratio of an element's couplings in the two directions, at least 1. */
double starfish_q1_anisotropy(const struct starfish_q1_grid *grid);
/* An upper bound of the eigenvalues of D^-1 A, D the diagonal: the largest of any element's (Fried, J. Sound Vib. 22
 * (1972), 407-418). At most 3. */
double starfish_q1_largest_eigenvalue(const struct starfish_q1_grid *grid);
void starfish_q1_grid_destroy(struct starfish_q1_grid *grid);

/* Fill the table of a matrix (starfish_band_table_start doubles, all zero before). */
void starfish_q1_assemble(const struct starfish_q1_grid *grid, double *table);
/* The same as X, Y and Q of struct starfish_band_matrix's entries in 16 bits, in the places of E, N and NE. */
void starfish_q1_assemble_edges(const struct starfish_q1_grid *grid, double *table);
/* Put diagonals in the place of its row sums, as the usual form has them. */
void starfish_q1_diagonals(const struct starfish_q1_grid *grid, double *table);

/* Without coefficients: widths and inverse widths of the elements in x and y as starfish_band_axis has them, 2 * (n[0]
 * + n[1] + 2) doubles. */
void starfish_q1_tensor(const struct starfish_q1_grid *grid, double *table);

/* The inverse of the matrix of a grid of few unknowns, n[0] * n[1] squared doubles. */
starfish_status starfish_q1_inverse(const struct starfish_q1_grid *grid, const double *table, double *inverse);

#endif
