/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input files (regular.h): opened without blocking, so that a pipe returns at once, and refused unless they are regular
 * files. */
#include "apps/files/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

starfish_status starfish_regular_open(const char *path, FILE **stream)
{
    struct stat there;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *stream = NULL;
    if (file < 0 || fstat(file, &there) != 0) {
        const starfish_status status = starfish_fail(STARFISH_ERROR_FILE, "%s: %s", path, strerror(errno));
        if (file >= 0)
            close(file);
        return status;
    }
    if (S_ISREG(there.st_mode) && (*stream = fdopen(file, "rb")))
        return STARFISH_SUCCESS;
    close(file);
    return starfish_fail(STARFISH_ERROR_FILE, "%s: %s", path,
                         S_ISDIR(there.st_mode)   ? "is a directory"
                         : S_ISREG(there.st_mode) ? "no memory to read it"
                                                  : "is not a regular file");
}

starfish_status starfish_regular_read(const char *path, char **text, size_t *size)
{
    struct stat there = {.st_size = 0};
    FILE *stream;
    *text = NULL;
    STARFISH_TRY(starfish_regular_open(path, &stream));
    fstat(fileno(stream), &there);
    char *whole = malloc((size_t)there.st_size + 1);
    *size = whole ? fread(whole, 1, (size_t)there.st_size, stream) : 0;
    const int bad = ferror(stream), reason = errno;
    fclose(stream);
    STARFISH_FAIL_IF(!whole, STARFISH_ERROR_MEMORY, "%s: out of memory", path);
    *text = whole;
    whole[*size] = '\0';
    STARFISH_FAIL_IF(bad, STARFISH_ERROR_FILE, "%s: %s", path, strerror(reason));
    return STARFISH_SUCCESS;
}
