/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a task's work that the cores of a team run at once. Bound as the work is. */
#include "codelets/kernel_pair.h"

#include "scheduler/runtime/team.h"

struct shared {
    const struct starfish_place *place;
    starfish_place_work *work;
    void *data;
};

static void on_a_core(void *argument, size_t part, size_t parts)
{
    const struct shared *shared = argument;

    shared->work(shared->place, shared->data, part, parts); /* cores have no errors */
}

int starfish_place_share(const struct starfish_place *place, const struct starfish_context *context,
                         starfish_place_work *work, void *data)
{
    struct shared shared = {place, work, data};

    if (place->gpu)
        return work(place, data, 0, 1);
    starfish_team_run(context, on_a_core, &shared);
    return 0;
}
