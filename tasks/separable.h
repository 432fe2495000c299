/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the graphs of all separable solvers share: directions as numbers, phases, and the residual. */
#ifndef STARFISH_TASKS_SEPARABLE_H
#define STARFISH_TASKS_SEPARABLE_H

#include "codelets/phases.h"
#include "codelets/stencil.h"
#include "fft/kernels/basis.h"
#include "scheduler/runtime/coefficient_table.h"
#include "scheduler/runtime/field.h"
#include "scheduler/runtime/progress.h"

/* One direction as numbers: a tridiagonal matrix, the transform that diagonalises it when there is one, and what
 * boundary data and means need. */
struct starfish_direction {
    size_t n;
    int periodic;
    int has_transform;
    int spectral; /* eigenvalues are the operator's, and rows differences in their place */
    enum starfish_transform_kind transform;
    double *lower, *diag, *upper; /* n each */
    double *imaginary;            /* imaginary parts of lower, diag and upper, one after the other; NULL: zero */
    double *eigenvalue;           /* n, in the order of the transform; meaningless without one */
    double *sum;                  /* n: what rows sum to, exactly zero where no more than rounding (base/row_sum.h) */
    double dropped;               /* the most of those sums that were no more than rounding */
    double *weight;               /* n, sums to one: the mean that a singular problem must have zero */
    double *weight_x; /* n, of z: what row k multiplies the part in x by, 0: its unknowns are one; NULL: ones */
    double *scale_y;  /* n, of y: what its rows, and the equations of slab, are multiplied by; NULL: ones */
    double boundary_weight[2]; /* right-hand side at an end is reduced by this times the boundary datum */
    int takes_boundary[2];     /* whether the end has data at all */
    /* poisson/null_space.h finds these and `weight`. */
    int constant_null; /* rows sum to zero: constants are in the null space */
    size_t null_parts; /* runs of rows, coupled to no others, with constants of their own in the null space */
    unsigned signs;    /* enum starfish_sign: what couplings and sums are, of which both may be zero */
};

/* Couplings are positive and row sums negative or zero, as of the Laplacian; or the other way around. */
enum starfish_sign { STARFISH_SIGN_LAPLACIAN = 1, STARFISH_SIGN_OPPOSITE = 2 };

/* lower, diag, upper and, if any, weight_x of some directions, one after the other, as a table for tasks; in pairs
 * where they are complex. */
starfish_status starfish_matrix_table(struct starfish_coefficient_table *vector, starfish_precision precision,
                                      const struct starfish_direction *direction, size_t count);

/* What the graph of a direct method solves with. rhs and the solution's pieces: slabs of fields, the same or others.
 * The solution's edges are written where it has any; its space then has the graph's cut. boundary: what the graph still
 * has to move to the right-hand side, or NULL. In singular problems, else NULL, what receives pertrb: `removed`, a
 * double for each part of a number, or two; or of each slab, two doubles for each of its problems. */
struct starfish_direct_data {
    const starfish_handle *rhs;
    const struct starfish_boundary_data *boundary;
    const struct starfish_vector *solution;
    starfish_handle removed;
    const struct starfish_coefficient_table *removed_of_slab;
};

starfish_status starfish_operator_create(struct starfish_operator *op, starfish_precision precision,
                                         const struct starfish_direction *direction, double lambda, int complex_pairs);
void starfish_operator_destroy(struct starfish_operator *op);

/* A step of iterative refinement, once `correction` (slabs) is there: it is added to the solution, whose residual for
 * data->rhs and data->removed is computed, and taken back where that says so (stencil/kernels/refine.h). Afterwards
 * `correction` is the solution before the step. Writes the solution's edges where there are any. */
struct starfish_refinement_data {
    const starfish_handle *rhs;
    starfish_handle removed;
    const starfish_handle *correction;
    const struct starfish_coefficient_table
        *before; /* the maxima of the residual before the step, per slab; written by its task */
    const struct starfish_coefficient_table *after,
        *correction_maximum; /* per slab STARFISH_MAXIMA doubles, and one: work space */
    starfish_handle verdict; /* STARFISH_VERDICT_NUMBERS doubles */
    /* As in struct starfish_residual_data; the verdict is one for all problems. */
    int many;
    const struct starfish_coefficient_table *removed_of_slab;
};
starfish_status starfish_graph_refine(const struct starfish_operator *op, struct starfish_progress *progress,
                                      const struct starfish_vector *solution,
                                      const struct starfish_refinement_data *data);

/* Write the solution's edges, where there are any, after tasks that know of none. */
starfish_status starfish_graph_edges(struct starfish_progress *progress, int phase,
                                     const struct starfish_vector *solution);

/* Bring what tasks have written to the memory that the data came from, as soon as it is there to be brought. */
starfish_status starfish_graph_bring_home(struct starfish_progress *progress, int phase,
                                          const struct starfish_runs *cut, const starfish_handle *slab);
/* Now and then for slabs that are only read (codelets/bring_home.h). */
starfish_status starfish_graph_forget_readers(struct starfish_progress *progress, int phase,
                                              const struct starfish_runs *cut, const starfish_handle *slab);

#endif
