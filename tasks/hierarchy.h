/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task graphs of multigrid: a hierarchy of grids of any kind (multigrid/kernels/grid_kind.h), its cycle as tasks, and
 * its operator.
 *
 * Grids 0 .. levels-1 are cut into parts, one task each; the last of them is also the first grid of the tail, all of
 * whose grids are one task (multigrid/kernels/tail.h), on a GPU one CUDA graph. A smoothing sweep goes from one array
 * to another, as a task reads what tasks beside it write. Where a kind can, the coarse grid's correction is added by
 * the first sweep after it. */
#ifndef STARFISH_TASKS_HIERARCHY_H
#define STARFISH_TASKS_HIERARCHY_H

#include "codelets/grid.h"
#include "multigrid/kernels/cycle.h"
#include "scheduler/runtime/task_group_gpus.h"

/* A grid's matrix as an operator on vectors of its space, in some precision. */
struct starfish_grid_operator {
    struct starfish_grid_setting setting;
    const struct starfish_space *space;
    const struct starfish_parted_grid *grid;
};

/* The sweeps before the coarse grid's correction have yet to be done, in one task with the restriction; from zero? */
enum starfish_waiting { STARFISH_WAITS_FOR_NOTHING, STARFISH_WAITS, STARFISH_WAITS_ZERO };

/* Several operations as one task a part (visits.h): the sweeps before the coarse grid's correction and the restriction,
 * the same from a zero solution, and the correction with the sweeps after it. */
enum starfish_visiting { STARFISH_VISITS_DOWN, STARFISH_VISITS_FROM_ZERO, STARFISH_VISITS_UP, STARFISH_VISITINGS };

struct starfish_hierarchy_level {
    struct starfish_space space;
    struct starfish_parted_grid *grid;
    struct starfish_vector own[3]; /* u, the other u, f; the finest grid's u and f may be set instead */
    const struct starfish_vector *u[2], *f;
    int now;         /* which u holds the solution */
    int uncorrected; /* the coarser grid's solution has yet to be added to it */
    int ahead;       /* index sets: sweeps between two exchanges, which are done on the ghosts too; 0: one on none */
    int sweep;       /* of such a smoothing, and */
    int sweep_count; /* how many it has */
    enum starfish_waiting waits;
    int visits[STARFISH_VISITINGS]; /* may all of its parts be visited so? */
    size_t *known; /* rows below and above each part where its array has the solution, too, so that no copy is needed */
};

static inline const struct starfish_vector *starfish_level_solution(const struct starfish_hierarchy_level *level)
{
    return level->u[level->now];
}

struct starfish_hierarchy_graph {
    struct starfish_context *context;
    const struct starfish_grid_kind *kind;
    struct starfish_grid_setting setting;
    struct starfish_workspace workspace;
    struct starfish_replays replays;
    struct starfish_gpu_groups *groups; /* of cycles on parts of several GPUs, or NULL */
    int levels, all_levels;             /* without and with the grids of the tail below its first */
    struct starfish_hierarchy_level level[STARFISH_GRID_MOST_LEVELS];
    /* Where the last level is cut and apart, the tail collects its right-hand side and spreads its solution. */
    int collects;
    struct starfish_space tail_space;
    struct starfish_vector tail_f, tail_u;
    struct starfish_coefficient_table tail_tables[STARFISH_GRID_MOST_LEVELS]; /* unless its first grid's are one */
    uint32_t tail_where; /* kinds of workers that may run the tail; 0: any */
    struct starfish_tail tail;
    struct starfish_tail_costs tail_costs; /* the jobs of a plan take turns */
    starfish_handle tail_table[STARFISH_GRID_MOST_LEVELS];
};

/* One grid as the plan gives it: a shape, which must stay as long as the graph, and a table of coefficients, which is
 * copied. */
struct starfish_hierarchy_grid {
    const void *shape;
    double *table; /* stored in the precision of the hierarchy */
    float *packed; /* instead, where entries have 16 bits */
    size_t table_size;
    const struct starfish_spans *spans; /* what there is of `table`, that this rank reads (window.h); NULL: all */
};

struct starfish_hierarchy_spec {
    const struct starfish_grid_kind *kind;
    starfish_precision precision;
    struct starfish_smoothing smoothing;
    int levels;
    const struct starfish_hierarchy_grid *grid;
    size_t unknowns_per_task; /* what is worth a task on a core, about 100 us of a sweep */
    size_t
        tail_on_cores; /* the tail begins with the first grid of at most so many unknowns where there are only cores; */
    size_t tail_shared;    /* with the first of at most so many where workers with several memories share; 0: chosen */
    size_t tail_on_either; /* and up to so many any worker may have it, beyond only a GPU where there is one */
    size_t slabs, tail;    /* of struct starfish_multigrid_options */
    int levels_in_tail;    /* all grids are one task, as smoothers by planes need */
    int borrows_finest;    /* u and f of the finest grid are set before every cycle (starfish_hierarchy_set_arrays) */
    size_t parts;          /* and who shares the fine grids (shares.h) */
    starfish_sharing sharing;
    /* How the finest grid is cut; NULL: chosen from the workers. Coarser grids are cut along, and the tail is collected
     * in one place. */
    const struct starfish_runs *runs;
    /* Instead, index sets: of grids 0 .. index_levels-1, the last of which is also the first of the tail. */
    int index_levels;
    const struct starfish_hierarchy_index_sets *index_sets;
};

