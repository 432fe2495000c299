/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A multigrid engine: the task graph of a hierarchy of grids of some kind, in mixed precision a finest grid in f64
 * above it, and the vectors and sums of the iterations that cycles make or precondition. Plans of several families own
 * engines. An engine runs one pass at a time, in the thread that calls starfish_multigrid_solve_run; queues, jobs and
 * threads are its owner's.
 *
 * The makers of engines (q1_engine.c, flux_engine.c, flat_engine.c, fem_engine.c) check a problem, coarsen and assemble
 * its grids in f64, and hand them over as a table of shapes and coefficients. What follows is the same for all kinds:
 * the engine (engine.c), its vectors (work.c), passes (iterate.c), and solves of users' arrays (solve.h). */
#ifndef STARFISH_MULTIGRID_ENGINE_H
#define STARFISH_MULTIGRID_ENGINE_H

#include "krylov/pass.h"
#include "krylov/scalars.h"
#include "scheduler/runtime/halo_window.h"
#include "tasks/hierarchy.h"
#include <starfish/memory.h>
#include <starfish/multigrid.h>
#include <starfish/solve.h>

#include <stdatomic.h>

struct starfish_multigrid_engine;

/* What is arranged for an engine whose order is not the users' (hooks.arrange). */
enum starfish_multigrid_array { STARFISH_MULTIGRID_RHS, STARFISH_MULTIGRID_GUESS, STARFISH_MULTIGRID_SOLUTION };

/* What a kind of problems is: how its engines are made, and what it does before, in and after a solve, NULL where there
 * is nothing to do. */
struct starfish_multigrid_hooks {
    /* `problem` is the kind's own. `check` looks at it and at the options; `create` makes the grids of an engine that
     * has been begun, cut into runs where they are given, and ends with starfish_multigrid_engine_complete. */
    starfish_status (*check)(const void *problem, const struct starfish_multigrid_options *options);
    starfish_status (*create)(struct starfish_multigrid_engine *engine, const void *problem,
                              const struct starfish_runs *runs);
    /* *f: what to solve for, rhs or what is made of it; *removed: the mean that was taken off; *floor: what its
     * rounding errors leave of the residual. */
    starfish_status (*prepare)(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                               const struct starfish_vector *rhs, const struct starfish_vector **f, double *removed,
                               double *floor);
    starfish_status (*finish)(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                              const struct starfish_vector *solution);
    /* Mixed precision: smooth what rounding a correction to f32 has left in u, in f64. */
    starfish_status (*polish)(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                              const struct starfish_vector *f, const struct starfish_vector *u);
    void (*destroy)(struct starfish_multigrid_engine *engine); /* of `state` */
    /* Users' arrays in an order of their own, vectors on `users`: `which` of them to the engine's order, or back. */
    starfish_status (*arrange)(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                               enum starfish_multigrid_array which, const struct starfish_vector *from,
                               const struct starfish_vector *to);
    /* Conjugate gradients with another preconditioner than a cycle: the finest grid's solution for its right-hand side,
     * from zero, in the precision of the cycles. */
    starfish_status (*precondition)(struct starfish_multigrid_engine *engine, struct starfish_progress *progress);
    /* The same, the same in each step, of vectors in the precision of the solution, and the inner product of r and z:
     * then conjugate gradients go in fused steps where the kind combines and precision is not mixed. */
    starfish_status (*precondition_sums)(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                                         const struct starfish_vector *r, const struct starfish_vector *z,
                                         const struct starfish_sums *rz);
};

/* In use by one pass at a time. */
struct starfish_multigrid_work {
    struct starfish_vector residual;                         /* mixed precision and conjugate gradients */
    struct starfish_vector preconditioned, direction, image; /* conjugate gradients, BiCGStab */
    struct starfish_vector shadow, rest_image;               /* BiCGStab */
    struct starfish_vector other;                            /* where steps are fused: a second solution */
    struct starfish_vector copy[2];                          /* of right-hand side and solution (solve.c) */
    struct starfish_sums sums, inner_sums, products[2];
    struct starfish_scalars scalars;
};

