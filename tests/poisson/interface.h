/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the solvers' public interface, for any set of workers: main programs choose the set. */
#ifndef STARFISH_TESTS_INTERFACE_H
#define STARFISH_TESTS_INTERFACE_H

/* As test_direct_solvers (tests/poisson/direct.h). */
int test_interface(const char *name, int cpu_workers, int gpu_workers);

#endif
