/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data of tasks of several GPUs that become one task (joint.h), and which of these tasks wait for which others. */
#ifndef STARFISH_SCHEDULER_RUNTIME_JOINT_ORDER_H
#define STARFISH_SCHEDULER_RUNTIME_JOINT_ORDER_H

#include "scheduler/runtime/recording.h"

enum { STARFISH_JOINT_GPUS = 16, STARFISH_JOINT_NOBODY = -1 };

/* A recorded task, and for which ones of other GPUs it waits: of each GPU for the last one; NOBODY: for none. */
struct starfish_joint_member {
    int gpu, is_waited_for;
    int waits[STARFISH_JOINT_GPUS];
};

/* Data of the whole, in the memory of one GPU. What is only read may be in several. */
struct starfish_joint_datum {
    starpu_data_handle_t handle;
    enum starpu_data_access_mode mode;
    int gpu;
    int written_by, read_by[STARFISH_JOINT_GPUS]; /* the last members, or NOBODY */
};

struct starfish_joint_order {
    struct starfish_recording recording;
    struct starfish_joint_member *member; /* as many */
    struct starfish_joint_datum datum[STARFISH_TASK_MAX_DATA];
    int count; /* of data */
};

/* From the recording everything else; the data's numbers are written into the recorded tasks. Tasks for any GPU are the
 * first one's. *possible is 0 where there are more data than a task can have. Error: MEMORY. */
starfish_status starfish_joint_order_find(struct starfish_joint_order *order, int *possible);
/* Do the same functions use data alike, whatever data these are? */
int starfish_joint_order_is_same(const struct starfish_joint_order *a, const struct starfish_joint_order *b);
/* A zero one is allowed. */
void starfish_joint_order_clear(struct starfish_joint_order *order);

#endif
