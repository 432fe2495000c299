/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The solve path: kinds of problems, their plans and their solves.
 *
 * A kind is a row of functions and tables. Its plans begin with a struct starfish_plan, its jobs with a struct
 * starfish_job, so that the functions of starfish/solve.h need to know no more of them. There are two ways to solve:
 *
 *     direct      take, submit    in the caller's thread, which submits all tasks and waits for none;
 *                 finish          once they are done
 *     iterative   take                   in the caller's thread;
 *                 run, accept, finish    in the job's turn, since the solves of a plan share its vectors: in the
 *                                        caller's thread or in one of the job's own (scheduler/runtime/driver.h)
 *
 * A plan whose `run` is NULL is direct. `drop` is always the last, whatever has failed.
 *
 * All plans are made by starfish_plan_make: it takes the user's options and problem, has them checked by the kind and
 * compared between ranks, and leaves the rest to the kind's `create`. */
#ifndef STARFISH_SOLVER_SOLVER_H
#define STARFISH_SOLVER_SOLVER_H

#include "base/failure.h"
#include "scheduler/runtime/driver.h"
#include "scheduler/runtime/progress.h"
#include "solver/members.h"
#include <starfish/memory.h>
#include <starfish/solve.h>

#include <pthread.h>
#include <stdint.h>

struct starfish_kind {
    const char *name; /* of its options */
    const struct starfish_option_table *options;
    const struct starfish_problem_row *problems; /* behind the last one a row without a name; NULL: in no file */
    size_t plan_bytes, job_bytes;                /* of the kind's structs */
    size_t options_at;                           /* of a plan: where it has its options */
    /* Whether plans with these options iterate. NULL: all do, or none, as the kind has `run` or `submit`. */
    int (*iterates)(const void *options);
    int has_boundary; /* solves may be given boundary data */
    int one_team;     /* on cores alone, fields in 3D too are best worked on by all of them as one worker */
    int on_ranks;     /* solves are of all ranks, of which some may have no arrays: `take` looks, and begins with an
                         agreement */
    int has_rhs;      /* of those: plans have the right-hand side, and rhs must be NULL */
    /* Of a plan that has options, each in its range, and its problem: checks the two and completes the options, at
     * least so far that all arrays of the problem are as large as it says. NULL: nothing. */
    starfish_status (*check)(struct starfish_plan *plan);
    /* The rest of a plan, on whose problem and options all ranks agree where `on_ranks` is set. */
    starfish_status (*create)(struct starfish_plan *plan);
    /* Of a plan, which is there or half made: frees all but the plan's own struct. */
    void (*release)(struct starfish_plan *plan);
    starfish_status (*memory)(const struct starfish_plan *plan,
                              struct starfish_memory *memory); /* NULL: plan->memory */
    /* Checks the request, and takes hold of what may change after the submission. Nothing is released where it fails
     * but by `drop`. */
    starfish_status (*take)(struct starfish_job *job);
    starfish_status (*submit)(struct starfish_job *job); /* direct, else NULL */
    starfish_status (*run)(struct starfish_job *job);    /* iterative, else NULL: of plans that set no other */
    /* What a run that ended with `status`, SUCCESS or NUMERICAL, came to; it may submit tasks. NULL: that. */
    starfish_status (*accept)(struct starfish_job *job, starfish_status status);
    /* When the tasks are done: the solution comes home, and the result gets what only the kind knows; its seconds too,
     * where other work has followed the solve, and counts of tasks and bytes that are not of the job's own progress.
     * `status`: of the solve so far. Returns its own. NULL: nothing. */
    starfish_status (*finish)(struct starfish_job *job, starfish_status status);
    void (*drop)(struct starfish_job *job); /* what the job holds; NULL: nothing */
    /* Called in the thread that finishes the job: reports requested data besides the result. NULL: nothing. */
    void (*tell)(struct starfish_job *job);
};

struct starfish_gather;

