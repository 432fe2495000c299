/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK's BLKTRI on one core, compiled in the same run from the user's copy of its sources: it is not ours to pass
 * on, and a figure of another machine would be no peer. */
#ifndef STARFISH_BENCH_PEER_FISHPACK_H
#define STARFISH_BENCH_PEER_FISHPACK_H

#include <stddef.h>

/* u_xx + u_yy = f on m * n nodes inside the unit square with Dirichlet ends; f and u are m * n doubles, x fastest. */
struct peer_fishpack_problem {
    size_t m, n; /* 5 or more each */
    const double *rhs;
    double *solution;
};

/* Compiles blktri.f and comf.f of `folder`, and fish.f where it is there (version 4.1), in double precision with the
 * Fortran compiler that FC names, else gfortran; then fills seconds[repeat], each of one solve after BLKTRI has been
 * prepared. Returns 0 where it cannot be compiled or refuses the problem. */
int peer_fishpack(const char *folder, const struct peer_fishpack_problem *problem, int repeat, double *seconds);

#endif
