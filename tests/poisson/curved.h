/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of problems on cylinders, spheres, shells and planes, for any set of workers: main programs choose the set. */
#ifndef STARFISH_TESTS_CURVED_H
#define STARFISH_TESTS_CURVED_H

#include <starfish/context.h>

/* As test_direct_solvers (tests/poisson/direct.h). */
int test_curved(const char *name, int cpu_workers, int gpu_workers, int cores_per_worker);

/* One of them, of a large shell (curved_large.c). */
void test_curved_large(starfish_context *context);

#endif
