/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Evaluation of a record: how busy the workers were, and lower bounds of the time that the tasks need.
 *
 * Bounds use the times of StarPU's models; for tasks without one, the measured times. They count no copies:
 *
 *    area            all workers are busy without a gap, and every task runs where it suits best. With two kinds of
 *                    workers this is the linear program "least T, such that each kind's work fits into T times its
 *                    workers". It is solved exactly: the GPUs get the tasks that they accelerate most, as many as
 *                    balance the two kinds (the last one in part).
 *    critical path   the longest chain of tasks that wait for each other, each on the kind of worker where it is
 *                    fastest. */
#ifndef STARFISH_SCHEDULER_LAB_ACCOUNT_H
#define STARFISH_SCHEDULER_LAB_ACCOUNT_H

#include "scheduler/lab/record.h"

/* Times in microseconds. */
struct starfish_account {
    double begin, end; /* the first submission; the last end, including copies of results to main memory */
    size_t tasks[STARFISH_WORKER_KINDS];
    double busy[STARFISH_WORKER_KINDS]; /* sums over workers; one of several cores is as busy as these are on average */
    double idle[STARFISH_WORKER_KINDS]; /* what is left of end - begin of every worker */
    double fetching;                    /* of that: waiting for the data of a scheduled task */
    double area, critical_path;
    size_t path_tasks; /* on the critical path that have work */
    double flops;      /* of all tasks that ran on a worker; NaN: of one of them they are not known */
    double traffic;    /* bytes that these read and wrote, as in struct starfish_task_span */
    int complete;      /* models knew every task on every kind of worker that there is */
};

struct starfish_account starfish_account_of(const struct starfish_record *record);

/* Returns 1 if the models have a time of each recorded task on each kind of worker that may run it. */
int starfish_account_calibrated(const struct starfish_record *record);
/* The area bound of `count` tasks, duration[task][kind] infinite where a kind cannot. `order` is room for `count`
 * numbers. */
double starfish_area_bound(size_t count, const double (*duration)[STARFISH_WORKER_KINDS],
                           const size_t workers[STARFISH_WORKER_KINDS], size_t *order);

/* What the last task to end waited for, and that for, and so on: of the task's dependencies and the one before it on
 * its worker the one that ended last. A task that helps another is part of that one, and not the last. Fills
 * path[record->tasks] with 0 and 1. */
void starfish_waiting_path(const struct starfish_record *record, char *path);

#endif
