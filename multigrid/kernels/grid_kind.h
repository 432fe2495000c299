/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kind of grids: what multigrid must know of a hierarchy's discretisation, as functions on raw pointers.
 *
 * Q1 elements, the flux form, flat domains and finite elements are kinds. The walk over the levels (cycle.h), the tail
 * of small grids (tail.h), the task graph (tasks/hierarchy.h), its codelets and the driver (multigrid/solve.c) are
 * written once for all of them and name none.
 *
 * Every vector of a grid is an array of `columns` x `rows` elements, element (i,j) at i + columns * j: a 2D grid of nx
 * x ny has nx columns and ny rows, a 3D grid nx * ny columns and nz rows, one row per plane. A grid is cut into parts
 * by runs of rows. An unstructured grid has one column, its rows are the unknowns of one part, numbered locally, and
 * what it reads of other parts stands behind them.
 *
 * The functions of a kind run at a place (base/place.h), on one core or on a GPU's stream, and know neither StarPU nor
 * tasks. Those that compute return a cudaError_t, 0 on a core; they neither wait nor allocate. */
#ifndef STARFISH_MULTIGRID_KERNELS_GRID_KIND_H
#define STARFISH_MULTIGRID_KERNELS_GRID_KIND_H

#include "base/activity.h"
#include "base/barrier.h"
#include "base/cost.h"
#include "base/place.h"
#include "krylov/kernels/vectors.h"
#include <starfish/multigrid.h>

enum { STARFISH_GRID_MOST_LEVELS = 48, STARFISH_GRID_MOST_SWEEPS = 4 };

/* How the coarsest grid is solved; with no 0 for a default (struct starfish_multigrid_options). */
struct starfish_coarse_solving {
    starfish_coarse_solver solver;
    double tolerance;
    int iterations;
};

/* How a hierarchy is smoothed, the same on all of its grids. */
struct starfish_smoothing {
    starfish_smoother smoother; /* never AUTO */
    double damping;
    int before, after; /* steps before and after the coarse grid's correction */
    int symmetric;     /* sweeps after the correction come in reverse order, so that a cycle is symmetric */
    struct starfish_coarse_solving coarse;
};

enum starfish_grid_operation {
    STARFISH_GRID_SMOOTH,   /* result = u + coarse correction (where there is one), improved by one sweep */
    STARFISH_GRID_RESTRICT, /* result, of the next coarser grid = restricted f - A u */
    STARFISH_GRID_PROLONG,  /* result += prolonged coarse, or = where zero */
    STARFISH_GRID_RESIDUAL, /* result = f - A u and the sum of its squares, either absent where it is not wanted */
    STARFISH_GRID_OPERATIONS
};

/* What a core reports that does an operation, all sweeps on a grid and the restriction in one pass, or the solution on
 * the coarsest grid. */
extern const struct starfish_activity starfish_grid_activity[STARFISH_GRID_OPERATIONS];
extern const struct starfish_activity starfish_pass_down_activity, starfish_coarsest_activity;

/* A sweep that has_phases, of cores that share one array: each begins with what needs nothing of the others' results,
 * and ends, when all have begun, in two steps, so that no core reads what another one writes. */
enum starfish_sweep_phase {
    STARFISH_SWEEP_WHOLE,
    STARFISH_SWEEP_BEGIN,
    STARFISH_SWEEP_END_EVEN,
    STARFISH_SWEEP_END_ODD
};

/* Of residuals, where a kind combines or has sizes (struct starfish_grid_fusing): of w = u + factor * *scalar (NULL: 1)
 * * correction instead of u, where correction is not NULL, stored as v where that is not NULL; with `energy` sums are
 * of w (f - A w). With `lower` all is in f64, but correction and result are f32, and the result is over factor *
 * *scalar. `absolute`: u and sums alone, which are of the squares of |A| |u|. */
struct starfish_grid_combination {
    const void *correction;
    void *v;
    const double *scalar;
    double factor;
    int energy, lower, absolute;
};

/* One operation on one part of a grid. Arrays are pointers to element (0,0) of the whole grid, of which only what the
 * operation reads or writes (starfish_grid_reach, `at`) need be there. */
