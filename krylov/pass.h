/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A pass: one run of an iterative method from the current solution, and its outcome. Families whose solves may need
 * several passes run them one after another. */
#ifndef STARFISH_KRYLOV_PASS_H
#define STARFISH_KRYLOV_PASS_H

struct starfish_pass {
    /* What to do. */
    double tolerance,
        absolute;   /* it ends where the residual's norm is at most tolerance times that of f, or absolute */
    double floor;   /* what rounding errors of f leave of the residual's norm */
    int variant;    /* which method, of those that the engine has */
    int most;       /* steps at most; without tolerance and absolute exactly so many, and no residual is looked at */
    int from_guess; /* the solution's vector holds one; else it starts as 0 */
    /* What it came to. */
    int steps;
    double norm, best; /* of the residual: the last, and the smallest that an iteration has seen; NaN without a look */
};

#endif
