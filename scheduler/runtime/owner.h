/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Owners: where the tasks that write a part of an array run, and where its memory is.
 *
 * Everything called `where` is a mask of kinds of workers (context.h), of which StarPU uses the lower bits. The upper
 * ones name the owner: a GPU by its number among those of the context, and a rank. So an owner goes wherever kinds of
 * workers go, and one place, starfish_task_submit, decides by it which worker runs a task. Without an owner any worker
 * of those kinds does. */
#ifndef STARFISH_SCHEDULER_RUNTIME_OWNER_H
#define STARFISH_SCHEDULER_RUNTIME_OWNER_H

#include <starpu.h>
#include <stdint.h>

/* Devices of owners besides the numbers of GPUs: any core or team of cores, any worker at all, any GPU. */
enum { STARFISH_CORES = -1, STARFISH_ANY = -2, STARFISH_GPUS = -3 };

struct starfish_owner {
    int rank;   /* of MPI; 0 */
    int device; /* a GPU's number among those of the context, STARFISH_CORES, _ANY or _GPUS */
};

enum {
    STARFISH_WHERE_GPU = 10,  /* the first of 6 bits: 1 + the number of a GPU, 0: any */
    STARFISH_WHERE_RANK = 16, /* the first of 16 bits */
    STARFISH_MOST_GPUS = 63,
};

/* Kinds of workers alone, as StarPU has them. */
static inline uint32_t starfish_where_kinds(uint32_t where)
{
    return where & ((1U << STARFISH_WHERE_GPU) - 1);
}

/* The number of the one GPU; -1: there is none. */
static inline int starfish_where_gpu(uint32_t where)
{
    return (int)(where >> STARFISH_WHERE_GPU & STARFISH_MOST_GPUS) - 1;
}

static inline int starfish_where_rank(uint32_t where)
{
    return (int)(where >> STARFISH_WHERE_RANK);
}

/* `otherwise`: where the owner's device is STARFISH_ANY. */
static inline uint32_t starfish_where_of(struct starfish_owner owner, uint32_t otherwise)
{
    const uint32_t rank = (uint32_t)owner.rank << STARFISH_WHERE_RANK;
    if (owner.device >= 0)
        return rank | ((uint32_t)owner.device + 1) << STARFISH_WHERE_GPU | (uint32_t)STARPU_CUDA;
    if (owner.device == STARFISH_GPUS)
        return rank | (uint32_t)STARPU_CUDA;
    return rank | (owner.device == STARFISH_CORES ? (uint32_t)STARPU_CPU : otherwise);
}

#endif