struct starfish_grid_step {
    const void *shape, *coarse_shape; /* of this grid and of the next coarser one, NULL where an operation needs none */
    const void *table, *coarse_table; /* their coefficients, in the memory of the place */
    struct starfish_rectangle at;     /* what is written; of the coarse grid's arrays for a restriction */
    const void *u, *f;                /* u NULL: zero; RESIDUAL: f NULL too (result = -A u), but not both */
    const void *coarse;               /* solution of the next coarser grid; NULL for SMOOTH without a correction */
    void *result;                     /* SMOOTH: neither u nor f; RESIDUAL: may be NULL */
    double damping;                   /* SMOOTH */
    int sweep;                        /* SMOOTH: which of the kind's sweeps */
    int zero;                         /* PROLONG, sweeps that add: result is zero yet, whatever its memory holds */
    /* RESIDUAL: add up to the sum of squares; SMOOTH from zero where the kind combines: to the product of f and result.
     * STARFISH_SUMS doubles, on cores sum_count where that is not 0; may be NULL. */
    double *sums;
    size_t sum_count;
    struct starfish_grid_combination combined;
    /* Shared: values beyond a periodic end of the rows are in ghosts of the part, at rows -1, -2, .. and n, n + 1, ..,
     * else at the other end, where the kind has_ghosts; and the phase of a sweep of cores. */
    int ghosts, coarse_ghosts;
    enum starfish_sweep_phase phase;
};

/* Steps of the smoother on all of a grid, one sweep each and all the same, in one pass over memory on cores; before
 * them the coarse grid's correction is added, and after them the residual is restricted or an inner product taken.
 * Several cores do it together: each calls `pass`, and all have met before and meet after it. */
struct starfish_grid_pass {
    struct starfish_grid_step step; /* a sweep; u is NULL, which is zero, or the result, which is improved in place */
    int sweeps;
    void *restricted; /* f of the next coarser grid = restricted f - A result; or NULL */
    double *sum;      /* this core's share of the inner product of f and result; or NULL */
    size_t part, parts;
    struct starfish_barrier *barrier; /* of several parts */
};

/* What an operation reads of an input, in columns and rows of the grid that the input belongs to; nothing: x0 == x1.
 * Rows may lie beyond the grid's ends; those are the other end's where `wraps`, else there are none. Columns do not. */
struct starfish_reach {
    ptrdiff_t x0, x1, y0, y1;
    int wraps;
};
enum starfish_grid_input { STARFISH_GRID_U, STARFISH_GRID_F, STARFISH_GRID_COARSE };

/* What a grid is, and the sweeps of one smoothing step on it. */
struct starfish_grid_facts {
    size_t n[2];        /* columns and rows of its arrays */
    size_t column_unit; /* parts of a sweep along columns are runs of columns, multiples of this */
    size_t variant;     /* differs where operations on grids of one size take different time: how matrices are stored */
    double eigenvalue;  /* an upper bound of those of D^-1 A, for the steps of Chebyshev */
    double damping;     /* of all steps; negative: that of the smoothing */
    int sweeps;
    int sweep[2][STARFISH_GRID_MOST_SWEEPS]; /* in their order; [1]: after the correction in a symmetric cycle */
};

/* Trait: how parts of a grid, and cores, share operations. NULL: by rows. Sets of sweeps have bit `sweep`. */
struct starfish_grid_sharing {
    /* The share of one of `parts` cores in a step: narrows step->at, to nothing (x0 == x1) where there is none. */
    void (*share)(struct starfish_grid_step *step, enum starfish_grid_operation operation, size_t part, size_t parts);
    unsigned along_columns; /* sweeps along columns, across the rows of all parts; then a part is a run of columns */
    int has_ghosts;         /* beyond periodic ends too, so that grids with such ends may be cut into parts apart */
};

/* A V cycle from zero over the last grids of a hierarchy, on a GPU; shapes and tables are of all of its grids. */
struct starfish_grid_cycle {
    const struct starfish_grid_kind *kind;
    const struct starfish_smoothing *smoothing;
    starfish_precision precision;
    int levels;
    const void *shape[STARFISH_GRID_MOST_LEVELS], *table[STARFISH_GRID_MOST_LEVELS];
    int first; /* of the grids that the cycle is over */
    const void *f;
    void *result;
};

