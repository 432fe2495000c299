/* Conjugate gradients whose vectors move as little as possible, for a matrix and a fixed preconditioner in one
 * precision that are tasks of a grid: three a step, each of which also makes the inner product that the next one needs,
 *
 *     z = B r, (r, z);    p' = z + beta p, (p', A p');    u' = u + alpha p', r = f - A u', (r, r).
 *
 * A p' is not stored, and the residual is that of the solution, not of a recurrence: 10 words per unknown and step
 * where B moves 2. Directions and solutions take turns in two vectors each, as tasks read the rows beside what they
 * write. */
#ifndef STARFISH_KRYLOV_FUSED_CG_H
#define STARFISH_KRYLOV_FUSED_CG_H

#include "krylov/iteration.h"
#include "tasks/hierarchy.h"

struct starfish_fused_cg {
    const struct starfish_algebra *algebra;
    struct starfish_scalars *scalars;        /* not here */
    const struct starfish_grid_operator *op; /* of a kind that combines */
    void *self;
    /* Submit: z = B r and their inner product. */
    starfish_status (*precondition)(void *self, const struct starfish_vector *r, const struct starfish_vector *z,
                                    const struct starfish_sums *rz);
    const struct starfish_vector *f, *u[2], *residual, *preconditioned, *direction[2];
    const struct starfish_sums *sums, *products; /* one, and two */
    int now, turned;                             /* which u and which direction are the last ones; 0 at first */
    int pending;                                 /* the last step's direction has yet to be added to the solution */
};

struct starfish_iteration starfish_fused_cg_iteration(struct starfish_fused_cg *cg);
/* After the iteration: the solution is in u[0]. */
starfish_status starfish_fused_cg_end(struct starfish_fused_cg *cg);

#endif
