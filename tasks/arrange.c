/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays of flat domains in the order of users (arrange.h): one task per part, between two spaces with the same
 * columns. */
#include "tasks/arrange.h"

#include "scheduler/runtime/ranks.h"

#include <string.h>

starfish_status starfish_users_space(struct starfish_space *users, const struct starfish_space *grid, const size_t n[3])
{
    const int all = grid->on_ranks ? starfish_context_ranks(grid->context) : 1;

    STARFISH_TRY(starfish_space_begin(users, grid->context, (const size_t[]){n[0] * n[1], n[2]},
                                      (const size_t[]){grid->parts[1], (size_t)all}));
    users->on_ranks = grid->on_ranks;
    for (size_t p = 0; p <= grid->parts[1]; p++)
        users->first[0][p] = n[0] * grid->first[1][p];
    users->layers = grid->layers;
    memcpy(users->cells, grid->cells, sizeof users->cells);
    memcpy(users->box, grid->box, grid->parts[1] * sizeof users->box[0]);
    users->parts[1] = 0;
    for (int r = 0; r < all; r++) {
        const struct starfish_run_of_planes planes = starfish_deal(n[2], r, all);
        if (planes.count == 0)
            continue;
        users->owner[users->parts[1]] = (struct starfish_owner){r, STARFISH_ANY};
        users->first[1][++users->parts[1]] = planes.first + planes.count;
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_algebra_arrange(const struct starfish_algebra *algebra,
                                         const struct starfish_arrangement *arrangement,
                                         const struct starfish_vector *from, const struct starfish_vector *to)
{
    const struct starfish_vector *grid = arrangement->back ? from : to;

    for (size_t part = 0; part < grid->space->parts[1]; part++)
        STARFISH_TRY(starfish_submit_arrange(algebra, arrangement, part, from, to));
    return STARFISH_SUCCESS;
}
