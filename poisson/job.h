/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A solve: a job owns everything that lives as long as its tasks; starfish_job_finish frees all of it. */
#ifndef STARFISH_POISSON_JOB_H
#define STARFISH_POISSON_JOB_H

#include "codelets/stencil.h"
#include "poisson/plan.h"
#include "solver/accept.h"
#include "solver/solver.h"

struct starfish_finite_search;

struct starfish_poisson_job {
    struct starfish_job base;           /* the first member */
    struct starfish_poisson_plan *plan; /* base.plan */
    struct starfish_runs cut;           /* that of the fields, whose arrays it shares */
    void *graph;                        /* of that cut; NULL: the method iterates */
    /* Those of the request, or over its arrays: then they end with the job. One field where the solve is in place. */
    struct starfish_field *rhs, *solution;
    int owns_fields;
    int holds_fields; /* from other jobs (field.h) */
    int owns_group;   /* the request's */
    int lone;         /* there was no other job when it was submitted, and it is not one of fields */
    int staged;       /* cores copy rhs and solution from and to pageable memory (layout.h) */

    struct starfish_space space;           /* of that cut; with halos where a residual will be asked for */
    struct starfish_vector solution_slabs; /* with edges where there are halos; the user's own, or packed */
    /* Right-hand side with boundary data, where it differs from the user's or would be overwritten, in memory of the
     * runtime's. */
    starfish_handle *full_rhs;              /* of each slab, as the arrays below */
    starfish_handle ghosted;                /* the solution's array with its ghosts */
    struct starfish_boundary_data boundary; /* of ends that have data */
    int boundary_in_passing;                /* the task that reads the user's right-hand side moves them to it */
    void *face_copy[3][2];                  /* of its arrays, where the user's may go */
    const void *face_on_host[3][2];         /* these or the user's; NULL: on a device, or no data */
    double largest_boundary; /* what the arrays on the host add to a right-hand side that has become zero by rounding;
                                of this rank; else 0 */
    struct starfish_coefficient_table removed; /* pertrb, and another double */
    struct starfish_coefficient_table *means;  /* volume_mean.h: sums of each slab, then numbers; NULL: not wanted */
    /* Of iterative refinement: the correction, and what a solve for it finds left of pertrb; of every slab the maxima
     * of the residual after a step, and of the correction; and what became of the steps. */
    struct starfish_vector correction;
    struct starfish_coefficient_table removed_again;
    struct starfish_coefficient_table *refined, *correction_maximum;
    struct starfish_coefficient_table verdict[STARFISH_MOST_REFINEMENTS];
    /* Of the residual, before the last step where there is one: STARFISH_MAXIMA doubles for each problem. */
    struct starfish_coefficient_table *maximum;
    starfish_handle *packed; /* layout.h: the solution, before it goes where the user wants it */
    struct starfish_coefficient_table *removed_of_slab; /* of many singular problems: two doubles for each */
    struct starfish_finite_search *search;              /* for values that are not finite; NULL: not requested */
    /* Where the user wants more than the result, or NULL. */
    double *pertrb_wanted;
    struct starfish_poisson_phases *phases_wanted;
    double wide_seconds; /* of a solve that was repeated (wide.h), else 0 */

    /* Of an iteration: */
    double solved;        /* when the iteration ended, by starfish_now; 0: it has not */
    double cycle_seconds; /* of a run of multigrid */
    int unwritten;        /* it has failed before it wrote a solution: nothing is known of a residual */
};

/* solve.c */
extern const struct starfish_kind starfish_kind_poisson;
/* What follows the solve: the solution comes home, where the job owns the fields, and its residual is computed.
 * Submitted behind the tasks of a direct method, or at the end of an iteration. */
starfish_status starfish_job_submit_rest(struct starfish_poisson_job *job);
/* Of that: the solution comes to where the user wants it, its ghosts too. */
starfish_status starfish_job_submit_home(struct starfish_poisson_job *job);

/* boundary.c: whether right-hand sides are always copied, since the copy gives planes that are one unknown a single
 * value. */
int starfish_poisson_fills_rhs(const struct starfish_poisson_plan *plan);

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
/* What is found out about the solution of a job whose tasks are done, in its result, and whether it may be called
 * solved (NUMERICAL; says why not). Where nothing is known of a solution of a direct method nothing is refused.
 * Collective. Errors: ARGUMENT too (the right-hand side with its boundary data is so small that it has lost digits). */
extern const struct starfish_acceptance starfish_poisson_acceptance;
starfish_status starfish_job_accept(struct starfish_poisson_job *job);

/* phases.c: how long the check of the residual ran on after the solution was there. */
double starfish_job_residual_tail(const struct starfish_poisson_job *job);
/* In the thread that finishes the job: what the user wants to know beside the result. */
void starfish_job_report_wanted(struct starfish_job *base);

#endif