/* Trait: operations that are done together. NULL: none are. */
struct starfish_grid_fusing {
    unsigned adds_correction; /* smoothers whose first sweep after the coarse grid's correction adds that on its way */
    unsigned phases; /* sweeps by colours (enum starfish_sweep_phase); else parts compute twice what they need */
    /* Several steps at once, as result = E u + G f with two matrices: how many steps these are on a grid, 0 where it
     * has none. Sweep sweep[0] computes g = G f, and sweep[1] E u + g, of which g is the step's f. NULL: never. */
    int (*at_once)(const void *shape, int sweep[2]);
    /* Can so many cores do a pass? And does it. NULL: there are none. */
    int (*can_pass)(const struct starfish_grid_pass *pass);
    int (*pass)(const struct starfish_place *place, const struct starfish_grid_pass *pass);
    /* On a GPU: the first grid but 0 from which on one kernel does a V cycle from zero, cycle->levels where there is
     * none; and launches it. NULL: there is no such kernel. */
    int (*cycle_from)(const struct starfish_grid_cycle *cycle);
    int (*cycle)(const struct starfish_place *place, const struct starfish_grid_cycle *cycle);
    int combines;  /* steps may have corrections, v, energy, and sums of sweeps */
    int has_sizes; /* steps may be absolute */
};

/* Trait: what operations take. */
struct starfish_grid_costs {
    /* Of an operation whose step has shapes, `at`, sweep and pointers set, of which it counts whether they are NULL;
     * and of `solve`, where its solver iterates of one iteration. */
    struct starfish_cost (*cost)(starfish_precision precision, enum starfish_grid_operation operation,
                                 const struct starfish_grid_step *step);
    struct starfish_cost (*solve)(starfish_precision precision, const struct starfish_smoothing *smoothing,
                                  const struct starfish_grid_step *step);
    /* Bytes of work space (place.work) of the operations on a grid; and, all in all, of `solve` on the coarsest. NULL:
     * none. */
    size_t (*work)(const struct starfish_smoothing *smoothing, const void *shape, starfish_precision precision,
                   int gpu);
    size_t (*solve_work)(const struct starfish_smoothing *smoothing, const void *shape, starfish_precision precision,
                         int gpu);
};

/* Six functions: smooth, restrict, prolong, residual, solve and describe; what the first four reach; and traits. */
struct starfish_grid_kind {
    const char *name;
    const char *const *sweep_names; /* for traces */

    int (*compute[STARFISH_GRID_OPERATIONS])(const struct starfish_place *place, const struct starfish_grid_step *step);
    /* The coarsest grid: result = A^-1 f, or result improved where its solver iterates (zero: it starts from zero). */
    int (*solve)(const struct starfish_place *place, const struct starfish_smoothing *smoothing,
                 const struct starfish_grid_step *step);
    /* smoothing NULL: sweeps are left out. */
    void (*describe)(const struct starfish_smoothing *smoothing, const void *shape, struct starfish_grid_facts *facts);
    /* See starfish_grid_reach. */
    struct starfish_reach (*reach[STARFISH_GRID_OPERATIONS])(const struct starfish_grid_step *step,
                                                             enum starfish_grid_input input);
    /* Sweeps that improve what their result holds, by u, which the sweep before has made. The first sweep of such a
     * step makes of u a vector that is no solution, and its second one adds that to u, where it stands. */
    unsigned adds;

    const struct starfish_grid_sharing *sharing;
    const struct starfish_grid_fusing *fusing;
    const struct starfish_grid_costs *costs;
};

