/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outer iteration of every iterative solver: steps until the residual is small enough, or will not become so.
 *
 * It looks at the true residual, f - A u computed anew, before it calls a solution converged, and ends when the
 * residual has not fallen for some steps (rounding errors have the last word, or it diverges) or is no number. The
 * rules are written in krylov/kernels/krylov_stage.h, since they are applied where the vectors are: steps are submitted
 * ahead, and after the last one that counts all factors are 0, so that the solution, the count and the history do not
 * depend on how often the host looks. What a step does is the method's. */
#ifndef STARFISH_KRYLOV_ITERATION_H
#define STARFISH_KRYLOV_ITERATION_H

#include "krylov/scalars.h"
#include "scheduler/runtime/task_group_gpus.h"
#include "solver/accept.h"

#include <stdatomic.h>

struct starfish_iteration {
    void *self;
    /* Submit: the sum of squares of f - A u, and where the method needs it that vector. zero: u is 0 yet. */
    starfish_status (*residual)(void *self, int zero, const struct starfish_sums *sums);
    /* Submit: improve the solution, by step number 0, 1, ...; *cycles: how many it took, `most` at most. */
    starfish_status (*step)(void *self, int number, int zero, int most, int *cycles);
    /* Instead, or NULL: submit `count` steps from number `first` on, of one cycle each, which advance the scalars by
     * STARFISH_KRYLOV_WATCH themselves. */
    starfish_status (*steps)(void *self, int first, int count);
    const struct starfish_algebra *algebra;
    struct starfish_scalars *scalars;
    const struct starfish_sums *sums;   /* for norms */
    int needs_residual;                 /* a step needs the residual even where its norm is not read */
    struct starfish_gpu_groups *groups; /* a step's tasks are submitted as one; NULL: one by one */
    int most_ahead; /* steps between two looks; 1 unless a step changes nothing once the iteration is done */
};

/* How far a solve has come. */
struct starfish_iteration_report {
    enum starfish_ending end; /* of an iteration that returned SUCCESS or NUMERICAL */
    int cycles;
    double rhs_norm, residual, factor; /* the latter two over rhs_norm, and per cycle; NaN where not computed */
    int count, most_count;
    double *history; /* `count` norms over rhs_norm: first the initial residual's; most_count at most */
};

/* When it ends. Without tolerance and absolute: after exactly `most` cycles, and without residuals. */
struct starfish_stopping {
    double tolerance, absolute;  /* the norm is at most tolerance times the right-hand side's, or absolute */
    double floor;                /* what rounding errors leave of the residual */
    double outer;                /* kept in the state, for steps */
    int patience;                /* steps without a gain after which it has stagnated; 0: 8. Conjugate gradients'
                                   residuals, of recurrences, rise for many steps before they fall */
    int most, from_guess;        /* as of struct starfish_pass (pass.h) */
    const atomic_int *cancelled; /* looked at before every step that is submitted; NULL: never */
    void (*tell)(void *data, const struct starfish_iteration_report *report); /* after every check; may be NULL */
    void *data;
};

/* NUMERICAL when it stopped short of the tolerance; then the solution is the last one. */
starfish_status starfish_iterate(const struct starfish_iteration *iteration, const struct starfish_stopping *stopping,
                                 struct starfish_iteration_report *report);
/* report->end of an iteration that stopped short of its tolerance: `end`, or EXHAUSTED where it has no cycles left. */
void starfish_iteration_fell_short(const struct starfish_stopping *stopping, enum starfish_ending end,
                                   struct starfish_iteration_report *report);

#endif
