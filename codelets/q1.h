/* Tasks of Q1 multigrid: the operations of starfish_q1_kind on parts of a grid, and all small grids as one
 * (q1_tail.c). A part is a row of tiles, or a column of them for lines in y. */
#ifndef STARFISH_CODELETS_Q1_H
#define STARFISH_CODELETS_Q1_H

#include "codelets/tiles.h"
#include "multigrid/kernels/cycle.h"
#include "multigrid/kernels/q1_kind.h"
#include "multigrid/kernels/tail.h"
#include "scheduler/replay.h"
#include "scheduler/workspace.h"

/* What the tasks of a hierarchy have in common. */
struct starfish_q1_setting {
    starfish_precision precision;
    uint32_t where;                             /* kinds of workers for grids above the tail; 0: any */
    const struct starfish_workspace *workspace; /* of every grid and of the tail */
    struct starfish_replays *replays;           /* for the tail */
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
                                          enum starfish_q1_sweep direction, double damping,
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

/* The small grids at the end of a hierarchy of any kind, one cycle over which is one task. */
enum { STARFISH_Q1_MOST_LEVELS = STARFISH_GRID_MOST_LEVELS };
struct starfish_q1_tail {
    struct starfish_tail grids;
    uint32_t where; /* kinds of workers; 0: any */
};
/* u improved by a cycle, or = where zero. tail must stay until the task is done; table: of its levels. */
starfish_status starfish_submit_q1_tail(struct starfish_progress *progress, const struct starfish_q1_setting *setting,
                                        const struct starfish_q1_tail *tail, const starpu_data_handle_t *table,
                                        starfish_cycle_shape shape, int zero, const struct starfish_tiles *f,
                                        const struct starfish_tiles *u);

#endif