struct starfish_multigrid_engine {
    struct starfish_context *context;
    /* As they were asked for and completed by the maker; not changed once the engine is there. Of Krylov methods, of an
     * initial guess and of tolerances they say what vectors are made for; what a pass does are its arguments. */
    struct starfish_multigrid_options options;
    const struct starfish_multigrid_hooks *hooks;
    void *state;                       /* the hooks' own */
    size_t n[2];                       /* columns and rows of the finest grid's arrays */
    int mixed;                         /* cycles in f32, residuals in f64 */
    void *shapes;                      /* of all grids, of which the graph has pointers */
    void *part_shapes;                 /* of grids that are cut by index sets */
    void *high_shape;                  /* or those of all parts */
    struct starfish_parted_grid *high; /* mixed: the finest grid in f64 */
    struct starfish_hierarchy_graph graph;
    struct starfish_grid_operator op; /* the finest grid in the precision of the solution */
    struct starfish_space users;      /* with hooks.arrange: of the users' arrays */
    struct starfish_memory memory;    /* that it takes */
    int singular;                     /* right-hand sides are projected, solutions have mean zero */
    int measured;                     /* it is asked for that alone, and has no tables, vectors and work space */
    struct starfish_multigrid_work work;
};

/* The precision of the cycles. */
static inline starfish_precision starfish_cycle_precision(const struct starfish_multigrid_options *options)
{
    return options->mixed ? STARFISH_F32 : options->precision;
}

/* ---- Making (engine.c) ------------------------------------------------------------------------------------------- */

starfish_status starfish_multigrid_check_positive(const char *name, int direction, const double *values, size_t count);

/* An empty engine. */
starfish_status starfish_multigrid_engine_begin(struct starfish_context *context,
                                                const struct starfish_multigrid_options *options,
                                                const struct starfish_multigrid_hooks *hooks,
                                                struct starfish_multigrid_engine **created);

/* The grids of a problem, finest first, as their maker fills them in; all zero before. */
struct starfish_multigrid_grids {
    /* Of the maker: kind, levels, smoothing.coarse, what is worth a task and a tail, levels_in_tail, runs and index
     * sets. */
    struct starfish_hierarchy_spec spec;
    struct starfish_hierarchy_grid level[STARFISH_GRID_MOST_LEVELS]; /* tables, owned; the engine sets shapes */
    const void *shape;                                               /* an array of all shapes, which is copied */
    size_t shape_size;
    /* Mixed precision: shape and coefficients of the residual's matrix in f64. */
    const void *high_shape;
    const struct starfish_hierarchy_grid
        *high_part;     /* of grids that are cut by index sets, for each part; NULL: none */
    size_t parts_apart; /* of the finest grid, all of about one size, of which a task has one; 0: it has the grid */
};
/* Memory for the table of a grid, whose table_size is set; not cleared. */
starfish_status starfish_multigrid_table_create(struct starfish_multigrid_grids *grids, int l);
/* Entries must be numbers of the precision. Error: NUMERICAL. */
starfish_status starfish_multigrid_table_check(const struct starfish_multigrid_grids *grids, int l,
                                               starfish_precision precision);
void starfish_multigrid_tables_destroy(struct starfish_multigrid_grids *grids);
/* A whole engine of a kind, from the caller's options; or, where `memory` is not NULL, what it would take of memory. */
starfish_status starfish_multigrid_engine_create(struct starfish_context *context,
                                                 const struct starfish_multigrid_hooks *hooks, const void *problem,
                                                 const struct starfish_multigrid_options *options,
                                                 const struct starfish_runs *runs,
                                                 struct starfish_multigrid_engine **result,
                                                 struct starfish_memory *memory);
/* engine->memory, from shapes and sizes of tables, with `own` vectors of the kind's besides. */
starfish_status starfish_multigrid_engine_count(struct starfish_multigrid_engine *engine,
                                                struct starfish_multigrid_grids *grids, size_t own);
/* For hooks.create, before tables are made: the same, and MEMORY where it is more than there is. An engine that is
 * measured ends with that. */
starfish_status starfish_multigrid_engine_measure(struct starfish_multigrid_engine *engine,
                                                  struct starfish_multigrid_grids *grids, size_t own);
