/* One solve of a plan: a job, and the iteration that it runs. */
#ifndef STARFISH_MULTIGRID_SOLVE_H
#define STARFISH_MULTIGRID_SOLVE_H

#include "multigrid/plan.h"

#include <stdatomic.h>

struct starfish_multigrid_solve {
    struct starfish_multigrid_plan *plan;
    struct starfish_progress *progress;
    const struct starfish_vector *f, *u; /* on the plan's space */
    const atomic_int *cancelled;
    starfish_multigrid_progress *tell;
    void *tell_data;
    struct starfish_multigrid_info *info;
    double floor;
};

/* Iterate: fills cycles, defects, rhs_norm, residual, factor, count and history of info. u becomes the solution. */
starfish_status starfish_multigrid_iterate(struct starfish_multigrid_solve *solve);

#endif
