/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block cyclic reduction, product form: the analysis of its block direction, done once per plan.
 *
 * The problem: for rows j = 0..n-1 of vectors u_j,
 *     a[j] u_(j-1) + (T + b[j] I) u_j + c[j] u_(j+1) = y_j,
 * T any matrix (here tridiagonal; a shift of it leaves everything below as it is, so one analysis serves all Fourier
 * modes). Every polynomial in T commutes with every other, so a block lo..hi of rows can be solved as if T were a
 * number: with P(lo..hi) = det of rows lo..hi = product over the eigenvalues mu of that part of tridiag(a, b, c) of
 * (T + mu I), the entries of the block's inverse are (Swarztrauber, SIAM J. Numer. Anal. 11 (1974), in our notation)
 *     G(c, c)  = P(lo..c-1) P(c+1..hi) / P(lo..hi),
 *     G(lo, c) = (-1)^(c-lo) cn[lo]..cn[c-1] P(c+1..hi) / P(lo..hi),    and likewise for the others.
 * Nested dissection: every block has a separator row c with a block on either side, recursively; any n.
 *   reduction     levels from the leaves up: the separator's right-hand side y_c acts on the rows just outside its
 *                 block: y_(lo-1) -= cn[lo-1] G(lo, c) y_c,  y_(hi+1) -= an[hi+1] G(hi, c) y_c.
 *   substitution  levels from the root down: the known rows outside act on y_c through the half blocks,
 *                 y_c -= an[c] (last of block lo..c-1 driven by x_(lo-1)), likewise from above; then x_c = G(c, c) y_c.
 * Each of these is a rational function of T applied to a vector: a chain of first-order factors
 * (tridiag/kernels/tridiag.h).
 *
 * A block that reads the same in both directions has symmetric and skew eigenvectors in turn. The skew ones vanish at
 * the separator, so that their eigenvalues are those of either half, and cancel: half of the factors are left. Its
 * neighbours on both sides share their chains (Cantoni and Butler, Linear Algebra Appl. 13 (1976), 275). Of equal
 * rows nearly all blocks are such, and q rows take 3 q / 2 steps instead of 4 q.
 *
 * Accuracy depends on the order of factors: numerator roots are paired with their nearest denominator roots (the
 * eigenvalues of a half block interlace those of the block, so a pair is close to the identity), and the rest, plain
 * solves times coupling coefficients, are ordered so that the running product stays near one: no overflow for any n.
 *
 * Periodic n: row n-1 is the separator of everything and neighbour of the remaining block at both its ends; its roots
 * are the eigenvalues of the periodic matrix. */
#ifndef STARFISH_BLKTRI_REDUCTION_H
#define STARFISH_BLKTRI_REDUCTION_H

#include "blktri/kernels/chains.h"

/* Separators of a block: one in product form, up to three in partial-fraction form (fractions.h). */
enum { STARFISH_BLOCK_SEPARATORS = 3 };

/* A block of rows with its separators, ascending. `lower`, `upper`: the rows just outside (lo-1 and hi+1, wrapped), -1
 * when none or when the coupling to it is zero. */
struct starfish_block {
    int lo, hi;
    int separators, separator[STARFISH_BLOCK_SEPARATORS];
    int lower, upper;
    int level;
};

/* Level 0 is the root. Its rows are the separators of all its blocks, in order. For each neighbour (all lower ones of
 * the level's blocks first, then all upper ones): the block (index in the level), the row, the chain from the separator
 * to it and the chain from it to the separator. */
struct starfish_neighbour {
    size_t block;
    int row;
    int shares; /* an upper one: the chains of the block's lower neighbour */
    struct starfish_chain reduce, influence;
};
struct starfish_reduction_level {
    size_t blocks, rows;
    struct starfish_block *block;
    struct starfish_chain *solve; /* per block */
    size_t neighbours, lower;
    struct starfish_neighbour *neighbour;
    size_t steps;
    struct starfish_step *step;
};
struct starfish_reduction {
    size_t n, levels;
    struct starfish_reduction_level *level;
    int zero_root_step; /* in level 0: the step whose root is nearest to zero (set to exactly zero when singular) */
};

/* What couples two rows once they are symmetric: sqrt(lower upper) with the sign of `upper`, where neither has another
 * sign. It does not overflow where the product does. */
double starfish_symmetric_coupling(double lower, double upper);
/* Eigenvalues of rows lo..hi of tridiag(lower, diag, upper), ascending, into root[hi-lo+1]; needs
 * lower[j] upper[j-1] >= 0. Absolute error about machine epsilon times the norm (LAPACK dsterf). */
starfish_status starfish_tridiagonal_roots(const double *lower, const double *diag, const double *upper, size_t lo,
                                           size_t hi, double *root);
/* The same for all n rows with the periodic coupling; also needs the products of all lower and of all upper to
 * agree. */
starfish_status starfish_periodic_roots(const double *lower, const double *diag, const double *upper, size_t n,
                                        double *root);
/* That matrix of n >= 2 rows, symmetrised, with row n-1 first: LAPACK's lower band storage with two subdiagonals (n =
 * 2: one), added to band[3 n]. */
void starfish_ring_band(const double *lower, const double *diag, const double *upper, size_t n, double *band);
/* Do rows lo..hi read the same in both directions, each coupled to the next? Their eigenvectors then are symmetric and
 * skew in turn, in order of the eigenvalues. */
int starfish_is_mirrored(const double *lower, const double *diag, const double *upper, size_t lo, size_t hi);
/* STARFISH_ERROR_NOT_SYMMETRIZABLE, naming `axis` and the row, when the roots need not be real. */
starfish_status starfish_check_symmetrizable(const char *axis, const double *lower, const double *upper, size_t n,
                                             int periodic);

/* Analyse tridiag(lower, diag, upper) of n >= 1 rows. singular: the whole matrix has the eigenvalue zero exactly.
 * The caller owns *result. */
starfish_status starfish_reduction_create(struct starfish_reduction **result, const double *lower, const double *diag,
                                          const double *upper, size_t n, int periodic, int singular);
/* Blocks and neighbours only: the chains are not made, and the roots are not known. A block is cut into `radix` parts,
 * 2 or 4, by its middle and by the middles of the halves; into fewer where it has too few rows. */
starfish_status starfish_reduction_dissect(struct starfish_reduction **result, const double *lower, const double *upper,
                                           size_t n, int periodic, int radix);
void starfish_reduction_destroy(struct starfish_reduction *reduction);

#endif
