/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block cyclic reduction, partial-fraction form: the analysis of its block direction, done once per plan.
 *
 * The blocks of rows and their neighbours are those of the product form (reduction.h). Where that applies an entry
 * G(i, c) of a block's inverse, a rational function of T, factor by factor, this sums its partial fractions (Sweet,
 * SIAM J. Sci. Stat. Comput. 9 (1988); Gallopoulos and Saad, Parallel Comput. 10 (1989)).
 *
 * Where the block is symmetric it is Q diag(mu) Q', and its inverse is a sum over its eigenvalues. All entries share
 * the solves, and differ in their weights alone, which are products of two components of a unit eigenvector:
 *     G(i, c) = sum over q of Q(i, q) Q(c, q) (T + mu_q I)^-1.
 * Only few rows of Q are needed: at lo, at the separators and at hi. Reduction goes up the tree, substitution down:
 *
 *     row        lo-1  |  lo  . . .  c  . . .  c  . . .  c  . . .  hi  |  hi+1
 *     component           f_q       m_qc      m_qc      m_qc      l_q
 *     up          y <------------   z_q from all y_c   ----------------->  y
 *     down        x ------------>   z_q from x and y_c <-----------------  x,     then x_c from z_q
 *
 * Radix 4 on 15 rows: the block 0..14 has the separators 3, 7 and 11; all rows of 0..2, 4..6, 8..10 and 12..14 are
 * separators of the next level. All solves of a level are independent of each other.
 *
 * The scaling s[0] = 1, s[j+1] = s[j] sqrt(cn[j] / an[j+1]) makes the rows lo..hi symmetric. With r, one of the
 * separators c of the block:
 *   reduction     z_q = (T + mu_q I)^-1 sum over c of m_qc s_c/s_r y_c,
 *                 y_(lo-1) -= cn[lo-1] s_r/s_lo sum f_q z_q,    y_(hi+1) -= an[hi+1] s_r/s_hi sum l_q z_q;
 *   substitution  z_q = (T + mu_q I)^-1 (sum over c of m_qc s_c/s_r y_c
 *                                        - f_q s_lo/s_r an[lo] x_(lo-1) - l_q s_hi/s_r cn[hi] x_(hi+1)),
 *                 x_c = s_r/s_c sum m_qc z_q.
 *
 * A level of any radix costs one solve per row and direction. Radix 4, three separators to a block, has half the levels
 * of radix 2 and hence half the solves (the partial solution variant of Rossi and Toivanen, SIAM J. Sci. Comput. 20
 * (1999), 1778); what is weighted and added, per two levels of radix 2, is 13 vectors per root instead of 14.
 *
 * Where a block and its halves read the same in both directions, every fourth eigenvector vanishes at all three
 * separators (of radix 2 every other one at its only one), so that its root has no part in any sum and is left out.
 *
 * The components of an eigenvector are bounded by one, and the couplings enter once, so nothing can overflow and no
 * order has to be found: on strongly stretched grids this loses the digits of a few roundings, where the product form
 * loses those of a chain. But the ratios of s enter too: see starfish_fractions_suit.
 *
 * Periodic: the first separator is row n-1, whose block is the whole ring; only its m_q is needed there. */
#ifndef STARFISH_BLKTRI_FRACTIONS_H
#define STARFISH_BLKTRI_FRACTIONS_H

#include "blktri/kernels/reduction.h"

/* One root of a block and its weights, as above:
 *     from_separator = m_c s_c/s_r,           to_separator = m_c s_r/s_c,           as many as the block has,
 *     to_lower = cn[lo-1] s_r/s_lo f,         to_upper = an[hi+1] s_r/s_hi l,
 *     from_lower = -f s_lo/s_r an[lo],        from_upper = -l s_hi/s_r cn[hi].
 * Zero where the block has no such separator, or no neighbour on that side. */
struct starfish_fraction {
    double mu;
    double from_separator[STARFISH_BLOCK_SEPARATORS], to_separator[STARFISH_BLOCK_SEPARATORS];
    double to_lower, to_upper, from_lower, from_upper;
};

struct starfish_fractions_level {
    size_t roots;
    int separators;     /* the most that a block of the level has */
    size_t *first_root; /* per block of the level, and one past the last */
    struct starfish_fraction *fraction;
};
struct starfish_fractions {
    struct starfish_reduction *rows; /* blocks and neighbours, no chains */
    struct starfish_fractions_level *level;
    size_t zero_root; /* in level 0: the root nearest to zero (set to exactly zero when singular) */
};

/* Eigenvalues, in no particular order, of the symmetric tridiagonal matrix with diagonal diag[n] and off-diagonal
 * off[n-1], and rows row[0..rows-1] of its matrix of unit eigenvectors (columns, of any sign): component[r + rows * q]
 * is row row[r] of the one of root[q]. Time and memory proportional to n^2 and to rows * n (LAPACK dbdsqr on the
 * Cholesky factor; graded definite matrices keep the relative accuracy of their small eigenvalues). */
starfish_status starfish_eigenrows(const double *diag, const double *off, size_t n, const size_t *row, size_t rows,
                                   double *root, double *component);
/* The same for the ring of rows that starfish_periodic_roots takes, and row n-1 only: component[n]. */
starfish_status starfish_ring_eigenrows(const double *lower, const double *diag, const double *upper, size_t n,
                                        double *root, double *component);

/* Is tridiag(lower, ., upper) fit for this form? Rows coupled one way only have no symmetric form, and where the
 * scaling s spans more than STARFISH_FRACTIONS_SPREAD its ratio times a rounding error is too much: the product form
 * does both. The matrix is symmetrisable (starfish_check_symmetrizable). */
#define STARFISH_FRACTIONS_SPREAD 1e6
int starfish_fractions_suit(const double *lower, const double *upper, size_t n, int periodic);
/* The logarithm of what s spans; infinite where rows are coupled one way only. */
double starfish_fractions_spread(const double *lower, const double *upper, size_t n, int periodic);

/* Analyse tridiag(lower, diag, upper) of n >= 1 rows, which suits. singular: the whole matrix has the eigenvalue zero
 * exactly. radix: 2 or 4. The caller owns *result. */
starfish_status starfish_fractions_create(struct starfish_fractions **result, const double *lower, const double *diag,
                                          const double *upper, size_t n, int periodic, int singular, int radix);
void starfish_fractions_destroy(struct starfish_fractions *fractions);

#endif
