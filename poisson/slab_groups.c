/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cutting a field of many problems for the workers of the slab method: into groups of whole problems, one task each.
 *
 * Cores get a few groups each, so that they finish together, as long as a task exceeds its overhead. A GPU with data in
 * its own memory takes one group. With data in main memory it takes several, so that copies and work overlap. Cores
 * then take none, since they would use the memory bandwidth that the copies need. */
#include "poisson/slab.h"

#include "base/options.h"
#include "base/sizes.h"

enum {
    GROUPS_PER_CORE = 4,
    GROUPS_PER_GPU = 16,
    ELEMENTS_PER_TASK = 32768, /* a task should be worth 100 us */
};

/* As many for each worker, as long as there are problems, work and room for them. */
static size_t choose_groups(const struct starfish_poisson_plan *plan, size_t workers, size_t per_worker)
{
    const size_t elements = plan->n[0] * plan->n[1] * plan->n[2];
    const size_t affordable = starfish_smaller(plan->count, plan->count * elements / ELEMENTS_PER_TASK);
    const size_t most = starfish_smaller(affordable > 0 ? affordable : 1, STARFISH_SLAB_MAX_SLABS);
    while (per_worker > 1 && workers * per_worker > most)
        per_worker--;
    return starfish_smaller(workers * per_worker, most);
}

size_t starfish_slab_groups_of_gpus(const struct starfish_poisson_plan *plan)
{
    return choose_groups(plan, plan->base.context->workers_of[STARFISH_GPU], GROUPS_PER_GPU);
}

starfish_status starfish_slab_choose_groups(const struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                            struct starfish_runs *cut)
{
    const size_t cpus = plan->base.context->workers_of[STARFISH_CPU],
                 gpus = plan->base.context->workers_of[STARFISH_GPU];
    const size_t asked = plan->options.slabs, most = starfish_smaller(plan->count, STARFISH_SLAB_MAX_SLABS);
    STARFISH_REFUSE_ABOVE(most, "slabs", asked);
    const struct starfish_slab_fit *fit = &starfish_slab_state(plan)->fit;
    const int on_cores = fit->fits == STARFISH_SLAB_ON_CORES && residence != STARFISH_ON_DEVICE;
    size_t groups = asked;
    if (groups == 0 && gpus > 0 && !on_cores)
        groups = residence == STARFISH_ON_DEVICE ? starfish_smaller(gpus, plan->count) : fit->groups;
    if (groups == 0)
        groups = choose_groups(plan, cpus, GROUPS_PER_CORE);
    const int device = on_cores ? STARFISH_CORES : asked == 0 && gpus > 0 ? STARFISH_GPUS : STARFISH_ANY;
    STARFISH_TRY(starfish_runs_add(cut, groups, plan->count, (struct starfish_owner){0, device}));
    for (size_t g = 0; g < groups; g++)
        cut->first[g + 1] *= plan->n[2];
    return STARFISH_SUCCESS;
}
