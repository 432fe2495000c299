/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements on a context: errors, counts, and all combinations of options. */
#ifndef STARFISH_TESTS_FEM_CASES_H
#define STARFISH_TESTS_FEM_CASES_H

#include <starfish/context.h>

/* Each returns how many checks failed. */
int test_fem_orders(starfish_context *context);
int test_fem_counts(starfish_context *context);
int test_fem_parts(starfish_context *context);
int test_fem_combinations(starfish_context *context);
int test_fem_edges(starfish_context *context); /* singular, one unknown, none, mixed and single precision */

#endif
