/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What fuzz targets share: a folder, and how they complain: past the streams, which a target may have closed. */
#include "tests/fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[256];
static pid_t owner;

static void remove_folder(void)
{
    char command[300];
    if (getpid() != owner)
        return;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s is left\n", folder);
}

const char *fuzz_folder(void)
{
    /* run removes its own folder, also after a target has crashed. */
    const char *parent = getenv("STARFISH_FUZZ_FOLDER");
    if (folder[0])
        return folder;
    snprintf(folder, sizeof folder, "%s/starfish-fuzz-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(2);
    }
    owner = getpid();
    atexit(remove_folder);
    return folder;
}

const char *fuzz_path(const char *name)
{
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", fuzz_folder(), name);
    return path;
}

const char *fuzz_write(const char *name, const void *data, size_t size)
{
    const char *path = fuzz_path(name);
    FILE *stream = fopen(path, "wb");
    if (!stream || fwrite(data, 1, size, stream) != size || fclose(stream) != 0) {
        perror(path);
        exit(2);
    }
    return path;
}

int fuzz_broken(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    dprintf(STDERR_FILENO, "does not hold: ");
    vdprintf(STDERR_FILENO, format, arguments);
    dprintf(STDERR_FILENO, "\n");
    va_end(arguments);
    return -1;
}

int fuzz_check_message(starfish_status status)
{
    const char *message = starfish_error_message();
    if (status == STARFISH_SUCCESS)
        return 0;
    if (strncmp(starfish_status_name(status), "STARFISH_ERROR", 14) != 0)
        return fuzz_broken("status %d is none", (int)status);
    if (!message[0])
        return fuzz_broken("an error without a message");
    for (const char *c = message; *c; ++c)
        if ((unsigned char)*c < ' ' || *c == 127)
            return fuzz_broken("a message with a control character %d: %s", *c, message);
    return 0;
}

/* The address sanitizer's own limits. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=256:detect_leaks=1:handle_abort=1";
}
