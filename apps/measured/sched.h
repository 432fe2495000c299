/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves by sets of workers and policies, measured one after the other: what starfish sched prints and starfish machine
 * records. */
#ifndef STARFISH_APPS_MEASURED_SCHED_H
#define STARFISH_APPS_MEASURED_SCHED_H

#include "apps/frame/frame.h"
#include "apps/lists.h"
#include "apps/plans/plan.h"
#include "scheduler/lab/record.h"
#include "scheduler/lab/simulated.h"

struct sched {
    struct bench bench; /* first: measure() gets at the rest through it */
    struct plan plan;   /* what is solved; its context is that of the combination that is measured */
    const char *policies, *workers, *simulate, *nodes, *network;
    int recalibrate;
    size_t rounds;
    struct list policy, worker_set;
};

/* A combination is measured in rounds, each in a context of its own and with the other policies between: where memory
 * happens to lie, and what else the machine does, must not be taken for the policy's doing. */
enum { SCHED_MOST_ROUNDS = 16, SCHED_ROUND_RECORDS = 2, SCHED_RECORDS = SCHED_ROUND_RECORDS * SCHED_MOST_ROUNDS };

struct sched_combination {
    const char *workers, *policy;
    double *seconds; /* of solves of which no record was kept */
    size_t count;
    double residual;
    char method[32];
    struct starfish_record *record[SCHED_RECORDS]; /* of solves after those, and their times */
    double record_seconds[SCHED_RECORDS];
    size_t records;
    struct starfish_recorded_counts tasks; /* of a simulation */
};

/* Bring StarPU's models of all the solve's tasks up to date for a set of workers, and note that in the JSON's
 * `calibration`. */
starfish_status sched_calibrate(struct sched *sched, const char *workers);
/* `solves` more of a combination, timed, and some with a record. */
starfish_status sched_measure(struct sched *sched, struct sched_combination *combination, size_t solves);
/* The same in a context that there is: sched->plan has been started in it. Calibration ends when all tasks are known,
 * or after so many solves, or seconds of them. */
starfish_status sched_calibrate_here(struct sched *sched, const struct sched_combination *combination, size_t most,
                                     double most_seconds);
starfish_status sched_solve_here(struct sched *sched);
starfish_status sched_measure_here(struct sched *sched, struct sched_combination *combination, size_t solves);
/* Instead: a model of several nodes like the simulated machine (apps/sched/nodes.c). */
starfish_status sched_measure_nodes(struct bench *bench);
/* The row of a combination (rows.c). */
void sched_add_row(struct sched *sched, const struct sched_combination *combination);

#endif
