/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The floating-point environment that the library computes in, whatever the caller's is.
 *
 * Vectorised loops compute lanes that nobody needs and compare values that may be NaN, and LAPACK divides by zero to
 * see what the machine does. So solves of regular problems raise invalid, divide-by-zero and overflow, and end a
 * program that traps these (feenableexcept, -ffpe-trap). Where a caller rounds upward or flushes subnormal numbers to
 * zero, results would differ. Each public function that computes therefore holds the default environment: nothing
 * traps, rounding is to nearest, subnormal numbers are kept. The caller's modes, traps and flags are back when it
 * returns. Threads inherit the environment of the thread that creates them, so that the library's own threads and
 * StarPU's workers have the default one. It takes 0.2 us a call on x86-64. */
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
