/* Task graphs of 3D multigrid: what a hierarchy of grids is made of, and its operations as tasks.
 *
 * Grids 0 .. levels-1 are cut into slabs of planes, one task each, and for lines in z into runs of rows too; the last
 * of them is also the first grid of the tail, all of whose grids are one task. A sweep goes from one array to another,
 * as a task reads what tasks beside it write, and the coarse grid's correction is added by the first sweep after it. */
#ifndef STARFISH_TASKS_FLUX_H
#define STARFISH_TASKS_FLUX_H

#include "codelets/flux.h"
#include "tasks/q1.h"

struct starfish_flux_level {
    struct starfish_flux_grid_data data;
    struct starfish_table table;
    struct starfish_tiles own[3]; /* u, the other u, f; the finest grid's u and f may be given instead */
    const struct starfish_tiles *u[2], *f;
    int now;         /* which u holds the solution */
    int uncorrected; /* the coarser grid's solution has yet to be added to it */
};

struct starfish_flux_graph {
    struct starfish_context *context;
    struct starfish_q1_setting setting;
    struct starfish_workspace workspace;
    struct starfish_replays replays;
    int levels, all_levels; /* without and with the grids of the tail below its first */
    struct starfish_flux_level level[STARFISH_Q1_MOST_LEVELS];
    struct starfish_q1_tail tail; /* smoother and steps are those of all grids */
    starpu_data_handle_t tail_table[STARFISH_Q1_MOST_LEVELS];
    struct starfish_flux_plane *plane;
};

/* What the graph is made of. Tables: doubles, stored in `precision`. */
struct starfish_flux_parts {
    starfish_precision precision;
    int levels;
    const struct starfish_flux_shape *shape;
    double *const *table;
    const size_t *table_size;          /* with those of planes behind a grid's own */
    struct starfish_flux_plane *plane; /* those that shapes point to; they become the graph's */
    starfish_smoother smoother;
    double damping;
    int before, after;
    int symmetric;       /* of struct starfish_smoothing */
    size_t blocks, tail; /* of struct starfish_multigrid_options */
    int borrows_finest;  /* u and f of the finest grid are given */
};
starfish_status starfish_flux_graph_create(struct starfish_flux_graph *graph, struct starfish_context *context,
                                           const struct starfish_flux_parts *parts);
void starfish_flux_graph_destroy(struct starfish_flux_graph *graph);
/* How a grid of the graph is cut. */
struct starfish_tiling starfish_flux_tiling(const struct starfish_context *context,
                                            const struct starfish_flux_parts *parts, int level);

/* As those of tasks/q1.h. */
void starfish_flux_lend(struct starfish_flux_graph *graph, const struct starfish_tiles *f,
                        const struct starfish_tiles *u);
starfish_status starfish_flux_cycle(struct starfish_flux_graph *graph, struct starfish_progress *progress,
                                    starfish_cycle_shape shape, int zero);
starfish_status starfish_flux_settle(struct starfish_flux_graph *graph, struct starfish_progress *progress);

/* result = f - A u, and its sum of squares; A is that of `grid`, in the setting's precision. result and sums may be
 * NULL, u NULL is zero. */
starfish_status starfish_flux_residual(const struct starfish_q1_setting *setting,
                                       const struct starfish_flux_grid_data *grid, struct starfish_progress *progress,
                                       const struct starfish_tiles *u, const struct starfish_tiles *f,
                                       const struct starfish_tiles *result, const struct starfish_q1_sums *sums);

/* result = scale * v + offset, either times the volumes of unknowns; and the sum of v. */
starfish_status starfish_flux_weigh(const struct starfish_q1_setting *setting,
                                    const struct starfish_flux_grid_data *grid, struct starfish_progress *progress,
                                    const struct starfish_flux_weighing *what, const struct starfish_tiles *v,
                                    const struct starfish_tiles *result);
starfish_status starfish_flux_sum(const struct starfish_q1_setting *setting, const struct starfish_flux_grid_data *grid,
                                  struct starfish_progress *progress, int weighs_values, const struct starfish_tiles *v,
                                  const struct starfish_q1_sums *sums);

#endif
