/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines the tasks of one job into one GPU task, in the order of the caller's CUDA stream.
 *
 * While a job's progress has a bundle, its tasks are collected in the bundle instead of being submitted. The bundle is
 * then submitted as one task with the data of all of them. On one GPU's worker it makes their launches, one after
 * another on its stream, between two events. The first event marks the work in the caller's stream when the bundle is
 * created; the GPU's stream waits for it on the device. The second event is recorded after the last launch, and the
 * caller's stream waits for it. The caller's thread waits only for the launches, not for the device, and no stream
 * waits for a launch that is still to come.
 *
 * Jobs with work on the host cannot be bundled. A stream that waits for the host blocks every CUDA call that waits for
 * the whole device (cudaFree, cudaDeviceSynchronize, loading a kernel), and such a call blocks launches of other
 * threads. One such call between submission and end would deadlock. */
#ifndef STARFISH_SCHEDULER_RUNTIME_BUNDLE_H
#define STARFISH_SCHEDULER_RUNTIME_BUNDLE_H

#include "scheduler/runtime/task.h"

struct CUstream_st; /* what a cudaStream_t points to */
struct starfish_bundle;

/* For tasks on the GPU in whose memory `memory` lies, behind what is in the stream now. Errors: UNSUPPORTED (no CUDA,
 * or a stream that is being captured), ARGUMENT (`memory` is not on a device of the context's; calls it `name`),
 * RUNTIME, MEMORY. */
starfish_status starfish_bundle_create(struct starfish_bundle **result, struct starfish_context *context,
                                       struct CUstream_st *stream, const char *name, const void *memory);
/* When its tasks are done, or none was submitted. NULL is allowed. */
void starfish_bundle_destroy(struct starfish_bundle *bundle);

/* For submit.c: one task more, whose arguments are copied. UNSUPPORTED where it is not for that GPU, or not for a
 * worker at all. */
starfish_status starfish_bundle_add(struct starfish_bundle *bundle, struct starfish_task *task, const void *arguments,
                                    size_t size);
/* Submits all of them, waits until they are launched, and lets the caller's stream wait for them. With an error nothing
 * was submitted, or the runtime is stuck. */
starfish_status starfish_bundle_submit(struct starfish_bundle *bundle, struct starfish_progress *progress, int phase);

#endif
