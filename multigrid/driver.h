/* What a plan needs to be solved with, whatever its kind: vectors, sums and the state of the iteration, the queue of
 * its jobs, and solves of vectors that are the runtime's data already. */
#ifndef STARFISH_MULTIGRID_DRIVER_H
#define STARFISH_MULTIGRID_DRIVER_H

#include "krylov/scalars.h"
#include "scheduler/driver.h"
#include <starfish/multigrid.h>

struct starfish_multigrid_plan;

/* In use by one job at a time. */
struct starfish_multigrid_work {
    struct starfish_vector residual;                         /* mixed precision and conjugate gradients */
    struct starfish_vector preconditioned, direction, image; /* conjugate gradients, BiCGStab */
    struct starfish_vector shadow, rest_image;               /* BiCGStab */
    struct starfish_vector other;                            /* where steps are fused: a second solution */
    struct starfish_vector copy[2];                          /* of right-hand side and solution, see solve.c */
    struct starfish_sums sums, inner_sums, products[2];
    struct starfish_scalars scalars;
    int open; /* the queue is there */
    struct starfish_queue queue;
    starfish_multigrid_progress *tell;
    void *tell_data;
};

/* Do conjugate gradients go in fused steps (krylov/cg.h)? */
int starfish_multigrid_fuses(const struct starfish_multigrid_plan *plan);
/* Or do cycles' corrections in mixed precision wait for the residual after them (iterate.c)? */
int starfish_multigrid_fuses_corrections(const struct starfish_multigrid_plan *plan);
/* Once n, the graph and the operator of the plan are there. */
starfish_status starfish_multigrid_work_create(struct starfish_multigrid_plan *plan);
/* How many vectors of the finest grid that makes, at most: known before there is a graph. */
size_t starfish_multigrid_work_vectors(const struct starfish_multigrid_plan *plan);
/* Nothing where there is none. */
void starfish_multigrid_work_destroy(struct starfish_multigrid_plan *plan);

/* As starfish_multigrid_submit, for vectors of the plan's precision whose space has the rows of the plan's parts, and
 * its runs of columns too unless conjugate gradients iterate, whose sweeps never work on these vectors (ARGUMENT where
 * it is cut otherwise). Where values are weighed (rhs_factor) they may be the same. They must stay until the job's end.
 *
 * Their tasks are submitted by the job's own thread: whoever submits tasks on them meanwhile must do so in `then`,
 * which that thread calls at the end, failed or not, before the next job begins; NULL: nothing. All tasks of the job
 * are then done. A failure of `then` is the job's. */
struct starfish_multigrid_then {
    starfish_status (*function)(void *data, starfish_status status, const struct starfish_multigrid_info *info);
    void *data;
};
starfish_status starfish_multigrid_submit_vectors(struct starfish_multigrid_plan *plan,
                                                  const struct starfish_vector *rhs,
                                                  const struct starfish_vector *solution,
                                                  const struct starfish_multigrid_then *then,
                                                  starfish_multigrid_job **job);
/* Whether a solve with this outcome has written its solution: short of the tolerance that is the last one, if there was
 * a step. Else its vector may have no values, and no task may read it. */
int starfish_multigrid_has_result(const struct starfish_multigrid_plan *plan, starfish_status status,
                                  const struct starfish_multigrid_info *info);

/* As starfish_multigrid_wait. *size: the norm of |A| |u|, which rounding errors of the residual are units of, where the
 * solution u fell short of the tolerance and the grids' kind has_sizes, else 0. */
starfish_status starfish_multigrid_wait_size(struct starfish_multigrid_job *job, struct starfish_multigrid_info *info,
                                             double *size);

#endif
