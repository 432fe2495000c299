/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work in the order of the caller's CUDA stream: waits for the stream, and task groups that are launched in it.
 *
 * The tasks of a job are recorded and submitted as one task with the data of all of them. On one GPU's worker it makes
 * their launches, one after another on its stream, between two events. The first event marks the work in the caller's
 * stream when the group is created; the GPU's stream waits for it on the device. The second event is recorded after the
 * last launch, and the caller's stream waits for it. The caller's thread waits only for the launches, not for the
 * device, and no stream waits for a launch that is still to come.
 *
 * Jobs with work on the host cannot be grouped. A stream that waits for the host blocks every CUDA call that waits for
 * the whole device (cudaFree, cudaDeviceSynchronize, loading a kernel), and such a call blocks launches of other
 * threads. One such call between submission and end would deadlock. */
#ifndef STARFISH_SCHEDULER_RUNTIME_TASK_GROUP_STREAM_H
#define STARFISH_SCHEDULER_RUNTIME_TASK_GROUP_STREAM_H

#include "scheduler/runtime/progress.h"

struct CUstream_st; /* what a cudaStream_t points to */
struct starfish_stream_group;

/* Waits for what is in the stream now, of the GPU whose memory is StarPU's node (starfish_memory_place). Any thread.
 * Errors: UNSUPPORTED (no CUDA; a stream that is captured), RUNTIME (CUDA). */
starfish_status starfish_stream_wait(const struct starfish_context *context, struct CUstream_st *stream, int node);

/* For tasks on that GPU, behind what is in the stream now. Errors: as of starfish_stream_wait; MEMORY. */
starfish_status starfish_stream_group_create(struct starfish_stream_group **result, struct starfish_context *context,
                                             struct CUstream_st *stream, int node);
/* When its tasks are done, or none was submitted. NULL is allowed. */
void starfish_stream_group_destroy(struct starfish_stream_group *group);

/* Submits the tasks that submit(data) submits with `progress` as one task, waits until they are launched, and lets the
 * caller's stream wait for them. With an error nothing was submitted, or the runtime is stuck. UNSUPPORTED where a task
 * is not for that GPU, or not for a worker at all. NULL: calls `submit`. */
starfish_status starfish_stream_group_run(struct starfish_stream_group *group, struct starfish_progress *progress,
                                          int phase, starfish_status (*submit)(void *data), void *data);

#endif
