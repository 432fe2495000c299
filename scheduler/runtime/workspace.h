/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work space of a plan's tasks: one piece per worker, in that worker's memory, got when the plan is made; a
 * CPU worker's has a part for each core of its team, and room that they share.
 *
 * Not StarPU scratch data: a GPU's share is many times a core's (all lines at once against a cache-sized block), and
 * one scratch handle has one size for all. Tasks of one worker run one after the other, so they may share a piece. */
#ifndef STARFISH_SCHEDULER_RUNTIME_WORKSPACE_H
#define STARFISH_SCHEDULER_RUNTIME_WORKSPACE_H

#include "scheduler/runtime/context.h"

struct starfish_workspace {
    struct starfish_context *context;
    size_t bytes[STARFISH_WORKER_KINDS], shared;
    void *piece[STARPU_NMAXWORKERS]; /* by the context's worker number */
    int taken[STARPU_NMAXWORKERS];   /* counted as a GPU's memory that is gone (memory.h) */
};

starfish_status starfish_workspace_create(struct starfish_workspace *workspace, struct starfish_context *context,
                                          size_t cpu_bytes, size_t gpu_bytes);
/* The same with so many bytes besides that the cores of a CPU worker's team share. */
starfish_status starfish_workspace_create_shared(struct starfish_workspace *workspace, struct starfish_context *context,
                                                 const size_t bytes[STARFISH_WORKER_KINDS], size_t shared);
void starfish_workspace_destroy(struct starfish_workspace *workspace);
/* Inside a task: the running worker's piece, or the part of it for one core of the worker's team (parts are cpu_bytes
 * each). */
void *starfish_workspace_here(const struct starfish_workspace *workspace);
void *starfish_workspace_part(const struct starfish_workspace *workspace, size_t part);
void *starfish_workspace_shared(const struct starfish_workspace *workspace);

#endif
