/* Task graphs of Q1 multigrid: what a hierarchy of grids is made of, its operations as tasks, and what defect
 * correction needs.
 *
 * Grids 0 .. levels-1 are cut into tiles, one task per row of tiles, or column for lines in y; the last of them is also
 * the first grid of the tail, all of whose grids are one task. A smoothing step goes from one array to another, as a
 * task reads what tasks beside it write. */
#ifndef STARFISH_TASKS_Q1_H
#define STARFISH_TASKS_Q1_H

#include "codelets/q1.h"
#include "scheduler/table.h"

struct starfish_q1_level {
    struct starfish_q1_grid_data data;
    struct starfish_table table;
    struct starfish_tiles own[3]; /* u, the other u, f; the finest grid's u and f may be given instead */
    const struct starfish_tiles *u[2], *f;
    int now; /* which u holds the solution */
};

struct starfish_q1_graph {
    struct starfish_context *context;
    struct starfish_q1_setting setting;
    struct starfish_workspace workspace;
    struct starfish_replays replays;
    int levels, all_levels; /* without and with the grids of the tail below its first */
    struct starfish_q1_level level[STARFISH_Q1_MOST_LEVELS];
    struct starfish_q1_tail tail; /* smoother and steps are those of all grids */
    starpu_data_handle_t tail_table[STARFISH_Q1_MOST_LEVELS];
};

/* What the graph is made of. Tables: starfish_q1_table_size doubles, stored in `precision`. */
struct starfish_q1_parts {
    starfish_precision precision;
    int levels;
    const struct starfish_q1_shape *shape;
    double *const *table;
    float *const *packed; /* instead, of grids whose shape has entries in 16 bits */
    starfish_smoother smoother;
    double damping;
    int before, after;
    int symmetric; /* of struct starfish_smoothing */
    struct starfish_coarse_solving coarse;
    size_t blocks, tail; /* of struct starfish_multigrid_options */
    int borrows_finest;  /* u and f of the finest grid are given */
};
starfish_status starfish_q1_graph_create(struct starfish_q1_graph *graph, struct starfish_context *context,
                                         const struct starfish_q1_parts *parts);
void starfish_q1_graph_destroy(struct starfish_q1_graph *graph);
/* Parts per direction that a grid of the finest size is cut into. */
size_t starfish_q1_blocks(const struct starfish_context *context, const size_t n[2], size_t wanted);

/* Give the finest grid its right-hand side and solution. */
void starfish_q1_lend(struct starfish_q1_graph *graph, const struct starfish_tiles *f, const struct starfish_tiles *u);

/* One cycle from the finest grid. */
starfish_status starfish_q1_cycle(struct starfish_q1_graph *graph, struct starfish_progress *progress,
                                  starfish_cycle_shape shape, int zero);
/* See to it that the finest solution is in the array that was lent, or in the first one. */
starfish_status starfish_q1_settle(struct starfish_q1_graph *graph, struct starfish_progress *progress);

/* A finest grid on which defects are computed: that of a graph, or one of another precision above it. */
struct starfish_q1_finest {
    struct starfish_q1_setting setting;
    struct starfish_q1_grid_data data;
};
struct starfish_q1_finest starfish_q1_finest_of(const struct starfish_q1_graph *graph);

/* The sum of squares of f - A u, by parts: vectors of STARFISH_SUMS doubles. u NULL: zero. */
struct starfish_q1_sums {
    size_t parts;
    struct starfish_table part[STARFISH_TILES_MOST_PARTS];
};
starfish_status starfish_q1_sums_create(struct starfish_q1_sums *sums, size_t parts);
void starfish_q1_sums_destroy(struct starfish_q1_sums *sums);
/* result and sums may be NULL. */
starfish_status starfish_q1_residual(const struct starfish_q1_finest *finest, struct starfish_progress *progress,
                                     const struct starfish_tiles *u, const struct starfish_tiles *f,
                                     const struct starfish_tiles *result, const struct starfish_q1_sums *sums);
/* v = u + scale * correction; u NULL: zero, correction NULL: v = u. v may be u or the correction. */
starfish_status starfish_q1_update(const struct starfish_q1_finest *finest, struct starfish_progress *progress,
                                   double scale, const struct starfish_tiles *u,
                                   const struct starfish_tiles *correction, const struct starfish_tiles *v);
/* The inner product of u and v. */
starfish_status starfish_q1_product(const struct starfish_q1_finest *finest, struct starfish_progress *progress,
                                    const struct starfish_tiles *u, const struct starfish_tiles *v,
                                    const struct starfish_q1_sums *sums);
/* Wait for the tasks: the sum, or its square root, the Euclidean norm. */
double starfish_q1_total(const struct starfish_q1_sums *sums);
double starfish_q1_norm(const struct starfish_q1_sums *sums);

/* low = scale * high, and high += scale * low, or = where zero. */
starfish_status starfish_q1_narrow(const struct starfish_q1_setting *setting, struct starfish_progress *progress,
                                   double scale, const struct starfish_tiles *high, const struct starfish_tiles *low);
starfish_status starfish_q1_widen(const struct starfish_q1_setting *setting, struct starfish_progress *progress,
                                  double scale, int zero, const struct starfish_tiles *low,
                                  const struct starfish_tiles *high);

#endif
