/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The copies of a slab's first and last plane for the slabs beside it
 * (struct starfish_slabs), which are written in the task that writes the slab, or in one after it. Bound by the copy of
 * two planes. */
#ifndef STARFISH_CODELETS_EDGES_H
#define STARFISH_CODELETS_EDGES_H

#include "base/place.h"
#include "scheduler/runtime/field.h"
#include "scheduler/runtime/task.h"

/* Where a task's edges are among its data, -1 for one that is not wanted; part of the task's arguments. */
struct starfish_edges {
    starfish_precision precision;
    size_t plane, planes; /* elements of a plane; planes of the slab */
    int at[STARFISH_EDGES];
};

/* Attaches the edges of a slab of n[0] * n[1] * n[2] reals as the task's next data. edge: two, each may be NULL; or
 * NULL. */
struct starfish_edges starfish_edges_attach(struct starfish_task *task, starfish_precision precision, const size_t n[3],
                                            const starpu_data_handle_t *edge);
/* The last step of a task that has written the slab, on a core, or on the GPU's stream. Returns a cudaError_t, 0 on a
 * core. */
int starfish_edges_publish(const struct starfish_place *place, const struct starfish_edges *edges, void *buffers[],
                           const void *slab);

/* A task that does nothing else, for slabs whose writers know of no edges. edge: two, each may be NULL. */
struct starfish_edges_task {
    starfish_precision precision;
    size_t n[3]; /* of the slab */
    uint32_t where;
    starpu_data_handle_t slab;
    const starpu_data_handle_t *edge;
};
starfish_status starfish_submit_edges(struct starfish_progress *progress, int phase,
                                      const struct starfish_edges_task *description);

#endif
