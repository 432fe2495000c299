/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The methods of the separable solvers as a table: each row describes a method's abilities, its cost, and its
 * functions.
 *
 * A new method is a file with a row, a value of enum starfish_method, its name in starfish_method_list and its row in
 * starfish_method_rows (choose.c). */
#ifndef STARFISH_POISSON_METHODS_H
#define STARFISH_POISSON_METHODS_H

#include "base/status.h"
#include "poisson/job.h"
#include "poisson/plan.h"

struct starfish_multigrid_engine;

/* How fast solves follow one another. One that is waited for copies in first and out last; in a stream, one's copies
 * out go with the next one's in. Fields are cut as for lone solves, and that cut stays. */
enum starfish_pace { STARFISH_LONE, STARFISH_STREAM, STARFISH_PACES, STARFISH_FOR_FIELDS = STARFISH_PACES };

struct starfish_method_row {
    starfish_method id;
    const char *summary;
    int direct; /* divides by sums of eigenvalues, of which lambda may cancel none */
    int many;   /* does solves of many problems */
    int rows;   /* reads and writes rows that are not packed */
    int ranks;  /* runs on several ranks, each with its own planes; else the first solves for all (solver/gather.h) */

    /* Checks that the method can solve the plan's problem; the message of a failure says why not. */
    starfish_status (*can)(const struct starfish_poisson_plan *plan);
    /* Estimated seconds of a solve; 0: best in any case; HUGE_VAL: chosen only if no other method can. why[size]
     * receives the reason. NULL: `auto` never chooses the method. */
    double (*cost)(const struct starfish_poisson_plan *plan, char *why, size_t size);
    /* Makes plan->state. NOT_SYMMETRIZABLE: `auto` looks for another method. */
    starfish_status (*create)(struct starfish_poisson_plan *plan);
    void (*destroy)(struct starfish_poisson_plan *plan);

    /* The cut of fields whose data have that residence, for solves at that pace. NULL: plan->only_cut. */
    starfish_status (*cut)(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                           enum starfish_pace pace, const struct starfish_runs **cut);
    /* The graph that solves fields with that cut, or NULL if the plan has no such cut. With the plan's lock held. NULL:
     * plan->only_graph, of plan->only_cut. */
    void *(*graph_of)(struct starfish_poisson_plan *plan, const struct starfish_runs *cut);
    /* Whether cores copy arrays in pageable memory through pinned memory, and fields over them are cut as for
     * STARFISH_STAGED; NULL: no. */
    int (*stages)(const struct starfish_poisson_plan *plan);
    /* Whether `submit` can move job->boundary to the right-hand side as it reads that, of jobs on cores without
     * refinement; it does where job->boundary_in_passing. Else boundary data are part of `rhs`, for which the field is
     * copied. NULL: no. */
    int (*moves_boundary)(const void *graph);
    /* Submits a solve with the graph. With the plan's lock held. NULL: the method iterates. */
    starfish_status (*submit)(void *graph, struct starfish_progress *progress, const struct starfish_direct_data *data);
    /* Then: makes base.of_run, from malloc, for a solve from rhs to solution, slabs of the job's cut; and what plans
     * run, without steps of refinement (solver.h). */
    starfish_status (*take)(struct starfish_poisson_job *job, const starfish_handle *rhs,
                            const struct starfish_vector *solution);
    starfish_status (*run)(struct starfish_job *base);
    /* And how it ended, for the judgement: all but rounding and tests. */
    void (*look)(const struct starfish_poisson_job *job, struct starfish_evidence *evidence);
    /* What plan and solves take of memories, when the method has been chosen: the plan's state may not be there yet.
     * All members but `size` and `gpu_there`. Errors: MEMORY (it fits in no way). */
    starfish_status (*memory)(const struct starfish_poisson_plan *plan, struct starfish_memory *memory);
    /* Phases and levels that only this method has, and what it learns from a finished job; NULL: nothing. */
    void (*phases)(const struct starfish_poisson_job *job, struct starfish_poisson_phases *phases);
    void (*watch)(const struct starfish_poisson_job *job, double seconds);
};

enum { STARFISH_METHODS = STARFISH_METHOD_MULTIGRID + 1, STARFISH_ALL_METHODS = STARFISH_METHODS + 2 };
/* The last choice of `auto`, which cannot be asked for. */
#define STARFISH_METHOD_ELIMINATION ((starfish_method)(STARFISH_METHODS + 1))

/* Names by enum starfish_method, "auto" first, and NULL behind the last one that can be asked for; and rows, NULL for
 * "auto". */
extern const char *const starfish_method_list[STARFISH_ALL_METHODS];
extern const struct starfish_method_row *const starfish_method_rows[STARFISH_ALL_METHODS];
extern const struct starfish_method_row starfish_slab_method, starfish_blktri_method, starfish_blktri_product_method,
    starfish_multigrid_method, starfish_elimination_method;

/* Sets plan->method and plan->reason: the requested method, or the cheapest of the possible ones. */
starfish_status starfish_poisson_choose_method(struct starfish_poisson_plan *plan);
/* memory.c: MEMORY, with the bytes, where GPUs have less than the method needs at least. */
starfish_status starfish_poisson_check_memory(const struct starfish_poisson_plan *plan);
/* Of the kind: the beginning of a plan; what a run came to, multigrid's so far; its end, and its memory. */
starfish_status starfish_poisson_check_plan(struct starfish_plan *base);
starfish_status starfish_poisson_create_plan(struct starfish_plan *base);
starfish_status starfish_poisson_accept(struct starfish_job *base, starfish_status status);
void starfish_poisson_release(struct starfish_plan *base);
starfish_status starfish_poisson_report_memory(const struct starfish_plan *base, struct starfish_memory *memory);

/* The method's `cut` and `graph_of`, or the plan's only ones. */
starfish_status starfish_poisson_cut(struct starfish_poisson_plan *plan, enum starfish_residence residence,
                                     enum starfish_pace pace, const struct starfish_runs **cut);
void *starfish_poisson_graph_of(struct starfish_poisson_plan *plan, const struct starfish_runs *cut);

/* Makes the method's state. `auto` may still take another method, when making it shows more of what it costs. */
starfish_status starfish_poisson_create_method(struct starfish_poisson_plan *plan);
/* Where there is no method yet it does nothing. */
void starfish_poisson_destroy_method(struct starfish_poisson_plan *plan);

/* For `can` of direct methods: x must have a transform. */
static inline starfish_status starfish_poisson_check_transform_x(const struct starfish_poisson_plan *plan)
{
    STARFISH_FAIL_IF(!plan->direction[0].has_transform, STARFISH_ERROR_UNSUPPORTED,
                     "axis x must be uniform or have constant coefficients");
    return STARFISH_SUCCESS;
}

/* What the method multigrid solves with, NULL where the method is another one. */
const struct starfish_multigrid_engine *starfish_poisson_engine(const struct starfish_poisson_plan *plan);

#endif
