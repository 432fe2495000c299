/* starfish sched: what its files share. */
#ifndef STARFISH_APPS_SCHED_H
#define STARFISH_APPS_SCHED_H

#include "apps/bench.h"
#include "apps/lists.h"
#include "apps/solve.h"

struct sched {
    struct bench bench;   /* first: measure() gets at the rest through it */
    struct solve_run run; /* the problem; context and plan are those of the combination that is measured */
    const char *policies, *workers;
    struct list policy, worker_set;
};

/* Bring StarPU's models of all the solve's tasks up to date for a set of workers, and note that in the JSON's `calibration`. */
starfish_status sched_calibrate(struct sched *sched, const char *workers);
/* The row of one combination. */
starfish_status sched_measure(struct sched *sched, const char *workers, const char *policy);

#endif
