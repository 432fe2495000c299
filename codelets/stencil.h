/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: the seven-point operator on one slab of a field (stencil/kernels/stencil.h): boundary data, residual and
 * refinement. Slabs are the parts of a vector, whose edges are copies of their first and last planes. */
#ifndef STARFISH_CODELETS_STENCIL_H
#define STARFISH_CODELETS_STENCIL_H

#include "codelets/vectors.h"
#include "scheduler/runtime/coefficient_table.h"
#include "scheduler/runtime/task.h"
#include "stencil/kernels/stencil.h"

/* Boundary data as struct starfish_boundary_rhs has them, arrays as vectors of reals. All zero: none. */
struct starfish_boundary_data {
    double weight[3][2], constant[3][2];
    starpu_data_handle_t face[3][2];
};

struct starfish_residual_task {
    starfish_precision precision;
    size_t n[3], first_plane, planes; /* of the slab; of the field */
    int periodic[3];
    int complex_pairs, complex_y; /* as struct starfish_residual has them */
    double lambda;
    int device;                /* whose workers may run it (scheduler/runtime/owner.h), as below */
    starpu_data_handle_t axes; /* lower, diag, upper, sum of x, then y, then z (all planes): doubles, of a complex y
                                * pairs */
    starpu_data_handle_t u;    /* the slab */
    starpu_data_handle_t below,
        above; /* the planes next to it: the edges of its neighbours; NULL where there is none */
    int wraps; /* a single slab, periodic in z: its own planes are next to it */
    starpu_data_handle_t rhs;
    starpu_data_handle_t offset;                   /* a double for each part of a number, or NULL */
    starpu_data_handle_t maximum;                  /* STARFISH_MAXIMA doubles, or NULL */
    starpu_data_handle_t result;                   /* slab that receives the residual, or NULL */
    const struct starfish_boundary_data *boundary; /* on cores, of one problem: still to be moved to rhs; or NULL */
    /* The slab is so many whole problems of n[0] * n[1] * planes, without planes next to them: `offset` and `maximum`
     * are two doubles for each, and they are done one after the other. 0: it is a slab of one. */
    size_t problems;
};
starfish_status starfish_submit_residual(struct starfish_progress *progress, int phase,
                                         const struct starfish_residual_task *description);

/* Writes the edges of a part, for tasks that know of none. */
starfish_status starfish_submit_edges(struct starfish_progress *progress, int phase,
                                      const struct starfish_vector *vector, size_t part);

/* One slab's part of a step of iterative refinement (codelets/refine.c), which writes the edges of u. */
struct starfish_refine_task {
    int phase;
    const struct starfish_vector *u;
    size_t part;
    starpu_data_handle_t correction;
};
/* u += correction, and the correction becomes what u was. maximum: a double, max |correction|. */
starfish_status starfish_submit_refine_add(struct starfish_progress *progress,
                                           const struct starfish_refine_task *description,
                                           starpu_data_handle_t maximum);
/* u becomes `correction` again where the verdict is against the step. */
starfish_status starfish_submit_refine_restore(struct starfish_progress *progress,
                                               const struct starfish_refine_task *description,
                                               starpu_data_handle_t verdict);

/* The verdict, STARFISH_VERDICT_NUMBERS doubles (stencil/kernels/refine.h), from the maxima of all slabs. */
struct starfish_refine_judge_task {
    starfish_precision precision;
    int phase;
    size_t slabs;
    int device;
    const struct starfish_coefficient_table *before, *after, *correction; /* one per slab */
    starpu_data_handle_t verdict;
};
starfish_status starfish_submit_refine_judge(struct starfish_progress *progress,
                                             const struct starfish_refine_judge_task *description);

/* Where values are not finite: first, room for a double, receives the uint64_t of stencil/kernels/finite.h. */
struct starfish_finite_task {
    starfish_precision precision;
    size_t count;
    int is_slab; /* values are a block, else a vector */
    int device;
    starpu_data_handle_t values, first;
};
starfish_status starfish_submit_finite(struct starfish_progress *progress, int phase,
                                       const struct starfish_finite_task *description);

struct starfish_boundary_task {
    starfish_precision precision;
    size_t n[3], first_plane, planes;
    struct starfish_boundary_data data; /* none: a copy */
    int device;
    starpu_data_handle_t rhs, result; /* slabs, of rows wherever they lie */
    const char *name;                 /* NULL: "boundary data" */
    int past_caches;                  /* as struct starfish_boundary_rhs has it */
};
starfish_status starfish_submit_boundary_rhs(struct starfish_progress *progress, int phase,
                                             const struct starfish_boundary_task *description);

#endif
