/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves from and to arrays whose rows are not packed, and of many problems at once, on workers of any kinds and with
 * arrays in memory of any kind. */
#ifndef STARFISH_TESTS_ARRAYS_H
#define STARFISH_TESTS_ARRAYS_H

#include "tests/common/memory.h"

/* Returns how many tests failed. */
int test_arrays(const char *name, const struct test_memory *memory, int cpu_workers, int gpu_workers, int cores);

#endif
