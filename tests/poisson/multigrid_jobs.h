/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the jobs of the method multigrid, for any set of workers. */
#ifndef STARFISH_TESTS_POISSON_MULTIGRID_JOBS_H
#define STARFISH_TESTS_POISSON_MULTIGRID_JOBS_H

/* Runs all tests with contexts of so many workers of each kind (-1: all); returns the number that failed. */
int test_poisson_multigrid_jobs(const char *name, int cpu_workers, int gpu_workers);

#endif
