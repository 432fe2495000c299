/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines tasks of several GPUs of one process into one task.
 *
 * Between successive tasks on different GPUs StarPU detects the end of the first, starts a copy, detects its end, and
 * starts the second task: some 50 us. Short tasks that exchange data often are therefore recorded and submitted as one
 * task of the first GPU, with the data of all of them, each in the memory of one GPU. It launches kernels on all GPUs.
 * Streams wait for each other if one reads or writes data that another has written; kernels access the memory of other
 * GPUs directly. From the second time on, everything is one CUDA graph (replay.h). */
#ifndef STARFISH_SCHEDULER_RUNTIME_JOINT_H
#define STARFISH_SCHEDULER_RUNTIME_JOINT_H

#include "scheduler/runtime/joint_order.h"
#include "scheduler/runtime/replay.h"

enum { STARFISH_JOINT_KEY = 8 };

struct starfish_joint;

/* For the first `gpus` GPUs of the context. `replays` must stay longer than it. *result is NULL where that is not
 * possible: on a simulated machine, without CUDA, or where a GPU cannot reach another one's memory; nor while StarPU
 * learns how long tasks take (STARPU_CALIBRATE). Error: MEMORY. */
starfish_status starfish_joint_create(struct starfish_joint **result, struct starfish_context *context, size_t gpus,
                                      struct starfish_replays *replays);
/* When its tasks are done. NULL is allowed. */
void starfish_joint_destroy(struct starfish_joint *joint);

/* Is there one, and are the tasks that are submitted with `progress` not recorded otherwise? While people look at tasks
 * (record.h) they are submitted one by one, so that each is seen where it runs. */
int starfish_joint_is_for(const struct starfish_joint *joint, const struct starfish_progress *progress);
/* From now on the tasks that are submitted with `progress` are recorded, */
void starfish_joint_begin(struct starfish_joint *joint, struct starfish_progress *progress);
/* until this submits them: as one task, or one by one where that cannot be, or the first time, so that StarPU gets the
 * memory of what the GPUs write. The arguments of tasks must be
 * determined by the key: recordings with equal keys whose tasks use their data alike are taken for one. */
starfish_status starfish_joint_end(struct starfish_joint *joint, struct starfish_progress *progress, const char *name,
                                   int phase, const uintptr_t key[STARFISH_JOINT_KEY]);
/* In place of that: none of them is submitted. */
void starfish_joint_abandon(struct starfish_joint *joint, struct starfish_progress *progress);

/* For submit.c: one task more. Error: MEMORY. */
starfish_status starfish_joint_add(struct starfish_joint *joint, struct starfish_task *task, const void *arguments,
                                   size_t size);

#endif
