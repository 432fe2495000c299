/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans, solves and results, the same for every kind of problem. The creating function of a kind (such as
 * starfish_tridiag_plan_create) analyses a problem once. The plan then solves for any number of right-hand sides.
 *
 * Structs that a function fills begin with their size, which the caller sets: `struct starfish_result result =
 * STARFISH_RESULT_DEFAULTS`. So they can grow. A smaller struct, from a program compiled with an older header, receives
 * only its own members. Unknown members of a larger struct become zero. ARGUMENT if the size is not set.
 *
 * Problem structs begin with their size too. 0, as left by designated initialisers, means the size of the first
 * release. In a larger struct, from a program compiled with a newer header, unknown members must be zero (UNSUPPORTED).
 *
 * Thread-safety: a plan may be used from several threads at once, on different right-hand sides. */
#ifndef STARFISH_SOLVE_H
#define STARFISH_SOLVE_H

#include <starfish/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a solve ended: SOLVED with status STARFISH_SUCCESS, the others with STARFISH_ERROR_NUMERICAL. Undefined after any
 * other error. */
typedef enum starfish_outcome {
    STARFISH_SOLVED,        /* the tolerance is reached; direct methods: all requested checks passed */
    STARFISH_NOT_CONVERGED, /* the maximum number of iterations was reached */
    STARFISH_STAGNATED,     /* the residual stopped falling above the level of rounding errors; or a check of the
                               solution failed, with a direct method too */
    STARFISH_DIVERGED,      /* the residual is not finite, or exceeds the right-hand side and the level of rounding
                               errors */
    STARFISH_CANCELLED      /* cancelled by starfish_job_cancel */
} starfish_outcome;

/* Returns "solved", "not-converged", "stagnated", "diverged" or "cancelled". Never NULL; static storage;
 * thread-safe. */
STARFISH_API const char *starfish_outcome_name(starfish_outcome outcome);

/* An analysed problem, ready to be solved for any number of right-hand sides. Owned by the caller that created it. */
typedef struct starfish_plan starfish_plan;
/* A submitted solve. starfish_job_finish frees it. */
typedef struct starfish_job starfish_job;

/* Boundary data on the six faces, [axis][low end, high end]: an array, or a constant if the array is NULL. An array
 * holds one real of the plan's precision per unknown of the other two directions, lower direction fastest (x faces:
 * ny*nz, y faces: nx*nz, z faces: nx*ny). Each array lies in host or CUDA device memory (detected). Ignored at periodic
 * and TRIDIAGONAL ends. */
struct starfish_boundary {
    const void *array[3][2]; /* values on each face, or NULL */
    double constant[3][2];   /* value on a face whose array is NULL */
};

/* Bytes that a plan and its solves take in each memory; upper bounds, except `gpu_there`. GPU values are per GPU, and 0
 * without GPUs. If `gpu_least` exceeds `gpu_there` the plan is not created (MEMORY); method slab uses the cores
 * instead, if there are any. If `gpu_work + gpu_data` exceeds `gpu_there`, data move in and out during a solve; method
 * slab streams the field. */
struct starfish_memory {
    size_t main_bytes; /* main memory besides the user's arrays: data between tasks, coefficients, pinned copies of
                          pageable arrays */
    size_t gpu_work;   /* as long as the plan exists: work space, matrices */
    size_t gpu_data;   /* during a solve, if right-hand side, solution and all intermediate data stay on the GPU */
    size_t gpu_least;  /* gpu_work plus the largest amount that the tasks of a solve need at once */
    size_t gpu_there;  /* available to this plan: the memory that StarPU sees (STARPU_LIMIT_CUDA_MEM) minus gpu_work of
                          other plans, on the GPU with the least */
    int streamed;      /* 1: slabs of the field are streamed through GPU memory */
};

enum { STARFISH_HISTORY = 128 /* maximum number of residuals in a result */ };
/* Result of a solve. The kind's header defines the norms. A number that the solve does not compute is NaN; a count that
 * does not apply is 0. */
struct starfish_result {
    size_t size;              /* sizeof(struct starfish_result); the initialiser sets it */
    starfish_outcome outcome; /* how the solve ended */
    int iterations;           /* cycles, or steps of a Krylov method; 0: a direct method */
    int accelerated;          /* iterations of these in the Krylov method used as fallback for cycles, which
                                 precondition it */
    int fallback;             /* iterations of these in a fallback method */
    int replacements;         /* restarts of the iteration from a newly computed residual */
    int refinements;          /* steps of iterative refinement that were kept */
    int corrections;          /* mixed precision: corrections in f64 */
    int count;                /* length of `history`: residuals at the start and after each iteration, as far as there
                                 is room */
    double residual;          /* ||f - A u|| / ||f|| */
    double tolerance;         /* tolerance that was applied: the requested one, or `rounding` if rounding errors prevent
                                 it */
    double rounding;          /* residual that rounding errors may cause */
    double rhs_norm;          /* ||f|| */
    double factor;            /* geometric mean of the reduction of the residual per iteration */
    double recurrence;        /* residual by the recurrence, before it was computed anew */
    double residual_max;      /* max |f - A u| / max |f| */
    double residual_bound;    /* upper bound for residual_max */
    double correction;        /* max |correction| / max |u| of the last step of refinement */
    double pertrb;            /* mean subtracted from f in a singular problem, else 0; its real part if f is complex */
    double pertrb_imaginary;  /* its imaginary part; 0 if f is real */
    double seconds;           /* wall-clock time from submission until the solution is in its memory */
    struct starfish_tasks_done worker[STARFISH_WORKER_KINDS]; /* tasks of the solve, by starfish_worker_kind */
    /* Bytes that the runtime transferred during the solve, including those of concurrent solves. */
    size_t host_to_device, device_to_host, device_to_device;
    double history[STARFISH_HISTORY]; /* relative residuals, as `residual`; `count` entries */
};
/* Initialiser: sets the size. */
#define STARFISH_RESULT_DEFAULTS                                                                                       \
    {                                                                                                                  \
        .size = sizeof(struct starfish_result)                                                                         \
    }

