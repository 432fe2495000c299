/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans, solves and their results, the same for every kind of problem. A maker of a kind (starfish_tridiag_plan_create)
 * analyses a problem once; the plan then solves for as many right-hand sides as there are.
 *
 * Structs that a function fills begin with their size, which the caller sets, so that they can grow: `struct
 * starfish_result result = STARFISH_RESULT_DEFAULTS`. A smaller one, of a program that was compiled with an older
 * header, gets the members that it has; of a larger one the rest becomes zero. ARGUMENT where the size is not set.
 *
 * Problem structs begin with their size too. 0, which designated initialisers leave, stands for that of the first
 * release. Of a larger one, of a program that was compiled with a newer header, the rest must be zero (UNSUPPORTED).
 *
 * Thread-safety: a plan may be used from several threads at once, on different right-hand sides. */
#ifndef STARFISH_SOLVE_H
#define STARFISH_SOLVE_H

#include <starfish/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a solve that returns STARFISH_SUCCESS (SOLVED) or STARFISH_ERROR_NUMERICAL (the others); after another error the
 * outcome says nothing. */
typedef enum starfish_outcome {
    STARFISH_SOLVED,        /* to the tolerance; a direct method: every check that was asked for has passed */
    STARFISH_NOT_CONVERGED, /* all iterations that are allowed were taken */
    STARFISH_STAGNATED,     /* the residual has stopped falling, and rounding errors do not excuse it; or a check of the
                               solution, of a direct method too, has failed */
    STARFISH_DIVERGED,      /* not finite, or larger than the right-hand side without rounding errors explaining it */
    STARFISH_CANCELLED      /* by starfish_job_cancel */
} starfish_outcome;

/* "solved", "not-converged", "stagnated", "diverged" or "cancelled". Never NULL; static storage; thread-safe. */
STARFISH_API const char *starfish_outcome_name(starfish_outcome outcome);

/* An analysed problem, which is solved for any number of right-hand sides. Its maker's caller owns it. */
typedef struct starfish_plan starfish_plan;
/* A solve that was submitted. starfish_job_finish frees it. */
typedef struct starfish_job starfish_job;

/* Inhomogeneous data on the six faces, [axis][low end, high end]: an array of the plan's precision over the unknowns of
 * the other two directions, lower direction fastest (x faces: ny*nz, y faces: nx*nz, z faces: nx*ny), or, where that is
 * NULL, a constant. Arrays lie in host or CUDA device memory (recognised, each by itself). Ignored at periodic and
 * TRIDIAGONAL ends. */
struct starfish_boundary {
    const void *array[3][2]; /* values on each face, or NULL */
    double constant[3][2];   /* value everywhere on a face whose array is NULL */
};

/* Bytes that a plan and its solves take in each memory, upper bounds but for `gpu_there`. What is the GPUs' is for each
 * of them, and 0 where the context has none. A plan whose `gpu_least` is more than `gpu_there` is not made (MEMORY),
 * but that method slab leaves the work to cores where there are any. A solve whose `gpu_work + gpu_data` is more than
 * `gpu_there` moves data to and fro; method slab streams the field then. */
struct starfish_memory {
    size_t main_bytes; /* main memory, beside the user's arrays: what is between tasks, coefficients; pinned copies of
                          arrays in pageable memory */
    size_t gpu_work;   /* for good, as long as there is the plan: work space, matrices */
    size_t gpu_data;   /* during a solve, if right-hand side, solution and all between them stay */
    size_t gpu_least;  /* gpu_work, and the most that the tasks of a solve need at once */
    size_t gpu_there;  /* what plans may use, as StarPU sees it (STARPU_LIMIT_CUDA_MEM), without other plans' gpu_work,
                          but with this one's; of the GPU with the least */
    int streamed;      /* 1: slabs of the field take turns in the GPUs' memory */
};

enum { STARFISH_HISTORY = 128 /* residuals that a result has room for */ };
/* What a solve came to. Norms are the kind's (its header says which). A number that the solve does not find is NaN, a
 * count that it does not have 0. */
