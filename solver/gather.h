/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans on several ranks whose method does not run on parts of a field: the first rank makes a plan of the whole
 * problem in a context of its own with its own workers, collects all planes, solves, and distributes the planes of the
 * solution. The other ranks wait without using a core. The first rank needs memory for two whole fields, and both pass
 * its link.
 *
 * The plan of all ranks has a struct starfish_gather, which the functions of starfish/solve.h look at before they ask
 * its kind; what it says of itself is what the first rank's plan says. A submission returns when the solve is done.
 *
 * All functions are collective unless they say otherwise. */
#ifndef STARFISH_SOLVER_GATHER_H
#define STARFISH_SOLVER_GATHER_H

#include "scheduler/runtime/ranks.h"
#include "solver/solver.h"

typedef starfish_status starfish_gather_make(const struct starfish_plan *plan, struct starfish_context *alone,
                                             struct starfish_plan **whole);

struct starfish_gather {
    struct starfish_context *context; /* that the ranks share */
    struct starfish_context *alone;   /* of the first rank; NULL on the others */
    size_t *planes;                   /* of each rank, */
    size_t all;                       /* together, */
    size_t *bytes;                    /* and those of the last call, of each rank */
    void *array[2];                   /* the whole right-hand side and solution, on the first rank */
    size_t array_bytes;
    struct starfish_plan *whole; /* on the first rank; NULL on the others */
    size_t n[3], plane_bytes;
    int slowest;
    starfish_precision precision;
    char method[32], reason[256]; /* of plan->about */
};

/* plan->gather and plan->about, of a problem with n[d] unknowns (1 where there is no such direction), of which this
 * rank has so many planes of the direction `slowest`; right-hand sides and boundary data are in that precision. The
 * first rank's plan has the plan's options, and its problem with the fields of all ranks; or `make` makes it, where the
 * plan has no problem. Ranks without planes must have pointers where others have fields. Errors: those of making it, on
 * all ranks, MEMORY. */
starfish_status starfish_gather_create(struct starfish_plan *plan, const size_t n[3], int slowest,
                                       starfish_precision precision, size_t planes, starfish_gather_make *make);
/* NULL is allowed. Not collective. */
void starfish_gather_destroy(struct starfish_gather *gather);
/* The job's solve and its result. A solve that ends with NUMERICAL leaves that in job->failure. */
starfish_status starfish_gather_solve(struct starfish_job *job);
/* Of this rank; not collective. */
starfish_status starfish_gather_memory(const struct starfish_gather *gather, struct starfish_memory *memory);

#endif
