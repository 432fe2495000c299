/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Teams of cores (team.h): divides the free cores among CPU workers, and runs a task's work on all cores of one. */
#include "scheduler/runtime/team.h"

#include "scheduler/runtime/team_threads.h"

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

starfish_status starfish_team_form(struct starfish_team *team, size_t worker, const int *core, size_t size)
{
    *team = (struct starfish_team){.size = size, .core = malloc(size * sizeof *team->core)};
    team->log = aligned_alloc(_Alignof(struct starfish_activity_log), size * sizeof *team->log);
    for (size_t part = 0; team->log && part < size; part++)
        team->log[part] = (struct starfish_activity_log){.clock = starpu_timing_now};
    if (team->core && team->log) {
        memcpy(team->core, core, size * sizeof *core);
        team->threads = size > 1 ? starfish_team_threads_create(worker, size, team->core) : NULL;
        if (size == 1 || team->threads)
            return STARFISH_SUCCESS;
    }
    starfish_team_disband(team);
    return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a team of %zu cores", size);
}

void starfish_team_disband(struct starfish_team *team)
{
    starfish_team_threads_destroy(team->threads);
    for (size_t part = 0; team->log && part < team->size; part++)
        starfish_activity_free(&team->log[part]);
    free(team->log);
    free(team->core);
    *team = (struct starfish_team){.size = 1};
}

/* A team is the worker's own core, and behind it spare ones: room for the first stands before `spares` of these. */
static starfish_status deal(struct starfish_context *context, size_t cores, int *core, size_t spares)
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
        core[at] = starpu_worker_get_bindid(context->worker[worker]);
        STARFISH_TRY(starfish_team_form(team, worker, core + at, wanted));
        at += wanted - 1;
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_team_create(struct starfish_context *context, size_t cores)
{
    int *core = malloc((MOST_CORES + 1) * sizeof *core);
    STARFISH_FAIL_IF(!core, STARFISH_ERROR_MEMORY, "out of memory for the list of cores");
    const starfish_status status = deal(context, cores, core, free_cores(core + 1));
    free(core);
    return status;
}

void starfish_team_destroy(struct starfish_context *context)
{
    for (size_t worker = 0; worker < context->workers; worker++)
        starfish_team_disband(&context->team[worker]);
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

/* One call of starfish_team_run. */
struct round {
    const struct starfish_team *team;
    void (*function)(void *argument, size_t part, size_t parts);
    void *argument;
    int recorded;
};

/* On one core. What a single core does without a report is the task itself. */
static void run_part(void *data, size_t part, size_t parts)
{
    const struct round *round = data;
    const int itself = round->recorded && parts > 1;

    starfish_activity_open(&round->team->log[part], round->recorded, itself ? &starfish_activity_of_task : NULL);
    round->function(round->argument, part, parts);
    starfish_activity_close();
}

void starfish_team_run(const struct starfish_context *context,
                       void (*function)(void *argument, size_t part, size_t parts), void *argument)
{
    const struct starfish_team *team = &context->team[starfish_context_current_worker(context)];
    struct round round = {team, function, argument, context->observer != NULL};

    if (team->threads)
        starfish_team_threads_run(team->threads, run_part, &round);
    else
        run_part(&round, 0, 1);
    if (round.recorded && starfish_team_reports(team)) /* until the task has finished */
        starfish_activity_open(&team->log[0], 1, &starfish_activity_alone);
}

int starfish_team_reports(const struct starfish_team *team)
{
    for (size_t part = 0; part < team->size; part++)
        if (team->log[part].count > (team->size == 1))
            return 1;
    return 0;
}

int starfish_team_busy(const struct starfish_team *team, double busy[STARFISH_ACTIVITY_PHASES])
{
    int named = 0;

    for (int phase = 0; phase < STARFISH_ACTIVITY_PHASES; phase++) {
        busy[phase] = 0;
        for (size_t part = 0; part < team->size; part++)
            busy[phase] += team->log[part].busy[phase];
        named |= busy[phase] > 0;
    }
    return named;
}

void starfish_team_forget(const struct starfish_team *team)
{
    for (size_t part = 0; part < team->size; part++)
        starfish_activity_clear(&team->log[part]);
}

struct starfish_barrier *starfish_team_barrier(const struct starfish_context *context)
{
    const struct starfish_team *team = &context->team[starfish_context_current_worker(context)];

    return team->threads ? starfish_team_threads_barrier(team->threads) : NULL;
}
