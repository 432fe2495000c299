/* Tasks: a batch of tridiagonal lines, or what its plan prepares, for a run of the lines; and the lines' arrays as
 * runtime data. */
#ifndef STARFISH_CODELETS_BATCH_H
#define STARFISH_CODELETS_BATCH_H

#include "scheduler/table.h"
#include "scheduler/task.h"
#include "scheduler/workspace.h"
#include "tridiag/kernels/batch.h"

/* How an array lies in memory, and hence what becomes of it where the runtime copies it. */
enum starfish_batch_shape {
    STARFISH_BATCH_SIDE_BY_SIDE, /* line = 1: rows of lines */
    STARFISH_BATCH_CONTIGUOUS,   /* row = 1: lines of rows */
    STARFISH_BATCH_SPAN          /* anything else, and shared coefficients: all from the first element to the last */
};

struct starfish_batch_task {
    starfish_precision precision;
    struct starfish_batch kernel; /* pointers are the task's */
    enum starfish_batch_shape coefficient_shape, vector_shape;
    starpu_data_handle_t coefficient[3];                 /* lower, diag, upper */
    starpu_data_handle_t shift, factors, border, growth; /* NULL where there is none */
    starpu_data_handle_t input, output;                  /* the same handle when solved in place */
    const struct starfish_workspace *workspace;
    uint32_t where; /* kinds of workers that may solve it (context.h); 0: all */
};

/* Runs of lines into which the cores of a team cut a task of so many: the number of cores, or fewer where the lines are
 * few or short. */
size_t starfish_batch_runs(const struct starfish_batch *batch, size_t cores);

enum starfish_batch_shape starfish_batch_shape_of(struct starfish_layout layout, size_t n, size_t lines);
/* Elements from the first of the first line to the last of the last. */
size_t starfish_batch_span(struct starfish_layout layout, size_t n, size_t lines);

/* An array where it lies: the lines of a batch, each of n elements of `size` bytes, `rhs` times. `name` is for errors.
 */
struct starfish_batch_array {
    const struct starfish_context *context;
    const char *name;
    const void *memory;
    int node;
    size_t size;
    enum starfish_batch_shape shape;
    struct starfish_layout layout;
    size_t rhs, rhs_stride;
};
/* Registers it. Errors: ARGUMENT (strides or sizes too large, pinned in parts; names the array). */
starfish_status starfish_batch_register(starpu_data_handle_t *handle, const struct starfish_batch *batch,
                                        const struct starfish_batch_array *array);

starfish_status starfish_submit_batch(struct starfish_progress *progress, const struct starfish_batch_task *task);
starfish_status starfish_submit_batch_prepare(struct starfish_progress *progress,
                                              const struct starfish_batch_task *task);

#endif
