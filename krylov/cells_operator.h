/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operator of a cell matrix (krylov/kernels/cells.h) for conjugate gradients, and its preconditioners. */
#ifndef STARFISH_KRYLOV_CELLS_OPERATOR_H
#define STARFISH_KRYLOV_CELLS_OPERATOR_H

#include "codelets/gradients.h"
#include "krylov/operator.h"
#include "scheduler/runtime/halo_window.h"

/* Must stay as long as the operator and the preconditioner that are made of it. */
struct starfish_cells_matrix {
    const struct starfish_algebra *algebra;
    const struct starfish_vector *half;   /* of incomplete Poisson, for its first half */
    struct starfish_gradients_task steps; /* op, by, block and table, of any task; what else several steps need */
};

/* For the recurrence: residuals are of a u and an f, neither of them NULL. */
struct starfish_linear_operator starfish_cells_operator(const struct starfish_cells_matrix *matrix);
/* Of any kind but ANOTHER; by NOTHING: without functions. */
struct starfish_preconditioner starfish_cells_preconditioner(struct starfish_cells_matrix *matrix);

/* The table of a preconditioner that has one, of all cells, from a matrix stored in f64, of which a rank has the planes
 * of the window: MEMORY. Blocks begin anew at every part of the space. */
struct starfish_cells_table_spec {
    enum starfish_cell_preconditioner by;
    const struct starfish_cell_matrix *matrix;
    const struct starfish_space *space;
    const struct starfish_halo_window *window;
    size_t block;
    starfish_precision precision;
};
starfish_status starfish_cells_table(const struct starfish_cells_table_spec *spec,
                                     struct starfish_coefficient_table *table);

#endif
