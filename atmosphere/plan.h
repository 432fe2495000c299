/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan for flat domains: the multigrid engine that solves it, and the matrix in f64 for checks. */
#ifndef STARFISH_ATMOSPHERE_PLAN_H
#define STARFISH_ATMOSPHERE_PLAN_H

#include "atmosphere/geometry.h"
#include "solver/accept.h"
#include "solver/solver.h"

struct starfish_atmosphere_plan {
    struct starfish_plan plan;                  /* the first member: of starfish_kind_atmosphere */
    struct starfish_atmosphere_options options; /* complete: nothing is left to be chosen */
    struct starfish_flat_volumes volumes;
    struct starfish_multigrid_engine *engine; /* NULL where one rank solves for all */
    int drifts;                               /* there is a first-order term, and so the matrix is not symmetric */
    char reason[160];
};

/* solve.c */
extern const struct starfish_kind starfish_kind_atmosphere;
extern const struct starfish_acceptance starfish_atmosphere_acceptance;

/* create.c, for the kind */
starfish_status starfish_atmosphere_check_plan(struct starfish_plan *base);
starfish_status starfish_atmosphere_create_plan(struct starfish_plan *base);
void starfish_atmosphere_release(struct starfish_plan *base);

#endif