static inline int starfish_grid_adds(const struct starfish_grid_kind *kind, int sweep)
{
    return kind->adds >> sweep & 1;
}
static inline int starfish_grid_runs_along_columns(const struct starfish_grid_kind *kind, int sweep)
{
    return kind->sharing && kind->sharing->along_columns >> sweep & 1;
}
/* Does a sweep after the coarse grid's correction add that on its way? Else a prolongation of its own does. */
static inline int starfish_grid_adds_correction(const struct starfish_grid_kind *kind,
                                                const struct starfish_smoothing *smoothing)
{
    return kind->fusing && smoothing->after > 0 && kind->fusing->adds_correction >> smoothing->smoother & 1;
}
static inline int starfish_grid_combines(const struct starfish_grid_kind *kind)
{
    return kind->fusing && kind->fusing->combines;
}
static inline size_t starfish_grid_work(const struct starfish_grid_kind *kind,
                                        const struct starfish_smoothing *smoothing, const void *shape,
                                        starfish_precision precision, int gpu)
{
    return kind->costs->work ? kind->costs->work(smoothing, shape, precision, gpu) : 0;
}
static inline size_t starfish_grid_solve_work(const struct starfish_grid_kind *kind,
                                              const struct starfish_smoothing *smoothing, const void *shape,
                                              starfish_precision precision, int gpu)
{
    return kind->costs->solve_work ? kind->costs->solve_work(smoothing, shape, precision, gpu) : 0;
}

/* Of kind->describe: columns and rows of a grid's arrays; the number that tells its matrices' storage; the sweeps of
 * one smoothing step, in their order; and the damping of step 0 .. steps-1. */
void starfish_grid_extent(const struct starfish_grid_kind *kind, const void *shape, size_t n[2]);
size_t starfish_grid_variant(const struct starfish_grid_kind *kind, const void *shape);
int starfish_grid_sweeps(const struct starfish_grid_kind *kind, const struct starfish_smoothing *smoothing,
                         const void *shape, int reverse, int sweep[STARFISH_GRID_MOST_SWEEPS]);
double starfish_grid_step_damping(const struct starfish_grid_kind *kind, const struct starfish_smoothing *smoothing,
                                  const void *shape, int step, int steps);
/* What an operation whose step has shapes, `at` and sweep set reads of an input; not what it reads of its result. */
struct starfish_reach starfish_grid_reach(const struct starfish_grid_kind *kind, enum starfish_grid_operation operation,
                                          const struct starfish_grid_step *step, enum starfish_grid_input input);
/* The share of one of `parts` cores in a step. */
void starfish_grid_share(const struct starfish_grid_kind *kind, struct starfish_grid_step *step,
                         enum starfish_grid_operation operation, size_t part, size_t parts);

/* All of a grid's arrays. */
struct starfish_rectangle starfish_grid_whole(const struct starfish_grid_kind *kind, const void *shape);
/* Unknowns of a rectangle. */
static inline double starfish_grid_count(struct starfish_rectangle at)
{
    return (double)(at.x1 - at.x0) * (double)(at.y1 - at.y0);
}
/* Coarse unknowns of a fine one, of grids that have so many axes. */
double starfish_grid_coarseness(int axes, const size_t *fine, const size_t *coarse);
/* Operations for a fine unknown of a transfer between grids of tensor products, one direction after the other; each
 * coarse unknown of a direction that is coarsened takes so many. */
double starfish_grid_transfer(int axes, const size_t *fine, const size_t *coarse, double operations);
/* Part of parts of a rectangle: by rows, or by columns. */
struct starfish_rectangle starfish_grid_share_rows(struct starfish_rectangle at, size_t part, size_t parts);
struct starfish_rectangle starfish_grid_share_columns(struct starfish_rectangle at, size_t part, size_t parts);
/* A kind's `share` where all operations go by rows. All sums are written, so that those of cores without rows are the
 * others'. */
void starfish_grid_share_all_by_rows(struct starfish_grid_step *step, enum starfish_grid_operation operation,
                                     size_t part, size_t parts);

/* The damping of step 0 .. steps-1 on a grid: smoothing->damping, but for Chebyshev, where that is the lower end of the
 * interval [a, b] over b, the bound of the eigenvalues of D^-1 A. Then steps are divided by the zeros of the
 * polynomial, in the order of Lebedev and Finogenov: no run of steps multiplies an eigenvector by more than b / a
 * (computed, up to 1000 steps), so that rounding errors stay small however small a is. In the order smallest, largest,
 * next smallest, next largest, ... they grow by 1e36 in 150 steps where a is b / 5000. Sources: Saad, Iterative Methods
 * for Sparse Linear Systems, section 12.3; Lebedev, Finogenov, USSR Comput. Math. Math. Phys. 11 (1971), 155-170. */
double starfish_grid_damping(const struct starfish_smoothing *smoothing, double eigenvalue, int step, int steps);

#endif
