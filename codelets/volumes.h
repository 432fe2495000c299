/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks on 3D grids of control volumes: integrals of values over the volumes of unknowns, means taken off, and sums
 * (multigrid/kernels/weigh.h). */
#ifndef STARFISH_CODELETS_VOLUMES_H
#define STARFISH_CODELETS_VOLUMES_H

#include "codelets/grid.h"

/* A part of a grid of the flux form, and where its tasks run. */
struct starfish_volume_part {
    const struct starfish_grid_setting *setting; /* its precision and kinds of workers count */
    const void *shape;
    starpu_data_handle_t table;
    size_t part;
};

/* result = scale * v + offset, either times the volumes of unknowns; result may be v. */
struct starfish_weighing {
    int weighs_values, weighs_offset;
    double scale, offset;
};
starfish_status starfish_submit_weigh(struct starfish_progress *progress, const struct starfish_volume_part *at,
                                      const struct starfish_weighing *what, const struct starfish_vector *v,
                                      const struct starfish_vector *result);
/* sums: STARFISH_SUMS doubles that add up to the sum of v, times the volumes where `weighs`. */
starfish_status starfish_submit_volume_sum(struct starfish_progress *progress, const struct starfish_volume_part *at,
                                           int weighs, const struct starfish_vector *v, starpu_data_handle_t sums);

#endif
