/* Tasks: the transforms of fft/kernels/transform.h. */
#ifndef STARFISH_CODELETS_TRANSFORM_H
#define STARFISH_CODELETS_TRANSFORM_H

#include "codelets/transform_set.h"
#include "scheduler/task.h"
#include "scheduler/workspace.h"

/* Along x: a slab of a field (FORWARD: read, BACKWARD: written) <-> its tiles, one per block of modes. */
starfish_status starfish_submit_transform_rows(struct starfish_progress *progress, int phase,
                                               const struct starfish_transform_set *set,
                                               const struct starfish_workspace *workspace,
                                               enum starfish_transform_direction direction, double scale,
                                               starpu_data_handle_t slab, size_t rows, size_t tiles,
                                               const starpu_data_handle_t *tile, const size_t *first_mode);

#endif
