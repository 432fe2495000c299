/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Naive references of the kernels on Q1 matrices (band.h, tensor.h, lines.h), for the tests: entry by entry, in f64. */
#ifndef STARFISH_MULTIGRID_KERNELS_BAND_REF_H
#define STARFISH_MULTIGRID_KERNELS_BAND_REF_H

#include "multigrid/kernels/band.h"

/* A matrix of n[0] * n[1] unknowns, by the five stored bands of a symmetric one (starfish_band_table_start), or, where
 * table is NULL, by the tensor products of linear elements. */
struct starfish_band_ref {
    size_t n[2];
    const double *table;
    int diagonals; /* the table has diagonals in the place of row sums */
    const double *width[2], *inverse[2];
    double reaction;
};

/* What the table has for (i,j) and its neighbour (i + dx, j + dy), dx, dy = -1 .. 1: an entry, or the row's sum. 0
 * where the neighbour lies outside of the grid. */
double starfish_band_ref_stored(const struct starfish_band_ref *ref, size_t i, size_t j, int dx, int dy);
/* The matrix entry of (i,j) and (i + dx, j + dy). */
double starfish_band_ref_entry(const struct starfish_band_ref *ref, size_t i, size_t j, int dx, int dy);
/* f - A u at (i,j); u == NULL is zero, and so is f == NULL. */
double starfish_band_ref_residual(const struct starfish_band_ref *ref, const double *u, const double *f, size_t i,
                                  size_t j);
/* Half a four-colour step on rows y0 .. y1-1, in place and one unknown after the other (struct
 * starfish_band_colours). */
void starfish_band_ref_colours(const struct starfish_band_ref *ref, size_t parity, double damping, size_t y0, size_t y1,
                               const double *f, double *v);
/* x = T^-1 (f - A u) on one line along direction 0 or 1, by Thomas' algorithm; u == NULL is zero. `work` is a line. */
void starfish_band_ref_line(const struct starfish_band_ref *ref, int direction, size_t line, const double *u,
                            const double *f, double *x, double *work);

#endif
