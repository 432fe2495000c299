/* Q1 multigrid on a context: problems of every kind against a banded solver, options; the paper's figures. */
#ifndef STARFISH_TESTS_MULTIGRID_SOLVE_CASES_H
#define STARFISH_TESTS_MULTIGRID_SOLVE_CASES_H

#include "tests/common/memory.h"

#include <starfish/starfish.h>

/* Right-hand sides and solutions lie in the given memory. Both return how many tests failed. */
int test_multigrid_solves(starfish_context *given, const struct test_memory *given_memory);
/* small: without the large grids. */
int test_multigrid_paper(starfish_context *given, const struct test_memory *given_memory, int small);

#endif
