/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks of one job as a single task of a GPU, in the order of a CUDA stream of the caller's.
 *
 * While a job's progress has a bundle, its tasks are collected in it instead of being submitted. Submitted as a whole,
 * they are one task that has the data of all of them, and on one GPU's worker launches what they launch, one after the
 * other on its stream: between two events. The first is what is in the caller's stream when the bundle is made, for
 * which the GPU's stream waits on the device; for the second the caller's stream waits, once it is recorded, which is
 * when all is launched. So nobody waits for the device: neither the caller's thread, which waits until the launches are
 * made, nor a stream for what has yet to be launched.
 *
 * The latter is why this is for jobs that are launches alone. A stream that is held until a host has done something
 * holds up every call of CUDA that waits for the whole device (cudaFree, cudaDeviceSynchronize, the loading of a
 * kernel), which keeps others from launching meanwhile: whoever makes one such call between submission and end waits
 * for ever. */
#ifndef STARFISH_SCHEDULER_BUNDLE_H
#define STARFISH_SCHEDULER_BUNDLE_H

#include "scheduler/task.h"

struct CUstream_st; /* what a cudaStream_t points to */
struct starfish_bundle;

/* For tasks on the GPU in whose memory `memory` lies, behind what is in the stream now. Errors: UNSUPPORTED (no CUDA,
 * or a stream that is being captured), ARGUMENT (`memory` is not on a device of the context's; calls it `name`),
 * RUNTIME, MEMORY. */
starfish_status starfish_bundle_create(struct starfish_bundle **result, struct starfish_context *context,
                                       struct CUstream_st *stream, const char *name, const void *memory);
/* When its tasks are done, or none was submitted. NULL is allowed. */
void starfish_bundle_destroy(struct starfish_bundle *bundle);

/* For task.c: one task more, whose arguments are copied. UNSUPPORTED where it is not for that GPU, or not for a
 * worker at all. */
starfish_status starfish_bundle_add(struct starfish_bundle *bundle, const struct starfish_task *task,
                                    const void *arguments, size_t size);
/* Submits all of them, waits until they are launched, and lets the caller's stream wait for them. With an error nothing
 * was submitted, or the runtime is stuck. */
starfish_status starfish_bundle_submit(struct starfish_bundle *bundle, struct starfish_progress *progress, int phase);

#endif
