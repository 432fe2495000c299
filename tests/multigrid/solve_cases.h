/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Q1 multigrid on a context: problems of every kind against a banded solver, options; the paper's figures. */
#ifndef STARFISH_TESTS_MULTIGRID_SOLVE_CASES_H
#define STARFISH_TESTS_MULTIGRID_SOLVE_CASES_H

#include "tests/common/memory.h"

#include <starfish/starfish.h>

/* Right-hand sides and solutions lie in the given memory. Both return how many tests failed. Of many combinations of
 * options every so-many-th is tried: a number without a common divisor with 6. */
int test_multigrid_solves(starfish_context *given, const struct test_memory *given_memory, size_t every);
/* Of these, those of acceleration_cases.c, iteration_cases.c and use_cases.c, on the context and memory that are
 * set. */
int test_multigrid_accelerations(void);
int test_multigrid_iterations(void);
int test_multigrid_uses(void);
/* small: without the large grids. */
int test_multigrid_paper(starfish_context *given, const struct test_memory *given_memory, int small);

#endif
