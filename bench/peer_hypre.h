/* hypre's structured solvers on one core: multigrid of other people on the same matrix. */
#ifndef STARFISH_BENCH_PEER_HYPRE_H
#define STARFISH_BENCH_PEER_HYPRE_H

#include <stddef.h>

enum peer_hypre_solver { PEER_HYPRE_PFMG, PEER_HYPRE_SMG, PEER_HYPRE_CG_PFMG, PEER_HYPRE_CG_SMG, PEER_HYPRE_SOLVERS };

/* A symmetric nine-band matrix as in multigrid/kernels/band.h, f64: bands C, E, NW, N, NE of n[0] * n[1] entries each. */
struct peer_hypre_problem {
    size_t n[2];
    const double *band[5], *rhs;
    double tolerance; /* of the residual's Euclidean norm over that of the right-hand side */
};

/* As in bench/peers.h: fills seconds[repeat], each of a solve from zero without its setup, whose seconds are *setup. Returns 0
 * when it cannot be run or does not converge in 200 iterations, or is not in this build. `solution` may be NULL. */
int peer_hypre(enum peer_hypre_solver which, const struct peer_hypre_problem *p, double *solution, int repeat,
               double *seconds, double *setup, int *iterations);
/* The same, in the module that knows hypre. */
int peer_hypre_here(enum peer_hypre_solver which, const struct peer_hypre_problem *p, double *solution, int repeat,
                    double *seconds, double *setup, int *iterations);

#endif
