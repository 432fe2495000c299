/* A multigrid plan: the task graph of a hierarchy of grids, and in mixed precision a finest grid in f64 above it.
 *
 * One driver serves all hierarchies (solve.c): what it needs of one are a few operations, and vectors of the finest
 * grid as rectangles of n[0] columns and n[1] rows, of which a 3D grid has nx*ny and nz. */
#ifndef STARFISH_MULTIGRID_PLAN_H
#define STARFISH_MULTIGRID_PLAN_H

#include "tasks/flux.h"
#include "tasks/q1.h"
#include <starfish/multigrid.h>

struct starfish_multigrid_plan;

/* The finest grid's arrays as a hierarchy has them: the right-hand side, where the solution is now, and where it goes
 * in the end. */
struct starfish_multigrid_arrays {
    const struct starfish_tiles *f, *solution, *first;
};

struct starfish_multigrid_operations {
    /* One cycle from the finest grid. */
    starfish_status (*cycle)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                             starfish_cycle_shape shape, int zero);
    /* See to it that the finest solution is in the array that was lent, or in the first one. */
    starfish_status (*settle)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress);
    /* Give the finest grid its right-hand side and solution. */
    void (*lend)(struct starfish_multigrid_plan *plan, const struct starfish_tiles *f, const struct starfish_tiles *u);
    /* f - A u in the precision of the plan, or of the hierarchy where `inner`; result and sums may be NULL, u NULL is
     * zero. */
    starfish_status (*residual)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress, int inner,
                                const struct starfish_tiles *u, const struct starfish_tiles *f,
                                const struct starfish_tiles *result, const struct starfish_q1_sums *sums);
    /* Mixed precision: smooth what rounding a correction to f32 has left in u, in f64; NULL where it does not matter.
     */
    starfish_status (*polish)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                              const struct starfish_tiles *f, const struct starfish_tiles *u);
    struct starfish_multigrid_arrays (*arrays)(struct starfish_multigrid_plan *plan);
    /* The next cycle begins in the first array. */
    void (*begin)(struct starfish_multigrid_plan *plan);
    void (*destroy)(struct starfish_multigrid_plan *plan);
    int (*levels)(const struct starfish_multigrid_plan *plan);
    /* Before and after a solve; NULL where there is nothing to do. *f: what to solve for, rhs or what is made of it;
     * *removed: the mean that was taken off; *floor: what its rounding errors leave of the residual. */
    starfish_status (*prepare)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                               const struct starfish_tiles *rhs, const struct starfish_tiles **f, double *removed,
                               double *floor);
    starfish_status (*finish)(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                              const struct starfish_tiles *solution);
};

struct starfish_multigrid_plan {
    struct starfish_context *context;
    struct starfish_multigrid_options options;
    const struct starfish_multigrid_operations *operations;
    size_t n[2]; /* of the finest grid's arrays */
    struct starfish_tiling tiling;
    union {
        struct starfish_q1_graph q1;
        struct starfish_flux_graph flux;
    } graph;
    /* Of 3D: whether a constant is in the null space, the factor of right-hand sides that are values (0: integrals),
     * the volume of the box, and the right-hand side that is made of the user's. */
    int singular;
    double rhs_factor, volume, volume_norm; /* Euclidean, of the volumes of all unknowns */
    struct starfish_tiles integrals;
    struct starfish_q1_sums sums, inner_sums;
    /* Residuals: in mixed precision by a matrix in f64 into an array of their own. */
    int mixed;
    struct starfish_table high_table;
    struct starfish_tiles residual;
    struct starfish_q1_finest finest; /* setting and shape of the vectors */
    /* Conjugate gradients: the preconditioned residual, the direction, A times it; and inner products. */
    struct starfish_tiles preconditioned, direction, image;
    struct starfish_q1_sums products[2];
    pthread_mutex_t lock; /* one solve at a time */
};

/* What all hierarchies' plans do (plan.c). */
starfish_status starfish_multigrid_check_options(const struct starfish_multigrid_options *options);
starfish_status starfish_multigrid_check_positive(const char *name, int direction, const double *values, size_t count);
/* An empty plan for a hierarchy, whose graph is not there yet. */
starfish_status starfish_multigrid_plan_begin(struct starfish_context *context,
                                              const struct starfish_multigrid_options *options,
                                              const struct starfish_multigrid_operations *operations,
                                              struct starfish_multigrid_plan **created);
/* Sums and vectors, once n, tiling and the graph are there. */
/* A vector of the finest grid. */
starfish_status starfish_multigrid_create_vector(const struct starfish_multigrid_plan *plan,
                                                 struct starfish_tiles *tiles);
starfish_status starfish_multigrid_create_vectors(struct starfish_multigrid_plan *plan);

enum { STARFISH_MULTIGRID_MOST_COARSEST = 1024 };    /* unknowns of a grid that is solved by its inverse */
enum { STARFISH_MULTIGRID_MOST_ITERATED = 1 << 20 }; /* of one that is solved by conjugate gradients */

#endif
