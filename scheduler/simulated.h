/* Lengths of tasks on a simulated machine: the mean times that StarPU's models in the machine's folder have of them,
 * for policies and bounds; when a task runs, a time at random around the mean, as far from it as those on the machine
 * were. Where a step waits for the slowest of many tasks that makes all the difference. The random numbers are the same
 * in every run.
 *
 * A task of which there is no time, because its size was not recorded, is taken to need as long per byte of its data as
 * the recorded task of the same codelet, the same kind of worker and, where there is one, the same number of cores that
 * is closest in size: the time of nearly all our operations is that of moving their data. How many lengths are such
 * estimates is counted. */
#ifndef STARFISH_SCHEDULER_SIMULATED_H
#define STARFISH_SCHEDULER_SIMULATED_H

#include "base/status.h"

#include <starpu.h>

/* For a codelet's performance model: microseconds, NaN when nothing is known of the codelet on that kind of worker. */
double starfish_recorded_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation);

/* Whether what is expected of the task on that worker is more than a guess: the size was recorded, or one that is not
 * far from it. Small tasks of a GPU tell nothing of large ones, since all that they take is their launch. */
int starfish_recorded_is_known(struct starpu_task *task, unsigned worker);

/* UNSUPPORTED when the machine has no time of the task on one of the workers that may run it. */
starfish_status starfish_recorded_check(struct starpu_task *task);

/* Of the tasks submitted in this process, how many have estimated lengths; and how many there were. */
void starfish_recorded_count(size_t *estimated, size_t *all);

#endif
