/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls of FISHPACK's routines with all of their arguments in one structure, so that tests can change any of them. */
#ifndef STARFISH_TESTS_FISHPACK_CALLS_H
#define STARFISH_TESTS_FISHPACK_CALLS_H

#include <starfish/fishpack.h>

enum { CALLS_MOST = 40, CALLS_FIELD = 64 * 64, CALLS_WORK = 40000 };

/* A legal call of any routine: 2D drivers on m x n, systems of m x n, boxes of 5^3. */
struct call {
    starfish_fishpack_routine routine;
    double low[3], high[3], lambda, factor, pertrb, robin;
    int intl, order, panels[3], code[3], idimf, idimf2, ierror;
    double data[CALLS_FIELD], rows[2][6 * 64], f[2 * CALLS_FIELD], g[CALLS_FIELD], w[CALLS_WORK];
    void *arguments[CALLS_MOST];
};

/* Fills `call` and its arguments; the same seed gives the same numbers. */
void call_make(struct call *call, starfish_fishpack_routine routine, unsigned seed);
/* Codes for which drivers are legal with the intervals of call_make, changed as they need. */
void call_set_codes(struct call *call, int first, int second);

/* All routines, with the codes of each that differ: the first call of each in the calling thread, the second by a plan,
 * where the environment wants plans. Returns how many differ by more than rounding. */
int test_fishpack_plans(void);

#endif
