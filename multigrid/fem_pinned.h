/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coarsest grids of singular problems: a matrix that is positive definite and has the same solution, apart from a
 * constant per component. */
#ifndef STARFISH_MULTIGRID_FEM_PINNED_H
#define STARFISH_MULTIGRID_FEM_PINNED_H

#include "sparse/matrix.h"

/* Where A has components (of its graph) whose rows all have the sum 0, so that a constant may be added to a solution
 * there: A with the diagonal entry of one unknown of each of these doubled. That matrix is positive definite. If the
 * right-hand side has the sum 0 on such a component, as that of a solvable problem has, the pinned unknown is 0 and the
 * solution solves A x = f too: the sum over the component's equations says a x = 0 of it. If rounding errors have left
 * another sum, the solution differs by as little, where an iteration with A itself would not converge. Without such
 * components *pinned stays empty. Errors: MEMORY. */
starfish_status starfish_fem_pin(const struct starfish_csr *a, struct starfish_csr *pinned);

#endif
