/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks of multigrid: an operation of a grid's kind on one part of a grid, and all small grids as one task. They are
 * the same for all kinds. */
#ifndef STARFISH_CODELETS_GRID_H
#define STARFISH_CODELETS_GRID_H

#include "codelets/vectors.h"
#include "multigrid/kernels/grid_kind.h"
#include "multigrid/kernels/tail.h"
#include "scheduler/runtime/task_group_replay.h"
#include "scheduler/runtime/workspace.h"

/* A part's columns and rows, as kernels count them. */
static inline struct starfish_rectangle starfish_part_rectangle(const struct starfish_space *space, size_t part)
{
    const struct starfish_extent e = starfish_part_extent(space, part);

    return (struct starfish_rectangle){(size_t)e.x0, (size_t)e.x1, (size_t)e.y0, (size_t)e.y1};
}

/* What the tasks of a hierarchy have in common. */
struct starfish_grid_setting {
    const struct starfish_grid_kind *kind;
    starfish_precision precision;
    uint32_t where; /* kinds of workers for parts that anybody may own; 0: any */
    const struct starfish_workspace *workspace;
    struct starfish_replays *replays; /* for the tail */
};

#ifdef STARFISH_HAVE_GPU
/* Inside a task on a GPU: where it computes. */
static inline struct starfish_place starfish_grid_place_on_gpu(const struct starfish_grid_setting *setting)
{
    return (struct starfish_place){setting->precision, 1, starfish_task_stream(),
                                   starfish_workspace_here(setting->workspace)};
}
#endif

/* Phases for struct starfish_progress. */
enum starfish_grid_phase {
    STARFISH_PHASE_SMOOTH,
    STARFISH_PHASE_TRANSFER,
    STARFISH_PHASE_VECTORS, /* residuals and algebra */
    STARFISH_PHASE_TAIL
};

/* One operation on one part. step: shapes, `at`, sweep, damping and zero are set; pointers are filled in by the task.
 * Vectors are NULL where the step has none (struct starfish_grid_step); sums too. */
struct starfish_grid_task {
    enum starfish_grid_operation operation;
    struct starfish_grid_step step;
    size_t part, coarse_part; /* of the finer and the coarser grid's vectors */
    starpu_data_handle_t table, coarse_table;
    const struct starfish_vector *u, *f, *coarse, *result;
    starpu_data_handle_t sums;
    /* Where the kind combines: u + factor * correction, stored as v; NULL: none. With step.combined.lower correction
     * and result are vectors in f32, and the result is over the factor. */
    const struct starfish_vector *correction, *v;
    struct starfish_factor factor;
    /* Apart: the ghosts are complete, and are not filled; no other part reads this part's edges of the result. */
    int has_ghosts, keeps_edges;
};
/* Inside a task: one step by all cores of the worker's team. */
void starfish_grid_on_team(struct starfish_context *context, const struct starfish_grid_setting *setting,
                           enum starfish_grid_operation operation, const struct starfish_grid_step *step);
starfish_status starfish_submit_grid(struct starfish_progress *progress, const struct starfish_grid_setting *setting,
                                     const struct starfish_grid_task *task);

/* A grid's parts: one shape and table of coefficients for all of them, or of index sets and boxes each its own. */
struct starfish_grid_part {
    const void *shape;
    struct starfish_coefficient_table table; /* none of parts that are other ranks' */
};
struct starfish_parted_grid {
    size_t count; /* 1: for all parts */
    struct starfish_grid_part part[];
};
/* NULL: out of memory, which has been said. */
struct starfish_parted_grid *starfish_parted_grid_create(size_t count);
/* With its tables. NULL is allowed. */
void starfish_parted_grid_destroy(struct starfish_parted_grid *grid);
static inline const struct starfish_grid_part *starfish_part_of(const struct starfish_parted_grid *grid, size_t part)
{
    return &grid->part[grid->count > 1 ? part : 0];
}

/* The parts of a grid, and of the next coarser one or NULL, that an operation has a task for each; `space`: of what it
 * writes. */
struct starfish_grid_parts {
    const struct starfish_grid_setting *setting;
    const struct starfish_space *space;
    const struct starfish_parted_grid *grid, *coarse;
    int along_columns; /* parts are runs of columns instead, for lines across all rows */
    int with_ghosts;   /* the ghosts behind a part are written too */
};
/* `common` has what the tasks have in common: operation, vectors, and what is in no way a part's. */
starfish_status starfish_submit_grid_parts(const struct starfish_grid_parts *on, struct starfish_progress *progress,
                                           const struct starfish_grid_task *common, const struct starfish_sums *sums);

/* Instead of submitting it: the seconds that it can be expected to take on a worker of each kind, NaN where that is not
 * known. */
starfish_status starfish_grid_expect(struct starfish_context *context, const struct starfish_grid_setting *setting,
                                     const struct starfish_grid_task *task, double seconds[STARFISH_WORKER_KINDS]);

/* u improved by a cycle over the tail, or = where zero. The tail must stay until the task is done; table: of its
 * levels; `where`: kinds of workers, 0: any. */
struct starfish_tail_task {
    const struct starfish_tail *tail;
    struct starfish_tail_costs *costs; /* of the tail */
    const starpu_data_handle_t *table;
    uint32_t where;
    starfish_cycle_shape shape;
    int zero;
    const struct starfish_vector *f, *u;
    const struct starfish_vector *f_parts, *u_parts; /* where these are cut and apart, and f and u their copies; NULL */
};
starfish_status starfish_submit_tail(struct starfish_progress *progress, const struct starfish_grid_setting *setting,
                                     const struct starfish_tail_task *task);

#endif
