/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lengths of tasks on a simulated machine: the mean times that StarPU's models in the machine's folder have of them,
 * for policies and bounds; when a task runs, a time at random around the mean, as far from it as those on the machine
 * were. Where a step waits for the slowest of many tasks that makes all the difference. The random numbers are the same
 * in every run.
 *
 * Of a task of which there is no time, because its size was not recorded, the time is an estimate (estimate.h). How
 * many lengths are estimates is counted. */
#ifndef STARFISH_SCHEDULER_LAB_SIMULATED_H
#define STARFISH_SCHEDULER_LAB_SIMULATED_H

#include "scheduler/runtime/context.h"

#include <starpu.h>

/* For a codelet's performance model: microseconds, NaN when nothing is known of the codelet on that kind of worker. */
double starfish_recorded_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation);

/* Returns 1 if the expected time of the task on that worker is reliable: its size was recorded, or a size close to it.
 * Small tasks of a GPU do not predict large ones, since their time is that of the launch. */
int starfish_recorded_is_known(struct starpu_task *task, unsigned worker);

/* Hook times_known (hooks.h). */
int starfish_recorded_knows(const struct starpu_codelet *codelet, const struct starfish_context *context,
                            starfish_worker_kind kind);

/* UNSUPPORTED when the machine has no time of the task on one of the workers that may run it. */
starfish_status starfish_recorded_check(struct starpu_task *task);

/* Before the first task when none is in flight: takes the simulated time that a solve has beside its tasks. */
void starfish_recorded_begin(void);

/* Tasks of this process: those that were submitted, those of them with estimated lengths on one of their workers, those
 * that a worker has run, and those of these whose length was a far estimate (estimate.h). */
struct starfish_recorded_counts {
    size_t submitted, estimated, run, far;
};
struct starfish_recorded_counts starfish_recorded_count(void);

#endif
