/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of a team besides the worker's own: they wait for the worker's next task by looking, for as long as tasks
 * usually are apart, and sleep then; at once where some of them share a processing unit. OpenMP's threads sleep at once
 * where its runtime counts more threads than processing units, which those of a host loop are enough for; waking 15
 * threads takes longer than a step on a small grid. */
#ifndef STARFISH_SCHEDULER_RUNTIME_TEAM_THREADS_H
#define STARFISH_SCHEDULER_RUNTIME_TEAM_THREADS_H

#include <stddef.h>

struct starfish_team_threads;

/* For a worker of the context with that number, on logical processing units core[0 .. size-1], of which the first is
 * the worker's. Threads begin when they are first needed. NULL: out of memory. `core` must stay as it is. */
struct starfish_team_threads *starfish_team_threads_create(size_t worker, size_t size, const int *core);
/* No work may be under way. In a child of fork, where the threads are not, only memory is freed. NULL is allowed. */
void starfish_team_threads_destroy(struct starfish_team_threads *threads);

/* function(argument, part, parts) for part = 0 .. parts-1 at once, part 0 by the calling thread; parts is `size`, or as
 * many as the system gives threads for. One call at a time. */
void starfish_team_threads_run(struct starfish_team_threads *threads,
                               void (*function)(void *argument, size_t part, size_t parts), void *argument);

/* For the parts of a function that is running: part i is thread i. */
struct starfish_barrier *starfish_team_threads_barrier(const struct starfish_team_threads *threads);

#endif
