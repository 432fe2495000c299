/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Line steps of Q1 grids against their naive reference, in the memory where they run. */
#ifndef STARFISH_TESTS_MULTIGRID_LINE_CASES_H
#define STARFISH_TESTS_MULTIGRID_LINE_CASES_H

#include "tests/common/memory.h"

/* All sizes on the host or, where `gpu`, on a CUDA device; returns the number of tests that failed. */
int test_multigrid_lines(const struct test_memory *memory, int gpu);

#endif
