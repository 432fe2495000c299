/* The solve path: what a kind of problems is to it, its plans and its solves.
 *
 * A kind is a row of functions and tables. Its plans begin with a struct starfish_plan, its jobs with a struct
 * starfish_job, so that the functions of starfish/solve.h need to know no more of them. There are two ways to solve:
 *
 *     direct      take, submit    in the caller's thread, which submits all tasks and waits for none;
 *                 finish          once they are done
 *     iterative   take            in the caller's thread;
 *                 run, finish     in the job's turn, since the solves of a plan share its vectors: in the caller's
 *                                 thread or in one of the job's own (scheduler/driver.h)
 *
 * `drop` is always the last, whatever has failed. */
#ifndef STARFISH_SOLVER_SOLVER_H
#define STARFISH_SOLVER_SOLVER_H

#include "base/failure.h"
#include "scheduler/driver.h"
#include "scheduler/progress.h"
#include <starfish/memory.h>
#include <starfish/solve.h>

struct starfish_kind {
    const char *name;
    size_t job_bytes; /* of the kind's struct */
    int has_boundary; /* solves may be given boundary data */
    /* Of a plan, which is there or half made: frees all but the plan's own struct. */
    void (*release)(struct starfish_plan *plan);
    starfish_status (*memory)(const struct starfish_plan *plan, struct starfish_memory *memory);
    /* Checks the request, and takes hold of what may change after the submission. Nothing is released where it fails
     * but by `drop`. */
    starfish_status (*take)(struct starfish_job *job);
    starfish_status (*submit)(struct starfish_job *job); /* direct, else NULL */
    starfish_status (*run)(struct starfish_job *job);    /* iterative, else NULL */
    /* When the tasks are done: the solution comes home, and the result gets what only the kind knows. `status`: of the
     * solve so far. Returns its own. NULL: nothing. */
    starfish_status (*finish)(struct starfish_job *job, starfish_status status);
    void (*drop)(struct starfish_job *job); /* what the job holds; NULL: nothing */
};

struct starfish_plan {
    const struct starfish_kind *kind;
    struct starfish_context *context;
    struct starfish_about about; /* but for its kind */
    struct starfish_queue queue; /* of iterative solves */
    int is_open;                 /* the queue is there */
};

/* The caller's pointers, under their public names. */
struct starfish_request {
    const struct starfish_boundary *boundary;
    const void *rhs;
    void *solution;
};

struct starfish_job {
    struct starfish_plan *plan;
    struct starfish_request request;
    struct starfish_progress progress;
    struct starfish_bytes before; /* moved until the submission */
    struct starfish_turn turn;
    atomic_int cancelled, iterations; /* iterations done, */
    int most;                         /* and allowed */
    struct starfish_failure failure;
    struct starfish_result result;
};

/* A plan of `bytes` bytes, all zero but for what is known here; it is freed by starfish_plan_destroy, which calls
 * kind->release. Errors: MEMORY. */
starfish_status starfish_plan_begin(struct starfish_context *context, const struct starfish_kind *kind, size_t bytes,
                                    struct starfish_plan **result);
/* The end of a maker, which began at the time `start` (starfish_now): the plan is handed to the caller, or, where
 * making it failed, destroyed. Returns `status`. */
starfish_status starfish_plan_end(struct starfish_plan *plan, double start, starfish_status status,
                                  struct starfish_plan **result);
/* Whether a plan of the public interface is one of the kind. Errors: ARGUMENT (NULL; another kind's). */
starfish_status starfish_plan_check(const struct starfish_plan *plan, const struct starfish_kind *kind);

/* Whether the caller has set the size of a struct to be filled, of which this library knows `bytes` bytes; NULL is
 * allowed. Errors: ARGUMENT (names the struct). */
starfish_status starfish_filled_check(const void *user, size_t bytes, const char *name);
/* Fills the user's struct from `own`; NULL is allowed. */
void starfish_filled_copy(void *user, const void *own, size_t bytes);

#endif
