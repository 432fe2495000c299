/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of lines through plans: the kernels' tables again, solved by the tasks of a context. */
#ifndef STARFISH_TESTS_TRIDIAG_BATCHES_H
#define STARFISH_TESTS_TRIDIAG_BATCHES_H

#include "tests/common/memory.h"
#include <starfish/starfish.h>

/* All kinds of batch with arrays in `memory`, a plan and a solve for each; every third is submitted and waited for. */
void test_batches_table(starfish_context *context, const struct test_memory *memory, size_t sizes);
void test_batches_long_lines(starfish_context *context, const struct test_memory *memory, size_t longest);
/* Large batches, which the cores of a team share. */
void test_batches_many_lines(starfish_context *context, const struct test_memory *memory, size_t unknowns);

/* What only the interface does; arrays on the host. */
void test_batches_bad_arguments(starfish_context *context);
void test_batches_check(starfish_context *context);
void test_batches_layouts(starfish_context *context);
void test_batches_update(starfish_context *context);
void test_batches_threads(starfish_context *context);
/* A context of GPUs and cores: each kind alone, then both, and the same solution always; all lines are solved by those
 * that have them. */
void test_batches_shared(starfish_context *context);

#endif
