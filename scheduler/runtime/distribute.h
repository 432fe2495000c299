/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distributed rows: divides the rows that each rank holds into parts, which that rank works on. For solvers on spaces
 * (space.h). */
#ifndef STARFISH_SCHEDULER_RUNTIME_DISTRIBUTE_H
#define STARFISH_SCHEDULER_RUNTIME_DISTRIBUTE_H

#include "scheduler/runtime/space.h"

/* What a rank has: rows of an array, and what works on them. */
struct starfish_share {
    size_t rows, gpus, cores;
};

/* The GPUs, or without GPUs the cores. */
static inline size_t starfish_share_devices(const struct starfish_share *share)
{
    return share->gpus > 0 ? share->gpus : share->cores;
}

/* Whose the n-th part of a rank is: its GPUs in turn have them, or its cores. */
static inline struct starfish_owner starfish_share_owner(const struct starfish_share *share, int rank, size_t n)
{
    return (struct starfish_owner){rank, share->gpus > 0 ? (int)(n % share->gpus) : STARFISH_ANY};
}

/* The shares of all ranks, of which this one has `rows`; the caller frees *share. Collective. Errors: MEMORY, RUNTIME,
 * then *share is NULL. */
starfish_status starfish_gather_shares(const struct starfish_context *context, size_t rows,
                                       struct starfish_share **share);

struct starfish_distribute_spec {
    size_t most;  /* parts of all ranks */
    size_t rows;  /* of this rank, which follow those of the ranks before it; 0 is allowed */
    size_t least; /* rows that a rank which has any must have, as its neighbours read so many on all grids */
    size_t worth; /* rows of a part that are worth tasks: ranks with fewer have one part */
    size_t grain; /* every part but the last has a multiple of so many rows; 0 and 1: any number */
};

/* The caller frees `runs`. */
struct starfish_distributed {
    struct starfish_runs runs; /* apart; no parts where the ranks' rows cannot be parts: the same on all ranks */
    int owners;                /* ranks with rows */
    int any_gpu;               /* of any rank */
    size_t first_here, rows_here;
};

/* Runs of each rank's rows for its GPUs, or where it has none for its cores. Collective. Errors: MEMORY, RUNTIME. */
starfish_status starfish_distribute_runs(struct starfish_context *context, const struct starfish_distribute_spec *spec,
                                         struct starfish_distributed *dealt);

#endif
