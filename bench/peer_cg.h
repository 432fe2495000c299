/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain conjugate gradients with cuSPARSE's product and cuBLAS's vectors: what one writes first on a GPU. */
#ifndef STARFISH_BENCH_PEER_CG_H
#define STARFISH_BENCH_PEER_CG_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A symmetric matrix in compressed rows, f64, and a right-hand side, in host memory. */
struct peer_cg {
    int n;
    const int *start, *column;
    const double *value, *rhs;
    double tolerance; /* of the recurrence's residual over the right-hand side, Euclidean */
    int most;         /* iterations */
};
/* As in bench/peers.h: fills seconds[repeat], each of a solve from zero with everything on the device; *iterations of
 * one. 0 where it cannot be run or does not converge. */
int peer_cusparse_cg(const struct peer_cg *problem, int repeat, double *seconds, int *iterations);

#ifdef __cplusplus
}
#endif

#endif
