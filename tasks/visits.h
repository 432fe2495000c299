/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines operations on a grid in separate parts into one task per part (codelets/visit.h).
 *
 * Parts are runs of rows in memories of their own. An operation reads rows beyond its part, which are the neighbours':
 * its halos. One by one, two sweeps and the restriction exchange halos three times. A visit exchanges them once,
 * deeper, and computes rows beyond the part as well, as the neighbours do with theirs. With sweeps that read one row
 * beyond what they write, and a restriction that reads two:
 *
 *                  rows of the part before  |   the part's own rows   |  rows of the next part
 *     exchange           4  3  2  1         |  ....................   |         1  2  3  4       u and f
 *     sweep 1            .  3  2  1         |  ....................   |         1  2  3  .       computed twice
 *     sweep 2            .  .  2  1         |  ....................   |         1  2  .  .       computed twice
 *     restriction        .  .  .  .         |  coarse rows of the part|         .  .  .  .       own alone
 *
 * The extents are found backwards. What the last operation reads beyond the part is what the one before must also
 * write there, and so on; what the first one reads is the depth of the halos (struct starfish_visit: u, f, coarse). At
 * the ends of the grid there are no rows beyond. Reaches are the kind's, so that no kind is named here. On the way up
 * the correction comes first, and the rows of the coarse grid have an extent too.
 *
 * What it saves: an exchange costs a task and the latency of a transfer, 60 us between two GPUs and 100 us between
 * ranks. What it costs: the rows computed twice. A visit is made if a part has 32 rows for each of these, or 8 between
 * ranks. Where bytes are slow, it is made only if it asks for no more of them. */
#ifndef STARFISH_TASKS_VISITS_H
#define STARFISH_TASKS_VISITS_H

#include "codelets/visit.h"

/* A part of a grid and of the next coarser one: what is its own of both. */
struct starfish_visited {
    const struct starfish_grid_kind *kind;
    const struct starfish_smoothing *smoothing;
    const void *shape, *coarse_shape;
    struct starfish_rectangle at, coarse_at;
    int on_ranks, slow; /* struct starfish_space */
};

/* The sweeps before the coarse grid's correction, and the restriction; the correction, and the sweeps after it. 0: what
 * would be done twice is too much, or the kind's steps cannot be so. */
int starfish_visit_down(const struct starfish_visited *visited, int zero, struct starfish_visit *visit);
int starfish_visit_up(const struct starfish_visited *visited, struct starfish_visit *visit);
/* Sweeps `first` to first + count - 1 of a smoothing of so many steps, or as many of these as a visit has. */
void starfish_visit_add_sweeps(const struct starfish_visited *visited, int after, int steps, int first, int count,
                               struct starfish_visit *visit);
/* Rows beyond the part, on each side, where a visit down leaves the solution, too. */
void starfish_visit_known(const struct starfish_visited *visited, const struct starfish_visit *visit, size_t rows[2]);

#endif
