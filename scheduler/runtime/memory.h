/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of devices: how much there is, what is taken for good, and whether a task's data fit.
 *
 * StarPU moves data into a GPU's memory when a task needs them, and evicts others if there is no room. It waits forever
 * for a task whose data do not fit at once. A task that only a GPU can run is therefore submitted only if it fits.
 * Permanent allocations on a GPU (work space, tables that kernels keep) are reported to StarPU and counted here.
 * StarPU, and so this count, exists once per process. */
#ifndef STARFISH_SCHEDULER_RUNTIME_MEMORY_H
#define STARFISH_SCHEDULER_RUNTIME_MEMORY_H

#include "base/status.h"

#include <stddef.h>

struct starfish_context;
struct starfish_memory;
struct starpu_task;

/* Bytes of a GPU's memory that plans of the context may use, the least of its GPUs': what StarPU has, which follows
 * STARPU_LIMIT_CUDA_MEM, without what is taken for good. SIZE_MAX where there is no GPU, or StarPU does not know. */
size_t starfish_device_room(const struct starfish_context *context);
/* What data of `large` and `small` bytes (pieces of more, and of no more, than 4 MB) take there: StarPU takes small
 * ones out of pieces of 32 MB, of which it keeps some. */
size_t starfish_device_footprint(size_t large, size_t small);
enum { STARFISH_SMALL_DATA = 4 << 20 };

/* Bytes of this machine's main memory; 0: not known, or simulated. */
size_t starfish_main_memory(void);

/* Completes a plan's struct starfish_memory, in which the plan has set main_bytes, gpu_work, gpu_data and gpu_least.
 * Sets gpu_there, including what a plan has taken that is `made`; without GPUs it clears their members. */
void starfish_memory_complete(const struct starfish_context *context, int made, struct starfish_memory *memory);
/* MEMORY, with the bytes, where GPUs have less than `what` needs at least. */
starfish_status starfish_memory_check(const char *what, const struct starfish_memory *memory);
/* The whole struct of a plan that has been made; `memory` is the estimate from before. ARGUMENT if `user` is NULL. */
starfish_status starfish_memory_report(const struct starfish_context *context, const struct starfish_memory *memory,
                                       struct starfish_memory *user);

/* Take memory of a worker's node for good, or give it back. MEMORY where there is not as much. For a core nothing is
 * counted. */
starfish_status starfish_device_take(const struct starfish_context *context, size_t worker, const char *what,
                                     size_t bytes);
void starfish_device_give_back(const struct starfish_context *context, size_t worker, size_t bytes);

/* For submit.c. Takes GPUs from the kinds of workers that may run the task where its data do not fit. MEMORY, with the
 * bytes that are needed and that there are, where no kind remains. */
starfish_status starfish_fit_task(const struct starfish_context *context, struct starpu_task *task);
/* Bytes of its data that are not on that memory node. */
size_t starfish_missing_bytes(const struct starpu_task *task, unsigned node);

/* Whether STARPU_LIMIT_CUDA_MEM, or one for a device, is set. */
int starfish_memory_is_limited(void);

#endif
