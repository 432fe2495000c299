/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Owners: where the tasks that write a part of an array run, and where its memory is. A task has the same two numbers
 * (task.h), from which starfish_task_submit alone makes StarPU's mask of workers. */
#ifndef STARFISH_SCHEDULER_RUNTIME_OWNER_H
#define STARFISH_SCHEDULER_RUNTIME_OWNER_H

#include <starpu.h>
#include <stdint.h>

/* Devices besides the numbers of GPUs: any core or team of cores, any worker at all, any GPU; and none, of tasks that
 * only have their data brought somewhere. */
enum { STARFISH_CORES = -1, STARFISH_ANY = -2, STARFISH_GPUS = -3, STARFISH_NOWHERE = -4 };

struct starfish_owner {
    int rank;   /* of MPI; 0 */
    int device; /* a GPU's number among those of the context, STARFISH_CORES, _ANY or _GPUS */
};

static inline int starfish_owner_is(struct starfish_owner a, struct starfish_owner b)
{
    return a.rank == b.rank && a.device == b.device;
}

/* Whether a GPU, or a core, may run tasks for the device. */
static inline int starfish_device_allows(int device, int gpu)
{
    return device == STARFISH_ANY || (gpu ? device >= 0 || device == STARFISH_GPUS : device == STARFISH_CORES);
}

/* The device for a mask of kinds of workers (context.h). */
static inline int starfish_device_of_kinds(uint32_t kinds)
{
    return kinds == STARPU_CPU ? STARFISH_CORES : kinds == STARPU_CUDA ? STARFISH_GPUS : STARFISH_ANY;
}

#endif
