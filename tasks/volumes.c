/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integrals, means and sums over control volumes (volumes.h): a task per part, with one sum each. Memory-bound. */
#include "tasks/volumes.h"

static struct starfish_volume_part part_of(const struct starfish_grid_operator *op, size_t part)
{
    const struct starfish_grid_part *at = starfish_part_of(op->grid, part);

    return (struct starfish_volume_part){&op->setting, at->shape, at->table.handle, part};
}

starfish_status starfish_operator_weigh(const struct starfish_grid_operator *op, struct starfish_progress *progress,
                                        const struct starfish_weighing *what, const struct starfish_vector *v,
                                        const struct starfish_vector *result)
{
    for (size_t part = 0; part < op->space->parts[1]; part++) {
        const struct starfish_volume_part at = part_of(op, part);
        STARFISH_TRY(starfish_submit_weigh(progress, &at, what, v, result));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_operator_volume_sum(const struct starfish_grid_operator *op,
                                             struct starfish_progress *progress, int weighs,
                                             const struct starfish_vector *v, const struct starfish_sums *sums)
{
    for (size_t part = 0; part < op->space->parts[1]; part++) {
        const struct starfish_volume_part at = part_of(op, part);
        STARFISH_TRY(starfish_submit_volume_sum(progress, &at, weighs, v, sums->part[part].handle));
    }
    return STARFISH_SUCCESS;
}
