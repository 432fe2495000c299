/* A solve: a job owns what lives as long as its tasks, and nothing of it outlives starfish_job_wait. */
#ifndef STARFISH_POISSON_JOB_H
#define STARFISH_POISSON_JOB_H

#include "codelets/stencil.h"
#include "poisson/plan.h"
#include "scheduler/progress.h"
#include "solver/accept.h"

struct starfish_finite_search;
struct starfish_gathered_result;

struct starfish_poisson_job {
    struct starfish_poisson_plan *plan;
    struct starfish_progress progress;
    struct starfish_cut cut;
    struct starfish_field *rhs;
    struct starfish_field *solution;
    int owns_fields; /* they are over arrays of the user's, and end with the job */
    int lone;        /* there was no other job when it was submitted */
    int in_place;    /* the user's arrays of boundary data stay until the job is done */
    int in_bundle;   /* its tasks are one in a stream of the user's (submit_on.c) */
    int staged;      /* cores copy rhs and solution from and to pageable memory (layout.h) */

    struct starfish_slabs solution_slabs; /* with edges where a residual will be asked for; the user's own, or packed */
    /* Right-hand side with boundary data, where it differs from the user's or would be overwritten, in memory of the
     * runtime's. */
    starfish_handle full_rhs[STARFISH_MAX_SLABS];
    starfish_handle ghosted;                /* the solution's array with its ghosts */
    struct starfish_boundary_data boundary; /* of ends that have data */
    int boundary_in_passing;                /* who reads the user's right-hand side moves them to it */
    void *face_copy[3][2];                  /* of its arrays, where the user's may go */
    const void *face_on_host[3][2];         /* these or the user's; NULL: on a device, or there is none */
    double largest_boundary; /* what the arrays on the host add to a right-hand side that has become zero by rounding;
                                of this rank; else 0 */
    struct starfish_table removed; /* pertrb, and another double */
    /* Of iterative refinement: the correction, and what a solve for it finds left of pertrb; of every slab the maxima
     * of the residual after a step, and of the correction; and what became of the steps. */
    struct starfish_slabs correction;
    struct starfish_table removed_again;
    struct starfish_table refined[STARFISH_MAX_SLABS], correction_maximum[STARFISH_MAX_SLABS];
    struct starfish_table verdict[STARFISH_MOST_REFINEMENTS];
    /* Of the residual, before the last step where there is one: STARFISH_MAXIMA doubles for each problem. */
    struct starfish_table maximum[STARFISH_MAX_SLABS];
    starfish_handle packed[STARFISH_MAX_SLABS]; /* layout.h: the solution, before it goes where the user wants it */
    struct starfish_table removed_of_slab[STARFISH_MAX_SLABS]; /* of many singular problems: two doubles for each */
    double *pertrb;                                            /* where the user wants it of each problem, or NULL */
    struct starfish_finite_search *search;                     /* for what is not finite, where it is asked for */

    void *of_method; /* what the method keeps for the job, from malloc */
    struct starfish_job_on
        *on; /* in a stream of the user's (submit_on.c): of the job only the plan and pertrb are used */
    struct starfish_gathered_result *gathered; /* what it came to, where one rank solved for all; else NULL */
    double solved; /* by starfish_now: when a method's own thread had solved; 0: there is none */
    int unwritten; /* that thread has failed before it wrote a solution: nothing is known of a residual */
};

/* solve.c: what follows the solve: the solution comes home, where the job owns the fields, and its residual is
 * computed. Submitted behind the method's tasks, or, where the method has a thread of its own, at its end by it. */
starfish_status starfish_job_submit_rest(struct starfish_poisson_job *job);
/* Of that: the solution comes to where the user wants it, its ghosts too. */
starfish_status starfish_job_submit_home(struct starfish_poisson_job *job);
/* And that thread's last word: other jobs may have the fields. */
void starfish_job_release_fields(struct starfish_poisson_job *job);

/* boundary.c: fills job->boundary with the data of ends that take them; *any: whether there are any. */
starfish_status starfish_job_take_boundary(struct starfish_poisson_job *job, const struct starfish_boundary *boundary,
                                           int *any);
/* The largest value that this rank's arrays on the host add to the right-hand side, in f64. */
double starfish_job_largest_boundary(const struct starfish_poisson_job *job);
/* Submits the right-hand side with job->boundary (none: a copy) to full_rhs. */
starfish_status starfish_job_submit_full_rhs(struct starfish_poisson_job *job);
/* After the tasks: releases full_rhs and the faces. */
void starfish_job_release_boundary(struct starfish_poisson_job *job);

/* finite.c: submits the search for values of the right-hand side and of boundary data that are not finite; and, when
 * its tasks are done, says which there are (ARGUMENT; names array and first index). Nothing without check_data. */
starfish_status starfish_job_submit_search(struct starfish_poisson_job *job);
starfish_status starfish_job_end_search(const struct starfish_poisson_job *job);
void starfish_job_release_search(struct starfish_poisson_job *job);

/* judge.c: before boundary data go: job->largest_boundary of a job whose tasks are done. */
void starfish_job_look_at_boundary(struct starfish_poisson_job *job);
/* What is found out about the solution of a finished job. Without check_residual and refinement nothing is known. */
struct starfish_findings {
    struct starfish_accuracy accuracy;
    double error;    /* how wrong it may be where no correction tells; 0: not known */
    double rounding; /* starfish_rounding, where maxima of rows stand for norms; NaN: not known */
};
/* Collective. Errors: ARGUMENT (the right-hand side with its boundary data is so small that it has lost digits). */
starfish_status starfish_job_find_accuracy(const struct starfish_poisson_job *job, struct starfish_findings *findings);
/* Whether it may be called solved (NUMERICAL; says why not). `failure`: of its iteration; fills info->outcome, which
 * is that of the iteration before. Where nothing is known of a solution without a failure nothing is refused. */
extern const struct starfish_acceptance starfish_poisson_acceptance;
starfish_status starfish_job_accept(const struct starfish_poisson_job *job, const struct starfish_failure *failure,
                                    struct starfish_findings *findings, struct starfish_info *info);

/* info.c: what a finished job tells, `seconds` after it began. Errors: RUNTIME. */
starfish_status starfish_job_fill_info(const struct starfish_poisson_job *job, double seconds,
                                       const struct starfish_accuracy *accuracy, struct starfish_info *info);
/* Copies both to the caller's structs, of which either may be NULL. */
void starfish_job_tell(const struct starfish_info *info, const struct starfish_accuracy *accuracy,
                       struct starfish_info *to_info, struct starfish_accuracy *to_accuracy);

#endif
