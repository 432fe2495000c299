/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines upwards of a flat domain, eliminated once and for all.
 *
 * Row k of the tridiagonal matrix of a column T is (flat.h)
 *     (m_k + B_k + C_k) u_k - B_k u_(k-1) - C_k u_(k+1),
 *     m_k = mass_T a_k + faces_T d_k,  B_k = lift_T b_k,  C_k = lift_T c_k,
 * where faces_T is the sum of the couplings of the column. Columns with the same mass, lift and faces are of one type.
 * On a box of equal columns there are four: those inside, on a side in x, on one in y, and in a corner; a grid with
 * more than STARFISH_FLAT_MOST_TYPES has none.
 *
 * The factors of a type serve runs of STARFISH_FLAT_RUN layers, of which all but the last are eliminated within the
 * run; an even number of runs, in which rows beyond the top repeat the top and nothing couples them. First, four reals
 * for each layer:
 *     pivot, below:    y_k = pivot * value_k + below * y_(k-1), where y is 0 below the run
 *     factor, answer:  v_k = y_k - answer * u_left + factor * v_(k+1), where u_left is that of the last layer of
 *                      the run below and v_k = u_k - u_left
 * and of the last layer of a run pivot 1, below B_k, factor C_k (0 for the last run), answer 0. Then, row by row, the
 * inverse of the matrix of the last layers: runs * runs reals, none of them negative. Last, for cores, the whole column
 * eliminated from below, three reals for each of its nz layers:
 *     pivot, below:  y_k = pivot * value_k + below * y_(k-1)
 *     factor:        u_k = y_k + factor * u_(k+1)
 * No step subtracts, so that all factors of stiff columns have all digits. */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_FACTORS_H
#define STARFISH_MULTIGRID_KERNELS_FLAT_FACTORS_H

#include <stddef.h>

enum { STARFISH_FLAT_RUN = 8, STARFISH_FLAT_MOST_RUNS = 16, STARFISH_FLAT_MOST_TYPES = 4 };

/* Runs of a column of nz layers, more than STARFISH_FLAT_MOST_RUNS where it is too long for factors. */
static inline size_t starfish_flat_runs(size_t nz)
{
    return 2 * ((nz + 2 * STARFISH_FLAT_RUN - 1) / (2 * STARFISH_FLAT_RUN));
}

/* Reals of a type's factors, and where those of the whole column begin. */
static inline size_t starfish_flat_factors_of_runs(size_t runs)
{
    return runs * (4 * STARFISH_FLAT_RUN + runs);
}
static inline size_t starfish_flat_factors_size(size_t nz)
{
    return starfish_flat_factors_of_runs(starfish_flat_runs(nz)) + 3 * nz;
}

/* What makes a column's type, and the numbers of its layers. */
struct starfish_flat_column {
    size_t nz; /* at most STARFISH_FLAT_RUN * STARFISH_FLAT_MOST_RUNS */
    double mass, lift, faces;
    const double *a, *b, *c, *d;
};
void starfish_flat_factors(const struct starfish_flat_column *line, double *factors);

#endif
