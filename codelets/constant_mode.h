/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: remove the weighted mean of a singular problem's constant mode, from a right-hand side or a solution. */
#ifndef STARFISH_CODELETS_CONSTANT_MODE_H
#define STARFISH_CODELETS_CONSTANT_MODE_H

#include "blktri/kernels/constant_mode.h"
#include "scheduler/runtime/task.h"

/* The tiles (ny rows of `lanes` modes per plane) are those of the block of modes that starts with the constant one; of
 * complex numbers, that is mode 0 for the real and mode 1 for the imaginary `part`. removed: a double for each part,
 * receives mean * scale; NULL: not wanted. */
struct starfish_constant_mode_task {
    starfish_precision precision;
    size_t part, lanes, ny, tiles;
    int device;
    const starpu_data_handle_t *tile;
    const size_t *first; /* planes of the tiles, tiles + 1 of them */
    starpu_data_handle_t weight_y, weight_z;
    double scale;
    starpu_data_handle_t removed;
};
starfish_status starfish_submit_constant_mode(struct starfish_progress *progress, int phase,
                                              const struct starfish_constant_mode_task *description);

#endif
