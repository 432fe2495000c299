/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows: the planes of a large array shared by all ranks that one rank needs, its own and some adjacent ones.
 *
 * Tables (coefficients, matrices) are indexed by the cells of the whole problem, so that kernels do not depend on
 * ranks. An array is allocated for all planes, but a rank writes and reads the planes of its window alone. The system
 * provides memory for pages when they are first touched, so that the other planes take address space alone. A GPU that
 * receives such a table has room for all of it.
 *
 * The planes beside a rank's own are counted around the ends of the array, whether the direction is periodic or not:
 * matrices read the coupling across the ends, which is 0 if the direction is not periodic. */
#ifndef STARFISH_SCHEDULER_RUNTIME_HALO_WINDOW_H
#define STARFISH_SCHEDULER_RUNTIME_HALO_WINDOW_H

#include "base/deal.h"
#include "scheduler/runtime/host_loop.h"
#include "scheduler/runtime/ranks.h"
#include "scheduler/runtime/space.h"

struct starfish_halo_window {
    const struct starfish_context *context; /* whose ranks have the planes; NULL: this process has all of them */
    size_t planes;                          /* of the array */
    size_t depth;                           /* planes beside a rank's own, on either side; `planes`: all there are */
    /* Which rank has planes: of arrays with fewer planes than the runs the corresponding ones, as grids of a hierarchy
     * are cut (tasks/shares.h). The runs must stay as long as the window. */
    const struct starfish_runs *runs;
};

/* Of an array that one process has. */
struct starfish_halo_window starfish_halo_window_whole(size_t planes);
/* Of one that is cut into the runs of the context's ranks. */
struct starfish_halo_window starfish_halo_window_of_runs(const struct starfish_context *context,
                                                         const struct starfish_runs *runs, size_t planes, size_t depth);
/* This rank's own planes; of a rank that has none, 0 of them. */
struct starfish_run_of_planes starfish_halo_window_own(const struct starfish_halo_window *window);
/* The same window with another depth: 0: own planes alone. */
struct starfish_halo_window starfish_halo_window_with_depth(const struct starfish_halo_window *window, size_t depth);
/* The elements of a window of `arrays` arrays that lie one behind the other, at most five, with planes of `plane`
 * elements. */
struct starfish_spans starfish_halo_window_spans(const struct starfish_halo_window *window, size_t arrays,
                                                 size_t plane);
/* starfish_ranks_agree among the window's ranks. */
static inline starfish_status starfish_halo_window_agree(const struct starfish_halo_window *window,
                                                         starfish_status status)
{
    return window->context ? starfish_ranks_agree(window->context, status) : status;
}
/* Joins lists that the window's ranks have, of elements of `size` bytes, in the order of the ranks: *count elements of
 * *list become those of all. The list is malloc's, and another one then; after errors it is this rank's. Collective.
 * Errors: MEMORY, RUNTIME. */
starfish_status starfish_halo_window_join(const struct starfish_halo_window *window, size_t size, size_t *count,
                                          void **list);
/* Gets the planes of the window that are other ranks', each of `plane_bytes`. Collective, and preceded by an agreement
 * on `status`. Errors: those of any rank's status, MEMORY, RUNTIME. */
starfish_status starfish_halo_window_exchange(const struct starfish_halo_window *window, starfish_status status,
                                              void *array, size_t plane_bytes);

#endif