struct starfish_result {
    size_t size;              /* sizeof(struct starfish_result); the initialiser sets it */
    starfish_outcome outcome; /* whether it has solved the problem */
    int iterations;           /* cycles, or steps of a Krylov method; 0: a direct method */
    int accelerated;          /* of these, as preconditioners of a Krylov method that cycles fell back to */
    int fallback;             /* of these, of the method that another one fell back to */
    int replacements;         /* how often the residual was computed anew and the iteration begun again */
    int refinements;          /* steps of iterative refinement that were done and kept */
    int corrections;          /* mixed precision: corrections in f64 */
    int count;                /* of `history`: residuals at the start and after each iteration, the first of them */
    double residual;          /* ||f - A u|| / ||f|| */
    double tolerance;         /* that counted: the one asked for, or `rounding` where that forbids it */
    double rounding;          /* how large rounding errors may make the residual */
    double rhs_norm;          /* ||f|| */
    double factor;            /* the geometric mean by which an iteration reduced the residual */
    double recurrence;        /* what the iteration took for the residual before it was computed anew */
    double residual_max;      /* max |f - A u| / max |f| */
    double residual_bound;    /* that residual_max may be at most */
    double correction;        /* max |correction| / max |u| of the last step of refinement */
    double pertrb;            /* what was taken off f in a singular problem, else 0; of a complex f its real part */
    double pertrb_imaginary;  /* its imaginary part; 0 of a real f */
    double seconds;           /* submission to completion, the solution back in its memory */
    struct starfish_tasks_done worker[STARFISH_WORKER_KINDS]; /* tasks of the solve, by starfish_worker_kind */
    /* Bytes that the runtime has moved during the solve, other solves at the same time included. */
    size_t host_to_device, device_to_host, device_to_device;
    double history[STARFISH_HISTORY]; /* residuals like `residual`, `count` of them */
};
/* Initialiser: sets the size. */
#define STARFISH_RESULT_DEFAULTS                                                                                       \
    {                                                                                                                  \
        .size = sizeof(struct starfish_result)                                                                         \
    }

/* What a plan is. Texts are the plan's or static. */
struct starfish_about {
    size_t size;        /* sizeof(struct starfish_about); the initialiser sets it */
    const char *kind;   /* as in problem files, or "tridiag" */
    const char *method; /* that the plan solves by, or by which the last solve was done again */
    const char *reason; /* why it was chosen, or what it consists of: one line, or "" */
    double seconds;     /* that creating the plan took */
    size_t unknowns;    /* of a solve, those of all its right-hand sides */
    int singular;       /* 1: right-hand sides are projected, solutions have mean zero */
    int owners;         /* ranks or workers that have parts of the unknowns of their own */
    int levels;         /* grids; 0: the method has none */
};
/* Initialiser: sets the size. */
#define STARFISH_ABOUT_DEFAULTS                                                                                        \
    {                                                                                                                  \
        .size = sizeof(struct starfish_about)                                                                          \
    }

/* Frees the plan. Waits for nothing: the plan's jobs must have been waited for. NULL is allowed. */
STARFISH_API void starfish_plan_destroy(starfish_plan *plan);
/* Describes the plan. Thread-safe. Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_plan_about(const starfish_plan *plan, struct starfish_about *about);
/* Bytes that the plan and its solves take in each memory. Thread-safe. Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_plan_memory(const starfish_plan *plan, struct starfish_memory *memory);

/* Solve: `rhs` and `solution` lie in host or CUDA device memory (recognised), shaped as the kind says; where the kind
 * allows it they may be the same array, else they may not overlap. `boundary` must be NULL for kinds without boundary
 * data, and `rhs` for kinds whose problem has the right-hand side; `result` may be NULL. Blocks until the solution is
 * in its memory. Errors: ARGUMENT (names the argument), NUMERICAL (not solved: result->outcome says how, and the
 * solution is the last or the best one), MEMORY, RUNTIME. */
STARFISH_API starfish_status starfish_plan_solve(starfish_plan *plan, const struct starfish_boundary *boundary,
                                                 const void *rhs, void *solution, struct starfish_result *result);
/* starfish_plan_solve without waiting: arrays must stay until the job is done. Every job must be finished, once, from
 * any thread and before its plan is destroyed. Errors: those of arguments, and then there is no job; others when it is
 * finished. */
STARFISH_API starfish_status starfish_plan_submit(starfish_plan *plan, const struct starfish_boundary *boundary,
                                                  const void *rhs, void *solution, starfish_job **job);
/* Waits until the solution is in its memory, and frees the job. `result` may be NULL, and is filled where the status is
 * NUMERICAL too. Errors: those of starfish_plan_solve that the submission has not returned. */
STARFISH_API starfish_status starfish_job_finish(starfish_job *job, struct starfish_result *result);
/* An iteration ends after the steps that are under way (NUMERICAL, STARFISH_CANCELLED); a direct method ends as usual.
 * From any thread, before the job is finished. NULL is allowed. */
STARFISH_API void starfish_job_cancel(starfish_job *job);
/* Called with the user's `data` whenever an iterative solve has looked at its residual; of the result, iterations,
 * corrections, rhs_norm, residual, factor and history are known. By the thread that drives the solve, which waits for
 * its return. */
typedef void starfish_tell(void *data, const struct starfish_result *result);
/* Has `function` called by the solves of the plan that are submitted from now on; NULL: none. Not while a solve is
 * being submitted. Does nothing where plan is NULL. */
STARFISH_API void starfish_plan_tell(starfish_plan *plan, starfish_tell *function, void *data);
/* Steps so far and at most: of an iteration its iterations, of a direct method its tasks; equal once the job has ended.
 * For showing progress; any thread, before the job is finished. Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_job_state(const starfish_job *job, size_t *done, size_t *most);

#ifdef __cplusplus
}
#endif

#endif
