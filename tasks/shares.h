/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Owners of the rows of a hierarchy's fine grids, if workers have separate memories: one GPU owns all, each GPU owns a
 * part, or GPUs and cores own parts by their speeds. */
#ifndef STARFISH_TASKS_SHARES_H
#define STARFISH_TASKS_SHARES_H

#include "tasks/hierarchy.h"

/* No runs: the grid is not shared. Grids of `tail` unknowns and fewer are one task. The caller frees the runs. */
struct starfish_shares {
    struct starfish_runs runs;
    size_t tail;
};

/* Errors: UNSUPPORTED (parts are asked for, and these grids or this smoother cannot be cut into parts apart; says why),
 * ARGUMENT (more parts than the rows allow). */
starfish_status starfish_hierarchy_share(struct starfish_context *context, const struct starfish_hierarchy_spec *spec,
                                         struct starfish_shares *shares);

/* Rows that tasks of a cycle read beyond their part of a grid, at most: two sweeps of colours, whose coarse correction
 * is read a row further, and cuts of successive grids that are a row apart. */
enum { STARFISH_HIERARCHY_MOST_DEPTH = 4 };
/* Can a grid be cut along with `rows` of the finest grid's `finest`, where it has `coarse` rows? Every part of it must
 * have as many as its neighbours read. */
static inline int starfish_hierarchy_is_deep(size_t rows, size_t coarse, size_t finest)
{
    return finest > 0 && rows * coarse / finest > STARFISH_HIERARCHY_MOST_DEPTH;
}
/* What they do read, of a level whose parts are cut along with the finest grid's runs. */
size_t starfish_hierarchy_depth(const struct starfish_hierarchy_spec *spec, const struct starfish_runs *runs,
                                int level);
/* Rows of a level that this rank has, and of how many parts: all of them but where the finest grid's runs are those of
 * several ranks. */
size_t starfish_hierarchy_rows_here(const struct starfish_context *context, const struct starfish_hierarchy_spec *spec,
                                    int level, size_t *parts);
/* Do tasks read beyond the ends of the rows, which are periodic? */
int starfish_hierarchy_wraps(const struct starfish_hierarchy_spec *spec);
/* Where a part of the finest grid begins on a coarser one: as far down. */
size_t starfish_hierarchy_first_row(const struct starfish_hierarchy_spec *spec, const struct starfish_runs *runs,
                                    int level, size_t part);
/* Is there a sweep whose lines run across the rows of all parts? */
int starfish_hierarchy_runs_along_columns(const struct starfish_hierarchy_spec *spec, int level);

#endif
