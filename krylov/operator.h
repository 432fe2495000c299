/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interface of iterations to a matrix and its preconditioner: functions that submit tasks. */
#ifndef STARFISH_KRYLOV_OPERATOR_H
#define STARFISH_KRYLOV_OPERATOR_H

#include "tasks/hierarchy.h"

/* The last three are of matrices whose tasks do more at once, or NULL. Only conjugate gradients call them. */
struct starfish_linear_operator {
    const void *self;
    /* Submit: result = f - A u, and the sum of its squares; u or f NULL: zero; result or sums may be NULL. */
    starfish_status (*residual)(const void *self, const struct starfish_vector *u, const struct starfish_vector *f,
                                const struct starfish_vector *result, const struct starfish_sums *sums);
    /* Submit: q = A p, and (p, q) unless pq is NULL. */
    starfish_status (*multiply)(const void *self, const struct starfish_vector *p, const struct starfish_vector *q,
                                const struct starfish_sums *pq);
    /* Submit: x += factor * p, r -= the factor's scalar * q, and (r, r) unless sums is NULL. x may be of a higher
     * precision than the other vectors. Comes with `multiply`. */
    starfish_status (*advance)(const void *self, const struct starfish_factor *factor, const struct starfish_vector *p,
                               const struct starfish_vector *q, const struct starfish_vector *x,
                               const struct starfish_vector *r, const struct starfish_sums *sums);
    /* Submit: v = u + factor * correction and result = f - A v, as tasks/hierarchy.h says. */
    starfish_status (*combine)(const void *self, const struct starfish_operator_step *step);
};

struct starfish_preconditioner {
    void *self;
    /* Submit: z = B r, for step number 0, 1, ... of an iteration. *cycles: how many it took, `most` at most. */
    starfish_status (*apply)(void *self, int number, const struct starfish_vector *r, const struct starfish_vector *z,
                             int most, int *cycles);
    /* The same of a B that is one cycle and does not change, and (r, z) in its tasks unless rz is NULL; or NULL. */
    starfish_status (*apply_and_sum)(void *self, const struct starfish_vector *r, const struct starfish_vector *z,
                                     const struct starfish_sums *rz);
};

#endif
