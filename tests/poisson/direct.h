/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the direct solvers, for any set of workers: main programs choose the set. */
#ifndef STARFISH_TESTS_DIRECT_H
#define STARFISH_TESTS_DIRECT_H

#include <starfish/starfish.h>

/* Runs all tests with contexts of so many workers of each kind (-1: all) and so many cores to a CPU worker (0:
 * Starfish's choice); returns the number that failed. */
int test_direct_solvers(const char *name, int cpu_workers, int gpu_workers, int cores_per_worker);

#endif
