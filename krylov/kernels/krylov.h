/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Iterations without a host that looks on: their scalars stay in the memory of the device, where kernels compute them
 * and read them (struct starfish_vector_update), so that many steps can be submitted, or captured into a graph, at
 * once. Once an iteration is done all its factors are 0, and further steps change nothing.
 *
 * Stages serve these users: conjugate gradients inside one task (Saad, Iterative Methods for Sparse Linear Systems,
 * algorithm 9.1), flexible conjugate gradients over tasks (Notay, SIAM J. Sci. Comput. 22 (2000), 1444-1460), BiCGStab
 * (van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992), 631-644), and the watch over the residual of any iteration.
 * CUDA functions launch on `stream` and return a cudaError_t, 0 when the launch was accepted. */
#ifndef STARFISH_KRYLOV_KERNELS_KRYLOV_H
#define STARFISH_KRYLOV_KERNELS_KRYLOV_H

#include "krylov/kernels/vectors.h"

/* Norms that a state keeps: so many steps may be submitted between two looks at it. */
enum { STARFISH_KRYLOV_RING = 16 };

/* What is in the state, STARFISH_KRYLOV_STATE doubles. */
enum starfish_krylov_scalar {
    STARFISH_KRYLOV_ZERO,  /* the number 0 */
    STARFISH_KRYLOV_ALPHA, /* factor of the direction in the solution */
    STARFISH_KRYLOV_BETA,  /* factor of the last direction in the next one */
    STARFISH_KRYLOV_RHO,   /* inner product of residual and preconditioned residual */
    STARFISH_KRYLOV_LIMIT, /* of BEGIN and TEST: the square of the norm that is wanted; else that norm */
    STARFISH_KRYLOV_DONE,  /* enum starfish_krylov_outcome */
    /* Of watched iterations: */
    STARFISH_KRYLOV_ENERGY, /* of the last direction p: (p, A p) */
    STARFISH_KRYLOV_NORM,   /* of the last residual; of the first ones, the right-hand side and the initial residual */
    STARFISH_KRYLOV_RHS_NORM,
    STARFISH_KRYLOV_FIRST_NORM,
    STARFISH_KRYLOV_BEST,       /* the least norm, */
    STARFISH_KRYLOV_SINCE_BEST, /* and the steps since, */
    STARFISH_KRYLOV_PATIENCE,   /* as many as which are stagnation */
    STARFISH_KRYLOV_FLOOR,      /* up to this norm the residual is rounding errors, and no direction leads on */
    STARFISH_KRYLOV_WATCHED,    /* 0: goes on whatever the residual */
    STARFISH_KRYLOV_SCALE,      /* 2^-exponent(first norm), which brings residuals into the range of f32, */
    STARFISH_KRYLOV_UNSCALE,    /* and its inverse; both change no digit */
    STARFISH_KRYLOV_OMEGA,      /* of BiCGStab: factor of the second half of a step */
    STARFISH_KRYLOV_OUTER,      /* what is solved for over the solution outside: of RHS, `outer` */
    STARFISH_KRYLOV_TICKET,     /* blocks of a kernel that have finished: no double */
    STARFISH_KRYLOV_STEPS,      /* steps until done */
    STARFISH_KRYLOV_NORMS,      /* of step s = 1, 2, ...: at NORMS + s % STARFISH_KRYLOV_RING */
    STARFISH_KRYLOV_STATE = STARFISH_KRYLOV_NORMS + STARFISH_KRYLOV_RING
};

enum starfish_krylov_outcome {
    STARFISH_KRYLOV_GOES_ON,
    STARFISH_KRYLOV_CONVERGED, /* or, inside a task, rounding errors have left no direction */
    STARFISH_KRYLOV_STAGNATED,
    STARFISH_KRYLOV_NOT_FINITE
};

/* What follows from an inner product. */
enum starfish_krylov_stage {
    /* Conjugate gradients inside a task: residual and residual, first and afterwards; residual and preconditioned one;
     * direction and A direction. */
    STARFISH_KRYLOV_BEGIN,
    STARFISH_KRYLOV_TEST,
    STARFISH_KRYLOV_DIRECTION,
    STARFISH_KRYLOV_STEP,
    /* Any iteration's residual: of a zero solution, which begins a new state; of an initial guess; after a step. */
    STARFISH_KRYLOV_RHS,
    STARFISH_KRYLOV_GUESS,
    STARFISH_KRYLOV_WATCH,
    /* Flexible conjugate gradients: preconditioned residual and A times the last direction; and direction and A
     * direction together with direction and residual (two sets of sums, the sign is of the first). */
    STARFISH_KRYLOV_CONJUGATE,
    STARFISH_KRYLOV_MINIMISE,
    /* BiCGStab: shadow residual and residual; shadow and A times the preconditioned direction v; t = A times the
     * preconditioned rest s with s, together with t and t. */
    STARFISH_KRYLOV_SHADOW,
    STARFISH_KRYLOV_HALF,
    STARFISH_KRYLOV_WHOLE,
    /* Conjugate gradients with a fixed preconditioner: residual and preconditioned one, which gives beta; then
     * MINIMISE, whose second inner product is that one. */
    STARFISH_KRYLOV_TURN
};
/* Does the stage have two inner products? */
#define STARFISH_KRYLOV_HAS_TWO(stage) ((stage) == STARFISH_KRYLOV_MINIMISE || (stage) == STARFISH_KRYLOV_WHOLE)

enum { STARFISH_KRYLOV_MOST_PARTS = 16 };

/* state: what follows from inner products, each given by `parts` times STARFISH_SUMS doubles that add up to it times
 * `sign`. */
struct starfish_krylov_scalars {
    enum starfish_krylov_stage stage;
    double sign;
    /* Of BEGIN and RHS: the norm that is wanted over the first one, of the right-hand side; of RHS: the norm that is
     * wanted whatever that is, the floor, and whether the iteration ends by its norms. */
    double tolerance, absolute, floor, outer;
    int watched, patience; /* patience: steps without a gain that are stagnation; 0: 8 */
    size_t parts;
    size_t count; /* on cores: of each part's sums, those that are not 0; 0: all */
    const double *sums[STARFISH_KRYLOV_MOST_PARTS];
    const double *more[STARFISH_KRYLOV_MOST_PARTS]; /* of MINIMISE and WHOLE: the second inner product */
    double *state;
};
void starfish_krylov_scalars_cpu(const struct starfish_krylov_scalars *arguments);
int starfish_krylov_scalars_cuda(const struct starfish_krylov_scalars *arguments, struct CUstream_st *stream);

#endif
