/* Cutting a field of many problems for the workers of the slab method: into groups of whole problems, one task each.
 *
 * Cores get a few groups each, so that they end together, as long as a task is worth its cost. A GPU whose data are in
 * its own memory takes all it has in one group; of data in main memory it takes several, so that copies and work
 * overlap, and cores take none: what they would read and write is the bandwidth that the copies need. */
#include "poisson/slab.h"

enum {
    GROUPS_PER_CORE = 4,
    GROUPS_PER_GPU = 16,
    ELEMENTS_PER_TASK = 32768, /* a task should be worth 100 us */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* As many for each worker, as long as there are problems, work and room for them. */
static size_t choose_groups(const struct starfish_poisson_plan *plan, size_t workers, size_t per_worker)
{
    const size_t elements = plan->n[0] * plan->n[1] * plan->n[2];
    const size_t affordable = smaller(plan->count, plan->count * elements / ELEMENTS_PER_TASK);
    const size_t most = smaller(affordable > 0 ? affordable : 1, STARFISH_MAX_SLABS);
    while (per_worker > 1 && workers * per_worker > most)
        per_worker--;
    return smaller(workers * per_worker, most);
}

starfish_status starfish_slab_choose_groups(const struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                            struct starfish_cut *cut)
{
    const size_t cpus = plan->context->workers_of[STARFISH_CPU], gpus = plan->context->workers_of[STARFISH_GPU];
    const size_t asked = plan->options.slabs, most = smaller(plan->count, STARFISH_MAX_SLABS);
    if (asked > most)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "options.slabs is %zu, but at most %zu are possible", asked,
                             most);
    size_t groups = asked;
    if (groups == 0 && gpus > 0)
        groups =
            residence == STARFISH_ON_DEVICE ? smaller(gpus, plan->count) : choose_groups(plan, gpus, GROUPS_PER_GPU);
    if (groups == 0)
        groups = choose_groups(plan, cpus, GROUPS_PER_CORE);
    *cut = starfish_cut_equally(plan->count, groups);
    for (size_t g = 0; g < groups; g++) {
        cut->first_plane[g + 1] *= plan->n[2];
        cut->where[g] = asked == 0 && gpus > 0 ? STARFISH_ON_GPUS : 0;
    }
    return STARFISH_SUCCESS;
}
