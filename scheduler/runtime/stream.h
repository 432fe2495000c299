/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Order of work in the caller's CUDA stream: a solve on device arrays begins after what the caller has launched
 * before. */
#ifndef STARFISH_SCHEDULER_RUNTIME_STREAM_H
#define STARFISH_SCHEDULER_RUNTIME_STREAM_H

#include "scheduler/runtime/context.h"

struct CUstream_st; /* what a cudaStream_t points to */

/* Waits for what is in the stream now, of the device that `memory` lies on. Any thread. Errors: UNSUPPORTED (no CUDA; a
 * stream that is captured), ARGUMENT (`memory` is not on a device; calls it `name`), RUNTIME (CUDA). */
starfish_status starfish_stream_wait(struct CUstream_st *stream, const char *name, const void *memory);

#endif
