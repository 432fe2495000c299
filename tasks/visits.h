/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines operations on a grid in separate parts into one task per part (codelets/visit.h). */
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
/* Rows beyond the part, on each side, where a visit down leaves the solution, too. */
void starfish_visit_known(const struct starfish_visited *visited, const struct starfish_visit *visit, size_t rows[2]);

#endif
