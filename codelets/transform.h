/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: the transforms of fft/kernels/transform.h along x, between a slab of a field and its tiles of modes. */
#ifndef STARFISH_CODELETS_TRANSFORM_H
#define STARFISH_CODELETS_TRANSFORM_H

#include "codelets/transform_set.h"
#include "codelets/vectors.h"
#include "scheduler/runtime/task.h"
#include "scheduler/runtime/workspace.h"

/* Along x: a slab of a field (FORWARD: read, BACKWARD: written) <-> its tiles, one per block of modes. */
struct starfish_transform_task {
    const struct starfish_transform_set *set;
    const struct starfish_workspace *workspace;
    enum starfish_transform_direction direction;
    double scale;
    size_t n[2]; /* rows of a plane, planes of the slab */
    int device, priority;
    starpu_data_handle_t slab;
    const struct starfish_vector *written; /* BACKWARD: part `part` is the slab; FORWARD: NULL */
    size_t part;
    size_t tiles;
    const starpu_data_handle_t *tile;
    const size_t *first_mode;
    starpu_data_handle_t after; /* FORWARD: begins when this has been written; NULL: at once */
};
starfish_status starfish_submit_transform_rows(struct starfish_progress *progress, int phase,
                                               const struct starfish_transform_task *description);

#endif
