/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library's own floating-point environment, independent of the caller's.
 *
 * Vectorised loops compute unused lanes and compare values that may be NaN, and LAPACK divides by zero to probe the
 * machine. Solves of regular problems therefore raise invalid, divide-by-zero and overflow, which would end a program
 * that traps these (feenableexcept, -ffpe-trap). Results would differ if the caller rounds upward or flushes subnormal
 * numbers to zero. Each public function that computes therefore sets the default environment: no traps, rounding to
 * nearest, subnormal numbers kept. It restores the caller's modes, traps and flags on return. Threads inherit the
 * environment of their creator, so the library's threads and StarPU's workers have the default one. The cost is 0.2 us
 * per call on x86-64. */
#ifndef STARFISH_BASE_ARITHMETIC_H
#define STARFISH_BASE_ARITHMETIC_H

/* The first statement of a function that may be called in the caller's environment: the default one until it returns.
 * In functions that it calls, the statement has no effect. */
#define STARFISH_OWN_ARITHMETIC                                                                                        \
    __attribute__((cleanup(starfish_arithmetic_end), unused)) const int starfish_arithmetic =                          \
        starfish_arithmetic_begin()

int starfish_arithmetic_begin(void);
void starfish_arithmetic_end(const int *begun);

/* Whether the calling thread has the default modes and no traps, flags apart: for threads that may be others', where
 * looking costs a nanosecond. 0 where the machine has no cheap way to look. */
int starfish_arithmetic_is_own(void);

/* The caller's environment in between, for the creation of threads that the caller's program will use too (OpenMP's).
 * What the first function returns goes to the second one. */
int starfish_arithmetic_suspend(void);
void starfish_arithmetic_resume(int suspended);

#endif
