/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains of solves on complex vectors, of real and of complex lines, the same for every device. */
#ifndef STARFISH_TESTS_COMPLEX_CHAINS_H
#define STARFISH_TESTS_COMPLEX_CHAINS_H

#include "tridiag_cases.h"

/* Both kinds of complex numbers over both precisions and kinds of lines, lines of at most `longest` unknowns, against
 * dense elimination. */
void test_complex_chain_table(const struct test_device *device, size_t longest, enum starfish_tridiag_method method);

#endif
