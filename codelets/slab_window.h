/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the slab tasks' files: their kernels' common members, and the share of one core in them. */
#ifndef STARFISH_CODELETS_SLAB_WINDOW_H
#define STARFISH_CODELETS_SLAB_WINDOW_H

#include "base/place.h"
#include "codelets/slab.h"

/* Data that every task on a slab reads, in this order, from position 0. */
enum { STARFISH_SLAB_LINE, STARFISH_SLAB_SHIFT_X, STARFISH_SLAB_SHIFT_Y, STARFISH_SLAB_TABLES };
void starfish_slab_tables(struct starfish_task *task, const struct starfish_slab_space *space);
/* The slab's lines with the tables at those positions. */
struct starfish_slab_lines starfish_slab_lines_of(void *buffers[], const struct starfish_slab_space *space,
                                                  const struct starfish_slab_parts *parts, size_t first_plane,
                                                  size_t planes);

/* The rows of y that one core of `parts` takes of some lines: part p of the window is behind `skip[p]` lanes in part
 * `source + p`. */
struct starfish_slab_window {
    struct starfish_slab_lines lines;
    size_t first_lane; /* of the window */
    int source;
    size_t skip[STARFISH_SLAB_MAX_PARTS];
};
/* 0 when there is nothing for that core. */
int starfish_slab_window(struct starfish_slab_window *window, const struct starfish_slab_lines *lines,
                         starfish_precision precision, size_t part, size_t parts);
/* A window's view of pointers to the parts of an array; NULL pointers stay NULL. */
void starfish_slab_window_array(const struct starfish_slab_window *window, starfish_precision precision,
                                void *const *array, void **view);

/* The constant lane of singular problems in some of their planes: taken to `line`, solved for, and put back
 * (tridiag/kernels/constant_line.h). Members are those of struct starfish_constant_put. tables: of z. removed:
 * STARFISH_CONSTANT_REMOVED doubles for each problem. All return a cudaError_t, 0 on a core. */
struct starfish_slab_lane {
    size_t planes, stride, problems, distance;
    void *lane;
    double *line;
    const double *tables; /* this and the next: where it is solved for */
    double *removed;
};
int starfish_slab_lane_take(const struct starfish_place *place, const struct starfish_slab_lane *lane);
/* Of whole lines. */
int starfish_slab_lane_solve(const struct starfish_place *place, const struct starfish_slab_space *space,
                             const struct starfish_slab_lane *lane);
int starfish_slab_lane_put(const struct starfish_place *place, const struct starfish_slab_lane *lane);

/* A pinned lane as `lanes` lanes from `first` on count it; -1 when it is not one of them, or there is none. */
static inline ptrdiff_t starfish_slab_pinned(ptrdiff_t pinned_lane, size_t first, size_t lanes)
{
    const int here = pinned_lane >= 0 && (size_t)pinned_lane >= first && (size_t)pinned_lane - first < lanes;
    return here ? pinned_lane - (ptrdiff_t)first : -1;
}

/* Floating-point operations of one way, forward or backward, on so many planes: a fast real transform has 2.5 log2 of
 * its length for each unknown, in x and in y, where y has none a product with a row of its basis, twice its length, and
 * half of a line in z 4. */
double starfish_slab_flops(const struct starfish_slab_space *space, size_t planes);
uint32_t starfish_slab_footprint(const struct starfish_slab_space *space, const struct starfish_slab_parts *parts,
                                 const struct starfish_slab *slab, int alone);

#endif
