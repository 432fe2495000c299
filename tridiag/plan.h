/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan of a batch of tridiagonal lines: coefficients as runtime data, cut into pieces of lines with one task each,
 * and the results of their prepare tasks. */
#ifndef STARFISH_TRIDIAG_PLAN_H
#define STARFISH_TRIDIAG_PLAN_H

#include "codelets/batch.h"
#include "solver/solver.h"
#include "tridiag/options.h"
#include "tridiag/share.h"

struct starfish_batch_piece {
    size_t first_line;
    struct starfish_batch_task task; /* input and output are a job's */
    starfish_handle factors, border;
    struct starfish_coefficient_table growth;
};

struct starfish_tridiag_plan {
    struct starfish_plan plan; /* the first member: of starfish_kind_tridiag */
    struct starfish_tridiag_problem problem;
    struct starfish_tridiag_options options;
    size_t element_size; /* of right-hand sides: a real or two */
    size_t pieces;
    struct starfish_batch_piece piece[STARFISH_BATCH_MOST_PIECES];
    struct starfish_workspace workspace;
    double growth;
    size_t growth_line;
    int shares; /* pieces are cut so that GPUs and teams of cores share data in host memory */
    /* Guarded by the plan's lock. */
    size_t submitted, in_flight;                            /* jobs */
    struct starfish_batch_share share[STARFISH_RESIDENCES]; /* by the vectors' place */
};

/* solve.c */
extern const struct starfish_kind starfish_kind_tridiag;

/* plan.c, for the kind */
starfish_status starfish_tridiag_create_plan(struct starfish_plan *base);
void starfish_tridiag_release(struct starfish_plan *base);

#endif
