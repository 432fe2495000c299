/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conjugate gradients over tasks for A x = b, preconditioned by M (Saad, Iterative Methods for Sparse Linear Systems,
 * algorithm 9.1):
 *
 *     r = b - A x
 *     until (r, r) is small enough:
 *         z = M^-1 r
 *         beta = (r, z) / (last r, last z), at first 0
 *         p = z + beta p
 *         alpha = (r, z) / (p, A p)
 *         x = x + alpha p
 *         r = b - A x
 *
 * Scalars stay where the vectors are (krylov/scalars.h), and starfish_iterate decides when it ends. Options:
 *
 * - Without any it is flexible (Notay, SIAM J. Sci. Comput. 22 (2000), 1444-1460): M may be in a lower precision, or
 *   differ from step to step. beta = -(z, A p) / (p, A p) with the last p makes p conjugate to it whatever z is.
 * - `fused`: M does not change, and the matrix combines. A step is three tasks: z and (r, z); p and (p, A p); x, r and
 *   (r, r). A p is not stored. x and p take turns in two vectors each, as tasks read the rows beside what they write.
 * - `recurrence`: M does not change, and r = r - alpha A p. x may be of a higher precision than the iteration: its
 *   rounding does not enter the recurrence, and f32 carries an iteration that f64 has begun.
 * - `recurrence` and `fused`: several steps are one task (codelets/gradients.h), for cells.
 * - `recurrence` and `deflation`, fused or not, for cells (Gupta, Vuik, Lemmens, report 10-20, Delft Institute of
 *   Applied Mathematics, 2010): x begins with Q b, and P' M^-1 + Q stands for M^-1 (krylov/deflation.h: A-DEF2). */
#ifndef STARFISH_KRYLOV_CG_H
#define STARFISH_KRYLOV_CG_H

#include "codelets/gradients.h"
#include "krylov/deflation.h"
#include "krylov/iteration.h"
#include "krylov/operator.h"

struct starfish_cg {
    const struct starfish_algebra *algebra;
    struct starfish_scalars *scalars; /* not here */
    struct starfish_linear_operator matrix;
    struct starfish_preconditioner preconditioner; /* M^-1; without functions: 1 */
    int recurrence, fused;
    const struct starfish_cells_deflation *deflation; /* or NULL */
    int product_with_az;                              /* deflation: a product with A instead of the entries of A Z */
    const struct starfish_gradients_task *several;    /* of several steps: matrix, preconditioner and replays */
    /* The recurrence has r instead of b, at first b itself, and adds the solution times `unscale` to x. The second x is
     * of `fused` without recurrence, the second p of `fused`; in several steps on cores it is the first. */
    const struct starfish_vector *b, *x[2], *r, *z, *p[2], *q;
    double unscale;
    const struct starfish_sums *norm, *pq, *rz; /* (r, r), (p, q), (r, z) */
    int now, turned;                            /* which x and which p are the last ones; 0 at first */
    int pending; /* fused: alpha p has yet to be added to x; 2: x is 0 and has no values */
};

/* Steps of it. most_ahead: 1 where the preconditioner waits for tasks. */
struct starfish_iteration starfish_cg_iteration(struct starfish_cg *cg, int most_ahead);
/* After the iteration: the solution is in x[0]. */
starfish_status starfish_cg_end(struct starfish_cg *cg);

#endif
