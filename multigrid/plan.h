/* A multigrid plan: the task graph of a hierarchy of grids of some kind, and in mixed precision a finest grid in f64
 * above it.
 *
 * The makers of plans (q1_plan.c, flux_plan.c) check a problem, coarsen and assemble its grids in f64, and hand them
 * over as a table of shapes and coefficients; what follows is the same for all kinds (plan.c), and so is the solve
 * (solve.c). */
#ifndef STARFISH_MULTIGRID_PLAN_H
#define STARFISH_MULTIGRID_PLAN_H

#include "multigrid/driver.h"
#include "scheduler/window.h"
#include "tasks/hierarchy.h"
#include <starfish/memory.h>

/* What is arranged for a plan whose order is not the users' (hooks.arrange). */
enum starfish_multigrid_array { STARFISH_MULTIGRID_RHS, STARFISH_MULTIGRID_GUESS, STARFISH_MULTIGRID_SOLUTION };

/* What a kind of problems is: how its plans are made, and what it does before, in and after a solve, NULL where there
 * is nothing to do. */
struct starfish_multigrid_hooks {
    /* `problem` is the kind's own. `check` looks at it and at the options; `create` makes the grids of a plan that has
     * been begun, cut into runs where they are given, and ends with starfish_multigrid_plan_complete. */
    starfish_status (*check)(const void *problem, const struct starfish_multigrid_options *options);
    starfish_status (*create)(struct starfish_multigrid_plan *plan, const void *problem,
                              const struct starfish_runs *runs);
    /* *f: what to solve for, rhs or what is made of it; *removed: the mean that was taken off; *floor: what its
     * rounding errors leave of the residual. */
    starfish_status (*prepare)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                               const struct starfish_vector *rhs, const struct starfish_vector **f, double *removed,
                               double *floor);
    starfish_status (*finish)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                              const struct starfish_vector *solution);
    /* Mixed precision: smooth what rounding a correction to f32 has left in u, in f64. */
    starfish_status (*polish)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                              const struct starfish_vector *f, const struct starfish_vector *u);
    void (*destroy)(struct starfish_multigrid_plan *plan); /* of `state` */
    /* Users' arrays in an order of their own, vectors on `users`: `which` of them to the plan's order, or back. */
    starfish_status (*arrange)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                               enum starfish_multigrid_array which, const struct starfish_vector *from,
                               const struct starfish_vector *to);
    /* Conjugate gradients with another preconditioner than a cycle: the finest grid's solution for its right-hand side,
     * from zero, in the precision of the cycles. */
    starfish_status (*precondition)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress);
    /* The same, the same in each step, of vectors in the precision of the plan, and the inner product of r and z: then
     * conjugate gradients go in fused steps where the kind combines and precision is not mixed. */
    starfish_status (*precondition_sums)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                                         const struct starfish_vector *r, const struct starfish_vector *z,
                                         const struct starfish_sums *rz);
};

struct starfish_multigrid_plan {
    struct starfish_context *context;
    struct starfish_multigrid_options options;
    const struct starfish_multigrid_hooks *hooks;
    void *state;                                                 /* the hooks' own */
    size_t n[2];                                                 /* columns and rows of the finest grid's arrays */
    int mixed;                                                   /* cycles in f32, residuals in f64 */
    void *shapes;                                                /* of all grids, of which the graph has pointers */
    void *part_shapes;                                           /* of grids that are cut by index sets */
    void *high_shape;                                            /* or those of all parts */
    struct starfish_table high_table[STARFISH_SPACE_MOST_PARTS]; /* the first is that of all parts that have none */
    struct starfish_hierarchy_graph graph;
    struct starfish_grid_operator op; /* the finest grid in the precision of the plan */
    struct starfish_space users;      /* with hooks.arrange: of the users' arrays */
    struct starfish_memory memory;    /* that it takes */
    int measured;                     /* it is asked for that alone, and has no tables, vectors and work space */
    struct starfish_multigrid_work work;
};

/* ---- What all kinds' plans do (plan.c) --------------------------------------------------------------------------- */

starfish_status starfish_multigrid_check_positive(const char *name, int direction, const double *values, size_t count);

/* An empty plan. */
starfish_status starfish_multigrid_plan_begin(struct starfish_context *context,
                                              const struct starfish_multigrid_options *options,
                                              const struct starfish_multigrid_hooks *hooks,
                                              struct starfish_multigrid_plan **created);

