/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plan of the toy kind holds (problem, options, and what its two methods keep), its jobs, and the sweep of its
 * iterative method. */
#ifndef STARFISH_TESTS_HELMHOLTZ1D_PLAN_H
#define STARFISH_TESTS_HELMHOLTZ1D_PLAN_H

#include "scheduler/runtime/coefficient_table.h"
#include "solver/solver.h"
#include "tests/solver/helmholtz1d/helmholtz1d.h"

enum { HELMHOLTZ1D_MOST_PARTS = 64 };

struct helmholtz1d_plan {
    struct starfish_plan plan; /* the first member */
    struct starfish_helmholtz1d_options options;
    size_t parts;         /* runs of lines, each a task */
    void *matrix;         /* thomas: three times n[0] reals, */
    starfish_plan *lines; /* of this plan */
};

static inline const struct starfish_helmholtz1d_problem *helmholtz1d_problem(const struct helmholtz1d_plan *plan)
{
    return plan->plan.problem;
}

struct helmholtz1d_job {
    struct starfish_job job; /* the first member */
    starpu_data_handle_t rhs[HELMHOLTZ1D_MOST_PARTS], solution[HELMHOLTZ1D_MOST_PARTS];
    struct starfish_coefficient_table norms[HELMHOLTZ1D_MOST_PARTS];
};

/* (u[k-1] - 2 u[k] + u[k+1]) / h^2 + lambda u[k], at the ends of a line by values mirrored there. */
struct helmholtz1d_row {
    double lower, diag, upper;
};
struct helmholtz1d_row helmholtz1d_row(const struct starfish_helmholtz1d_problem *problem, size_t k);

/* First line of a part. */
size_t helmholtz1d_first(const struct helmholtz1d_plan *plan, size_t part);

/* u += damping (f - A u) / diag, where u is taken for 0 if the sweep begins; max |f - A u| / max |f| of the u before.
 * Waits until it is done. */
struct helmholtz1d_sweep {
    int begins;
    double damping;
};
starfish_status helmholtz1d_sweep(struct helmholtz1d_job *job, struct helmholtz1d_sweep sweep, double *residual);

#endif