/* How an unstructured grid is cut, or one into boxes: its space, and the grid of each part. */
struct starfish_hierarchy_index_sets {
    size_t parts;
    const size_t *rows;
    const struct starfish_owner *owner;
    size_t halos;
    const struct starfish_index_halo *halo;
    const struct starfish_boxes *boxes; /* instead of rows, owners and halos: parts are boxes */
    const struct starfish_hierarchy_grid *grid;
    /* So many sweeps one after the other need no exchange: parts have matrix rows of their ghosts too, and halos are so
     * deep that after that many sweeps on all of them a part's own elements are right. 0: they have not. */
    int ahead;
};

/* What a hierarchy takes of memories, known from shapes and sizes of tables alone (of an index set: nothing is known).
 * Upper bounds, of all workers together; `tables`: the coefficients' bytes, which are in the sums too. */
struct starfish_hierarchy_bytes {
    size_t vectors, tables, gpu_work;
};
starfish_status starfish_hierarchy_count(struct starfish_context *context, const struct starfish_hierarchy_spec *given,
                                         struct starfish_hierarchy_bytes *bytes);

starfish_status starfish_hierarchy_create(struct starfish_hierarchy_graph *graph, struct starfish_context *context,
                                          const struct starfish_hierarchy_spec *given);
void starfish_hierarchy_destroy(struct starfish_hierarchy_graph *graph);

/* The finest grid gets its right-hand side and solution, on its space, until others are set. */
void starfish_hierarchy_set_arrays(struct starfish_hierarchy_graph *graph, const struct starfish_vector *f,
                                   const struct starfish_vector *u);
/* The next cycle begins in the first of the two arrays of the finest solution. */
void starfish_hierarchy_restart(struct starfish_hierarchy_graph *graph);
/* Once the grids and their parts are there. */
void starfish_hierarchy_find_visits(struct starfish_hierarchy_graph *graph);
/* One cycle from the finest grid; `zero`: the solution is zero yet, whatever its memory holds. */
starfish_status starfish_hierarchy_cycle(struct starfish_hierarchy_graph *graph, struct starfish_progress *progress,
                                         starfish_cycle_shape shape, int zero);
/* Where the finest right-hand side and solution are now. An odd number of sweeps leaves the solution in the other
 * array; */
const struct starfish_vector *starfish_hierarchy_rhs(const struct starfish_hierarchy_graph *graph);
const struct starfish_vector *starfish_hierarchy_solution(const struct starfish_hierarchy_graph *graph);
/* move it to the array that was set, or the first one. */
starfish_status starfish_hierarchy_move_solution(struct starfish_hierarchy_graph *graph,
                                                 struct starfish_progress *progress);

/* The operator of the finest grid, in the precision of the hierarchy. */
struct starfish_grid_operator starfish_hierarchy_operator(const struct starfish_hierarchy_graph *graph);
/* result = f - A u, and the sum of its squares; u NULL: zero; f NULL: zero, so that result = -A u; result or sums may
 * be NULL. */
starfish_status starfish_operator_residual(const struct starfish_grid_operator *op, struct starfish_progress *progress,
                                           const struct starfish_vector *u, const struct starfish_vector *f,
                                           const struct starfish_vector *result, const struct starfish_sums *sums);
/* The same of w = u + factor * correction, which is stored as v, in one task a part, where the kind combines; with
 * `energy` sums are of w (f - A w). NULL is allowed as there; correction NULL: w = u; v NULL: not stored. With `lower`
 * the operator is in f64, correction and result in f32, and the result is divided by the factor, a power of two. */
struct starfish_operator_step {
    const struct starfish_vector *u, *correction, *v, *f, *result;
    struct starfish_factor factor;
    const struct starfish_sums *sums;
    int energy, lower;
    int absolute; /* where the kind has_sizes: of u alone, sums are of the squares of |A| |u| */
};
starfish_status starfish_operator_advance(const struct starfish_grid_operator *op, struct starfish_progress *progress,
                                          const struct starfish_operator_step *step);
/* v = u improved by one sweep with that damping; sums of f v where the kind combines and u is NULL; NULL: none. */
struct starfish_operator_sweep {
    int sweep;
    double damping;
    const struct starfish_vector *u, *f, *v;
    const struct starfish_sums *sums;
};
starfish_status starfish_operator_sweep(const struct starfish_grid_operator *op, struct starfish_progress *progress,
                                        const struct starfish_operator_sweep *sweep);

#endif
