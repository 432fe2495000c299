/* Flexible conjugate gradients over tasks (Notay, SIAM J. Sci. Comput. 22 (2000), 1444-1460), whose scalars stay where
 * the vectors are.
 *
 * The residual is computed anew in each step, as it is looked at anyway, and a direction is made conjugate to the last
 * one by an inner product of its own. So rounding errors of preconditioners in f32, or such as differ from step to
 * step, do no harm. Besides matrix and preconditioner a step moves 13 words per unknown. */
#ifndef STARFISH_KRYLOV_CG_H
#define STARFISH_KRYLOV_CG_H

#include "krylov/iteration.h"
#include "krylov/operator.h"

/* Vectors are named as there: the residual r, z = B r, the direction p, and image = -A p. */
struct starfish_cg {
    const struct starfish_algebra *algebra;
    struct starfish_scalars *scalars; /* not here */
    struct starfish_linear_operator matrix;
    struct starfish_preconditioner preconditioner;
    const struct starfish_vector *f, *u, *residual, *preconditioned, *direction, *image;
    const struct starfish_sums *sums, *products; /* one, and two */
};

/* Steps of it. most_ahead: 1 where the preconditioner waits for tasks. */
struct starfish_iteration starfish_cg_iteration(struct starfish_cg *cg, int most_ahead);

#endif
