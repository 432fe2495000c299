/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task groups that are launched on several GPUs of one process.
 *
 * Between successive tasks on different GPUs StarPU detects the end of the first, starts a copy, detects its end, and
 * starts the second task: some 50 us. Short tasks that exchange data often are therefore recorded and submitted as one
 * task of the first GPU, with the data of all of them, each in the memory of one GPU. It launches kernels on all GPUs.
 * Streams wait for each other if one reads or writes data that another has written; kernels access the memory of other
 * GPUs directly. From the second time on, everything is one CUDA graph (task_group_replay.h). */
#ifndef STARFISH_SCHEDULER_RUNTIME_TASK_GROUP_GPUS_H
#define STARFISH_SCHEDULER_RUNTIME_TASK_GROUP_GPUS_H

#include "scheduler/runtime/owner.h"
#include "scheduler/runtime/progress.h"
#include "scheduler/runtime/task_group_replay.h"

enum { STARFISH_GROUP_KEY = 8 };

/* The groups of a plan: one for each key and order of tasks. */
struct starfish_gpu_groups;

/* For the GPUs that own `parts` parts. `replays` must stay longer than it. *result is NULL where there is nothing to
 * join: one part, or an owner that is no GPU of this process; where it is not possible: on a simulated machine, without
 * CUDA, or where a GPU cannot reach another one's memory; and while StarPU learns how long tasks take
 * (STARPU_CALIBRATE). Error: MEMORY. */
starfish_status starfish_gpu_groups_create(struct starfish_gpu_groups **result, struct starfish_context *context,
                                           size_t parts, const struct starfish_owner *owner,
                                           struct starfish_replays *replays);
/* When its tasks are done. NULL is allowed. */
void starfish_gpu_groups_destroy(struct starfish_gpu_groups *groups);

/* Submits the tasks that submit(data) submits with `progress` as one task, or one by one where that cannot be, or the
 * first time, so that StarPU gets the memory of what the GPUs write. With an error of `submit` none is submitted. The
 * arguments of tasks must be determined by the key: recordings with equal keys whose tasks use their data alike are
 * taken for one. Without groups, while tasks are recorded already, or observed one by one (hooks.h): calls `submit`. */
starfish_status starfish_gpu_groups_run(struct starfish_gpu_groups *groups, struct starfish_progress *progress,
                                        const char *name, int phase, const uintptr_t key[STARFISH_GROUP_KEY],
                                        starfish_status (*submit)(void *data), void *data);

#endif
