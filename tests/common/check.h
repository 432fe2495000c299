/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asserting the status of library calls; where they are used, cmocka.h is included. */
#ifndef STARFISH_TESTS_CHECK_H
#define STARFISH_TESTS_CHECK_H

#include <starfish/status.h>

#include <string.h>

#define ASSERT_OK(expression)                                                                                          \
    do {                                                                                                               \
        if ((expression) != STARFISH_SUCCESS)                                                                          \
            fail_msg("%s: %s", #expression, starfish_error_message());                                                 \
    } while (0)

/* The expected status, with a message that says `part`. */
#define ASSERT_FAILS(expression, expected, part)                                                                       \
    do {                                                                                                               \
        const starfish_status assert_fails_status = (expression);                                                      \
        if (assert_fails_status != (expected))                                                                         \
            fail_msg("%s: %s instead of %s", #expression, starfish_status_name(assert_fails_status),                   \
                     starfish_status_name(expected));                                                                  \
        if (!strstr(starfish_error_message(), (part)))                                                                 \
            fail_msg("%s: the message does not say \"%s\": %s", #expression, (part), starfish_error_message());        \
    } while (0)

#endif
