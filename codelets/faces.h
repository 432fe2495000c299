/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task data for arrays on the six faces of a box; any of them may be absent. */
#ifndef STARFISH_CODELETS_FACES_H
#define STARFISH_CODELETS_FACES_H

#include "codelets/kernel_pair.h"
#include "codelets/stencil.h"

#include <string.h>

/* Where a task's faces are among its data, -1 for one that is absent; part of the task's arguments. */
struct starfish_faces {
    int at[3][2];
};

/* Attaches those that are not NULL as the task's next data. */
static inline struct starfish_faces starfish_faces_attach(struct starfish_task *task,
                                                          const starpu_data_handle_t face[3][2])
{
    struct starfish_faces faces;
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++) {
            faces.at[axis][end] = face[axis][end] ? task->count : -1;
            if (face[axis][end])
                starfish_task_data(task, face[axis][end], STARPU_R);
        }
    return faces;
}

/* When the task runs: where they are, NULL for one that is absent. */
static inline void starfish_faces_here(const struct starfish_faces *faces, void *buffers[], const void *face[3][2])
{
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            face[axis][end] = faces->at[axis][end] < 0 ? NULL : STARFISH_VECTOR(buffers, faces->at[axis][end]);
}

/* Boundary data in a kernel's arguments: weights and constants now, arrays when the task runs, by the above. */
static inline struct starfish_faces starfish_boundary_attach(struct starfish_task *task,
                                                             const struct starfish_boundary_data *data,
                                                             struct starfish_boundary_rhs *kernel)
{
    memcpy(kernel->weight, data->weight, sizeof data->weight);
    memcpy(kernel->constant, data->constant, sizeof data->constant);
    return starfish_faces_attach(task, data->face);
}

#endif
