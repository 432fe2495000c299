/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 3D multigrid on a context: problems of every kind against the operator written down naively, factors, options. */
#ifndef STARFISH_TESTS_MULTIGRID_FLUX_SOLVE_CASES_H
#define STARFISH_TESTS_MULTIGRID_FLUX_SOLVE_CASES_H

#include "tests/common/memory.h"

#include <starfish/starfish.h>

/* Right-hand sides and solutions lie in the given memory; small: without the large grids. Returns how many tests
 * failed. */
int test_flux_solves(starfish_context *given, const struct test_memory *given_memory, int small);
/* Of these, those that are about factors (flux_factor_cases.c), on the context and memory that are set. */
int test_flux_factors(int small);

#endif
