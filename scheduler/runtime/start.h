/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting StarPU with the settings that a solver needs, and stopping it. Under one lock, which the caller holds. */
#ifndef STARFISH_SCHEDULER_RUNTIME_START_H
#define STARFISH_SCHEDULER_RUNTIME_START_H

#include "scheduler/runtime/context.h"

/* The cores that work and the StarPU workers that they are grouped in; -1: left to StarPU, one core each. */
struct starfish_crew {
    int cores, workers;
};

/* Logs differences from the requested workers. The calling thread keeps its binding. Errors: ARGUMENT, RUNTIME. */
starfish_status starfish_start_starpu(const struct starfish_context *context,
                                      const struct starfish_context_options *options, struct starfish_crew *crew);
/* One user more of the StarPU that runs, which the host program has started or we. Errors: ARGUMENT, RUNTIME. */
starfish_status starfish_join_starpu(const struct starfish_context *context, int is_the_hosts);
/* One user less of StarPU; it stops with the last one, the host program included. */
void starfish_stop_starpu(void);

/* The error if there are no workers. */
starfish_status starfish_no_worker(const struct starfish_context_options *options);

#endif
