/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BiCGStab over tasks, for matrices or preconditioners that are not symmetric (van der Vorst, SIAM J. Sci. Stat.
 * Comput. 13 (1992), 631-644), preconditioned from the right, so that its residuals are true ones; the preconditioner
 * may differ from step to step. Scalars stay where the vectors are.
 *
 * Each step computes the residual anew, since it is checked anyway. A breakdown (an inner product in a denominator is
 * 0) ends the iteration as stagnation with the current solution. A restart from there (`from_guess`) uses another
 * shadow residual. Besides three products with the matrix and two preconditioners, a step moves 29 words per unknown.
 * sparse/kernels/bicgstab.h serves small systems inside a task. */
#ifndef STARFISH_KRYLOV_BICGSTAB_H
#define STARFISH_KRYLOV_BICGSTAB_H

#include "krylov/iteration.h"
#include "krylov/operator.h"

/* Vectors: the residual r, which becomes the rest s in a step; the shadow residual; the direction p; z = B p, then B s;
 * v = -A B p; t = -A B s. */
struct starfish_bicgstab_steps {
    const struct starfish_algebra *algebra;
    struct starfish_scalars *scalars; /* not here */
    struct starfish_linear_operator matrix;
    struct starfish_preconditioner preconditioner;
    const struct starfish_vector *f, *u, *residual, *shadow, *direction, *preconditioned, *v, *t;
    const struct starfish_sums *sums, *products; /* one, and two */
};

/* Steps of it, of two applications of the preconditioner each. most_ahead: 1 where that waits for tasks. */
struct starfish_iteration starfish_bicgstab_iteration(struct starfish_bicgstab_steps *steps, int most_ahead);

#endif
