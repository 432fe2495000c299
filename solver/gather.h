/* Plans on several ranks whose method does not run on parts of a field: the first rank makes a plan of the whole
 * problem in a context of its own, and solves for all (scheduler/gathered.h). The plan of all ranks has a struct
 * starfish_gather, which the functions of starfish/solve.h look at before they ask its kind; what it says of itself is
 * what the first rank's plan says. A submission returns when the solve is done.
 *
 * All functions are collective unless they say otherwise. */
#ifndef STARFISH_SOLVER_GATHER_H
#define STARFISH_SOLVER_GATHER_H

#include "scheduler/gathered.h"
#include "solver/solver.h"

struct starfish_gather_spec {
    size_t n[3];                  /* unknowns of all ranks; 1 where there is no such direction */
    int slowest;                  /* the direction of planes */
    starfish_precision precision; /* of arrays of boundary data */
    size_t planes;                /* this rank's */
    size_t plane_bytes;           /* of right-hand sides and solutions */
    /* What `create` makes the first rank's plan of, where `table` is there with the fields of all ranks in place of
     * this rank's; NULL: there are none. Ranks without planes must have pointers where others have fields. */
    const void *problem;
    const struct starfish_member_table *table;
    starfish_status (*create)(struct starfish_context *alone, const void *problem, const void *options,
                              struct starfish_plan **plan);
    const void *options;
};

struct starfish_gather {
    struct starfish_gathered *base;
    struct starfish_plan *whole; /* on the first rank; NULL on the others */
    size_t n[3], plane_bytes;
    int slowest;
    starfish_precision precision;
    char method[32], reason[256]; /* of plan->about */
};

/* plan->gather and plan->about. Errors: those of `create`, on all ranks, MEMORY. */
starfish_status starfish_gather_create(struct starfish_plan *plan, const struct starfish_gather_spec *spec);
/* NULL is allowed. Not collective. */
void starfish_gather_destroy(struct starfish_gather *gather);
/* The job's solve and its result. A solve that ends with NUMERICAL leaves that in job->failure. */
starfish_status starfish_gather_solve(struct starfish_job *job);
/* Of this rank; not collective. */
starfish_status starfish_gather_memory(const struct starfish_gather *gather, struct starfish_memory *memory);

#endif