struct starfish_plan {
    const struct starfish_kind *kind;
    struct starfish_context *context;
    struct starfish_gather *gather; /* on several ranks, where the first one solves for all (gather.h); or NULL */
    struct starfish_about about;    /* but for its kind */
    /* The user's struct, converted to this library's version, and its table; arrays that it points to are valid during
     * plan creation only. */
    const struct starfish_member_table *table;
    void *problem;
    /* Description of the plan that repeated the last solve, whose method is reported; NULL: it was not repeated. */
    _Atomic(const struct starfish_about *) again;
    struct starfish_memory memory; /* that it takes */
    int is_measured;               /* it is made for its memory alone */
    int is_idle;                   /* this rank owns no distributed data, and need not pass the fields of the problem */
    pthread_mutex_t lock;          /* of the kind, for what its jobs share */
    starfish_tell *tell;           /* the watcher of solves from now on, or NULL */
    void *tell_data;
    struct starfish_queue queue;                      /* of iterative solves */
    starfish_status (*run)(struct starfish_job *job); /* NULL: solves are direct; kind->run unless the maker sets it */
};

struct starfish_stream_group;

/* The caller's pointers, under their public names. */
struct starfish_request {
    const struct starfish_boundary *boundary;
    const void *rhs;
    void *solution;
    /* For submissions specific to the kind: fields instead of arrays, and the group that records the tasks. */
    struct starfish_field *rhs_field, *solution_field;
    struct starfish_stream_group *group;
    int boundary_stays; /* its arrays too stay until the job is done */
};

struct starfish_job {
    struct starfish_plan *plan;
    struct starfish_request request;
    struct starfish_progress progress;
    struct starfish_stretch step[STARFISH_PROGRESS_STEPS]; /* of the progress */
    struct starfish_bytes before;                          /* moved until the submission */
    struct starfish_turn turn;
    void *of_run;               /* what the plan's `run` works on */
    struct starfish_job *inner; /* where the first rank solves for all, on that rank: its own job, which has ended */
    atomic_int has_ended;       /* 1 once the job's tasks have been waited for, or the first rank has solved */
    starfish_tell *tell;        /* the plan's at the submission */
    void *tell_data;
    atomic_int cancelled, iterations; /* iterations done, */
    int most;                         /* and allowed */
    struct starfish_failure failure;
    struct starfish_result result;
    void *kept; /* the kind's additional results until the job is finished; from malloc */
};

/* A plan of the kind, whose problem is a struct with that table; arguments may be what a caller should not have passed.
 * Collective where the kind is `on_ranks`. */
starfish_status starfish_plan_make(struct starfish_context *context, const struct starfish_kind *kind,
                                   const struct starfish_member_table *table, const void *problem, const void *options,
                                   struct starfish_plan **result);
/* The memory that this plan would take. */
starfish_status starfish_plan_measure(struct starfish_context *context, const struct starfish_kind *kind,
                                      const struct starfish_member_table *table, const void *problem,
                                      const void *options, struct starfish_memory *memory);
/* A plan without a problem, or with room for one of that table, all zero but for what is known here; it is freed by
 * starfish_plan_destroy, which calls kind->release. Errors: MEMORY. */
starfish_status starfish_plan_begin(struct starfish_context *context, const struct starfish_kind *kind,
                                    const struct starfish_member_table *table, struct starfish_plan **result);
/* The end of a maker, which began at the time `start` (starfish_now): the plan is handed to the caller, or, where
 * making it failed, destroyed. Returns `status`. */
starfish_status starfish_plan_end(struct starfish_plan *plan, double start, starfish_status status,
                                  struct starfish_plan **result);
static inline void *starfish_plan_options(const struct starfish_plan *plan)
{
    return (char *)(uintptr_t)plan + plan->kind->options_at;
}
/* Whether a plan of the public interface is one of the kind. Errors: ARGUMENT (NULL; another kind's). */
starfish_status starfish_plan_check(const struct starfish_plan *plan, const struct starfish_kind *kind);

/* The plan's last solve was repeated by that plan, whose method is reported from now on; NULL: it was not. */
void starfish_plan_solved_again(struct starfish_plan *plan, const struct starfish_plan *by);

/* A job; `waits`: it has ended when this returns, and is still to be finished. */
starfish_status starfish_job_create(starfish_plan *plan, const struct starfish_request *request, int waits,
                                    struct starfish_job **result);
/* Of an iteration that has looked at its residual: job->iterations, and the plan's watcher. `data` is the job. */
void starfish_job_look(void *data, const struct starfish_result *result);

/* Whether the caller has set the size of a struct to be filled, of which this library knows `bytes` bytes; NULL is
 * allowed. Errors: ARGUMENT (names the struct). */
starfish_status starfish_filled_check(const void *user, size_t bytes, const char *name);
/* Fills the user's struct from `own`; NULL is allowed. */
void starfish_filled_copy(void *user, const void *own, size_t bytes);

#endif
