/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the method multigrid of the separable solvers, for any set of workers. */
#ifndef STARFISH_TESTS_POISSON_MULTIGRID_H
#define STARFISH_TESTS_POISSON_MULTIGRID_H

/* Runs all tests with contexts of so many workers of each kind (-1: all); returns the number that failed. */
int test_poisson_multigrid(const char *name, int cpu_workers, int gpu_workers);

#endif