/* The grids of a problem, finest first. */
struct starfish_multigrid_grids {
    const struct starfish_grid_kind *kind;
    int levels;
    const void *shape; /* an array of all shapes, which is copied */
    size_t shape_size;
    double *const *table;
    float *const *packed; /* instead of tables, where entries have 16 bits; NULL: nowhere */
    const size_t *table_size;
    const struct starfish_spans *table_spans; /* what is there of each; NULL: all */
    /* Mixed precision: shape and coefficients of the residual's matrix in f64. */
    const void *high_shape;
    const struct starfish_hierarchy_grid
        *high_part; /* of grids that are cut by index sets, for each part; NULL: none */
    struct starfish_coarse_solving coarse;
    size_t unknowns_per_task, tail_on_cores, tail_on_either, tail_shared; /* of struct starfish_hierarchy_spec */
    int levels_in_tail;
    size_t parts_apart; /* of the finest grid, all of about one size, of which a task has one; 0: it has the grid */
    const struct starfish_runs *runs; /* how the finest grid is cut; NULL: chosen from the workers */
    int index_levels;                 /* instead, of unstructured grids */
    const struct starfish_hierarchy_index_sets *index_sets;
};
/* A whole plan of a kind, from the caller's options; `context`, `problem` and `result` may be what a caller should not
 * have passed. */
starfish_status starfish_multigrid_plan_create(struct starfish_context *context,
                                               const struct starfish_multigrid_hooks *hooks, const void *problem,
                                               const struct starfish_multigrid_options *options,
                                               const struct starfish_runs *runs,
                                               struct starfish_multigrid_plan **result);
/* What such a plan would take of memory; nothing else is kept. */
starfish_status starfish_multigrid_measure(struct starfish_context *context,
                                           const struct starfish_multigrid_hooks *hooks, const void *problem,
                                           const struct starfish_multigrid_options *options,
                                           const struct starfish_runs *runs, struct starfish_memory *memory);
/* For hooks.create, before tables are made: plan->memory, from shapes and sizes of tables, with `own` vectors of the
 * kind's besides. MEMORY where it is more than there is. A plan that is measured ends with that. */
starfish_status starfish_multigrid_plan_measure(struct starfish_multigrid_plan *plan,
                                                const struct starfish_multigrid_grids *grids, size_t own);
/* Graph, operator and vectors. */
starfish_status starfish_multigrid_plan_complete(struct starfish_multigrid_plan *plan,
                                                 const struct starfish_multigrid_grids *grids);
/* Before the tables of grids are rounded to the precision of the cycles: keep that of the finest for residuals in f64.
 */
starfish_status starfish_multigrid_keep_high(struct starfish_multigrid_plan *plan, const double *table, size_t size);

/* As starfish_q1_plan_create and starfish_stencil_plan_create, with the finest grid cut into runs of rows (planes),
 * each with its owner. */
starfish_status starfish_q1_plan_create_cut(starfish_context *context, const struct starfish_q1_problem *problem,
                                            const struct starfish_multigrid_options *options,
                                            const struct starfish_runs *runs, starfish_multigrid_plan **result);
starfish_status starfish_stencil_plan_create_cut(starfish_context *context,
                                                 const struct starfish_stencil_problem *problem,
                                                 const struct starfish_multigrid_options *options,
                                                 const struct starfish_runs *runs, starfish_multigrid_plan **result);

/* Memory of plans by starfish_stencil_plan_create_cut. */
starfish_status starfish_stencil_memory_cut(starfish_context *context, const struct starfish_stencil_problem *problem,
                                            const struct starfish_multigrid_options *options,
                                            const struct starfish_runs *runs, struct starfish_memory *memory);

/* A seven-point problem whose faces have couplings of their own (starfish_flux_grid_set_faces), of the planes in the
 * window: of one that is cut into the runs of several ranks with a depth of STARFISH_STENCIL_WINDOW. Then the makers of
 * plans are collective, but fail for themselves in the end: agree on their status.
 *
 * That many planes beside a part tasks read the couplings of, at most: with two sweeps before and after, whose second
 * colour reads two planes further, a visit (tasks/visits.h) computes up to seven planes beyond its part. */
enum { STARFISH_STENCIL_WINDOW = 10 };
struct starfish_stencil_faces {
    struct starfish_stencil_problem problem;
    struct starfish_window window;
    const double *face[3], *rest;
};
starfish_status starfish_stencil_plan_create_faces(starfish_context *context,
                                                   const struct starfish_stencil_faces *faces,
                                                   const struct starfish_multigrid_options *options,
                                                   const struct starfish_runs *runs, starfish_multigrid_plan **result);

starfish_status starfish_stencil_memory_faces(starfish_context *context, const struct starfish_stencil_faces *faces,
                                              const struct starfish_multigrid_options *options,
                                              const struct starfish_runs *runs, struct starfish_memory *memory);

/* Submit z = one cycle from zero for r, vectors of the plan's space and of the precision of its cycles: a
 * preconditioner for iterations of others. Nobody may solve with the plan meanwhile. */
starfish_status starfish_multigrid_precondition(struct starfish_multigrid_plan *plan,
                                                struct starfish_progress *progress, const struct starfish_vector *r,
                                                const struct starfish_vector *z);

enum { STARFISH_MULTIGRID_MOST_COARSEST = 1024 };    /* unknowns of a grid that is solved by its inverse */
enum { STARFISH_MULTIGRID_MOST_ITERATED = 1 << 20 }; /* of one that is solved by conjugate gradients */

#endif
