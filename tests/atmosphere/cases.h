/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves of flat domains on any workers, with arrays in main memory or on a device. */
#ifndef STARFISH_TESTS_ATMOSPHERE_CASES_H
#define STARFISH_TESTS_ATMOSPHERE_CASES_H

#include "tests/atmosphere/oracle.h"
#include "tests/common/memory.h"

/* Small problems of all kinds by all methods, numbers of iterations, refusals; small: the first few alone. Returns how
 * many failed. */
int test_atmosphere_solves(starfish_context *on, const struct test_memory *in, int small);

#endif
