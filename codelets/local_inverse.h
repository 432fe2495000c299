/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: rows of an approximate inverse (sparse/kernels/local_inverse.h), for a run of rows of a matrix in runtime
 * data. */
#ifndef STARFISH_CODELETS_LOCAL_INVERSE_H
#define STARFISH_CODELETS_LOCAL_INVERSE_H

#include "scheduler/runtime/coefficient_table.h"
#include "scheduler/runtime/task.h"
#include "scheduler/runtime/workspace.h"
#include "sparse/kernels/local_inverse.h"

struct starfish_local_matrix_handles {
    starpu_data_handle_t start, column, value;
};

/* Handles of the matrix, the pattern (without values) and the result. */
struct starfish_local_inverse_task {
    struct starfish_local_inverse kernel; /* first, last, longest, triangular; pointers are the task's */
    struct starfish_local_matrix_handles matrix, pattern;
    starpu_data_handle_t result;
    const struct starfish_workspace *workspace;
};

/* Bytes of work space for a core, and for a GPU. */
size_t starfish_local_inverse_bytes(size_t longest, int gpu);
starfish_status starfish_submit_local_inverse(struct starfish_progress *progress,
                                              const struct starfish_local_inverse_task *task);

#endif
