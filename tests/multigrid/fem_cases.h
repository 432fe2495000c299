/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids of finite elements on a context: one part, and three parts for each of some sets of owners. Returns how many
 * checks failed. */
#ifndef STARFISH_TESTS_MULTIGRID_FEM_CASES_H
#define STARFISH_TESTS_MULTIGRID_FEM_CASES_H

#include "tests/multigrid/fem_problem.h"

int test_fem_kind_on(starfish_context *context, const struct starfish_owner owners[][TEST_FEM_PARTS], size_t sets);

#endif
