/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A finite element plan: the finest space, and a multigrid engine of the matrices of all levels. */
#ifndef STARFISH_FEM_PLAN_H
#define STARFISH_FEM_PLAN_H

#include "fem/floating.h"
#include "fem/options.h"
#include "fem/space.h"
#include "multigrid/fem.h"
#include "solver/accept.h"
#include "solver/solver.h"

struct starfish_fem_plan {
    struct starfish_plan plan; /* the first member: of starfish_kind_fem */
    struct starfish_fem_options options;
    starfish_fem_element element;
    struct starfish_refined mesh; /* the finest */
    struct starfish_fem_space space;
    int *cells;     /* nodes of the element's cells, for starfish_fem_cells */
    double *load;   /* while the plan is made: right-hand side, boundary data included; if singular without means */
    double *volume; /* singular problems: integrals of the basis functions; else NULL */
    struct starfish_fem_floating floating; /* where the problem is singular */
    /* The load in the precision of the plan, and the solution of the solve whose turn it is, in memory that GPUs copy
     * fast. Of unknowns that are dealt to ranks only this rank's are touched, here and in load and volume: the rest
     * takes no memory. */
    void *f, *u;
    int is_dealt;
    int has_load;  /* f is not 0 everywhere */
    size_t own[2]; /* this rank's unknowns, own[0] to own[1] - 1; all if they are not distributed */
    double load_norm, removed;
    struct starfish_csr finest; /* own rows of the finest grid's A, once rounding errors were estimated (rounding.c) */
    size_t nonzeros, smoother_nonzeros;
    double smoother_seconds;
    char reason[128];
    struct starfish_multigrid_engine *multigrid; /* NULL: nothing is to be solved for */
};

/* The grids of all levels, from the coarsest mesh up (hierarchy.c): fills mesh, space, load, volume, norms, counts and
 * `about` of the plan, and makes the multigrid engine. */
starfish_status starfish_fem_build(struct starfish_fem_plan *plan, const struct starfish_fem_problem *problem);

/* solve.c */
extern const struct starfish_acceptance starfish_fem_acceptance;

/* create.c, for the kind */
starfish_status starfish_fem_check_plan(struct starfish_plan *base);
starfish_status starfish_fem_create_plan(struct starfish_plan *base);
void starfish_fem_release(struct starfish_plan *base);

/* starfish_rounding of || f - A u || / || f || (rounding.c). u: this rank's unknowns in place. On all ranks together.
 * Errors: MEMORY, RUNTIME. */
starfish_status starfish_fem_rounding(struct starfish_fem_plan *plan, const void *u, double *rounding);

/* The bytes that a cycle must move at least, the finest residual included: of each product its entries as they are
 * stored, and its vectors once. */
double starfish_fem_cycle_bytes(const starfish_plan *base);

#endif
