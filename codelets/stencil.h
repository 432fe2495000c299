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

/* The seven-point operator of a problem. */
struct starfish_operator {
    starfish_precision precision;
    size_t n[3];
    int periodic[3];
    int complex_pairs, complex_y; /* as struct starfish_residual has them */
    double lambda;
    struct starfish_coefficient_table
        axes,     /* of doubles, whatever the precision: lower, diag, upper, sum of x, then y, then z */
        dense[2], /* of doubles, as struct starfish_residual has them, or none */
        factors;  /* of doubles: weight_x of each plane, then scale_y of each row; none: ones */
};

/* What a residual takes besides the solution, and makes. */
struct starfish_residual_data {
    const starfish_handle *rhs; /* slabs */
    starfish_handle removed;    /* the double that is taken off the right-hand side, or NULL */
    const struct starfish_coefficient_table
        *maximum;                  /* per slab STARFISH_MAXIMA doubles (stencil/kernels/stencil.h), or NULL */
    const starfish_handle *result; /* slabs that receive the residual, none of them of rhs; or NULL */
    /* The field is many problems, cut between them: then what is taken off is, per slab, two doubles for each problem,
     * of which the first counts, or NULL; and so are maxima. */
    int many;
    const struct starfish_coefficient_table *removed_of_slab;
    const struct starfish_boundary_data *boundary; /* on cores: still to be moved to rhs; or NULL */
};
/* A task for each part of u, whose edges have been written where there are several. Grids have a residual of their own
 * (codelets/grid.h): it reads ghosts and adds squares up in the precision of a cycle, where this one reads packed slabs
 * and finds the maxima in f64 that solutions are accepted by. */
starfish_status starfish_submit_residual(struct starfish_progress *progress, int phase,
                                         const struct starfish_operator *op, const struct starfish_vector *u,
                                         const struct starfish_residual_data *data);

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
    starpu_data_handle_t factors;     /* the operator's, or NULL */
    /* Planes that those are of, and which of them is plane 0 of the task: a rank's planes are some of the field's. */
    size_t factor_planes, first_factor;
    double at_point[2][2]; /* as struct starfish_boundary_rhs has it */
    const char *name;      /* NULL: "boundary data" */
    int past_caches;       /* as struct starfish_boundary_rhs has it */
};
starfish_status starfish_submit_boundary_rhs(struct starfish_progress *progress, int phase,
                                             const struct starfish_boundary_task *description);

#endif
