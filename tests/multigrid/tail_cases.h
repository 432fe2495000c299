/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of the tail of small grids: on cores, or with kernels of a device, whose memory is given. */
#ifndef STARFISH_TESTS_MULTIGRID_TAIL_CASES_H
#define STARFISH_TESTS_MULTIGRID_TAIL_CASES_H

#include "tests/common/memory.h"

/* NULL: cores. Returns how many tests failed. */
int test_tail(const struct test_memory *memory);

#endif
