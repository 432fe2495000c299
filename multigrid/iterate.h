/* The outer iteration of every multigrid solver: steps until the residual is small enough, or will not become so.
 *
 * A step is a cycle, or in mixed precision a correction by some cycles; what it does, and to what hierarchy of grids,
 * is the caller's. */
#ifndef STARFISH_MULTIGRID_ITERATE_H
#define STARFISH_MULTIGRID_ITERATE_H

#include <starfish/multigrid.h>

struct starfish_iteration {
    void *self;
    /* The norm of the right-hand side minus A times the solution. zero: the solution is 0 yet. */
    starfish_status (*residual)(void *self, int zero, double *norm);
    /* Improve the solution by step number 0, 1, ...; residual: its norm before, NaN when it is not looked at. *cycles:
     * how many it took, `most` at most. */
    starfish_status (*step)(void *self, int number, int zero, double residual, int most, int *cycles);
};

/* Fills cycles, rhs_norm, residual, factor, count and history of info. The rhs is that of a zero solution. NUMERICAL
 * when it stopped short of the tolerance. */
starfish_status starfish_iterate(const struct starfish_iteration *iteration,
                                 const struct starfish_multigrid_options *options,
                                 struct starfish_multigrid_info *info);

#endif
