/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cases on which chains of tridiagonal solves are tested, and the check of one case, the same for every device. */
#ifndef STARFISH_TESTS_TRIDIAG_CASES_H
#define STARFISH_TESTS_TRIDIAG_CASES_H

#include "tridiag/kernels/tridiag.h"
#include <starfish/types.h>

/* Where kernels run. Memory has guard zones on both sides, which release checks. */
struct test_device {
    const char *name;
    void *(*upload)(const void *contents, size_t bytes); /* contents NULL: filled with NaN */
    void (*download)(void *to, const void *from, size_t bytes);
    void (*release)(void); /* all that was uploaded */
    size_t (*chain_workspace)(size_t n, size_t lanes, size_t vectors, int periodic, size_t real_size);
    void (*chain)(starfish_precision precision, const struct starfish_tridiag_chain *arguments);
};
extern const struct test_device test_cpu, test_cpu_windows; /* the second one does chains by windows of lanes */

enum test_operator {
    TEST_POISSON,   /* Dirichlet ends, unit spacing */
    TEST_STRETCHED, /* Dirichlet ends, spacings growing geometrically to 100 times the first */
    TEST_RANDOM,    /* diagonally dominant, entries of both signs */
    TEST_NEUMANN,   /* row sums zero: singular without a shift */
    TEST_OPERATORS
};

struct test_chain {
    starfish_precision precision;
    enum test_operator operator;
    int periodic, keeps, pinned;
    size_t n, lanes, vectors;
    int max_steps;
    enum starfish_tridiag_method method;
};

/* Fails the running cmocka test where a sample of lines differs from the reference by more than the errors that
 * arithmetic of that precision must be allowed. */
void test_chain_case(const struct test_device *device, const struct test_chain *chain);

/* All lines against the CPU's, for sizes that are too large for the reference; every row has to dominate strictly. */
void test_chain_against_cpu(const struct test_device *device, const struct test_chain *chain);

/* The longest lines of the tables: shorter when STARFISH_TEST_SMALL is set. */
size_t test_longest(void);

/* Every case of the table with lines of at most `longest` unknowns. */
void test_chain_table(const struct test_device *device, size_t longest, enum starfish_tridiag_method method);

/* Largest error seen so far in units of the bound, printed by the programs at their end. */
double test_worst_error(void);

#endif
