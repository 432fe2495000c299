/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: a batch of tridiagonal lines, or what its plan prepares, for a run of the lines; and the lines' arrays as
 * runtime data. */
#ifndef STARFISH_CODELETS_BATCH_H
#define STARFISH_CODELETS_BATCH_H

#include "scheduler/runtime/coefficient_table.h"
#include "scheduler/runtime/data_block.h"
#include "scheduler/runtime/task.h"
#include "scheduler/runtime/workspace.h"
#include "tridiag/kernels/batch.h"

/* The directions of an array of lines. */
enum starfish_batch_direction {
    STARFISH_BATCH_LINES, /* from line to line */
    STARFISH_BATCH_ROWS,  /* along a line */
    STARFISH_BATCH_RHS,   /* from right-hand side to right-hand side */
    STARFISH_BATCH_DIRECTIONS
};

/* Where the elements of an array lie: extents, and strides in elements, by direction. */
struct starfish_batch_extents {
    size_t extent[STARFISH_BATCH_DIRECTIONS], stride[STARFISH_BATCH_DIRECTIONS];
};

/* How the runtime has the array, and hence what becomes of its strides where it is copied: a block whose runs go along
 * the direction of the smallest stride, or, where the directions do not nest, one run of all from the first element to
 * the last. */
struct starfish_batch_shape {
    struct starfish_data_block block;
    enum starfish_batch_direction order[STARFISH_BATCH_DIRECTIONS]; /* by strides; those of extent 1 come last */
    int directions;                                                 /* of more than one place in the array */
    int is_nested;
    int has_gaps; /* inside runs: what lies there moves with the run */
};

struct starfish_batch_task {
    starfish_precision precision;
    struct starfish_batch kernel; /* pointers are the task's */
    struct starfish_batch_shape coefficient_shape, vector_shape;
    starpu_data_handle_t coefficient[3];                 /* lower, diag, upper */
    starpu_data_handle_t shift, factors, border, growth; /* NULL where there is none */
    starpu_data_handle_t input, output;                  /* the same handle when solved in place */
    const struct starfish_workspace *workspace;
    uint32_t where; /* kinds of workers that may solve it (context.h); 0: all */
};

/* Runs of lines into which the cores of a team cut a task of so many: the number of cores, or fewer where the lines are
 * few or short. */
size_t starfish_batch_runs(const struct starfish_batch *batch, size_t cores);

/* Of so many lines of the array. */
struct starfish_batch_shape starfish_batch_shape_of(const struct starfish_batch_extents *array, size_t lines);

starfish_status starfish_submit_batch(struct starfish_progress *progress, const struct starfish_batch_task *task);
starfish_status starfish_submit_batch_prepare(struct starfish_progress *progress,
                                              const struct starfish_batch_task *task);

#endif
