/* A plan for flat domains: the multigrid engine that solves it, and the matrix in f64 for checks. */
#ifndef STARFISH_ATMOSPHERE_PLAN_H
#define STARFISH_ATMOSPHERE_PLAN_H

#include "atmosphere/geometry.h"
#include "scheduler/driver.h"
#include "solver/accept.h"

struct starfish_atmosphere_gathered;

struct starfish_atmosphere_plan {
    struct starfish_context *context;
    struct starfish_atmosphere_gathered
        *gathered;                              /* on several ranks: what one solves for all with (gathered.h), and of
                                                      the rest only what is told of a plan */
    struct starfish_atmosphere_options options; /* complete: nothing is left to be chosen */
    int owners;                                 /* ranks that have a part in solves, 1 where one solves for all */
    struct starfish_flat_volumes volumes;
    struct starfish_multigrid_engine *engine;
    struct starfish_queue queue; /* of solves */
    int drifts;                  /* there is a first-order term, and so the matrix is not symmetric */
    char reason[160];
    double seconds;
};

extern const struct starfish_acceptance starfish_atmosphere_acceptance;

/* How many ranks have a part in a solve: those with rows, or 1 where one solves for all. */
int starfish_atmosphere_plan_owners(const struct starfish_atmosphere_plan *plan);

#endif
