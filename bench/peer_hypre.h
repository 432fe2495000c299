/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hypre's structured solvers on one core: multigrid of other people on the same matrix. */
#ifndef STARFISH_BENCH_PEER_HYPRE_H
#define STARFISH_BENCH_PEER_HYPRE_H

#include <stddef.h>

enum peer_hypre_solver {
    PEER_HYPRE_PFMG,
    PEER_HYPRE_SMG,
    PEER_HYPRE_CG_PFMG,
    PEER_HYPRE_CG_SMG,
    PEER_HYPRE_CG_DIAGONAL, /* hypre's diagonal scaling */
    PEER_HYPRE_SOLVERS
};
enum { PEER_HYPRE_BANDS = 5 };

/* A symmetric matrix in f64, an entry for every unknown in each band. n[2] == 0: nine bands in 2D as in
 * multigrid/kernels/band.h, of which C, E, NW, N, NE are given; else seven points in 3D, of which the diagonal and the
 * entries of the neighbours above in x, y and z. */
struct peer_hypre_problem {
    size_t n[3];
    const double *band[PEER_HYPRE_BANDS], *rhs;
    double tolerance; /* of the residual's Euclidean norm over that of the right-hand side */
    /* PFMG smooths by red-black Gauss-Seidel, which is for seven points alone, and coarse grids have seven points as
     * well, rather than by weighted Jacobi and Galerkin's product, which are its defaults */
    int red_black;
    int most; /* iterations; 0: 200 */
    /* Each band is one number where it couples two unknowns, and is stored as one: the matrix's entries then need not
     * be read. PFMG and scaling by the diagonal can do that, SMG cannot. */
    int constant;
};

/* As in bench/peers.h: fills seconds[repeat], each of a solve from zero without its setup, whose seconds are *setup.
 * Returns 0 when it cannot be run or does not converge in its iterations, or is not in this build. `solution` may be
 * NULL. */
int peer_hypre(enum peer_hypre_solver which, const struct peer_hypre_problem *p, double *solution, int repeat,
               double *seconds, double *setup, int *iterations);
/* The same, in the module that knows hypre. */
int peer_hypre_here(enum peer_hypre_solver which, const struct peer_hypre_problem *p, double *solution, int repeat,
                    double *seconds, double *setup, int *iterations);

#endif
