/* Arrays of flat domains in the order of users. */
#include "tasks/arrange.h"

void starfish_users_space(struct starfish_space *users, const struct starfish_space *grid, const size_t n[3])
{
    *users = (struct starfish_space){
        .context = grid->context, .n = {n[0] * n[1], n[2]}, .parts = {grid->parts[1], 1}, .first = {{0}, {0, n[2]}}};
    for (size_t p = 0; p <= grid->parts[1]; p++)
        users->first[0][p] = n[0] * grid->first[1][p];
    for (size_t p = 0; p < STARFISH_SPACE_MOST_PARTS; p++)
        users->owner[p].device = STARFISH_ANY;
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
