/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The small grids at the end of a hierarchy: one cycle over them at one place.
 *
 * A grid of a few thousand unknowns is less work than submitting its tasks. So from some grid down the walk of the
 * cycle (cycle.h) runs inside one task, over the same functions of the grids' kind as tasks of single grids, called one
 * after the other on a core or launched on a GPU's stream. All arrays but the finest u and f lie in the work space of
 * the place.
 *
 * Several cores may run a tail together, and then it may have large grids too: each walks through the same cycle, does
 * its share of every operation (starfish_grid_share), and waits for the others before the next one. A grid of few
 * unknowns is shared by fewer cores, the smallest are one core's, for which the others wait once. */
#ifndef STARFISH_MULTIGRID_KERNELS_TAIL_H
#define STARFISH_MULTIGRID_KERNELS_TAIL_H

#include "base/barrier.h"
#include "multigrid/kernels/grid_kind.h"

struct starfish_tail {
    const struct starfish_grid_kind *kind;
    starfish_precision precision;
    int levels;
    const void *shape[STARFISH_GRID_MOST_LEVELS];
    struct starfish_smoothing smoothing;
};

/* One of the cores that run a tail together. All call starfish_tail_run with the same arguments, but for `self` and
 * place->work: that is a core's own then, and arrays lie in `shared`. */
struct starfish_tail_core {
    size_t self, cores, worth; /* worth: unknowns of a grid that are worth another core */
    struct starfish_barrier *barrier;
    void *shared;
};

/* Arrays of one run, in the memory of the place. */
struct starfish_tail_arrays {
    const struct starfish_tail_core *core; /* NULL: one core does all */
    const void *table[STARFISH_GRID_MOST_LEVELS];
    const void *f; /* of the finest grid of the tail */
    void *u;       /* improved by a cycle */
    double *sums;  /* NULL, or STARFISH_SUMS doubles that add up to the inner product of f and u afterwards, each of
                      which one core has written */
};

/* What a cycle takes; a pass goes through memory once, everything else once for each operation. */
struct starfish_cost starfish_tail_cost(const struct starfish_tail *tail, starfish_cycle_shape shape, int zero);
/* The same, counted once: a walk over all grids for each submission would be too many. Of one tail, all zero at first;
 * by one thread at a time. */
struct starfish_tail_costs {
    struct {
        int is_counted;
        struct starfish_cost cost;
    } of[STARFISH_CYCLE_FMG + 1][2]; /* by shape, and from any solution or from zero */
};
struct starfish_cost starfish_tail_cost_once(const struct starfish_tail *tail, struct starfish_tail_costs *costs,
                                             starfish_cycle_shape shape, int zero);

/* Bytes of work space, a multiple of 256; */
size_t starfish_tail_work(const struct starfish_tail *tail, int gpu);
/* of what cores that run a tail together share, and of what each has for itself, which add up to that. */
size_t starfish_tail_shared_work(const struct starfish_tail *tail);
size_t starfish_tail_own_work(const struct starfish_tail *tail, int gpu);
/* One cycle; `zero`: u is zero yet, whatever its memory holds. The solution is in arrays->u afterwards. Returns a
 * cudaError_t. */
int starfish_tail_run(const struct starfish_place *place, const struct starfish_tail *tail,
                      const struct starfish_tail_arrays *arrays, starfish_cycle_shape shape, int zero);

#endif
