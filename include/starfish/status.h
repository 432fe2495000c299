/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Status codes. Every function that can fail returns one, and sets a message that names the argument, or the file and
 * key, at fault. */
#ifndef STARFISH_STATUS_H
#define STARFISH_STATUS_H

#include <starfish/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Status of a call. After any status but SUCCESS, starfish_error_message gives the details. */
typedef enum starfish_status {
    STARFISH_SUCCESS = 0,             /* the call succeeded */
    STARFISH_ERROR_ARGUMENT,          /* an argument or a key of a problem file is missing, unknown or out of range */
    STARFISH_ERROR_FILE,              /* a file cannot be read, written or parsed */
    STARFISH_ERROR_MEMORY,            /* host or device memory ran out */
    STARFISH_ERROR_UNSUPPORTED,       /* valid, but not supported by this build or method */
    STARFISH_ERROR_NOT_SYMMETRIZABLE, /* lower[j] * upper[j-1] < 0 for some j (FISHPACK: ierror 5) */
    STARFISH_ERROR_SINGULAR,          /* lambda is an eigenvalue: some mode has no unique solution */
    STARFISH_ERROR_NUMERICAL,         /* the solution is not finite or did not reach the accuracy asked for */
    STARFISH_ERROR_RUNTIME            /* StarPU, CUDA, cuFFT or another library below failed */
} starfish_status;

/* Returns the name of a status code, e.g. "STARFISH_ERROR_FILE". Never NULL; static storage; thread-safe. */
STARFISH_API const char *starfish_status_name(starfish_status status);

/* Returns the message of the last Starfish call that failed in the calling thread: one line without a newline, "" if
 * none failed. Valid until the next failing call in that thread. */
STARFISH_API const char *starfish_error_message(void);

#ifdef __cplusplus
}
#endif

#endif
