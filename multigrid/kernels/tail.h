/* The small grids at the end of a hierarchy: one cycle over them at one place.
 *
 * A grid of a few thousand unknowns is less work than submitting its tasks. So from some grid down the walk of the
 * cycle (cycle.h) runs inside one task, over the same functions of the grids' kind as tasks of single grids, called one
 * after the other on a core or launched on a GPU's stream. All arrays but the finest u and f lie in the work space of
 * the place. */
#ifndef STARFISH_MULTIGRID_KERNELS_TAIL_H
#define STARFISH_MULTIGRID_KERNELS_TAIL_H

#include "multigrid/kernels/grid_kind.h"

struct starfish_tail {
    const struct starfish_grid_kind *kind;
    starfish_precision precision;
    int levels;
    const void *shape[STARFISH_GRID_MOST_LEVELS];
    struct starfish_smoothing smoothing;
};

/* Arrays of one run, in the memory of the place. */
struct starfish_tail_arrays {
    const void *table[STARFISH_GRID_MOST_LEVELS];
    const void *f; /* of the finest grid of the tail */
    void *u;       /* improved by a cycle */
};

/* Bytes of work space, a multiple of 256. */
size_t starfish_tail_work(const struct starfish_tail *tail, int gpu);
/* One cycle; `zero`: u is zero yet, whatever its memory holds. The solution is in arrays->u afterwards. Returns a
 * cudaError_t. */
int starfish_tail_run(const struct starfish_place *place, const struct starfish_tail *tail,
                      const struct starfish_tail_arrays *arrays, starfish_cycle_shape shape, int zero);

#endif
