/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves of all kinds through the public interface, each small enough to be repeated for every call in it that may
 * fail, and for hours. Every case makes its plans, solves and destroys what it made, and leaves the solution in a
 * result, to be compared with that of a run in which nothing failed. */
#ifndef STARFISH_TESTS_FAULTS_CASES_H
#define STARFISH_TESTS_FAULTS_CASES_H

#include <starfish/starfish.h>

enum { FAULTS_MOST_VALUES = 1 << 16 };

struct faults_result {
    size_t count;
    double value[FAULTS_MOST_VALUES];
};

struct faults_case {
    const char *name;
    double tolerance; /* by which two right answers may differ, relative to the largest value */
    /* context: NULL where the case makes its own. Returns the first failure, or success with a whole result. */
    starfish_status (*run)(struct starfish_context *context, const void *details, struct faults_result *result);
    const void *details;
    int own_context; /* may run while there is no other context alone */
};

/* By number; NULL beyond the last. */
const struct faults_case *faults_case(size_t number);
/* NULL where there is none of that name. */
const struct faults_case *faults_case_named(const char *name);

/* Before each run: solutions of the one before are gone. */
void faults_clear(void);

/* Asked after each solve of a plan: whether the case is to solve with it once more. NULL: no. */
extern int (*faults_again)(void);

/* The largest difference of the two over the largest value of `expected`; infinite where their sizes differ or one is
 * not finite. */
double faults_difference(const struct faults_result *result, const struct faults_result *expected);

#endif
