/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups of tests that share a context: it is made before the first test of a group and destroyed after the last. */
#ifndef STARFISH_TESTS_GROUP_H
#define STARFISH_TESTS_GROUP_H

#include "tests/common/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* Runs an array of tests, which find their context at `context`: made before the first and destroyed after the last
 * one, with workers as for test_context. Returns how many tests failed. */
#define TEST_GROUP(name, tests, context, gpus, cores, cores_per_worker)                                                \
    test_group(name, tests, sizeof(tests) / sizeof(tests)[0], context, test_context(gpus, cores, cores_per_worker))

static inline int test_group(const char *name, const struct CMUnitTest *tests, size_t count, starfish_context **context,
                             starfish_context *made)
{
    *context = made;
    if (!made)
        return 1;
    const int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
    starfish_context_destroy(made);
    return failed;
}

#endif
