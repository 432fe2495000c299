/* Which operations on a grid that is cut into parts apart are one task a part (codelets/visit.h). */
#ifndef STARFISH_TASKS_VISITS_H
#define STARFISH_TASKS_VISITS_H

#include "codelets/visit.h"

/* A part of a grid and of the next coarser one: what is its own of both. */
struct starfish_visited {
    const struct starfish_grid_kind *kind;
    const struct starfish_smoothing *smoothing;
    const void *shape, *coarse_shape;
    struct starfish_rectangle at, coarse_at;
    int slow; /* parts are on several ranks, and rows so long that their bytes count */
};

/* Rows of so many bytes take longer between ranks, at 5 GB/s, than a tenth of a message does by itself. */
static inline int starfish_visit_is_slow(int on_ranks, size_t row_bytes)
{
    enum { SHORT_ROW = 1 << 16 };

    return on_ranks && row_bytes > SHORT_ROW;
}

/* The sweeps before the coarse grid's correction, and the restriction; the correction, and the sweeps after it. 0: what
 * would be done twice is too much, or the kind's steps cannot be so. */
int starfish_visit_down(const struct starfish_visited *visited, int zero, struct starfish_visit *visit);
int starfish_visit_up(const struct starfish_visited *visited, struct starfish_visit *visit);

#endif
