/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: the scalars of an iteration from inner products (krylov/kernels/krylov.h). It runs where the sums are, so that
 * they and the state stay on a GPU. */
#ifndef STARFISH_CODELETS_SCALARS_H
#define STARFISH_CODELETS_SCALARS_H

#include "codelets/vectors.h"

/* What one stage makes of the state: sums, and for MINIMISE and WHOLE more. `criteria` are of RHS and may be NULL
 * otherwise. */
struct starfish_criteria {
    double tolerance, absolute; /* converged: the norm is at most tolerance times the right-hand side's, or absolute */
    double floor;               /* what rounding errors leave of the residual */
    double outer;               /* kept in the state (STARFISH_KRYLOV_OUTER) */
    int watched;                /* 0: goes on whatever the norm */
    int patience;               /* steps without a gain that are stagnation; 0: 8 */
};
struct starfish_scalars_task {
    enum starfish_krylov_stage stage;
    double sign;
    const struct starfish_criteria *criteria;
    const struct starfish_sums *sums, *more;
    starpu_data_handle_t state; /* STARFISH_KRYLOV_STATE doubles */
    size_t part;                /* whose owner runs the task, where all are of one rank */
    starpu_data_handle_t copy;  /* of the state after it, for who must not wait for later stages; or NULL */
};
/* It runs where the part of the space belongs, on several ranks on each that has one. */
starfish_status starfish_submit_scalars(const struct starfish_algebra *algebra, const struct starfish_space *space,
                                        const struct starfish_scalars_task *task);

#endif
