/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Corrections in a lower precision: a solver in f32 computes a correction from a residual in f64. The correction is
 * added to a solution in f64 (defect correction: Goeddeke, Strzodka, Turek, Int. J. Parallel Emergent Distrib. Syst. 22
 * (2007), 221-256), or is a preconditioned residual. The residual is scaled by a power of two, which changes no digit,
 * so that f32 holds it: the same one in the whole iteration, in which residuals fall by less than the range of f32.
 * Besides the solver, each correction moves 32 bytes per unknown, or none if another task rounds and adds. */
#ifndef STARFISH_KRYLOV_CORRECTION_H
#define STARFISH_KRYLOV_CORRECTION_H

#include "krylov/scalars.h"

/* A solver in the lower precision, by cycles. */
struct starfish_inner_solver {
    void *self;
    /* Where the right-hand side goes; the next cycle begins a new solution. */
    const struct starfish_vector *(*begin)(void *self);
    /* Submit one cycle; first: of the whole solve; zero: of this correction, which is zero yet. */
    starfish_status (*cycle)(void *self, int first, int zero);
    /* Wait for the norm of the residual. */
    starfish_status (*norm)(void *self, double *norm);
    /* Submit what is left to do; *solution: where it then is. */
    starfish_status (*end)(void *self, const struct starfish_vector **solution);
};

enum { STARFISH_CORRECTION_MOST_CYCLES = 32 };

struct starfish_correction {
    const struct starfish_algebra *algebra;
    struct starfish_scalars *scalars; /* with the norm of the residual that is corrected */
    struct starfish_inner_solver inner;
    int cycles;    /* per correction; or, */
    double digits; /* where > 0, as many as it takes to gain these digits, STARFISH_CORRECTION_MOST_CYCLES at most */
    int made;      /* how many corrections there were */
    const struct starfish_vector *solution; /* the last one, scaled */
};

/* target += a correction for the residual, or = unless `adds`. first: of the whole solve. *cycles: how many it took,
 * `most` at most. Waits for tasks where digits count. residual NULL: it is where inner.begin says, scaled; target NULL:
 * the correction is left where correction->solution says, to be multiplied by STARFISH_KRYLOV_UNSCALE. */
starfish_status starfish_correct(struct starfish_correction *correction, int first,
                                 const struct starfish_vector *residual, int adds, const struct starfish_vector *target,
                                 int most, int *cycles);

#endif
