/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan for diffusion: the matrix in the precisions of the solution and of the iteration, its preconditioner and
 * deflation, and the vectors of a solve. In two dimensions y is the last direction, so that parts are runs of it. */
#ifndef STARFISH_DIFFUSION_PLAN_H
#define STARFISH_DIFFUSION_PLAN_H

#include "base/deal.h"
#include "diffusion/options.h"
#include "krylov/cells_operator.h"
#include "krylov/cg.h"
#include "scheduler/runtime/distribute.h"
#include "scheduler/runtime/halo_window.h"
#include "scheduler/runtime/task_group_replay.h"
#include "solver/solver.h"

/* The problem in the form that the solver uses. */
struct starfish_diffusion_box {
    size_t dimensions, n[3], cells;
    size_t user[3];               /* the user's number of each direction that is there, else 3 */
    double spacing[3], dirichlet; /* dirichlet: times k / h^2, the coupling with such an end: 2, or 1 of nodes */
    starfish_end ends[3][2];
    int periodic[3], singular;
    double lambda;
    /* The planes that this rank has of what follows, arrays of all cells. Of k there is a plane more on each side. */
    struct starfish_halo_window window;
    double *stored; /* couplings in f64, of a matrix that is stored (krylov/kernels/cells.h) */
    double *k;
};

struct starfish_diffusion_plan {
    struct starfish_plan plan;                 /* the first member: of starfish_kind_diffusion */
    struct starfish_distributed dealt;         /* on several ranks: their planes as parts (ranks.h) */
    struct starfish_diffusion_options options; /* none is AUTO */
    struct starfish_diffusion_box box;
    struct starfish_space space;
    struct starfish_runs runs; /* those of `dealt`, or of one rank */
    starfish_precision inner;  /* of the iteration */
    struct starfish_coefficient_table high_table, low_table, preconditioner;
    struct starfish_cell_operator high, low; /* of the solution, of the iteration */
    struct starfish_cells_deflation deflation;
    size_t vectors;
    struct starfish_multigrid_engine *multigrid; /* NULL: none */
    /* Of an iteration that goes on by multigrid in the precision of the solution: made when it is needed; in mixed
     * precision, and where parts are apart, with vectors of its own. */
    struct starfish_diffusion_fallback {
        struct starfish_multigrid_engine *multigrid;
        int has_vectors;
        struct starfish_vector vector[4];
    } fallback;
    /* f: of A u = f; u and the best one so far; residual f - A u; and those of the iteration. */
    struct starfish_vector f, u, best, residual, r, z, p, q;
    int fuses; /* some steps are one task, which has replays, and on a GPU the other p */
    struct starfish_vector other_p;
    struct starfish_replays replays;
    struct starfish_gradients_cycle cycle; /* of multigrid */
    struct starfish_sums norm, product, rz;
    struct starfish_scalars scalars;
    char reason[160];
};

/* solve.c */
extern const struct starfish_kind starfish_kind_diffusion;

/* create.c, for the kind */
starfish_status starfish_diffusion_check_plan(struct starfish_plan *base);
starfish_status starfish_diffusion_create_plan(struct starfish_plan *base);
void starfish_diffusion_release(struct starfish_plan *base);

/* box.c: the problem, checked but for its coefficients, of one process; and assembled in the box's window, collectively
 * among that window's ranks, from coefficients of the planes that a rank has. Boundary data moved to the right-hand
 * side: extra is what A u = -f + extra has in planes first .. first + count - 1, of which boundary data are too. NULL
 * where there are none. Returns the largest value that was moved, which extra's precision may have lost. Errors:
 * ARGUMENT, MEMORY. */
starfish_status starfish_diffusion_box_describe(struct starfish_diffusion_box *box,
                                                const struct starfish_diffusion_problem *problem);
starfish_status starfish_diffusion_box_assemble(struct starfish_diffusion_box *box,
                                                const struct starfish_diffusion_problem *problem);
void starfish_diffusion_box_destroy(struct starfish_diffusion_box *box);
int starfish_diffusion_has_boundary(const struct starfish_diffusion_box *box, const struct starfish_boundary *boundary);
double starfish_diffusion_move_boundary(const struct starfish_diffusion_box *box,
                                        const struct starfish_boundary *boundary, starfish_precision precision,
                                        const struct starfish_run_of_planes *planes, void *extra);

/* preconditioners.c: plan->multigrid, where cycles precondition, before there is a space. */
starfish_status starfish_diffusion_create_cycles(struct starfish_diffusion_plan *plan);
/* The fallback plan->fallback, created on first use. */
starfish_status starfish_diffusion_need_fallback(struct starfish_diffusion_plan *plan);
/* And the memory of the plan, once the plan is cut and has its cycles: MEMORY where it is more than there is. */
starfish_status starfish_diffusion_measure(struct starfish_diffusion_plan *plan,
                                           const struct starfish_diffusion_problem *problem);
/* Rows of the space that a block of block-ic fills, so that parts need not cut one; else 1. */
size_t starfish_diffusion_rows_per_block(const struct starfish_diffusion_plan *plan);
enum starfish_cell_preconditioner starfish_diffusion_preconditioner_kind(const struct starfish_diffusion_plan *plan);
/* plan->preconditioner, where there is a space; plan->deflation, collectively. */
starfish_status starfish_diffusion_create_table(struct starfish_diffusion_plan *plan);
starfish_status starfish_diffusion_create_deflation(struct starfish_diffusion_plan *plan,
                                                    const struct starfish_diffusion_problem *problem);

#endif
