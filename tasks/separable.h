/* What the graphs of all separable solvers share: directions as numbers, phases, and the residual. */
#ifndef STARFISH_TASKS_SEPARABLE_H
#define STARFISH_TASKS_SEPARABLE_H

#include "fft/kernels/basis.h"
#include "scheduler/field.h"
#include "scheduler/progress.h"
#include "scheduler/table.h"

/* One direction as numbers: a tridiagonal matrix, the transform that diagonalises it when there is one, and what
 * boundary data and means need. */
struct starfish_direction {
    size_t n;
    int periodic;
    int has_transform;
    enum starfish_transform_kind transform;
    double *lower, *diag, *upper; /* n each */
    double *imaginary;            /* imaginary parts of lower, diag and upper, one after the other; NULL: zero */
    double *eigenvalue;           /* n, in the order of the transform; meaningless without one */
    double *weight;               /* n, sums to one: the mean that a singular problem must have zero */
    double boundary_weight[2];    /* right-hand side at an end is reduced by this times the boundary datum */
    int takes_boundary[2];        /* whether the end has data at all */
    int constant_null;            /* rows sum to zero: constants are in the null space */
};

enum starfish_phase {
    STARFISH_PHASE_FORWARD,
    STARFISH_PHASE_MODES,
    STARFISH_PHASE_BACKWARD,
    STARFISH_PHASE_REFINEMENT, /* what is between two solves */
    STARFISH_PHASE_RESIDUAL,
    STARFISH_PHASES
};

/* lower, diag, upper of some directions, one after the other, as a table for tasks; in pairs where they are complex. */
starfish_status starfish_matrix_table(struct starfish_table *vector, starfish_precision precision,
                                      const struct starfish_direction *direction, size_t count);

/* The seven-point operator of a problem. */
struct starfish_operator {
    starfish_precision precision;
    size_t n[3];
    int periodic[3];
    int complex_pairs, complex_y; /* as struct starfish_residual has them */
    double lambda;
    struct starfish_table axes;
};
starfish_status starfish_operator_create(struct starfish_operator *op, starfish_precision precision,
                                         const struct starfish_direction *direction, double lambda, int complex_pairs);
void starfish_operator_destroy(struct starfish_operator *op);

/* What a residual takes besides the solution, and makes. */
struct starfish_residual_data {
    const starfish_handle *rhs;           /* slabs */
    starfish_handle removed;              /* the double that is taken off the right-hand side, or NULL */
    const struct starfish_table *maximum; /* per slab two doubles (codelets/stencil.h), or NULL */
    const starfish_handle *result;        /* slabs that receive the residual, none of them of rhs; or NULL */
};
/* Reads the solution's slabs and their neighbours' edges, which have been written if there is more than one slab. */
starfish_status starfish_graph_residual(const struct starfish_operator *op, const struct starfish_cut *cut,
                                        struct starfish_progress *progress, int phase,
                                        const struct starfish_slabs *solution,
                                        const struct starfish_residual_data *data);
/* solution += correction; writes the solution's edges where there are any. */
starfish_status starfish_graph_add(const struct starfish_operator *op, const struct starfish_cut *cut,
                                   struct starfish_progress *progress, const struct starfish_slabs *solution,
                                   const starfish_handle *correction);

/* Write the solution's edges, where there are any, after tasks that know of none. */
starfish_status starfish_graph_edges(const struct starfish_operator *op, const struct starfish_cut *cut,
                                     struct starfish_progress *progress, int phase,
                                     const struct starfish_slabs *solution);

/* Bring what tasks have written to the memory that the data came from, as soon as it is there to be brought. */
starfish_status starfish_graph_bring_home(struct starfish_progress *progress, int phase, const struct starfish_cut *cut,
                                          const starfish_handle *slab);
/* Now and then for slabs that are only read (codelets/bring_home.h). */
starfish_status starfish_graph_forget_readers(struct starfish_progress *progress, int phase,
                                              const struct starfish_cut *cut, const starfish_handle *slab);

#endif
