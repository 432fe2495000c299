/* What iterations know of a matrix and of what approximates its inverse: a function each that submits the work. */
#ifndef STARFISH_KRYLOV_OPERATOR_H
#define STARFISH_KRYLOV_OPERATOR_H

#include "codelets/vectors.h"

struct starfish_linear_operator {
    const void *self;
    /* Submit: result = f - A u, and the sum of its squares; u or f NULL: zero; result or sums may be NULL. */
    starfish_status (*residual)(const void *self, struct starfish_progress *progress, const struct starfish_vector *u,
                                const struct starfish_vector *f, const struct starfish_vector *result,
                                const struct starfish_sums *sums);
};

struct starfish_preconditioner {
    void *self;
    /* Submit: z = B r, for step number 0, 1, ... of an iteration. *cycles: how many it took, `most` at most. */
    starfish_status (*apply)(void *self, int number, const struct starfish_vector *r, const struct starfish_vector *z,
                             int most, int *cycles);
};

#endif
