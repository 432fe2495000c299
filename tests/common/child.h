/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests that need a process of their own: a function that returns NULL, or what went wrong. */
#ifndef STARFISH_TESTS_CHILD_H
#define STARFISH_TESTS_CHILD_H

#include "tests/common/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return #condition;                                                                                         \
    } while (0)

static inline void in_child(const char *(*body)(void))
{
    int result[2], status;
    char wrong[256] = "";
    assert_int_equal(pipe(result), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const char *said = body();
        if (said && write(result[1], said, strlen(said)) < 0)
            _exit(2);
        exit(said != NULL);
    }
    close(result[1]);
    assert_true(read(result[0], wrong, sizeof wrong - 1) >= 0);
    close(result[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0)
        fail_msg("in a process of its own: %s (status %d)", wrong[0] ? wrong : "died", status);
}

#endif
