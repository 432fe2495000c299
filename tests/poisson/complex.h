/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of 2D problems in complex numbers, for any set of workers: main programs choose the set. */
#ifndef STARFISH_TESTS_COMPLEX_H
#define STARFISH_TESTS_COMPLEX_H

/* As test_direct_solvers (tests/poisson/direct.h). */
int test_complex(const char *name, int cpu_workers, int gpu_workers, int cores_per_worker);

#endif
