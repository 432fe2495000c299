/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: fill the ghosts around a solution where it lies (stencil/kernels/ghosts.h), behind the tasks of the solve. */
#ifndef STARFISH_CODELETS_GHOSTS_H
#define STARFISH_CODELETS_GHOSTS_H

#include "scheduler/runtime/field.h"
#include "scheduler/runtime/task.h"
#include "stencil/kernels/ghosts.h"

/* `array` is the whole array, ghosts included, as data over memory that `slab` are over, too: it runs behind the tasks
 * of these, and where that memory is. */
struct starfish_ghosts_task {
    starfish_precision precision;
    size_t n[3], problems;
    struct starfish_ghost_rule rule[3][2];
    double constant[3][2];
    starpu_data_handle_t face[3][2]; /* or NULL */
    starpu_data_handle_t array;
    size_t slabs;
    const starpu_data_handle_t *slab;
};
/* Errors: UNSUPPORTED (the context has no worker at that memory), MEMORY, RUNTIME. */
starfish_status starfish_submit_ghosts(struct starfish_progress *progress, int phase,
                                       const struct starfish_ghosts_task *description);

#endif
