/* The coarsest grid of Q1 multigrid by conjugate gradients, preconditioned by the diagonal or by four line steps, which
 * make it symmetric: x, y, y, x. On the GPU all iterations are launched and the host learns nothing of them; on the CPU
 * they end with the last that is needed. */
#ifndef STARFISH_CODELETS_Q1_COARSE_H
#define STARFISH_CODELETS_Q1_COARSE_H

#include "codelets/q1_steps.h"
#include <starfish/multigrid.h>

/* As in struct starfish_multigrid_options, with no 0 for a default. */
struct starfish_q1_coarse {
    starfish_coarse_solver solver;
    double tolerance;
    int iterations;
};
/* Bytes of work space, besides that of steps (starfish_q1_work); a multiple of 256. None where solved by the inverse.
 */
size_t starfish_q1_coarse_work(const struct starfish_q1_coarse *coarse, starfish_precision precision,
                               const struct starfish_q1_shape *shape);

/* u improved until the residual is small enough; where zero it starts as 0. By the inverse neither counts. */
struct starfish_q1_coarse_solve {
    struct starfish_q1_coarse coarse;
    struct starfish_q1_shape shape;
    int zero;
    const void *table, *f;
    void *u, *work;
};
/* Returns a cudaError_t, 0 on the CPU. */
int starfish_q1_coarse_here(const struct starfish_place *place, const struct starfish_q1_coarse_solve *solve);

#endif
