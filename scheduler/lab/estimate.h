/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Estimated durations of tasks whose size was not recorded, from recorded tasks of the same codelet, kind of worker
 * and, if there are any, number of cores. Plain numbers, without StarPU.
 *
 * Where the codelet has a relation between its sizes and its time (growth.h), the time is that relation, fitted to all
 * of these tasks, times what the recorded tasks that are most like the task take beside it. Of other codelets log(time)
 * is fitted as a line in log(bytes), each recorded task weighing the more the more its sizes, precisions and kinds are
 * like those of the task (sizes.h). A line through one point has slope 1: so many times the bytes, so many times the
 * time.
 *
 * Times rise with sizes. The slope of a line is not negative, and of recorded tasks of the same kinds the task takes no
 * less than one that is smaller in every size, and no more than one that is larger in every size. */
#ifndef STARFISH_SCHEDULER_LAB_ESTIMATE_H
#define STARFISH_SCHEDULER_LAB_ESTIMATE_H

#include "scheduler/lab/growth.h"

#include <stddef.h>
#include <stdint.h>

struct starfish_sample {
    uint32_t footprint;
    double bytes, microseconds, deviation;
    int is_estimate; /* of a task that was not recorded, kept since policies ask for it again and again, */
    int is_far;      /* and further from all that were recorded than STARFISH_FAR_ESTIMATE */
};

/* An estimate is far where bytes or a size are that many times those of any recorded task, or that small a part. */
enum { STARFISH_FAR_ESTIMATE = 4 };

/* What was recorded of one codelet on one kind of worker. */
struct starfish_sample_set {
    const char *symbol; /* the codelet's own */
    int type;           /* of worker, as StarPU numbers them */
    int on_cores;       /* times depend on the number of cores */
    size_t count, room;
    struct starfish_sample *sample;
};

/* The number of cores that a task's time depends on; on a GPU 0. */
unsigned starfish_sample_team(const struct starfish_sample_set *entry, uint32_t footprint);
/* Distance of a sample from a size: |log(bytes of the sample / bytes)|. */
double starfish_sample_distance(const struct starfish_sample *sample, double bytes);
/* The recorded sample nearest in size, preferably with the same number of cores. NULL if nothing was recorded. */
const struct starfish_sample *starfish_closest_sample(const struct starfish_sample_set *entry, uint32_t footprint,
                                                      double bytes);
/* Of an entry in which something was recorded. `growth`: NULL where the codelet has none. */
struct starfish_sample starfish_estimate(const struct starfish_sample_set *entry, uint32_t footprint, double bytes,
                                         starfish_growth *growth);

#endif
