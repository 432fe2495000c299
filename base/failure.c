/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failures that are kept with their message and repeated later, in any thread: a copy of 1 KB each, when calls fail. */
#include "base/failure.h"

#include <string.h>

void starfish_failure_keep(struct starfish_failure *failure, starfish_status status)
{
    if (status == STARFISH_SUCCESS)
        return;
    failure->status = status;
    memcpy(failure->message, starfish_error_message(), sizeof failure->message);
}

starfish_status starfish_failure_repeat(const struct starfish_failure *failure)
{
    if (failure->status != STARFISH_SUCCESS)
        starfish_fail(failure->status, "%s", failure->message);
    return failure->status;
}
