/* A multigrid plan: the hierarchy's task graph, and in mixed precision a finest grid in f64 above it. */
#ifndef STARFISH_MULTIGRID_PLAN_H
#define STARFISH_MULTIGRID_PLAN_H

#include "tasks/q1.h"
#include <starfish/multigrid.h>

struct starfish_multigrid_plan {
    struct starfish_context *context;
    struct starfish_multigrid_options options;
    size_t n[2], blocks; /* parts per direction of the finest grid's arrays */
    struct starfish_q1_graph graph;
    struct starfish_q1_sums sums, inner_sums;
    /* Defects: in mixed precision by a matrix in f64 into an array of their own. */
    int mixed;
    struct starfish_vector high_table;
    struct starfish_tiles defect;
    struct starfish_q1_finest finest;
    /* Conjugate gradients: the preconditioned defect, the direction, A times it; and inner products. */
    struct starfish_tiles preconditioned, direction, image;
    struct starfish_q1_sums products[2];
    pthread_mutex_t lock; /* one solve at a time */
};

#endif