/* Graph, operator and vectors. */
starfish_status starfish_multigrid_engine_complete(struct starfish_multigrid_engine *engine,
                                                   struct starfish_multigrid_grids *grids);
/* Before the tables of grids are rounded to the precision of the cycles: keep that of the finest for residuals in f64.
 */
starfish_status starfish_multigrid_keep_high(struct starfish_multigrid_engine *engine, const double *table,
                                             size_t size);

/* Problems of bilinear elements, struct starfish_q1_problem. */
extern const struct starfish_multigrid_hooks starfish_q1_hooks;

/* A seven-point problem; or, where there is face[0], one whose faces have couplings of their own
 * (starfish_flux_grid_set_faces), of the planes in the window: of one that is cut into the runs of several ranks with
 * a depth of STARFISH_STENCIL_WINDOW. Then the makers of engines are collective, but fail for themselves in the end:
 * agree on their status.
 *
 * That many planes beside a part tasks read the couplings of, at most: with two sweeps before and after, whose second
 * colour reads two planes further, a visit (tasks/visits.h) computes up to seven planes beyond its part. */
enum { STARFISH_STENCIL_WINDOW = 10 };
struct starfish_stencil_faces {
    struct starfish_stencil_problem problem;
    struct starfish_halo_window window;
    const double *face[3], *rest;
};
extern const struct starfish_multigrid_hooks starfish_stencil_hooks;

enum { STARFISH_MULTIGRID_MOST_COARSEST = 1024 };    /* unknowns of a grid that is solved by its inverse */
enum { STARFISH_MULTIGRID_MOST_ITERATED = 1 << 20 }; /* of one that is solved by conjugate gradients */

/* What it takes of memory. Error: ARGUMENT ("plan", which owns it). */
starfish_status starfish_multigrid_engine_memory(const struct starfish_multigrid_engine *engine,
                                                 struct starfish_memory *memory);
/* NULL is allowed. */
void starfish_multigrid_engine_destroy(struct starfish_multigrid_engine *engine);

/* ---- Vectors (work.c) -------------------------------------------------------------------------------------------- */

/* Once n, the graph and the operator of the engine are there. */
starfish_status starfish_multigrid_work_create(struct starfish_multigrid_engine *engine);
/* How many vectors of the finest grid that makes, at most: known before there is a graph. */
size_t starfish_multigrid_work_vectors(const struct starfish_multigrid_engine *engine);
/* Does nothing for a work space that was never created. */
void starfish_multigrid_work_destroy(struct starfish_multigrid_engine *engine);
/* Do conjugate gradients go in fused steps (krylov/cg.h)? */
int starfish_multigrid_fuses(const struct starfish_multigrid_engine *engine, const struct starfish_pass *pass);
/* Or may cycles' corrections in mixed precision wait for the residual after them (iterate.c)? */
int starfish_multigrid_fuses_corrections(const struct starfish_multigrid_engine *engine,
                                         const struct starfish_pass *pass);

/* ---- Running (iterate.c) ----------------------------------------------------------------------------------------- */

/* The variant of a pass is a starfish_krylov. An engine has the one that its options ask for (AUTO: all), and NONE; in
 * mixed precision NONE from a guess where options.initial_guess asks for it. */
static inline int starfish_multigrid_has(const struct starfish_multigrid_options *options, starfish_krylov krylov)
{
    return options->krylov == krylov || options->krylov == STARFISH_KRYLOV_AUTO;
}

/* The pass that options ask for: variant, steps, tolerances and guess. */
struct starfish_pass starfish_multigrid_pass(const struct starfish_multigrid_options *options);

/* Observers of a pass: a flag that ends it with the next step, and a callback after every look at the residual; NULL:
 * none. */
struct starfish_multigrid_watch {
    const atomic_int *cancelled;
    starfish_tell *tell;
    void *data; /* of tell */
};

/* Submit z = one cycle from zero for r, vectors of the engine's space and of the precision of its cycles: a
 * preconditioner for iterations of others, between passes. */
starfish_status starfish_multigrid_precondition(struct starfish_multigrid_engine *engine,
                                                struct starfish_progress *progress, const struct starfish_vector *r,
                                                const struct starfish_vector *z);

#endif
