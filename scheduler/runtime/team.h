/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Teams: the cores that share one CPU worker's tasks.
 *
 * Beside a GPU a single core is too slow to be given a share of a solve, so a CPU worker there is a team: StarPU sees
 * one worker, and its tasks run on all cores of the team, by threads that are each bound to a core (team_threads.h).
 * Without a GPU a team is one core, and tasks are the parallelism. The option cores_per_worker says otherwise. */
#ifndef STARFISH_SCHEDULER_RUNTIME_TEAM_H
#define STARFISH_SCHEDULER_RUNTIME_TEAM_H

#include "scheduler/runtime/context.h"

/* Once the workers are known: give each CPU worker its cores. `cores` work in all; the worker's own is one of them. */
starfish_status starfish_team_create(struct starfish_context *context, size_t cores);
void starfish_team_destroy(struct starfish_context *context);
/* The team of one worker, of so many logical processing units of which the first is the worker's. Error: MEMORY. And
 * its end, of one of zeros too. */
starfish_status starfish_team_form(struct starfish_team *team, size_t worker, const int *core, size_t size);
void starfish_team_disband(struct starfish_team *team);

/* Cores of the largest team among the workers of a kind; 1 for GPUs. */
size_t starfish_team_largest(const struct starfish_context *context, starfish_worker_kind kind);

/* Inside a CPU task: the number of cores of the running worker's team. */
size_t starfish_team_size(const struct starfish_context *context);
/* Inside a CPU task: function(argument, part, parts) for part = 0 .. parts-1 at once, one part per core of the team.
 * What a core does is reported (base/activity.h) by the function, or else is the task itself; the reports are in the
 * team's logs until the task has finished (submit.c). */
void starfish_team_run(const struct starfish_context *context,
                       void (*function)(void *argument, size_t part, size_t parts), void *argument);
/* When a CPU task has finished, in the worker's thread: whether its cores have more stints than a single one, which
 * would be the task itself. */
int starfish_team_reports(const struct starfish_team *team);
/* Then, too: sums over the cores of what they did for each phase, and whether they named any; and to empty the logs. */
int starfish_team_busy(const struct starfish_team *team, double busy[STARFISH_ACTIVITY_PHASES]);
void starfish_team_forget(const struct starfish_team *team);
/* Inside such a function: where its parts, all of them, wait for each other; NULL where there is one. */
struct starfish_barrier *starfish_team_barrier(const struct starfish_context *context);

#endif