/* Description of a plan. Texts are owned by the plan or static. */
struct starfish_about {
    size_t size;        /* sizeof(struct starfish_about); the initialiser sets it */
    const char *kind;   /* kind of problem, as in problem files, or "tridiag" */
    const char *method; /* method of the plan, or of the repeated last solve */
    const char *reason; /* why the method was chosen, or its components: one line, or "" */
    double seconds;     /* wall-clock time of creating the plan */
    size_t unknowns;    /* unknowns of a solve, summed over all right-hand sides */
    int singular;       /* 1: right-hand sides are projected, solutions have mean zero */
    int owners;         /* number of ranks or workers that own parts of the unknowns */
    int levels;         /* number of grids; 0: the method has no grids */
};
/* Initialiser: sets the size. */
#define STARFISH_ABOUT_DEFAULTS                                                                                        \
    {                                                                                                                  \
        .size = sizeof(struct starfish_about)                                                                          \
    }

/* Frees the plan without waiting: all its jobs must be finished. NULL is allowed. */
STARFISH_API void starfish_plan_destroy(starfish_plan *plan);
/* Describes the plan. Thread-safe. Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_plan_about(const starfish_plan *plan, struct starfish_about *about);
/* Computes the bytes that the plan and its solves take in each memory. Thread-safe. Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_plan_memory(const starfish_plan *plan, struct starfish_memory *memory);

/* Solves for one right-hand side. `rhs` and `solution` lie in host or CUDA device memory (detected); the kind defines
 * their shapes. They may be the same array if the kind allows it; otherwise they must not overlap. `boundary` must be
 * NULL for kinds without boundary data; `rhs` must be NULL if the problem contains the right-hand side. `result` may be
 * NULL. Blocks until the solution is in its memory. Errors: ARGUMENT (names the argument), NUMERICAL (not solved: see
 * result->outcome; the solution is the last or the best one), MEMORY, RUNTIME. */
STARFISH_API starfish_status starfish_plan_solve(starfish_plan *plan, const struct starfish_boundary *boundary,
                                                 const void *rhs, void *solution, struct starfish_result *result);
/* Submits a solve without waiting for it. The arrays must stay until the job is finished. Finish every job exactly
 * once, from any thread, before destroying its plan. Errors: those of the arguments, and then no job is created;
 * starfish_job_finish returns the others. */
STARFISH_API starfish_status starfish_plan_submit(starfish_plan *plan, const struct starfish_boundary *boundary,
                                                  const void *rhs, void *solution, starfish_job **job);
/* Waits until the solution is in its memory, and frees the job. `result` may be NULL; it is also filled if the status
 * is NUMERICAL. Errors: those of starfish_plan_solve that the submission did not return. */
STARFISH_API starfish_status starfish_job_finish(starfish_job *job, struct starfish_result *result);
/* Cancels a job. An iteration ends after the steps already submitted (NUMERICAL, STARFISH_CANCELLED); a direct method
 * completes as usual. Call it from any thread, before the job is finished. NULL is allowed. */
STARFISH_API void starfish_job_cancel(starfish_job *job);
/* A callback that receives the user's `data` whenever an iterative solve has computed its residual. Valid members of
 * the result: iterations, corrections, rhs_norm, residual, factor and history. The thread that drives the solve calls
 * it and waits for its return. */
typedef void starfish_tell(void *data, const struct starfish_result *result);
/* Sets the callback of all solves of the plan submitted after this call; NULL: no callback. Do not call it while a
 * solve is being submitted. Does nothing if plan is NULL. */
STARFISH_API void starfish_plan_tell(starfish_plan *plan, starfish_tell *function, void *data);
/* Reports the progress of a job: steps done, and their maximum. Steps are iterations, or tasks of a direct method. Both
 * numbers are equal once the job has ended. Call it from any thread, before the job is finished. Errors: ARGUMENT. */
STARFISH_API starfish_status starfish_job_state(const starfish_job *job, size_t *done, size_t *most);

#ifdef __cplusplus
}
#endif

#endif
