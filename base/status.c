/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Status codes and the message of the last failure, one per thread (as errno is). */
#include "base/status.h"

#include "base/c_locale.h"

#include <stdarg.h>
#include <string.h>

#undef starfish_fail

static _Thread_local char message[STARFISH_MESSAGE];

const char *starfish_status_name(starfish_status status)
{
    static const char *const names[] = {
        [STARFISH_SUCCESS] = "STARFISH_SUCCESS",
        [STARFISH_ERROR_ARGUMENT] = "STARFISH_ERROR_ARGUMENT",
        [STARFISH_ERROR_FILE] = "STARFISH_ERROR_FILE",
        [STARFISH_ERROR_MEMORY] = "STARFISH_ERROR_MEMORY",
        [STARFISH_ERROR_UNSUPPORTED] = "STARFISH_ERROR_UNSUPPORTED",
        [STARFISH_ERROR_NOT_SYMMETRIZABLE] = "STARFISH_ERROR_NOT_SYMMETRIZABLE",
        [STARFISH_ERROR_SINGULAR] = "STARFISH_ERROR_SINGULAR",
        [STARFISH_ERROR_NUMERICAL] = "STARFISH_ERROR_NUMERICAL",
        [STARFISH_ERROR_RUNTIME] = "STARFISH_ERROR_RUNTIME",
    };
    if ((unsigned)status >= sizeof names / sizeof names[0])
        return "unknown status";
    return names[status];
}

const char *starfish_error_message(void)
{
    return message;
}

starfish_status starfish_fail(starfish_status status, const char *format, ...)
{
    /* Written aside first: the arguments may include the message that is being replaced. */
    char line[sizeof message];
    va_list arguments;
    va_start(arguments, format);
    starfish_print_list(line, sizeof line, format, arguments);
    va_end(arguments);
    /* What comes from files and command lines is not to move a terminal's cursor, or to look like another line. */
    for (char *c = line; *c; ++c)
        if ((unsigned char)*c < ' ' || *c == '\177')
            *c = ' ';
    memcpy(message, line, sizeof message);
    return status;
}
