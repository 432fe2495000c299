/* Tasks of Q1 multigrid: the steps of q1_steps.h on parts of a grid, and all small grids as one (q1_tail.c). A part is
 * a row of tiles, or a column of them for lines in y. */
#ifndef STARFISH_CODELETS_Q1_H
#define STARFISH_CODELETS_Q1_H

#include "codelets/q1_coarse.h"
#include "codelets/q1_steps.h"
#include "codelets/tiles.h"
#include "multigrid/kernels/cycle.h"
#include "scheduler/replay.h"
#include "scheduler/workspace.h"

/* What the tasks of a hierarchy have in common. */
struct starfish_q1_setting {
    starfish_precision precision;
    uint32_t where; /* kinds of workers for grids above the tail; 0: any */
    const struct starfish_workspace
        *workspace;                   /* starfish_q1_work of every grid, or starfish_q1_tail_work if that is more */
    struct starfish_replays *replays; /* for the tail */
};

/* A grid's shape and table. */
struct starfish_q1_grid_data {
    struct starfish_q1_shape shape;
    starpu_data_handle_t table;
};

/* Phases for struct starfish_progress. */
enum starfish_q1_phase { STARFISH_Q1_SMOOTH, STARFISH_Q1_TRANSFER, STARFISH_Q1_RESIDUAL, STARFISH_Q1_TAIL };

/* v = u improved by one step. u NULL: zero. v has other tiles than u. */
starfish_status starfish_submit_q1_smooth(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                          const struct starfish_q1_grid_data *grid, size_t part,
                                          enum starfish_q1_direction direction, double damping,
                                          const struct starfish_tiles *u, const struct starfish_tiles *f,
                                          const struct starfish_tiles *v);
/* Part of the coarse f = restricted f - A u. */
starfish_status starfish_submit_q1_restrict(struct starfish_progress *progress,
                                            const struct starfish_q1_setting *setting,
                                            const struct starfish_q1_grid_data *fine,
                                            const struct starfish_q1_grid_data *coarse, size_t part,
                                            const struct starfish_tiles *u, const struct starfish_tiles *f,
                                            const struct starfish_tiles *coarse_f);
/* Part of the fine u += prolonged coarse u, or = where zero. */
starfish_status starfish_submit_q1_prolong(struct starfish_progress *progress,
                                           const struct starfish_q1_setting *setting,
                                           const struct starfish_q1_grid_data *fine,
                                           const struct starfish_q1_grid_data *coarse, size_t part, int zero,
                                           const struct starfish_tiles *coarse_u, const struct starfish_tiles *u);
/* result = f - A u and, as STARFISH_SUMS doubles, the sum of its squares; either may be NULL. */
starfish_status starfish_submit_q1_residual(struct starfish_progress *progress,
                                            const struct starfish_q1_setting *setting,
                                            const struct starfish_q1_grid_data *grid, size_t part,
                                            const struct starfish_tiles *u, const struct starfish_tiles *f,
                                            const struct starfish_tiles *result, starpu_data_handle_t sums);
/* v = u + scale * correction; u NULL: zero, correction NULL: v = u. v may be u or the correction. */
starfish_status starfish_submit_q1_update(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                          const struct starfish_q1_shape *shape, size_t part, double scale,
                                          const struct starfish_tiles *u, const struct starfish_tiles *correction,
                                          const struct starfish_tiles *v);
/* sums: STARFISH_SUMS doubles that add up to the inner product of u and v. */
starfish_status starfish_submit_q1_product(struct starfish_progress *progress,
                                           const struct starfish_q1_setting *setting,
                                           const struct starfish_q1_shape *shape, size_t part,
                                           const struct starfish_tiles *u, const struct starfish_tiles *v,
                                           starpu_data_handle_t sums);
/* to = from. */
starfish_status starfish_submit_q1_copy(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                        const struct starfish_q1_shape *shape, size_t part,
                                        const struct starfish_tiles *from, const struct starfish_tiles *to);
/* low (f32) = scale * high (f64); high += scale * low, or = where zero. */
starfish_status starfish_submit_q1_narrow(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                          size_t part, double scale, const struct starfish_tiles *high,
                                          const struct starfish_tiles *low);
starfish_status starfish_submit_q1_widen(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                         size_t part, double scale, int zero, const struct starfish_tiles *low,
                                         const struct starfish_tiles *high);

/* The small grids at the end of a hierarchy, one cycle over which is one task. */
enum { STARFISH_Q1_MOST_LEVELS = 48 };
struct starfish_q1_tail {
    starfish_precision precision;
    int levels;
    struct starfish_q1_shape shape[STARFISH_Q1_MOST_LEVELS];
    uint32_t where; /* kinds of workers; 0: any */
    starfish_smoother smoother;
    double damping;
    int before, after;
    struct starfish_q1_coarse coarse;
    int symmetric; /* sweeps after the coarse grid's correction in reverse order, so that a cycle is symmetric */
};
size_t starfish_q1_tail_work(const struct starfish_q1_tail *tail, int gpu);
/* u improved by a cycle, or = where zero. tail must stay until the task is done; table: of its levels. */
starfish_status starfish_submit_q1_tail(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                        const struct starfish_q1_tail *tail, const starpu_data_handle_t *table,
                                        starfish_cycle_shape shape, int zero, const struct starfish_tiles *f,
                                        const struct starfish_tiles *u);

/* A smoother's directions, one after the other in each of its steps. */
int starfish_q1_sweeps(starfish_smoother smoother, enum starfish_q1_direction direction[2]);
/* The damping of step 0 .. steps-1 on a grid: `damping`, but for Chebyshev, where it is the lower end of the interval
 * [a, b] over b, the bound of the eigenvalues. Then steps are divided by the zeros of the polynomial, smallest and
 * largest, next smallest and largest, ...: while a > 0.18 b no eigenvalue's factor exceeds 1 after any pair, so that
 * the order of the zeros, on which rounding errors depend, is good for any number of steps. */
double starfish_q1_damping(starfish_smoother smoother, double damping, const struct starfish_q1_shape *shape, int step,
                           int steps);

#endif
