/* Tasks: the transforms of fft/transform.h. */
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

/* Along y, in place, in all tiles of a block of modes: tile t has `inner` modes, set->n rows and planes
 * first_plane[t] .. first_plane[t+1]-1. One task, since a block's tiles are then needed together. */
starfish_status starfish_submit_transform_columns(struct starfish_progress *progress, int phase,
                                                  const struct starfish_transform_set *set,
                                                  const struct starfish_workspace *workspace,
                                                  enum starfish_transform_direction direction, double scale,
                                                  size_t inner, size_t tiles, const starpu_data_handle_t *tile,
                                                  const size_t *first_plane);

#endif
