/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recorded tasks: kept instead of being submitted, and later launched one after another by one task with the data of
 * all of them (bundle.h, joint.h). */
#ifndef STARFISH_SCHEDULER_RUNTIME_RECORDING_H
#define STARFISH_SCHEDULER_RUNTIME_RECORDING_H

#include "scheduler/runtime/task.h"

/* data: the indices of its data among those of the whole, in its order; set by the recording caller. */
struct starfish_recorded {
    struct starfish_task *task;
    struct starfish_task_header *arguments;
    size_t size; /* of the arguments */
    int *data;
    void **buffers; /* of a launch */
};

struct starfish_recording {
    struct starfish_recorded *task;
    size_t count, room;
};

/* One task more, copied with its arguments; allocated data are taken over. Error: MEMORY. */
starfish_status starfish_recording_add(struct starfish_recording *recording, struct starfish_task *task,
                                       const void *arguments, size_t size);
/* Frees the tasks; a recording of zeros is allowed. */
void starfish_recording_clear(struct starfish_recording *recording);
/* Inside the task that has the data of all: calls the CUDA function of a recorded one. */
void starfish_recorded_launch(const struct starfish_recorded *recorded, struct starfish_progress *progress,
                              void *buffers[]);

#endif
