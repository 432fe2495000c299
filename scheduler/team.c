/* Teams of cores. */
#include "scheduler/team.h"

#include "scheduler/team_threads.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CORES = 4096 };

static int held_by_a_worker(int unit)
{
#ifdef STARPU_SIMGRID
    return unit < (int)starpu_worker_get_count(); /* workers have no cores */
#endif
    const unsigned workers = starpu_worker_get_count();
    for (unsigned w = 0; w < workers; w++)
        if (starpu_worker_get_bindid((int)w) == unit)
            return 1;
    return 0;
}

/* Cores that no worker of StarPU's holds, in the machine's order, so that neighbours share a team. */
static size_t free_cores(int *core)
{
    const size_t all = starfish_topology_cores(core, MOST_CORES);
    size_t count = 0;
    for (size_t i = 0; i < all; i++)
        if (!held_by_a_worker(core[i]))
            core[count++] = core[i];
    return count;
}

static starfish_status deal(struct starfish_context *context, size_t cores, const int *spare, size_t spares)
{
    const size_t cpus = context->workers_of[STARFISH_CPU];
    size_t at = 0;
    for (size_t worker = 0, seen = 0; worker < context->workers; worker++) {
        struct starfish_team *team = &context->team[worker];
        *team = (struct starfish_team){.size = 1};
        if (starfish_context_worker_kind(context, worker) != STARFISH_CPU)
            continue;
        size_t wanted = cores / cpus + (seen++ < cores % cpus);
        if (wanted < 1)
            wanted = 1;
        if (wanted > 1 + spares - at)
            wanted = 1 + spares - at;
        team->size = wanted;
        team->core = malloc(wanted * sizeof *team->core);
        if (!team->core)
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a team of %zu cores", wanted);
        team->core[0] = starpu_worker_get_bindid(context->worker[worker]);
        memcpy(team->core + 1, spare + at, (wanted - 1) * sizeof *spare);
        at += wanted - 1;
        team->threads = wanted > 1 ? starfish_team_threads_create(worker, wanted, team->core) : NULL;
        if (wanted > 1 && !team->threads)
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a team of %zu cores", wanted);
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_team_create(struct starfish_context *context, size_t cores)
{
    int *spare = malloc(MOST_CORES * sizeof *spare);
    if (!spare)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the list of cores");
    starfish_status status = deal(context, cores, spare, free_cores(spare));
    free(spare);
    return status;
}

void starfish_team_destroy(struct starfish_context *context)
{
    for (size_t worker = 0; worker < context->workers; worker++) {
        starfish_team_threads_destroy(context->team[worker].threads);
        free(context->team[worker].core);
        context->team[worker] = (struct starfish_team){.size = 1};
    }
}

size_t starfish_team_largest(const struct starfish_context *context, starfish_worker_kind kind)
{
    size_t largest = 1;
    for (size_t worker = 0; worker < context->workers; worker++)
        if (starfish_context_worker_kind(context, worker) == kind && context->team[worker].size > largest)
            largest = context->team[worker].size;
    return largest;
}

size_t starfish_team_size(const struct starfish_context *context)
{
    return context->team[starfish_context_current_worker(context)].size;
}

void starfish_team_run(const struct starfish_context *context,
                       void (*function)(void *argument, size_t part, size_t parts), void *argument)
{
    const struct starfish_team *team = &context->team[starfish_context_current_worker(context)];

    if (team->threads)
        starfish_team_threads_run(team->threads, function, argument);
    else
        function(argument, 0, 1);
}

struct starfish_barrier *starfish_team_barrier(const struct starfish_context *context)
{
    const struct starfish_team *team = &context->team[starfish_context_current_worker(context)];

    return team->threads ? starfish_team_threads_barrier(team->threads) : NULL;
}
