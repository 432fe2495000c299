/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task groups: tasks that are recorded instead of being submitted, and then launched by one task in their order.
 *
 *     record    while a progress has the group's recorder, each task that is submitted with it is copied
 *     order     from the tasks: the data of all of them, each once, and which tasks wait for which others
 *     launch    inside the one task that has these data: the CUDA functions of the recorded ones, one after another
 *
 *     recorded tasks         GPU 0:  a0 ----> c0 ------> e0
 *                                       \  /    \       ^          only waits between GPUs need an event; of each
 *     one task of the group             /\       \     /           other GPU a task waits for the last one that it
 *                            GPU 1:  b1 ----> d1 -----'            has to, unless its GPU has waited for it before
 *
 * A group is launched on several GPUs (task_group_gpus.h) or in the order of the caller's stream (task_group_stream.h).
 * What is launched again and again becomes one CUDA graph (task_group_replay.h). Some hundred data at most are compared
 * with each other, once for a recording. */
#ifndef STARFISH_SCHEDULER_RUNTIME_TASK_GROUP_H
#define STARFISH_SCHEDULER_RUNTIME_TASK_GROUP_H

#include "scheduler/runtime/task.h"

enum { STARFISH_GROUP_GPUS = 16, STARFISH_GROUP_NOBODY = -1 };

/* A recorded task. Set by the order: `data`, the indices of its data among those of the group; its GPU; and for which
 * tasks on other GPUs it waits, of each GPU for the last one, NOBODY: for none. */
struct starfish_group_task {
    struct starfish_task *task;
    struct starfish_task_header *arguments;
    size_t size; /* of the arguments */
    int *data;
    void **buffers; /* of a launch */
    int gpu, is_waited_for;
    int waits[STARFISH_GROUP_GPUS];
};

/* Data of the group, in the memory of one GPU. What is only read may be in several. */
struct starfish_group_datum {
    starpu_data_handle_t handle;
    enum starpu_data_access_mode mode;
    int gpu;
    int written_by, read_by[STARFISH_GROUP_GPUS]; /* the last tasks, or NOBODY */
};

/* All zero before the first task. */
struct starfish_task_group {
    struct starfish_recorder recorder; /* set by those who launch the group */
    size_t gpus;                       /* 1: all tasks are the first one's */
    struct starfish_group_task *task;
    size_t count, room;
    int data;
    struct starfish_group_datum datum[STARFISH_TASK_MAX_DATA];
};

/* Calls submit(data); tasks that it submits with `progress` go to the recorder instead. */
starfish_status starfish_task_group_collect(struct starfish_task_group *group, struct starfish_progress *progress,
                                            starfish_status (*submit)(void *data), void *data);
/* For a recorder: one task more, copied with its arguments; allocated data are taken over. Error: MEMORY. */
starfish_status starfish_task_group_record(struct starfish_task_group *group, struct starfish_task *task,
                                           const void *arguments, size_t size);
/* Can a GPU run the task, and may it? */
int starfish_task_group_fits(const struct starfish_task *task);
/* Tasks for any GPU are the first one's. 0 where there are more data than a task can have. */
int starfish_task_group_order(struct starfish_task_group *group);
/* Do the same functions use data alike, whatever data these are? */
int starfish_task_group_is_same(const struct starfish_task_group *a, const struct starfish_task_group *b);
/* The data of an ordered group become those of the task that launches it. */
void starfish_task_group_attach(const struct starfish_task_group *group, struct starfish_task *whole);
/* Inside that task: calls the CUDA function of a recorded one. */
void starfish_task_group_launch(const struct starfish_group_task *grouped, struct starfish_progress *progress,
                                void *buffers[]);
/* Frees the tasks. */
void starfish_task_group_clear(struct starfish_task_group *group);

#endif
