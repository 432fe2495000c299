/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A solve by an engine, in the calling thread: right-hand side and solution become vectors, a pass runs on them, and
 * the solution is copied back to its memory. Solves of one engine run one after another. */
#ifndef STARFISH_MULTIGRID_SOLVE_H
#define STARFISH_MULTIGRID_SOLVE_H

#include "base/failure.h"
#include "multigrid/engine.h"
#include "solver/solver.h"

struct starfish_multigrid_solve {
    /* Set by the owner, all else 0. */
    struct starfish_multigrid_engine *engine;
    struct starfish_pass pass; /* its floor is the solve's to set */
    struct starfish_multigrid_watch watch;
    struct starfish_progress *progress; /* of its tasks */
    struct starfish_result *result;     /* what it comes to, but for what the path fills in */
    /* Right-hand side and solution: the user's memory, on a node of the runtime's; or vectors. */
    struct {
        void *memory;
        int node;
        struct starfish_vector over;
        const struct starfish_vector *vector;
    } array[2];
    /* What it came to. */
    double seconds;
    double size; /* the norm of |A| |u|, which rounding errors of the residual are units of, where the solution u fell
                    short of the tolerance and the grids' kind has_sizes, else 0 */
    struct starfish_failure failure;
};

/* Solve between arrays of the user's; finds out where they are. On all ranks together. Error: ARGUMENT. */
starfish_status starfish_multigrid_solve_arrays(struct starfish_multigrid_solve *solve, const void *rhs,
                                                void *solution);
/* Or between vectors of the precision of the solution whose space has the rows of the engine's parts, and its runs of
 * columns too unless the pass is accelerated: then sweeps never work on these vectors (ARGUMENT where it is cut
 * otherwise). Where values are weighed (rhs_factor) they may be the same. They must stay until the solve's end; nobody
 * else submits tasks on them meanwhile. */
starfish_status starfish_multigrid_solve_vectors(struct starfish_multigrid_solve *solve,
                                                 const struct starfish_vector *rhs,
                                                 const struct starfish_vector *solution);
/* iterate.c: solves. This thread submits all tasks, waits for what it must look at, and for all in the end. Fills what
 * the pass came to, of the result outcome, iterations, corrections, rhs_norm, residual, factor, pertrb and history, and
 * `failure`, whose status is returned. Errors: NUMERICAL where it ends short of the tolerance; ARGUMENT (the engine has
 * no such variant; the right-hand side is too small); RUNTIME. */
starfish_status starfish_multigrid_solve_run(struct starfish_multigrid_solve *solve);
/* For that: f and u, which the pass is of, made of the arrays; and what follows a beginning and a pass that ended with
 * `status`, its solution being u. */
starfish_status starfish_multigrid_solve_begin(struct starfish_multigrid_solve *solve, const struct starfish_vector **f,
                                               const struct starfish_vector **u);
starfish_status starfish_multigrid_solve_end(struct starfish_multigrid_solve *solve, starfish_status status,
                                             const struct starfish_vector *u);
/* Whether that has written the solution: short of the tolerance it is the last one, if there was a step. Else its
 * vector may have no values, and no task may read it. */
int starfish_multigrid_has_result(const struct starfish_multigrid_solve *solve);

/* A job of the solve path that is one solve by an engine: the pass that the engine's options ask for, between the
 * user's arrays. For `take` of kinds. */
struct starfish_multigrid_job {
    struct starfish_job job; /* the first member */
    struct starfish_multigrid_solve solve;
};
starfish_status starfish_multigrid_job_take(struct starfish_job *base, struct starfish_multigrid_engine *engine);
/* iterate.c: for `run`, where job->of_run is a struct starfish_multigrid_solve. */
starfish_status starfish_multigrid_job_run(struct starfish_job *job);

#endif
