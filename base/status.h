/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How functions inside the library fail: one line that returns the code and leaves the message. */
#ifndef STARFISH_BASE_STATUS_H
#define STARFISH_BASE_STATUS_H

#include <starfish/status.h>

enum { STARFISH_MESSAGE = 1024 }; /* bytes of a message, its end included; longer ones are cut off */

/* Keep the message (printf format, one line) for starfish_error_message and return `status`. */
starfish_status starfish_fail(starfish_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__
/* The analyser cannot see into another file that what is returned is `status`, hence no success. */
#define starfish_fail(status, ...) (starfish_fail(status, __VA_ARGS__), (status))
#endif

/* Return from the calling function when `expression` fails; use only where nothing needs releasing. */
#define STARFISH_TRY(expression)                                                                                       \
    do {                                                                                                               \
        starfish_status starfish_try_status = (expression);                                                            \
        if (starfish_try_status != STARFISH_SUCCESS)                                                                   \
            return starfish_try_status;                                                                                \
    } while (0)

/* Return from the calling function with a failure where `condition` holds; the other arguments are starfish_fail's. */
#define STARFISH_FAIL_IF(condition, ...)                                                                               \
    do {                                                                                                               \
        if (condition)                                                                                                 \
            return starfish_fail(__VA_ARGS__);                                                                         \
    } while (0)

/* The same with ARGUMENT, as most checks fail: the other arguments are the message's. */
#define STARFISH_REFUSE_IF(condition, ...) STARFISH_FAIL_IF(condition, STARFISH_ERROR_ARGUMENT, __VA_ARGS__)

/* SUCCESS where `condition` holds; else a failure, with starfish_fail's arguments behind the condition. */
#define STARFISH_OR_FAIL(condition, ...) ((condition) ? STARFISH_SUCCESS : starfish_fail(__VA_ARGS__))

/* Go on with the next step, whose status becomes `status`, unless an earlier one failed. For functions that have
 * something to release, or to agree on with other ranks, before they return. */
#define STARFISH_THEN(status, expression)                                                                              \
    do {                                                                                                               \
        if ((status) == STARFISH_SUCCESS)                                                                              \
            (status) = (expression);                                                                                   \
    } while (0)

/* Return from the calling function with ARGUMENT where a pointer is NULL and must not be; `name` is the argument's, or
 * as "problem.lower" that of a member. */
#define STARFISH_NEED(pointer, name) STARFISH_REFUSE_IF(!(pointer), "%s is NULL", name)

#endif
