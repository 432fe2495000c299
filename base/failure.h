/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A failure with its message, stored while other calls may fail before it is reported, or until another thread reports
 * it: starfish_error_message has one message per thread. */
#ifndef STARFISH_BASE_FAILURE_H
#define STARFISH_BASE_FAILURE_H

#include "base/status.h"

struct starfish_failure {
    starfish_status status; /* STARFISH_SUCCESS: nothing has failed */
    char message[STARFISH_MESSAGE];
};

/* Where `status` is a failure, keep it and this thread's message in the place of an earlier one. */
void starfish_failure_keep(struct starfish_failure *failure, starfish_status status);
/* Fail in this thread with what was kept, and return its status; STARFISH_SUCCESS where nothing was. */
starfish_status starfish_failure_repeat(const struct starfish_failure *failure);

#endif
