/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cases on which chains of tridiagonal solves are tested, and the check of one case, the same for every device. */
#ifndef STARFISH_TESTS_TRIDIAG_CASES_H
#define STARFISH_TESTS_TRIDIAG_CASES_H

#include "tridiag_lines.h"

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

#endif
