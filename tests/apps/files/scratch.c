/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder for a test's files, made before a test and removed behind it, so that nothing is left in the working
 * directory. */
#include "tests/apps/files/scratch.h"

#include "base/status.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

int scratch_setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/starfish-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int scratch_teardown(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

const char *scratch(const char *file)
{
    static char buffers[8][256];
    static int next;
    char *buffer = buffers[next++ % 8];
    snprintf(buffer, sizeof buffers[0], "%s/%s", folder, file);
    return buffer;
}

const char *scratch_file(const char *file, const void *bytes, size_t length)
{
    const char *path = scratch(file);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
    return path;
}

int scratch_count(void)
{
    DIR *directory = opendir(folder);
    int count = 0;
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

void assert_message(const char *part)
{
    const char *message = starfish_error_message();
    if (!strstr(message, part))
        fail_msg("'%s' does not contain '%s'", message, part);
    assert_null(strchr(message, '\n'));
}
